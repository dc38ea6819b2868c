"""Kernels of verification."""
