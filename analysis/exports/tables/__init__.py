"""Formats of rows: positions, moves, counts by ply."""
