"""A solved game: positions, moves, counts and paths."""
