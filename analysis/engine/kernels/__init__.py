"""Loops over arrays: compiled, no objects, no input or output. What they mean is said one layer up.

Every kernel has an explicit signature and takes the game as a first-class function, so it is compiled once per
installation and not once per game. ``NUMBA_DISABLE_JIT=1`` runs the same code as ordinary Python.
"""
