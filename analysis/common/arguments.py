"""Check and compare the forms of JSON."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from typing import Any

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
