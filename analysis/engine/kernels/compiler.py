"""Numba or, where it is not installed, a stand-in with which the same code runs as ordinary Python, as with
``NUMBA_DISABLE_JIT=1``: llvmlite, which Numba needs, is made for each version of Python and kind of machine apart.
"""

from __future__ import annotations

import importlib
import logging
import types
from typing import Any

import numpy as np

SLOW = "Numba is not installed: this runs in plain Python, up to a thousand times slower; `pip install numba` ends that"


class Absent:
    """Stands for Numba and for everything in it: for types, bases of classes, and decorators that change nothing.

    >>> stand_in = Absent()
    >>> stand_in.config.DISABLE_JIT, stand_in.njit(stand_in.types.int64)(Absent.carray) is Absent.carray
    (True, True)
    """

    DISABLE_JIT = True
    __version__ = "none"

    def __init__(self, *_: object) -> None:
        """Take what is said of a class that is derived from it."""

    def __getattr__(self, name: str) -> Absent:
        if name.startswith("__"):
            raise AttributeError(name)
        return self

    def __call__(self, *given: Any, **_: object) -> Any:
        """Return the function that is decorated, or another stand-in."""
        return given[0] if len(given) == 1 and isinstance(given[0], types.FunctionType) else self

    def overload(self, _: Any) -> Absent:
        """Return the decorator of what Numba would compile instead of a function."""
        return self

    @staticmethod
    def carray(pointer: Any, shape: tuple[int, ...]) -> np.ndarray:
        """Return the numbers at an address as an array that owns nothing."""
        return np.ctypeslib.as_array(pointer, shape)


def _numba_or_none() -> Any:
    try:
        return importlib.import_module("numba")
    except ImportError:
        logging.getLogger("gametree").warning(SLOW)
        return Absent()


numba = _numba_or_none()
