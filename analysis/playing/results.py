"""The results of a match by player and side, with confidence intervals, and expectations."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ..common.results import Printable
from .chain import Number
from .simulation import Batch

Z = 1.959963984540054
"""Standard deviations to either side that hold 95 % of a normal distribution."""


class Estimate(NamedTuple):
    """A share of games with its 95 % confidence interval."""

    value: float
    low: float
    high: float


def share(count: int, games: int) -> Estimate | None:
    """Return the share of games and its interval by Wilson's score (1927), which stays within 0 to 1 and suits rare
    ends. None without games.

    >>> [round(x, 4) for x in share(0, 100)]
    [0.0, 0.0, 0.037]
    """
    if games == 0:
        return None
    p, shrink = count / games, 1 + Z * Z / games
    middle = (p + Z * Z / (2 * games)) / shrink
    half = Z / shrink * math.sqrt(p * (1 - p) / games + Z * Z / (4 * games * games))
    low = 0.0 if count == 0 else middle - half  # not a rounding error near 0
    return Estimate(p, low, 1.0 if count == games else middle + half)


@dataclasses.dataclass(frozen=True)
class Standing(Printable):
    """A player's results on one side, or on ``both``."""

    player: str
    """``A`` or ``B``, the level named first or second."""
    level: str
    side: str
    """``X`` where it moved first, ``O`` where second, or ``both``."""
    wins: int = 0
    losses: int = 0
    ties: int = 0
    unfinished: int = 0
    payoffs: int = 0
    """The sum of its own payoffs; an unfinished game counts 0."""
    plies: int = 0
    """Of all games, unfinished ones included."""

    @property
    def games(self) -> int:
        """Number of games."""
        return self.wins + self.losses + self.ties + self.unfinished

    @property
    def points(self) -> float:
        """1 for a win, 1/2 for a tie or an unfinished game."""
        return self.wins + (self.ties + self.unfinished) / 2

    @property
    def payoff(self) -> float | None:
        """Its mean payoff."""
        return self.payoffs / self.games if self.games else None

    @property
    def length(self) -> float | None:
        """Mean plies of a game."""
        return self.plies / self.games if self.games else None

    def share(self, name: str) -> Estimate | None:
        """Return the share of ``wins``, ``losses``, ``ties`` or ``unfinished`` games."""
        return share(getattr(self, name), self.games)

    def __add__(self, other: Standing) -> Standing:
        counts = {name: getattr(self, name) + getattr(other, name) for name in COUNTS}
        return Standing(self.player, self.level, "both", **counts)

    def other_side(self, player: str, level: str) -> Standing:
        """Return these games from the second player's view."""
        return dataclasses.replace(
            self, player=player, level=level, side="O", wins=self.losses, losses=self.wins, payoffs=-self.payoffs
        )

    def to_json(self) -> dict[str, Any]:
        """Return a row with counts, shares with the ends of their intervals, and means."""
        row = {name: getattr(self, name) for name in ("player", "level", "side", "games", *ENDED)}
        for name in ENDED:
            names = (f"share_{name}", f"share_{name}_low", f"share_{name}_high")
            row |= zip(names, self.share(name) or (None, None, None), strict=True)
        return row | {"mean_payoff": self.payoff, "mean_plies": self.length}


ENDED = ("wins", "losses", "ties", "unfinished")
"""In the order of `Batch.ends`."""

ENDED_BEST = ("wins", "ties", "losses", "unfinished")
"""The same, best first."""

COUNTS = (*ENDED, "payoffs", "plies")


class Scoreboard:
    """Adds up games, separately those that A and B began."""

    def __init__(self, levels: tuple[str, str], *, swap: bool) -> None:
        self._levels, self._swap = levels, swap
        self._firsts = [Standing(*who, "X") for who in zip("AB", levels, strict=True)]

    def add(self, batch: Batch) -> None:
        """Count the games of a batch."""
        began = (batch.first + np.arange(len(batch.plies))) % (2 if self._swap else 1)
        for first, standing in enumerate(self._firsts):
            payoffs, plies = (column[began == first].astype(np.int64) for column in (batch.payoffs, batch.plies))
            sums = np.bincount(batch.ends[began == first], minlength=len(ENDED)).tolist()
            sums += [int(column.sum()) for column in (payoffs, plies)]
            added = {name: getattr(standing, name) + number for name, number in zip(COUNTS, sums, strict=True)}
            self._firsts[first] = dataclasses.replace(standing, **added)

    def standings(self) -> tuple[Standing, ...]:
        """Return the standings by player and side, A's first."""
        a, b = self._firsts
        b_second, a_second = a.other_side("B", self._levels[1]), b.other_side("A", self._levels[0])
        return (a, a_second, a + a_second, b, b_second, b + b_second) if self._swap else (a, b_second)


PerSide = dict[str, Number]
SEEN = ("wins", "losses", "ties", "unfinished", "payoff", "plies")
"""Columns of a player's view of a game."""


@dataclasses.dataclass(frozen=True)
class Expectation(Printable):
    """The ends of games between two levels, on average over all their choices.

    The probabilities add up to 1, exactly if they are fractions; ``payoff`` counts an unfinished game as 0, ``plies``
    as the most plies.
    """

    numbers: ClassVar[tuple[str, ...]] = ("x_wins", "o_wins", "tie", "unfinished", "payoff", "plies")

    x: str
    """The level of the first player."""
    o: str
    x_wins: Number
    """Fractions if `exact`, else floats."""
    o_wins: Number
    tie: Number
    payoff: Number
    """The first player's."""
    plies: Number
    """The length of a game."""
    unfinished: Number = dataclasses.field(default=Fraction(0), kw_only=True)
    """The probability that a game lasts longer than the most plies."""

    @property
    def exact(self) -> bool:
        """Whether the numbers are fractions, not rounded."""
        return isinstance(self.x_wins, Fraction)

    def seen_by(self, side: str) -> PerSide:
        """Return the numbers from the view of ``X`` or ``O``, by the columns of `SEEN`."""
        won, lost, payoff = self.x_wins, self.o_wins, self.payoff
        if side == "O":
            won, lost, payoff = lost, won, -payoff
        return dict(zip(SEEN, (won, lost, self.tie, self.unfinished, payoff, self.plies), strict=True))

    def to_json(self) -> dict[str, Any]:
        """Return a row with the numbers, and the fractions as text: ``x_wins`` and ``x_wins_exact``."""
        row: dict[str, Any] = {"x": self.x, "o": self.o, "exact": self.exact}
        for name in self.numbers:
            number = getattr(self, name)
            row |= {name: float(number), f"{name}_exact": str(number) if self.exact else None}
        return row


@dataclasses.dataclass
class Lost:
    """What the moves of a level lost."""

    moves: int = 0
    mistakes: int = 0
    """Moves that lost value."""
    value: int = 0
    """Value before each move less value after it, for the mover, in all."""


@dataclasses.dataclass(frozen=True)
class MatchResult(Printable):
    """The result of a match: every two of some levels met, in any kind of game."""

    game: str
    start: str
    """The position where games began."""
    levels: tuple[str, ...]
    games: int
    """Of each pair."""
    swap: bool
    """Whether they changed sides after every game; otherwise A always moved first, or was X."""
    seed: int
    pairs: Mapping[tuple[int, int], tuple[Standing, ...]]
    """By the numbers of two levels, A and B, their standings by player and side."""
    expectations: tuple[Any, ...] = ()
    """Of two without games: of A as X, then of B as X unless they are the same level."""
    lost: Mapping[int, Lost] = dataclasses.field(default_factory=dict)
    """Of more than two: by the number of a level, what its moves lost."""
    not_judged: str = ""
    """Why the moves of more than two are not judged, or empty."""
    notes: Mapping[str, str] = dataclasses.field(default_factory=dict)
    """How the levels know what they know, by level."""
    seconds: float = 0.0
    """Duration of the games."""
    max_plies: int | None = None
    """The plies after which a game was abandoned; None where games end by themselves, as in bidding games."""
    forfeits: Mapping[str, Sequence[str]] = dataclasses.field(default_factory=dict)
    """By level, a line for each game that it lost by not moving as it should."""

    @property
    def standings(self) -> tuple[Standing, ...]:
        """The standings of the first two levels, by player and side."""
        return self.pairs.get((0, 1), ())

    def standing(self, player: str, side: str, pair: tuple[int, int] = (0, 1)) -> Standing:
        """Return the results of ``player`` ``A`` or ``B`` of a pair on ``side`` ``X``, ``O`` or ``both``. Raises
        `KeyError`.
        """
        return {(each.player, each.side): each for each in self.pairs[pair]}[player, side]

    def against(self, a: int, b: int) -> Standing:
        """Return the results of a level against another, by their numbers, on both sides."""
        return self.standing("A" if a < b else "B", "both", (min(a, b), max(a, b)))

    def seen(self, player: str) -> dict[str, PerSide]:
        """Return the expectations of ``player`` ``A`` or ``B``, as ``X``, ``O`` and over ``both``."""
        of_a, of_b = self.expectations[0], self.expectations[-1]
        as_x, as_o = (of_a, of_b) if player == "A" else (of_b, of_a)
        first, second = as_x.seen_by("X"), as_o.seen_by("O")
        return {"X": first, "O": second, "both": {name: (first[name] + second[name]) / 2 for name in SEEN}}

    def csv_rows(self) -> list[dict[str, Any]]:
        """Return a flat row for each of two players and side, with expectations; of more levels one for each, best
        first. ``--format csv`` prints them.
        """
        if len(self.levels) > 2:
            return sorted(map(self._row, range(len(self.levels))), key=lambda row: -row["points"])
        return [standing.to_json() for standing in self.standings] if self.games else self._expected()

    def _expected(self) -> list[dict[str, Any]]:
        """Return a row for each player and side, with what may be expected."""
        return [
            {"player": player, "level": level, "side": side, **{f"expected_{name}": float(seen[name]) for name in SEEN}}
            for player, level in zip("AB", self.levels, strict=True)
            for side, seen in self.seen(player).items()
        ]

    def _row(self, number: int) -> dict[str, Any]:
        standings = [self.against(number, other) for other in range(len(self.levels)) if other != number]
        games, lost = sum(each.games for each in standings), self.lost.get(number)
        return {
            "level": self.levels[number],
            "points": sum(each.points for each in standings),
            "games": games,
            **{name: sum(getattr(each, name) for each in standings) for name in ENDED_BEST},
            "mean_plies": sum(each.plies for each in standings) / games,
            "forfeits": len(self.forfeits.get(self.levels[number], ())),
            "moves": lost and lost.moves,
            "mistakes": lost and lost.mistakes,
            "value_lost": lost and lost.value,
            "value_lost_a_move": lost and lost.value / lost.moves if lost and lost.moves else None,
        }

    def pair_rows(self) -> list[dict[str, Any]]:
        """Return a row for each pair, with the results of ``a``."""
        names = ("points", "games", *ENDED_BEST, "plies")
        return [
            {"a": self.levels[a], "b": self.levels[b]} | {name: getattr(self.against(a, b), name) for name in names}
            for a, b in self.pairs
        ]

    def to_json(self) -> dict[str, Any]:
        """Return what ``gametree match --format json`` prints; the same for the same seed."""
        head = {name: getattr(self, name) for name in ("game", "start", "games", "seed")}
        forfeits = {level: list(lines) for level, lines in self.forfeits.items()}
        if len(self.levels) > 2:
            return {
                **head, "levels": self.csv_rows(), "pairs": self.pair_rows(), "not_judged": self.not_judged or None,
                "forfeits": forfeits,
            }  # fmt: skip
        return {
            **head,
            **dict(zip("ab", self.levels, strict=True)),
            "swap": self.swap,
            **({"max_plies": self.max_plies} if self.max_plies else {}),
            "standings": [standing.to_json() for standing in self.standings],
            "expectations": [each.to_json() for each in self.expectations],
            **({"forfeits": forfeits} if forfeits else {}),
        }
