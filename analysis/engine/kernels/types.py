"""Define the types of kernels' arguments, and the decorators that compile kernels and their helpers."""

from __future__ import annotations

import contextlib
import functools
import itertools
import logging
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import numba
import numpy as np

from ...common.wording import COMPILING
from ..compiling.private_folders import is_private, is_private_file, say_shared, say_unkept

types = numba.types
global_compiler_lock = numba.core.compiler_lock.global_compiler_lock
FunctionIdentity = numba.core.bytecode.FunctionIdentity

UNIQUE_SYMBOLS = isinstance(getattr(FunctionIdentity, "_unique_ids", None), itertools.count)
"""Whether machine code of several processes has different symbols.

Numba distinguishes functions of one name, such as closures, by a number that it counts from 1 in each process; of two
that are loaded from the disk with the same number, one would be run for the other. Here it counts from a random number.
"""
if UNIQUE_SYMBOLS:
    FunctionIdentity._unique_ids = itertools.count(int.from_bytes(os.urandom(7), "little"))

LOG = logging.getLogger("gametree")
if not (numba_log := logging.getLogger("numba")).level:
    numba_log.setLevel(logging.WARNING)  # at DEBUG it tells every step of the compiler

PATIENCE = 1.0
"""Seconds of compiling before it is reported."""
_compiled = 0.0

int64 = types.int64
int64s = types.Array(types.int64, 1, "C")
int64_table = types.Array(types.int64, 2, "C")
int64_cube = types.Array(types.int64, 3, "C")
uint8s = types.Array(types.uint8, 1, "C")
uint8_table = types.Array(types.uint8, 2, "C")
int8s = types.Array(types.int8, 1, "C")
int16s = types.Array(types.int16, 1, "C")
int16_table = types.Array(types.int16, 2, "C")
int32s = types.Array(types.int32, 1, "C")
int32_table = types.Array(types.int32, 2, "C")
uint16s = types.Array(types.uint16, 1, "C")
uint16_table = types.Array(types.uint16, 2, "C")
uint16_cube = types.Array(types.uint16, 3, "C")
uint32s = types.Array(types.uint32, 1, "C")
uint32_cube = types.Array(types.uint32, 3, "C")
uint64s = types.Array(types.uint64, 1, "C")
uint64_table = types.Array(types.uint64, 2, "C")
uint64_cube = types.Array(types.uint64, 3, "C")

successors_signature = int64(int64, int64s, int64s)
to_move_signature = int64(int64)
Successors = types.FunctionType(successors_signature)
"""``successors(state, moves, children) -> n``, or -1 with the payoff in ``children[0]`` if the game is over; 0 if the
moves are invalid. ``moves`` and ``children`` have room for at least max_moves.
"""
ToMove = IntegerFunction = types.FunctionType(to_move_signature)
"""``to_move(state) -> +1 or -1``, and any other function of a state alone."""
legal_moves_signature = int64(int64, int64s)
LegalMoves = types.FunctionType(legal_moves_signature)
"""``legal_moves(state, out) -> n``."""
play_signature = int64(int64, int64)
Play = types.FunctionType(play_signature)
"""``play(state, move) -> state``."""

inlined = numba.njit(inline="always")
"""Decorator of a helper that becomes part of each kernel that calls it."""


def tuple_of(kind: type[tuple[Any, ...]], *fields: Any) -> Any:
    """Return the type of a named tuple with fields of these types. Arguments that belong together are passed to a
    kernel as one; it takes them apart before its loops, since accessing a field within them counts a reference.
    """
    return types.BaseTuple.from_types(fields, kind)


class Board(NamedTuple):
    """The tables of a group, with which kernels find canonical states."""

    tables: np.ndarray  # int64[order, chunks, 256], see Group.tables
    bits: int


board_type = tuple_of(Board, int64_cube, int64)


class Labels(NamedTuple):
    """Labels of some states, found or still to be filled in."""

    branching: np.ndarray  # uint8[n], moves; 0 where the game is over
    movers: np.ndarray  # int8[n], +1 the first player, -1 the second
    values: np.ndarray  # int16[n]
    remoteness: np.ndarray  # uint16[n]


labels_type = tuple_of(Labels, uint8s, int8s, int16s, uint16s)


class Kernel:
    """A function over arrays that is compiled, or loaded from the disk, when first called, so that a command compiles
    only what it needs. Kernels call themselves or helpers, never one another.
    """

    def __init__(self, function: Callable[..., Any], signature: Any) -> None:
        functools.update_wrapper(self, function)
        self._function, self._signature = function, signature

    def __call__(self, *arguments: Any) -> Any:
        """Call the compiled function."""
        return self.compiled(*arguments)

    @functools.cached_property
    def compiled(self) -> Any:
        """The machine code, as Numba's dispatcher for it."""
        with global_compiler_lock:  # a function being compiled finds itself by its name, which others may share
            return _compiled_with(self._function, self._signature)


def kernel(signature: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Make a `Kernel` with this signature. It does not hold the GIL, and is cached on disk if there is a place for it
    that no other user can write to.
    """

    def make(function: Callable[..., Any]) -> Callable[..., Any]:
        if numba.config.DISABLE_JIT:
            return np.errstate(over="ignore")(function)  # hashes and limbs wrap around on purpose
        return Kernel(function, signature)

    return make


class HelperType(types.Dispatcher):  # type: ignore[misc, name-defined]
    """A function that is compiled for types of arguments only. For constants, Numba would compile it again for each
    number that it is called with, and again for the first value of each variable.
    """

    def get_call_type(self, context: Any, args: Any, kws: Any) -> Any:
        """Return the types with which to compile a call with these arguments: those of constants only if there is no
        other way, as for an index into a tuple of different parts.
        """
        try:
            return super().get_call_type(
                context, tuple(map(types.unliteral, args)), {k: types.unliteral(v) for k, v in kws.items()}
            )
        except numba.core.errors.TypingError:
            return super().get_call_type(context, args, kws)


numba.extending.register_model(HelperType)(numba.extending.models.OpaqueModel)


class Helper:
    """A function that kernels, rules or other helpers call, compiled once per process, when the first of them is."""

    def __init__(self, function: Callable[..., Any], **options: Any) -> None:
        self.__name__, self.__doc__ = function.__name__, function.__doc__
        self.py_func, self.dispatcher = function, numba.njit(**options)(function)

    def __call__(self, *arguments: Any) -> Any:
        """Call the function by itself."""
        return self.dispatcher(*arguments)

    @property
    def _numba_type_(self) -> HelperType:
        return HelperType(self.dispatcher)


def helper(function: Callable[..., Any]) -> Any:
    """Make a function part of each kernel that calls it, by LLVM, after types are inferred. Functions that take arrays
    had better be `inlined`: a helper counts a reference to each.
    """
    return function if numba.config.DISABLE_JIT else Helper(function, forceinline=True)


def compile_kernels(module: ModuleType) -> None:
    """Compile the kernels of a module before they are called, so that timings exclude the compiler."""
    for value in vars(module).values():
        if isinstance(value, Kernel):
            _ = value.compiled


def _compiled_with(function: Callable[..., Any], signature: Any) -> Any:
    try:
        with _closed_folders():
            dispatcher = numba.njit(nogil=True, cache=True)(function)
    except (RuntimeError, OSError) as error:  # no writable place for a cache, or it is full
        if isinstance(error, RuntimeError) and "cannot cache" not in str(error):
            raise
        say_unkept()
        return numba.njit(signature, nogil=True)(function)
    if not _is_safe(Path(dispatcher._cache.cache_path), Path(function.__code__.co_filename).parent):
        return numba.njit(signature, nogil=True)(function)
    _depend_on_all_sources(dispatcher)
    try:
        with numba.core.typeinfer.register_dispatcher(dispatcher):  # so that a recursive kernel finds itself
            _compile_or_load(dispatcher, signature)
    except OSError:
        say_unkept()
        return numba.njit(signature, nogil=True)(function)
    dispatcher.disable_compile()
    return dispatcher


@contextlib.contextmanager
def _closed_folders() -> Iterator[None]:
    """Let Numba make the folders of its cache for this user alone."""
    before = os.umask(0o077)
    try:
        yield
    finally:
        os.umask(before)


@functools.cache
def _is_safe(folder: Path, sources: Path) -> bool:
    """Return whether kernels may be loaded from a folder. Whoever can write to the one next to their sources can change
    what Python runs anyway.
    """
    if folder.parent == sources:
        return True
    safe = is_private(folder) and all(map(is_private_file, folder.iterdir()))
    if not safe:
        say_shared(folder)
    return safe


def _compile_or_load(dispatcher: Any, signature: Any) -> None:
    """Compile a kernel unless it is cached. An unreadable index is emptied: it is pickled, so after an upgrade it may
    name classes that no longer exist, and Numba reads it before it checks whether the sources have changed.
    """
    began = time.monotonic()
    try:
        dispatcher.compile(signature)
    except OSError:  # no place to write to
        raise
    except Exception:  # unpickling may raise anything; what is wrong with the kernel itself is raised again
        dispatcher._cache.flush()
        dispatcher.compile(signature)
    if dispatcher.stats.cache_misses:
        _tell(time.monotonic() - began)


def _tell(seconds: float) -> None:
    """Report once that kernels are being compiled, if that takes a while."""
    global _compiled
    before, _compiled = _compiled, _compiled + seconds
    if before < PATIENCE <= _compiled:
        LOG.info(COMPILING)


def _depend_on_all_sources(dispatcher: Any) -> None:
    """Make the cache forget a kernel if any file that it may take helpers from changes.

    Numba only checks the kernel's own file; a kernel compiled with an old layout of memory crashes next to new ones.
    """
    file = dispatcher._cache._cache_file
    file._source_stamp = (file._source_stamp, *_sources_stamp())


@functools.cache
def _sources_stamp() -> tuple[tuple[str, float, int], ...]:
    """Return path, time and size of every file with kernels: those called ``kernels``, or in a folder of that name,
    and the searches.
    """
    package = Path(__file__).parents[2]
    patterns = ("kernels.py", "kernels/*.py", "search/algorithms/*.py")
    files = sorted(path for pattern in patterns for path in package.rglob(pattern))
    return tuple((str(path.relative_to(package)), path.stat().st_mtime, path.stat().st_size) for path in files)
