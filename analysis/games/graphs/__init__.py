"""Games that are known by their graphs: tables of positions and moves, from a program explored or a tree read."""
