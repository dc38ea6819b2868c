"""Small games solved without compiling: positions of any hashable kind, moves as pairs."""
