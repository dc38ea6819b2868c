"""Kernels of verification: loops of its own, which share nothing with those of the solver.

States are expanded by asking the author's functions one by one, symmetric images are put together from the bytes of
whole states, children are found in sorted states by their leading bits, and labels and counts come from plain loops.
"""
