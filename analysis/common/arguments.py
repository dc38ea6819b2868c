"""Check the form of JSON values, and compare them."""

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
        return any(fits(value, alternative) for alternative in form)
    if isinstance(form, list):
        length_fits = len(form) == 1 or (isinstance(value, list) and len(value) == form[1])
        return isinstance(value, list) and length_fits and all(fits(item, form[0]) for item in value)
    if isinstance(form, dict):
        keys_fit = isinstance(value, dict) and value.keys() == form.keys()
        return keys_fit and all(fits(value[name], entry) for name, entry in form.items())
    if isinstance(form, frozenset):
        return isinstance(value, str) and value in form
    if isinstance(form, range):
        return isinstance(value, int) and not isinstance(value, bool) and value in form
    if form is None:
        return value is None
    return isinstance(value, form) and (form is bool or not isinstance(value, bool))


def differences(actual: Any, expected: Any, name: str = "") -> Iterator[tuple[str, str, str]]:
    """Yield the differences of two JSON values, in which 1, 1.0 and true differ: the place, and both values as text,
    ``nothing`` for a missing one.

    >>> list(differences({"a": [1, 2], "b": 1}, {"a": [1], "b": 1.0}))
    [('a[1]', '2', 'nothing'), ('b', '1', '1.0')]
    """
    if isinstance(actual, dict) and isinstance(expected, dict):
        for key in {**actual, **expected}:
            place = f"{name}.{key}" if name else str(key)
            yield from differences(actual.get(key, ...), expected.get(key, ...), place)
    elif isinstance(actual, list) and isinstance(expected, list):
        for number, pair in enumerate(itertools.zip_longest(actual, expected, fillvalue=...)):
            yield from differences(*pair, f"{name}[{number}]")
    else:
        actual_text, expected_text = ("nothing" if value is ... else json.dumps(value) for value in (actual, expected))
        if actual_text != expected_text:
            yield name, actual_text, expected_text
