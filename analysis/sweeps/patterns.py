"""Patterns of specifications: ``mnk:rows=1..4,cols=1..4,k=3|4`` stands for a game for each choice of its values."""

from __future__ import annotations

import dataclasses
import itertools
import math
import re
from collections.abc import Iterator, Sequence
from typing import Any

from analysis.errors import GametreeError, OptionError, SpecError
from analysis.games.families import BIDDING, family_of, parse_parameters
from analysis.rules.game import Game, spell
from analysis.rules.symmetry import check_kind, usable_kind

MOST = 100_000
"""Games of one pattern."""

_RANGE = re.compile(r"([+-]?[0-9]{1,18})\.\.([+-]?[0-9]{1,18})").fullmatch


@dataclasses.dataclass(frozen=True)
class Asked:
    """A game that a sweep is to have a row of, or values of parameters that make none."""

    spec: str
    """All parameters, as `Game.spec` has them."""
    symmetry: str | None
    """The kind that it is solved with; None where there is no game."""
    parameters: dict[str, Any]
    rules_hash: str | None
    lasting_spec: str
    """By which another process finds the file of a user game."""
    why: str | None = None
    """What is wrong with the values, where they make no game."""

    @property
    def key(self) -> tuple[str, str | None]:
        """What tells its row from others."""
        return self.spec, self.symmetry


def asked_games(patterns: Sequence[str], symmetries: Sequence[str] = ("geometric",)) -> list[Asked]:
    """The games that ``patterns`` stand for, each once, with each of the kinds of ``symmetries`` that makes a
    difference to it.

    A pattern is a specification in which a parameter, by name or by place, has a list of values (``3|4``), a range of
    whole numbers with both its ends (``1..4``), or both (``1..3|7``); it stands for all combinations, the last
    parameter changing fastest. Raises `SpecError` where it names no game or a value is of no use, and `OptionError` for
    bidding games, for more than `MOST` combinations, and for a symmetry that there is not.

    >>> [asked.spec for asked in asked_games(["hex:1..2", "nim:heaps=1-2|3"])]
    ['hex:n=1', 'hex:n=2', 'nim:heaps=1-2,take=any', 'nim:heaps=3,take=any']
    """
    for kind in symmetries:
        check_kind(kind)
    found = {asked.key: asked for pattern in patterns for asked in _asked(pattern, symmetries)}
    return list(found.values())


def _asked(pattern: str, symmetries: Sequence[str]) -> Iterator[Asked]:
    if pattern.strip().partition(":")[0] == BIDDING:
        raise OptionError(f"{pattern}: a sweep is of games by turns; a bidding game is solved by gametree solve")
    family, text = family_of(pattern)
    choices = [_choices(item) for item in text.split(",")]
    number = math.prod(sum(map(len, ranges)) for ranges in choices)
    if number > MOST:
        raise OptionError(f"{pattern} stands for {number:,} games; a pattern may stand for {MOST:,}")
    for items in itertools.product(*(list(itertools.chain(*ranges)) for ranges in choices)):
        yield from _with_symmetries(family, parse_parameters(family, list(items)), symmetries)


def _choices(item: str) -> list[Sequence[str]]:
    """What one item of a pattern may be, in its order: lists of items of a specification, ranges not written out."""
    name, equals, values = item.partition("=")
    if not equals:
        name, values = "", item
    return [_values(name + equals, value.strip(), item) for value in values.split("|")]


def _values(before: str, value: str, item: str) -> Sequence[str]:
    """The items with one value of a list, which may be a range."""
    if not value and "|" in item:
        raise SpecError(f"{item!r} has nothing on one side of |; write it as 3|4")
    ends = _RANGE(value)
    if ends is None:
        return [before + value]
    low, high = int(ends[1]), int(ends[2])
    if low > high:
        raise SpecError(f"the range {value} in {item!r} is empty; write the lesser end first, {high}..{low}")
    return _Items(before, range(low, high + 1))


@dataclasses.dataclass(frozen=True)
class _Items(Sequence[str]):
    """Items of a specification for all numbers of a range, of which there may be too many to write them out."""

    before: str
    numbers: range

    def __len__(self) -> int:
        return len(self.numbers)

    def __getitem__(self, place: Any) -> Any:
        return f"{self.before}{self.numbers[place]}"


def _with_symmetries(family: type[Game], values: dict[str, Any], symmetries: Sequence[str]) -> Iterator[Asked]:
    """The game with these values of its parameters, for each kind of symmetries, or why there is none."""
    try:
        game = family(**values)
        kinds = dict.fromkeys(usable_kind(game.rules(), kind) for kind in symmetries)
    except GametreeError as error:
        given = {field.name: values.get(field.name, field.default) for field in family.parameter_fields()}
        shown = ",".join(f"{name}={spell(value)}" for name, value in given.items() if value not in (False, ""))
        spec = f"{family.origin or family.family}:{shown}"
        yield Asked(spec, None, given, None, spec, str(error))
        return
    for kind in kinds:
        yield Asked(game.spec, kind, game.parameters(), game.rules_hash(), game.lasting_spec)
