"""A position of somebody's program as text, the same for equal positions, and a copy of it that shares nothing.

The text is written from the content alone, so that it does not depend on hashes, on the order of dictionaries and sets,
or on where objects lie. What cannot be looked into (a screen, a lock, a function) is named by its kind.
"""

from __future__ import annotations

import collections
import copy
import enum
import functools
import random
import reprlib
import types
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

PLAIN = frozenset({int, str, bool, type(None)})
"""What `repr` writes, also within lists and tuples, and nothing can change."""
SHARED = (type, types.FunctionType, types.BuiltinFunctionType, types.MethodType, types.ModuleType, enum.Enum, bytes)
"""What is named or shared and never looked into."""
OTHERWISE = (dict, list, tuple, set, frozenset, np.ndarray, np.generic, random.Random)
"""What is written in a way of its own, or is no content."""
SHOWN_ITEMS = 64  # objects of a list that are parts by themselves, at most

Attribute = tuple[str, str]
"""The name of an attribute, such as ``board`` or ``players[0].place``, and its content as text."""


def parts_of(state: Any) -> list[Attribute]:
    """Return a position in parts: the attributes of an object, also of objects within it, the fields of a named tuple,
    the items of a dictionary; one part without a name where it is neither.

    >>> parts_of({"turn": 1, "board": [["X", None], [None, "O"]]})
    [('board', "[['X', None], [None, 'O']]"), ('turn', '1')]
    """
    found: list[Attribute] = []
    _collect("", state, {}, found)
    return found


def _collect(name: str, value: Any, met: dict[int, int], found: list[Attribute]) -> None:
    fields = _fields(value)
    if fields is None or id(value) in met:
        listed = type(value) is list and 0 < len(value) <= SHOWN_ITEMS and all(map(_has_content, value))
        if not listed:
            found.append((name, _text(value, met)))
            return
        fields = [(f"[{number}]", each) for number, each in enumerate(value)]
    elif _by_identity(value):
        met[id(value)] = len(met)
    for key, each in fields:
        _collect(name + key if key[:1] == "[" or not name else f"{name}.{key}", each, met, found)


def _fields(value: Any) -> list[tuple[str, Any]] | None:
    """Return the named content of an object, ascending by name; None where there is none."""
    kind = type(value)
    if kind in PLAIN or kind is list or kind is tuple:
        return None
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return list(zip(value._fields, value, strict=True))
    if isinstance(value, dict):
        return sorted(value.items()) if value and all(type(key) is str for key in value) else None
    return sorted(_content(value).items()) if _has_content(value) else None


def _has_content(value: Any) -> bool:
    return _looked_into(_kind(value)) and not isinstance(value, SHARED)


def _kind(value: Any) -> Any:
    return type(value)


@functools.lru_cache(512)
def _looked_into(kind: Any) -> bool:
    """Tell whether objects of a class hold attributes that its author, or a package's, has given them."""
    if kind.__module__ == "builtins" or issubclass(kind, OTHERWISE):
        return False
    return bool(getattr(kind, "__dictoffset__", 0)) or any(_slots(kind))


@functools.lru_cache(512)
def _slots(kind: Any) -> tuple[str, ...]:
    named = [getattr(base, "__slots__", ()) for base in kind.__mro__]
    each = [name for slots in named for name in ((slots,) if isinstance(slots, str) else slots)]
    return tuple(name for name in dict.fromkeys(each) if not name.startswith("__"))


def _content(value: Any) -> dict[str, Any]:
    kind = _kind(value)
    found = {name: getattr(value, name) for name in _slots(kind) if hasattr(value, name)}
    found |= getattr(value, "__dict__", {})
    if kind.__module__.startswith("networkx."):  # its graphs remember views of themselves
        own = {name: getattr(kind, name, None) for name in found if name[:2] != "__"}
        found = {name: found[name] for name, each in own.items() if not isinstance(each, functools.cached_property)}
    return found


@functools.lru_cache(512)
def _same_by_identity(kind: Any) -> bool:
    return bool(kind.__eq__ is object.__eq__)


def _by_identity(value: Any) -> bool:
    """Tell whether an object is equal to itself only: where it comes again, its number is written instead."""
    return _same_by_identity(_kind(value)) and _has_content(value)


def freeze(value: Any) -> str:
    """Return the content of a value as text.

    >>> freeze({2: {"b", "a"}, 1: [1.0, True]}), freeze(np.array([[0, 1]]))
    ("{1: [1, True], 2: {'a', 'b'}}", '[[0, 1]]')
    """
    return _text(value, {})


def _text(value: Any, met: dict[int, int]) -> str:
    kind: Any = type(value)
    if kind in PLAIN:
        return repr(value)
    if kind is list or kind is tuple:
        if PLAIN.issuperset(map(type, value)) or all(
            type(row) is list and PLAIN.issuperset(map(type, row)) for row in value
        ):
            return repr(value)
        return _within(value, met, ("[", "]") if kind is list else ("(", ")"))
    if isinstance(value, float):
        return repr(int(value)) if value.is_integer() else repr(float(value))
    if isinstance(value, (np.ndarray, np.generic)):
        return _text(value.tolist(), met)
    if isinstance(value, (list, tuple, collections.deque)):
        return _within(value, met, (f"{kind.__name__}(", ")"))
    if isinstance(value, dict):
        items = sorted(f"{_text(key, met)}: {_text(each, met)}" for key, each in value.items())
        return f"{{{', '.join(items)}}}"
    if isinstance(value, (set, frozenset)):
        return f"{{{', '.join(sorted(_text(each, met) for each in value))}}}" if value else "set()"
    return _of_object(value, met)


def _of_object(value: Any, met: dict[int, int]) -> str:
    kind = _kind(value)
    if isinstance(value, enum.Enum):
        return f"{kind.__name__}.{value.name}"
    if isinstance(value, (str, bytes, bytearray, complex, range)):
        return repr(value)
    if isinstance(value, SHARED):
        return f"<{getattr(value, '__qualname__', kind.__name__)}>"
    if not _has_content(value):
        return f"<{kind.__module__}.{kind.__qualname__}>"
    if id(value) in met:
        return f"#{met[id(value)]}"
    met[id(value)] = len(met)  # for objects within it that lead back
    inner = ", ".join(f"{name}={_text(each, met)}" for name, each in sorted(_content(value).items()))
    if not _same_by_identity(kind):
        del met[id(value)]
    return f"{kind.__name__}({inner})"


def _within(value: Any, met: dict[int, int], marks: tuple[str, str]) -> str:
    """Return the items of a sequence, which may hold itself."""
    if id(value) in met:
        return f"#{met[id(value)]}"
    met[id(value)] = len(met)
    inner = ", ".join([_text(each, met) for each in value])
    del met[id(value)]
    return marks[0] + inner + marks[1]


class _Short(reprlib.Repr):
    """Writes the first items of each container only; of an object, its content."""

    def __init__(self) -> None:
        super().__init__()
        self.maxlevel = 3
        self.maxlist = self.maxtuple = self.maxdict = self.maxset = self.maxfrozenset = self.maxdeque = 40
        self.maxstring = self.maxother = 300

    def repr_instance(self, value: Any, level: int) -> str:
        """Return an object by its attributes, if it has any."""
        if not _has_content(value) or level <= 0:
            return super().repr_instance(value, level) if level > 0 else "..."
        inner = ", ".join(f"{name}={self.repr1(each, level - 1)}" for name, each in sorted(_content(value).items()))
        return f"{type(value).__name__}({inner})"


in_short = _Short().repr
"""Returns about what `freeze` does of a value, of which most is left out if it is large, in little time."""


def opaque(state: Any) -> set[str]:
    """Return the kinds of what a position holds and no text can tell of: they are left out of positions."""
    found = {text.strip("<>") for _, text in parts_of(state) if text[:1] == "<" and "." in text}
    return {kind for kind in found if not kind.startswith("builtins.")}


# Copies ---------------------------------------------------------------------------------------------------------------


def copier(constants: dict[int, Any]) -> Callable[[Any], Any]:
    """Return a function that copies positions. Objects of a program's own are copied with all that they hold, once
    each; the ``constants``, by their `id`, are shared, as is what cannot be looked into.
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
            new[:] = [_copy(each, memo) for each in value]
        return new
    if isinstance(value, (*SHARED, np.generic, random.Random)):
        return value
    if isinstance(value, tuple):
        items = [_copy(each, memo) for each in value]
        return kind._make(items) if hasattr(kind, "_make") else kind(items)
    if isinstance(value, (set, frozenset)):
        memo[id(value)] = new = kind(_copy(each, memo) for each in value)
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
    for name, each in _content(value).items():
        object.__setattr__(new, name, _copy(each, memo))
    return new


def constants_of(module: types.ModuleType | None) -> dict[int, Any]:
    """Return objects that a module names, alone or in a list, tuple or dictionary, and that equal themselves only:
    where a position holds one, such as ``turn = PLAYER_X``, a copy of the position holds the same.
    """

    def named(value: Any) -> Iterator[Any]:
        if isinstance(value, dict):
            yield from value.values()
        elif isinstance(value, (list, tuple)):
            yield from value
        yield value

    held = [] if module is None else [value for name, value in vars(module).items() if name[:2] != "__"]
    held += [each for value in held if isinstance(value, type) for each in vars(value).values()]
    return {id(each): each for value in held for each in named(value) if _by_identity(each)}
