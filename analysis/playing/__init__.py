"""Levels of play, matches between them, and games in a terminal."""
