"""Keep compiled rules on the disk: compiling a game takes a quarter of a second, loading it a few milliseconds.

An entry is a file in the user's cache directory, named by a hash of everything that its machine code depends on: the
code of the functions, what they close over, the globals they name and their defaults; the versions of Python, Numba and
gametree; and the processor. It begins with a hash of its content and name, so that a damaged or misplaced entry is made
again. Files are written next to their place and renamed, so any number of processes may share the directory. A
directory that another user can write to is not used (see `private_folders`), since what is loaded is run.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import sys
import types
import weakref
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numba
import numpy as np
from llvmlite import __version__ as llvmlite_version
from numba.core import serialize
from numba.core.bytecode import FunctionIdentity
from numba.core.ccallback import CFunc
from numba.core.compiler import CompileResult
from numba.core.compiler_lock import global_compiler_lock
from numba.core.dispatcher import Dispatcher
from numba.core.registry import cpu_target

from ...common.files import rules_folder, write_bytes
from ...common.version import __version__
from ...errors import GametreeError
from ..kernels import types as kernel_types
from .private_folders import is_private, is_private_file, make_private, say_shared, say_unkept

MOST_ENTRIES = 1000
"""The most entries that are kept, about 30 kB each; beyond that, the least recently used are removed."""

LIBRARIES = ("numba", "llvmlite", "numpy", "math", "builtins", "operator")
"""Packages whose contents are identified by name and version."""

PLAIN = (bool, int, float, complex, str, bytes, type(None), type(Ellipsis))


_in_use: weakref.WeakValueDictionary[str, CFunc] = weakref.WeakValueDictionary()
"""The functions compiled or loaded in this process, as long as they are used."""


class NotCachedError(Exception):
    """The content of something may change, or is unknown."""


class StoredCode:
    """The entry of one function, in the form that Numba's `CFunc` expects."""

    def __init__(self, digest: str) -> None:
        self._path = _folder() / f"{digest}.rules"

    def load_overload(self, signature: Any, target_context: Any) -> CompileResult | None:
        """Load the compiled function; None if there is no entry, or a damaged one."""
        try:
            if not is_private_file(self._path):
                return None
            data = self._path.read_bytes()
            if self._checksum(data[32:]) != data[:32]:
                return None
            os.utime(self._path)
            target_context.refresh()  # what code is linked with must be loaded first
            return CompileResult._rebuild(target_context, *pickle.loads(data[32:]))
        except Exception:  # whatever goes wrong with an entry, it is made again
            return None

    def save_overload(self, signature: Any, compiled: CompileResult) -> None:
        """Write an entry, if there is a place for it; code that contains addresses is not kept."""
        if compiled.library.has_dynamic_globals:
            return
        data = serialize.dumps(compiled._reduce())
        try:
            write_bytes(self._path, self._checksum(data) + data)
            _remove_oldest(self._path.parent)
        except (OSError, GametreeError):
            say_unkept()

    def _checksum(self, data: bytes) -> bytes:
        """Return the checksum of an entry's content and name, since an entry in another's place would crash."""
        return hashlib.sha256(self._path.name.encode() + data).digest()


def compile_callback(function: Callable[..., Any], signature: Any) -> CFunc:
    """Return the function compiled, or loaded if it was compiled before."""
    try:
        name = digest(function, signature)
    except NotCachedError:
        name = ""
    with global_compiler_lock:  # another thread may be compiling the same
        if name in _in_use:
            return _in_use[name]
        callback = CFunc(function, numba.core.sigutils.normalize_signature(signature), {}, {})
        if name:
            try:
                callback._cache = StoredCode(name)  # type: ignore[attr-defined]
            except NotCachedError:
                pass
            except OSError:
                say_unkept()
        callback.compile()
        if name:
            _in_use[name] = callback
    return callback


def digest(function: Callable[..., Any], signature: Any) -> str:
    """Return a hash of everything that a function's machine code depends on. Raises `NotCachedError` if that is
    unknown, or if two processes would give different functions the same symbols.
    """
    if not kernel_types.UNIQUE_SYMBOLS:
        raise NotCachedError(FunctionIdentity)
    target = cpu_target.target_context.codegen().magic_tuple()
    versions = (__version__, numba.__version__, llvmlite_version, np.__version__, sys.version, target, _own_source())
    hashed = hashlib.sha256(repr((versions, str(signature))).encode())
    for part in _content(function, ()):
        hashed.update(part)
    return hashed.hexdigest()


def _content(value: Any, above: tuple[int, ...]) -> Iterable[bytes]:
    """Yield all parts of a value, each with its length."""
    if id(value) in above:
        yield _part("within itself", above[::-1].index(id(value)))
        return
    above = (*above, id(value))
    if isinstance(value, np.generic | np.ndarray) and not value.dtype.hasobject:
        yield _part("array", type(value).__name__, value.dtype.str, value.shape, value.strides, value.tobytes())
    elif type(value) in PLAIN:
        yield _part(type(value).__name__, value)
    elif type(value) is tuple:
        yield _part("tuple", len(value))
        for item in value:
            yield from _content(item, above)
    elif _home(value) in LIBRARIES and hasattr(value, "__name__"):
        yield _part("library", getattr(value, "__module__", ""), getattr(value, "__qualname__", value.__name__))
    elif isinstance(value, types.FunctionType):
        yield from _function_content(value, above)
    elif isinstance(value, kernel_types.Helper):
        yield from _content(value.dispatcher, above)
    elif isinstance(value, Dispatcher):
        yield _part("compiled", sorted((name, repr(option)) for name, option in value.targetoptions.items()))
        yield from _function_content(value.py_func, above)
    elif isinstance(getattr(value, "_defn", None), types.FunctionType):  # an intrinsic
        yield from _function_content(value._defn, above)
    else:
        raise NotCachedError(type(value))


def _function_content(function: types.FunctionType, above: tuple[int, ...]) -> Iterable[bytes]:
    yield from _code_content(function.__code__, above)
    for name in _names(function.__code__):
        if name in function.__globals__:
            yield _part("global", name)
            yield from _content(function.__globals__[name], above)
    for cell in function.__closure__ or ():
        yield from _content(cell.cell_contents, above)
    yield from _content(function.__defaults__, above)
    yield from _content(tuple((function.__kwdefaults__ or {}).items()), above)


def _code_content(code: types.CodeType, above: tuple[int, ...]) -> Iterable[bytes]:
    """Yield a function's code without its lines, which do not affect machine code."""
    yield _part(code.co_code, code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)
    yield _part(code.co_flags, code.co_argcount, code.co_kwonlyargcount, code.co_exceptiontable)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _code_content(constant, above)
        else:
            yield from _content(constant, above)


def _names(code: types.CodeType) -> list[str]:
    """Return the globals that code may use, including code within it; names of attributes are among them."""
    within = (constant for constant in code.co_consts if isinstance(constant, types.CodeType))
    return sorted({*code.co_names, *(name for inner in within for name in _names(inner))})


def _part(*values: Any) -> bytes:
    data = repr(values).encode()
    return len(data).to_bytes(8, "little") + data


def _home(value: Any) -> str:
    """Return the package that something belongs to."""
    module = value.__name__ if isinstance(value, types.ModuleType) else getattr(value, "__module__", None)
    return str(module).partition(".")[0]


def _own_source() -> str:
    """Return a hash of the files of gametree that decide machine code besides the functions: how `popcount` is
    compiled, and symbols.
    """
    files = (Path(__file__), Path(__file__).with_name("functions.py"), Path(kernel_types.__file__))
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()


def _folder() -> Path:
    """Return the user's directory of entries. Raises `NotCachedError` if another user can write to it, and `OSError` if
    there is none.
    """
    folder = rules_folder()
    make_private(folder)
    if not is_private(folder):
        say_shared(folder)
        raise NotCachedError(folder)
    return folder


def _remove_oldest(folder: Path) -> None:
    entries = [path for path in folder.iterdir() if path.suffix == ".rules"]
    if len(entries) > MOST_ENTRIES:
        entries.sort(key=lambda path: path.stat().st_mtime)
        for path in entries[: len(entries) - MOST_ENTRIES * 3 // 4]:
            path.unlink(missing_ok=True)
