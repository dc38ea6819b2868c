"""Formats of game trees, whose nodes are histories."""
