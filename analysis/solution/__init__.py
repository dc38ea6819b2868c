"""Read a solved game: positions, moves, counts and paths."""
