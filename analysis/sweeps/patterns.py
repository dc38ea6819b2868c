"""Patterns of specifications: ``mnk:rows=1..4,cols=1..4,k=3|4`` stands for one game per choice of values."""

from __future__ import annotations

import dataclasses
import itertools
import math
import re
from collections.abc import Iterator, Sequence
from typing import Any

from analysis.errors import GametreeError, OptionError, SpecError
from analysis.games.families import BIDDING, SUM, family_of, parse_parameters
from analysis.rules.game import spell
from analysis.rules.symmetry import check_kind, usable_kind

MOST = 100_000
"""The most games of one pattern."""

_RANGE = re.compile(r"([+-]?[0-9]{1,18})\.\.([+-]?[0-9]{1,18})").fullmatch


@dataclasses.dataclass(frozen=True)
class SweptGame:
    """A game of a sweep, or values of parameters that make none; only plain values, as another machine may solve it."""

    spec: str
    """The specification with all parameters, as in `Game.spec`."""
    symmetry: str | None
    """The kind to solve it with; None if there is no game."""
    parameters: dict[str, Any]
    rules_hash: str | None
    lasting_spec: str
    """The specification by which another process finds a user game's file."""
    why: str | None = None
    """Why the values make no game."""

    @property
    def key(self) -> tuple[str, str | None]:
        """The key of its row."""
        return self.spec, self.symmetry


def swept_games(patterns: Sequence[str], symmetries: Sequence[str] = ("geometric",)) -> list[SweptGame]:
    """List the games that ``patterns`` stand for, each once, with each of the ``symmetries`` that makes a difference.

    In a pattern, a parameter (by name or position) has a list of values (``3|4``), an inclusive range of whole numbers
    (``1..4``), or both (``1..3|7``); it stands for all combinations, the last parameter changing fastest. Raises
    `SpecError` for an unknown game or an invalid value, and `OptionError` for bidding games, for more than `MOST`
    combinations, and for an unknown symmetry.

    >>> [game.spec for game in swept_games(["hex:1..2", "nim:heaps=1-2|3"])]
    ['hex:n=1', 'hex:n=2', 'nim:heaps=1-2,take=any', 'nim:heaps=3,take=any']
    """
    for kind in symmetries:
        check_kind(kind)
    found = {game.key: game for pattern in patterns for game in _games(pattern, symmetries)}
    return list(found.values())


def _games(pattern: str, symmetries: Sequence[str]) -> Iterator[SweptGame]:
    if pattern.strip().partition(":")[0] in (BIDDING, SUM):
        raise OptionError(f"{pattern}: a sweep cannot hold bidding games and sums; solve it with `gametree solve`")
    family, text = family_of(pattern)
    choices = [_choices(item) for item in text.split(",")]
    number = math.prod(sum(len(values) for _, values in ranges) for ranges in choices)
    if number > MOST:
        raise OptionError(f"{pattern} stands for {number:,} games; the limit is {MOST:,}")
    written = ([f"{name}{value}" for name, values in ranges for value in values] for ranges in choices)
    for items in itertools.product(*written):
        values = parse_parameters(family, list(items))
        try:
            game = family(**values)
            kinds = dict.fromkeys(usable_kind(game.rules(), kind) for kind in symmetries)
        except GametreeError as error:
            given = {field.name: values.get(field.name, field.default) for field in family.parameter_fields()}
            shown = ",".join(f"{name}={spell(value)}" for name, value in given.items() if value not in (False, ""))
            spec = f"{family.origin or family.family}:{shown}"
            yield SweptGame(spec, None, given, None, spec, str(error))
            continue
        for kind in kinds:
            yield SweptGame(game.spec, kind, game.parameters(), game.rules_hash(), game.lasting_spec)


def _choices(item: str) -> list[tuple[str, Sequence[object]]]:
    """Return the choices of one item of a pattern in order: a name and its values, as a range if they are many."""
    name, equals, values = item.partition("=")
    if not equals:
        name, values = "", item
    found: list[tuple[str, Sequence[object]]] = []
    for value in map(str.strip, values.split("|")):
        ends = _RANGE(value)
        if not value and "|" in item:
            raise SpecError(f"{item!r} has nothing on one side of |; write it as 3|4")
        if ends is None:
            found.append((name + equals, [value]))
            continue
        low, high = int(ends[1]), int(ends[2])
        if low > high:
            raise SpecError(f"the range {value} in {item!r} is empty; write the lesser end first, {high}..{low}")
        found.append((name + equals, range(low, high + 1)))
    return found
