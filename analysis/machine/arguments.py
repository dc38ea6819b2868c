"""The arguments of public functions: what is of a wrong type is refused in a line, not met somewhere inside."""

from __future__ import annotations

import functools
import inspect
import os
import warnings
from collections.abc import Callable, Collection, Iterable, Sequence
from numbers import Real
from typing import Any, ParamSpec, TypeVar

from analysis.errors import ArgumentError

P = ParamSpec("P")
T = TypeVar("T")


def checked(function: Callable[P, T]) -> Callable[P, T]:
    """Have a function raise `ArgumentError` for arguments that it does not have, and for those that are not of the
    simple types in its annotations: texts, numbers, truth values, paths, lists of texts, and solutions. Others, such as
    games, it looks at itself. ``threads``, the name that ``workers`` had, is taken for it, with a `DeprecationWarning`.

    >>> @checked
    ... def repeat(text: str, times: int = 2) -> str:
    ...     return text * times
    >>> repeat("a", "3")
    Traceback (most recent call last):
    ...
    analysis.errors.ArgumentError: times is a whole number, not '3'
    """
    kinds = {
        name: found for name, text in function.__annotations__.items() if name != "return" and (found := _of(text))
    }
    signature = inspect.signature(function)

    @functools.wraps(function)
    def run(*args: P.args, **options: P.kwargs) -> T:
        if "threads" in options and "workers" in signature.parameters and "workers" not in options:
            warnings.warn("threads is called workers now", DeprecationWarning, stacklevel=2)
            options["workers"] = options.pop("threads")
        try:
            given = signature.bind(*args, **options).arguments
        except TypeError as error:
            raise ArgumentError(f"{function.__name__}(): {error}") from None
        for name, value in given.items():
            if name in kinds and not any(fits(value) for _, fits in kinds[name]):
                wanted = " or ".join(what for what, _ in kinds[name])
                raise ArgumentError(f"{name} is {wanted}, not {described(value)}")
        return function(*args, **options)

    return run


def _of(annotation: str) -> list[tuple[str, Callable[[Any], bool]]]:
    """The kinds that an annotation names; none where it is about anything else. A path may be a text, of a kind."""
    names = [part.split("[")[0] for part in annotation.split(" | ")]
    names = [name for name in names if not (name == "str" and "Path" in names)]
    return [_KINDS[name] for name in names] if all(name in _KINDS for name in names) else []


def described(value: Any) -> str:
    """A value as a refusal quotes it: short things as they are written, others by their type.

    >>> described("3"), described([1, 2]), described(object())
    ("'3'", '[1, 2]', 'an object of the type object')
    """
    if isinstance(value, (str, bytes, int, float, list, tuple, dict, set, type(None))):
        try:
            text = repr(value)
        except ValueError:  # an integer of thousands of digits
            text = ""
        if text and len(text) <= 40 and text.isprintable():
            return text
    return f"an object of the type {type(value).__name__}"


def _whole(value: Any) -> bool:
    return hasattr(value, "__index__") and not isinstance(value, bool)


def _texts(value: Any) -> bool:
    sequence = isinstance(value, (Sequence, Collection, Iterable)) and not isinstance(value, (str, bytes, dict))
    return sequence and isinstance(value, Collection) and all(isinstance(each, str) for each in value)


def _path(value: Any) -> bool:
    return isinstance(value, os.PathLike) or (isinstance(value, str) and "\0" not in value)


def _named(name: str) -> Callable[[Any], bool]:
    """Whether a value is of a class of this name, which need not be imported for it."""
    return lambda value: any(each.__name__ == name for each in type(value).__mro__)


_KINDS: dict[str, tuple[str, Callable[[Any], bool]]] = {
    "str": ("a text", lambda value: isinstance(value, str)),
    "int": ("a whole number", _whole),
    "float": ("a number", lambda value: isinstance(value, Real) and not isinstance(value, bool)),
    "bool": ("True or False", lambda value: isinstance(value, bool) or type(value).__name__ in ("bool_", "bool")),
    "None": ("None", lambda value: value is None),
    "Path": ("a path", _path),
    "Sequence": ("a list of texts", _texts),
    "Collection": ("a list of texts", _texts),
    "Client": ("a client of Dask", _named("Client")),
    "Executor": ("an executor of concurrent.futures", _named("Executor")),
    "Solution": ("a solution as solve() returns it", _named("Solution")),
}
