"""Levels of play: who chooses moves, one level a file."""
