"""Signatures and the decorator of all kernels."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
import numpy as np
from numba import types

int64 = types.int64
int64s = types.Array(types.int64, 1, "C")
int64_table = types.Array(types.int64, 2, "C")
int64_cube = types.Array(types.int64, 3, "C")
uint8s = types.Array(types.uint8, 1, "C")
uint8_table = types.Array(types.uint8, 2, "C")
int8s = types.Array(types.int8, 1, "C")
int16s = types.Array(types.int16, 1, "C")
uint16s = types.Array(types.uint16, 1, "C")
uint32s = types.Array(types.uint32, 1, "C")
uint64s = types.Array(types.uint64, 1, "C")
uint64_table = types.Array(types.uint64, 2, "C")
uint64_cube = types.Array(types.uint64, 3, "C")

successors_signature = int64(int64, int64s, int64s)
to_move_signature = int64(int64)
Successors = types.FunctionType(successors_signature)
"""``successors(state, moves, children) -> n``, or -1 with the payoff in ``children[0]`` where the game is over."""
ToMove = IntegerFunction = types.FunctionType(to_move_signature)
"""``to_move(state) -> +1 or -1``, and any other function of a state alone."""
legal_moves_signature = int64(int64, int64s)
LegalMoves = types.FunctionType(legal_moves_signature)
"""``legal_moves(state, out) -> n``."""
play_signature = int64(int64, int64)
Play = types.FunctionType(play_signature)
"""``play(state, move) -> state``."""


def kernel(signature: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Compile with this signature, without holding the GIL, cached on disk where there is a place for it."""

    def compile_kernel(function: Callable[..., Any]) -> Callable[..., Any]:
        if numba.config.DISABLE_JIT:
            return np.errstate(over="ignore")(function)  # hashes and limbs wrap around on purpose
        try:
            return numba.njit(signature, nogil=True, cache=True)(function)
        except (RuntimeError, OSError) as error:  # no place for a cache that can be written, or it is full
            if isinstance(error, RuntimeError) and "cannot cache" not in str(error):
                raise
            return numba.njit(signature, nogil=True)(function)

    return compile_kernel
