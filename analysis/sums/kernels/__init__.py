"""Loops over the parts of positions on graphs."""
