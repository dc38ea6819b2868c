"""Loops over the games of a match."""
