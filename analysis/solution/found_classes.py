"""The classes that a query matches, with what people want to know of each."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from analysis.engine.columns import NEVER
from analysis.machine.arguments import checked
from analysis.machine.memory import Budget
from analysis.machine.workers import Progress, no_progress
from analysis.rules.game import Game
from analysis.rules.notation import move_name
from analysis.solution.class_fields import BEST, KEEPING, MOVES, OUTCOMES, outcomes_of, sides_of
from analysis.solution.lookup import codes_in
from analysis.solution.queries import Query
from analysis.solution.searching import Rows, Search
from analysis.solution.solution import Solution

ROW_BYTES = 3000
"""Bytes of a class that is found until it is printed: as JSON so many, by itself 300."""


@dataclasses.dataclass(frozen=True)
class FoundClass:
    """A class of positions that a query matches, by its canonical position."""

    position: str
    to_move: str | None
    """``X`` or ``O``; None where the game is over."""
    value: int
    outcome: str
    """How it ends under optimal play: ``X`` or ``O`` wins, ``tie`` or, where play never ends, ``draw``."""
    remoteness_plies: int | None
    tier: int
    """The ply, where tiers are plies."""
    moves: int | None
    """How many legal moves there are; None where there are no rules to tell."""
    keeping: int | None
    """How many of them keep the value."""
    orbit_size: int | None
    """None where it is not known."""
    best_moves: tuple[int, ...] | None = None
    """The codes of the moves that keep the value, ascending; None where there are no rules to tell."""
    best_names: tuple[str, ...] | None = None
    """The same as people write them."""
    state: int = dataclasses.field(default=0, repr=False)
    """The position as the rules know it."""

    @property
    def trap(self) -> Fraction | None:
        """The chance to err: the share of the legal moves that do not keep the value; None where there are none."""
        if self.keeping is None or not self.moves:
            return None
        return 1 - Fraction(self.keeping, self.moves)

    @property
    def only_move(self) -> bool | None:
        """Whether there are several moves and one alone keeps the value."""
        return None if self.moves is None else self.moves > 1 and self.keeping == 1

    def to_json(self, tier: str = "tier") -> dict[str, Any]:
        """As ``gametree find --format json`` prints it, the tier by this name."""
        shown = {name: getattr(self, name) for name in ("position", "to_move", "value", "outcome", "remoteness_plies")}
        trap = None if self.trap is None else float(self.trap)
        return {
            **shown, tier: self.tier, "moves": self.moves, "keeping": self.keeping,
            "best_moves": _listed(self.best_moves), "best_names": _listed(self.best_names), "trap": trap,
            "only_move": self.only_move, "orbit_size": self.orbit_size,
        }  # fmt: skip


@dataclasses.dataclass(frozen=True)
class FoundClasses(Sequence[FoundClass]):
    """The classes that a query matches, or the first of them: a sequence that also says how many there are."""

    classes: tuple[FoundClass, ...]
    matched: int
    """How many classes match in all."""
    classes_seen: int
    """How many were looked at: all, but for tiers where none can match."""

    def __getitem__(self, index: Any) -> Any:
        return self.classes[index]

    def __len__(self) -> int:
        return len(self.classes)


@checked
def find_classes(
    solution: Solution,
    query: str = "",
    *,
    order: str | None = None,
    limit: int = 20,
    seed: int | None = None,
    progress: Progress = no_progress,
) -> FoundClasses:
    """The classes that a ``query`` matches, see `Solution.find`. ``progress`` is told how far it is."""
    asked, solution = query_of(solution.game, query), solution.classes
    search = Search(solution, asked, order=order, limit=limit, seed=seed)
    Budget.of_machine().require(ROW_BYTES * min(limit, solution.canonical), f"keeping {limit:,} classes")
    for _ in search.steps():
        progress("searching", search.classes_seen, search.classes_to_see)
    return FoundClasses(tuple(_told(solution, search.rows())), search.matched, search.classes_seen)


def query_of(game: Game, text: str) -> Query:
    """What is asked of the classes of a game, with its names of players and moves. Raises `OptionError` where the
    ``text`` is no query.
    """

    def read_move(move: str) -> int:
        from analysis.rules.notation import Notation  # which looks at moves, and few queries ask for one

        return Notation(game).read_anywhere(move)

    return Query(text, game.players, read_move)


def named_moves(game: Game, codes: Sequence[int]) -> tuple[str, ...]:
    """Moves as people write them."""
    return tuple(move_name(game, code) for code in codes)


def _listed(values: Sequence[int | str] | None) -> list[int | str] | None:
    return None if values is None else list(values)


def _told(solution: Solution, rows: Rows) -> Iterator[FoundClass]:
    """Rows as people read them."""
    if not rows:
        return
    unknown = np.full(len(rows["state"]), None)
    best = codes_in(rows[BEST]) if BEST in rows else unknown.tolist()
    columns = (
        solution.game.format_positions(rows["state"]), sides_of(rows).tolist(), rows["value"].tolist(),
        outcomes_of(rows).tolist(), rows["remoteness_plies"].tolist(), rows["tier"].tolist(),
        *(rows.get(name, unknown).tolist() for name in (MOVES, KEEPING)),
        (rows["orbit_size"] if solution.engine.sized else unknown).tolist(), best, rows["state"].tolist(),
    )  # fmt: skip
    movers, outcomes = {1: "X", -1: "O", 0: None}, {code: name for name, code in OUTCOMES.items()}
    for text, side, value, outcome, plies, *others, codes, state in zip(*columns, strict=True):
        left, names = None if plies == NEVER else plies, None if codes is None else named_moves(solution.game, codes)
        told = (text, movers[side], value, outcomes[outcome], left, *others, codes, names, state)
        yield FoundClass(*told)
