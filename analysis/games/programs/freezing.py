"""Write a position of a user's program as text, the same for equal positions, and copy it without sharing anything.

The text is written from the content alone, so that it does not depend on hashes, on the order of dictionaries and sets,
or on addresses. Only the kind is written of what has no content to read (a screen, a lock, a function).
"""

from __future__ import annotations

import collections
import copy
import enum
import functools
import random
import types
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

PLAIN = frozenset({int, str, bool, type(None)})
"""Immutable types that `repr` writes, also inside lists and tuples."""
SHARED = (type, types.FunctionType, types.BuiltinFunctionType, types.MethodType, types.ModuleType, enum.Enum, bytes)
"""Types that are named or shared; their content is never read."""
OTHERWISE = (dict, list, tuple, set, frozenset, np.ndarray, np.generic, random.Random)
"""Types that are written in a special way, or not at all."""
SHOWN_ITEMS = 64  # the longest list whose objects become parts

Attribute = tuple[str, str]
"""The name of an attribute, such as ``board`` or ``players[0].place``, and the text of its content."""


def parts_of(state: Any) -> list[Attribute]:
    """Return the parts of a position: the attributes of an object and of objects inside it, the fields of a named
    tuple, or the items of a dictionary; for anything else, one part without a name.

    >>> parts_of({"turn": 1, "board": [["X", None], [None, "O"]]})
    [('board', "[['X', None], [None, 'O']]"), ('turn', '1')]
    """
    parts: list[Attribute] = []
    _collect("", state, {}, parts)
    return parts


def _collect(name: str, value: Any, seen: dict[int, int], parts: list[Attribute]) -> None:
    fields = _fields(value)
    if fields is None or id(value) in seen:
        listed = type(value) is list and 0 < len(value) <= SHOWN_ITEMS and all(map(_has_content, value))
        if not listed:
            parts.append((name, _text(value, seen)))
            return
        fields = [(f"[{number}]", item) for number, item in enumerate(value)]
    elif _by_identity(value):
        seen[id(value)] = len(seen)
    for key, item in fields:
        _collect(name + key if key[:1] == "[" or not name else f"{name}.{key}", item, seen, parts)


def _fields(value: Any) -> list[tuple[str, Any]] | None:
    """Return the named content of an object in the order of names; None if it has none."""
    kind = type(value)
    if kind in PLAIN or kind is list or kind is tuple:
        return None
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return list(zip(value._fields, value, strict=True))
    if isinstance(value, dict):
        return sorted(value.items()) if value and all(type(key) is str for key in value) else None
    return sorted(_content(value).items()) if _has_content(value) else None


def _has_content(value: Any) -> bool:
    return _has_attributes(_kind(value)) and not isinstance(value, SHARED)


def _kind(value: Any) -> Any:
    return type(value)


@functools.lru_cache(512)
def _has_attributes(kind: Any) -> bool:
    """Return whether objects of a class have attributes from its author, not only from Python."""
    if kind.__module__ == "builtins" or issubclass(kind, OTHERWISE):
        return False
    return bool(getattr(kind, "__dictoffset__", 0)) or any(_slots(kind))


@functools.lru_cache(512)
def _slots(kind: Any) -> tuple[str, ...]:
    declared = [getattr(base, "__slots__", ()) for base in kind.__mro__]
    names = [name for slots in declared for name in ((slots,) if isinstance(slots, str) else slots)]
    return tuple(name for name in dict.fromkeys(names) if not name.startswith("__"))


def _content(value: Any) -> dict[str, Any]:
    kind = _kind(value)
    data = {name: getattr(value, name) for name in _slots(kind) if hasattr(value, name)}
    data |= getattr(value, "__dict__", {})
    if kind.__module__.startswith("networkx."):  # its graphs store views of themselves
        static = {name: getattr(kind, name, None) for name in data if name[:2] != "__"}
        data = {name: data[name] for name, item in static.items() if not isinstance(item, functools.cached_property)}
    return data


@functools.lru_cache(512)
def _same_by_identity(kind: Any) -> bool:
    return bool(kind.__eq__ is object.__eq__)


def _by_identity(value: Any) -> bool:
    """Return whether an object equals only itself; if it occurs again, its number is written instead."""
    return _same_by_identity(_kind(value)) and _has_content(value)


def freeze(value: Any) -> str:
    """Return the content of a value as text.

    >>> freeze({2: {"b", "a"}, 1: [1.0, True]}), freeze(np.array([[0, 1]]))
    ("{1: [1, True], 2: {'a', 'b'}}", '[[0, 1]]')
    """
    return _text(value, {})


def _text(value: Any, seen: dict[int, int]) -> str:
    kind: Any = type(value)
    if kind in PLAIN:
        return repr(value)
    if kind is list or kind is tuple:
        if PLAIN.issuperset(map(type, value)) or all(
            type(row) is list and PLAIN.issuperset(map(type, row)) for row in value
        ):
            return repr(value)
        return _within(value, seen, ("[", "]") if kind is list else ("(", ")"))
    if isinstance(value, float):
        return repr(int(value)) if value.is_integer() else repr(float(value))
    if isinstance(value, (np.ndarray, np.generic)):
        return _text(value.tolist(), seen)
    if isinstance(value, (list, tuple, collections.deque)):
        return _within(value, seen, (f"{kind.__name__}(", ")"))
    if isinstance(value, dict):
        items = sorted(f"{_text(key, seen)}: {_text(item, seen)}" for key, item in value.items())
        return f"{{{', '.join(items)}}}"
    if isinstance(value, (set, frozenset)):
        return f"{{{', '.join(sorted(_text(item, seen) for item in value))}}}" if value else "set()"
    return _of_object(value, seen)


def _of_object(value: Any, seen: dict[int, int]) -> str:
    kind = _kind(value)
    if isinstance(value, enum.Enum):
        return f"{kind.__name__}.{value.name}"
    if isinstance(value, (str, bytes, bytearray, complex, range)):
        return repr(value)
    if isinstance(value, SHARED):
        return f"<{getattr(value, '__qualname__', kind.__name__)}>"
    if not _has_content(value):
        return f"<{kind.__module__}.{kind.__qualname__}>"
    if id(value) in seen:
        return f"#{seen[id(value)]}"
    seen[id(value)] = len(seen)  # for objects inside it that refer back
    inner = ", ".join(f"{name}={_text(item, seen)}" for name, item in sorted(_content(value).items()))
    if not _same_by_identity(kind):
        del seen[id(value)]
    return f"{kind.__name__}({inner})"


def _within(value: Any, seen: dict[int, int], marks: tuple[str, str]) -> str:
    """Return the text of the items of a sequence, which may contain itself."""
    if id(value) in seen:
        return f"#{seen[id(value)]}"
    seen[id(value)] = len(seen)
    inner = ", ".join([_text(item, seen) for item in value])
    del seen[id(value)]
    return marks[0] + inner + marks[1]


# Copies ---------------------------------------------------------------------------------------------------------------


def copier(constants: dict[int, Any]) -> Callable[[Any], Any]:
    """Return a function that copies positions. It copies each object once with all its content, but shares the
    ``constants``, which are given by `id`, and what has no content to read.
    """

    def copied(state: Any) -> Any:
        return _copy(state, dict(constants), root=True)

    return copied


def _copy(value: Any, memo: dict[int, Any], *, root: bool = False) -> Any:
    kind: Any = type(value)
    if kind in PLAIN or kind is float or (kind is tuple and PLAIN.issuperset(map(type, value))):
        return value
    if not root and id(value) in memo:
        return memo[id(value)]
    if kind is list:
        memo[id(value)] = new = value[:]
        if not PLAIN.issuperset(map(type, value)):
            new[:] = [_copy(item, memo) for item in value]
        return new
    if isinstance(value, (*SHARED, np.generic, random.Random)):
        return value
    if isinstance(value, tuple):
        items = [_copy(item, memo) for item in value]
        return kind._make(items) if hasattr(kind, "_make") else kind(items)
    if isinstance(value, (set, frozenset)):
        memo[id(value)] = new = kind(_copy(item, memo) for item in value)
        return new
    if isinstance(value, (dict, list, bytearray, collections.deque, np.ndarray)):
        memo[id(value)] = new = copy.copy(value)
        if not isinstance(value, (bytearray, np.ndarray)):
            for key in value if isinstance(value, dict) else range(len(value)):
                new[key] = _copy(value[key], memo)
        return new
    if not _has_content(value):
        return value
    memo[id(value)] = new = kind.__new__(kind)
    for name, item in _content(value).items():
        object.__setattr__(new, name, _copy(item, memo))
    return new


def constants_of(module: types.ModuleType | None) -> dict[int, Any]:
    """Return, by `id`, the objects that a module names, alone or in a list, tuple or dictionary, and that equal only
    themselves. Copies of a position share them, as in ``turn = PLAYER_X``.
    """

    def candidates(value: Any) -> Iterator[Any]:
        if isinstance(value, dict):
            yield from value.values()
        elif isinstance(value, (list, tuple)):
            yield from value
        yield value

    values = [] if module is None else [value for name, value in vars(module).items() if name[:2] != "__"]
    values += [attribute for value in values if isinstance(value, type) for attribute in vars(value).values()]
    return {id(constant): constant for value in values for constant in candidates(value) if _by_identity(constant)}
