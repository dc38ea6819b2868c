"""Represent games as graphs: tables of positions and moves, from an explored program or a tree."""
