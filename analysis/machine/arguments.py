"""Check arguments of public functions and JSON: values of the wrong form are refused at once."""

from __future__ import annotations

import functools
import inspect
import itertools
import json
import os
from collections.abc import Callable, Collection, Iterator
from numbers import Real
from typing import Any, ParamSpec, TypeVar

from analysis.errors import ArgumentError

P = ParamSpec("P")
T = TypeVar("T")


def checked(function: Callable[P, T]) -> Callable[P, T]:
    """Make a function raise `ArgumentError` for unknown arguments, and for those not of the simple types in its
    annotations: texts, numbers, booleans, paths, lists of texts, and solutions. It checks others, such as games,
    itself.

    >>> @checked
    ... def repeat(text: str, times: int = 2) -> str:
    ...     return text * times
    >>> repeat("a", "3")
    Traceback (most recent call last):
    ...
    analysis.errors.ArgumentError: times must be a whole number, not '3'
    """
    kinds = {
        name: found for name, text in function.__annotations__.items() if name != "return" and (found := _of(text))
    }
    signature = inspect.signature(function)

    @functools.wraps(function)
    def run(*args: P.args, **options: P.kwargs) -> T:
        try:
            given = signature.bind(*args, **options).arguments
        except TypeError as error:
            raise ArgumentError(f"{function.__qualname__.removesuffix('.__init__')}(): {error}") from None
        for name, value in given.items():
            if name in kinds and not any(is_one(value) for _, is_one in kinds[name]):
                wanted = " or ".join(what for what, _ in kinds[name])
                raise ArgumentError(f"{name} must be {wanted}, not {described(value)}")
        return function(*args, **options)

    return run


def _of(annotation: str) -> list[tuple[str, Callable[[Any], bool]]]:
    """Return the kinds that an annotation names; none if it has any other. A path may be given as text."""
    names = [part.split("[")[0] for part in annotation.split(" | ")]
    names = [name for name in names if not (name == "str" and "Path" in names)]
    return [_KINDS[name] for name in names] if all(name in _KINDS for name in names) else []


def described(value: Any) -> str:
    """Return a value for an error message: short ones as written, others by their type.

    >>> described("3"), described([1, 2]), described(object())
    ("'3'", '[1, 2]', 'an object of type object')
    """
    if isinstance(value, (str, bytes, int, float, list, tuple, dict, set, range, type(None))):
        try:
            text = repr(value)
        except ValueError:  # an integer of thousands of digits
            text = ""
        if text and len(text) <= 40 and text.isprintable():
            return text
    return f"an object of type {type(value).__name__}"


def _texts(value: Any) -> bool:
    several = isinstance(value, Collection) and not isinstance(value, (str, bytes, dict))
    return several and all(isinstance(each, str) for each in value)


def _path(value: Any) -> bool:
    return isinstance(value, os.PathLike) or (isinstance(value, str) and "\0" not in value)


def _named(name: str) -> Callable[[Any], bool]:
    """Return a test for values of a class of this name, which need not be imported."""
    return lambda value: any(each.__name__ == name for each in type(value).__mro__)


_KINDS: dict[str, tuple[str, Callable[[Any], bool]]] = {
    "str": ("a text", lambda value: isinstance(value, str)),
    "int": ("a whole number", lambda value: hasattr(value, "__index__") and not isinstance(value, bool)),
    "float": ("a number", lambda value: isinstance(value, Real) and not isinstance(value, bool)),
    "bool": ("True or False", lambda value: isinstance(value, bool) or type(value).__name__ in ("bool_", "bool")),
    "None": ("None", lambda value: value is None),
    "Path": ("a path", _path),
    "Sequence": ("a list of texts", _texts),
    "Collection": ("a list of texts", _texts),
    "Client": ("a Dask client", _named("Client")),
    "Executor": ("an executor of concurrent.futures", _named("Executor")),
    "Solution": ("a solution as solve() returns it of a game by turns", _named("Solution")),
    "Output": ("an Output", _named("Output")),
    "SearchRequest": ("a SearchRequest", _named("SearchRequest")),
    "ExportRequest": ("an ExportRequest", _named("ExportRequest")),
    "Limits": ("limits as sweeps.Limits makes them", _named("Limits")),
}


INT64 = range(-(1 << 63), 1 << 63)
"""Whole numbers that an array can hold."""
NATURAL = range(1 << 63)


def fits(value: Any, form: Any) -> bool:
    """Return whether a value has a form: a type (booleans are not numbers); a range of whole numbers; a frozen set of
    texts; None; a tuple of alternatives; ``[form]`` for a list, or ``[form, n]`` for one of n items; or a dictionary of
    forms with exactly its keys.

    >>> fits({"a": [1, 2], "b": None}, {"a": [int, 2], "b": (None, str)}), fits([True], [int]), fits(3, range(3))
    (True, False, False)
    """
    if isinstance(form, tuple):
        return any(fits(value, each) for each in form)
    if isinstance(form, list):
        long = len(form) == 1 or (isinstance(value, list) and len(value) == form[1])
        return isinstance(value, list) and long and all(fits(each, form[0]) for each in value)
    if isinstance(form, dict):
        keys = isinstance(value, dict) and value.keys() == form.keys()
        return keys and all(fits(value[name], each) for name, each in form.items())
    if isinstance(form, frozenset):
        return isinstance(value, str) and value in form
    if isinstance(form, range):
        return isinstance(value, int) and not isinstance(value, bool) and value in form
    if form is None:
        return value is None
    return isinstance(value, form) and (form is bool or not isinstance(value, bool))


def differences(found: Any, wanted: Any, name: str = "") -> Iterator[tuple[str, str, str]]:
    """Yield the differences of two values as JSON, which distinguishes 1, 1.0 and true: the place, and both values as
    text, ``nothing`` where one is missing.

    >>> list(differences({"a": [1, 2], "b": 1}, {"a": [1], "b": 1.0}))
    [('a[1]', '2', 'nothing'), ('b', '1', '1.0')]
    """
    if isinstance(found, dict) and isinstance(wanted, dict):
        for key in {**found, **wanted}:
            place = f"{name}.{key}" if name else str(key)
            yield from differences(found.get(key, ...), wanted.get(key, ...), place)
    elif isinstance(found, list) and isinstance(wanted, list):
        for number, pair in enumerate(itertools.zip_longest(found, wanted, fillvalue=...)):
            yield from differences(*pair, f"{name}[{number}]")
    else:
        one, other = ("nothing" if each is ... else json.dumps(each) for each in (found, wanted))
        if one != other:
            yield name, one, other
