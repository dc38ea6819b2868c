"""What all matches have in common, whatever kind of game two levels play against each other."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from fractions import Fraction
from typing import Any, ClassVar

from analysis.playing.matches.standings import Standing

Number = Fraction | float
"""A fraction is exact, a float rounded."""

PerSide = dict[str, Number]
SEEN = ("wins", "losses", "ties", "unfinished", "payoff", "plies")
"""What a player sees of a game."""


@dataclasses.dataclass(frozen=True)
class Expectation:
    """How games of two levels end, on average over all that they may choose.

    The probabilities of all ends add up to 1, exactly so where they are fractions.
    """

    numbers: ClassVar[tuple[str, ...]] = ("x_wins", "o_wins", "tie", "payoff", "plies")

    x: str
    """The level of the first player."""
    o: str
    x_wins: Number
    """Fractions where `exact`, else floats."""
    o_wins: Number
    tie: Number
    payoff: Number
    """The first player's."""
    plies: Number
    """The length of a game."""

    @property
    def exact(self) -> bool:
        """Whether the numbers are exact fractions, and not rounded."""
        return isinstance(self.x_wins, Fraction)

    def seen_by(self, side: str) -> PerSide:
        """The numbers as the player of ``X`` or ``O`` sees them, by the columns of `SEEN`."""
        won, lost, payoff = self.x_wins, self.o_wins, self.payoff
        if side == "O":
            won, lost, payoff = lost, won, -payoff
        unfinished = getattr(self, "unfinished", Fraction(0))
        return dict(zip(SEEN, (won, lost, self.tie, unfinished, payoff, self.plies), strict=True))

    def to_json(self) -> dict[str, Any]:
        """As ``gametree match --format json`` prints it: numbers with their fractions as text, null where rounded."""
        found: dict[str, Any] = {"x": self.x, "o": self.o, "exact": self.exact}
        for name in self.numbers:
            number = getattr(self, name)
            found[name] = {"value": float(number), "fraction": str(number) if self.exact else None}
        return found


@dataclasses.dataclass(frozen=True)
class MatchResult:
    """The result of a match between the levels ``a`` and ``b``, in whatever kind of game."""

    game: str
    position: str
    """Where games started."""
    a: str
    b: str
    games: int
    swap: bool
    """Whether they changed sides after every game; otherwise A always moved first, or was X."""
    seed: int
    standings: tuple[Standing, ...]
    """By player and side."""
    not_computed: str
    """Why nothing is known of what to expect, or empty."""
    notes: Mapping[str, str]
    """How the levels know what they know, by level."""
    seconds: float
    """What the games took."""
    expectations: tuple[Any, ...]
    """Of A as X, then of B as X unless they are the same level or that is not wanted; none where not known."""
    max_plies: int | None = None
    """The plies after which a game was given up; None where games end by themselves, as with bids for each move."""

    def standing(self, player: str, side: str) -> Standing:
        """How ``A`` or ``B`` fared as ``X``, as ``O``, or on ``both`` sides. Raises `KeyError`."""
        for standing in self.standings:
            if (standing.player, standing.side) == (player, side):
                return standing
        raise KeyError((player, side))

    def seen(self, player: str) -> dict[str, PerSide]:
        """What ``A`` or ``B`` may expect as ``X``, as ``O`` and on average over ``both``, as far as that is known."""
        if not self.expectations:
            return {}
        of_a, of_b = self.expectations[0], self.expectations[-1]
        known = len(self.expectations) > 1 or self.a == self.b
        as_x, as_o = (of_a, of_b) if player == "A" else (of_b, of_a)
        first, second = as_x.seen_by("X"), as_o.seen_by("O")
        if not known:
            return {"X": first} if player == "A" else {"O": second}
        return {"X": first, "O": second, "both": {name: (first[name] + second[name]) / 2 for name in SEEN}}

    def rows(self) -> list[dict[str, Any]]:
        """One flat row for each player and side, as ``gametree match --format csv`` prints them: what came of the
        games, and what was to be expected of one.
        """
        return [standing.to_row() | self._expected(standing) for standing in self.standings]

    def _expected(self, standing: Standing) -> dict[str, float | None]:
        seen = self.seen(standing.player).get(standing.side)
        return {f"expected_{name}": None if seen is None else float(seen[name]) for name in SEEN}

    def to_json(self) -> dict[str, Any]:
        """As ``gametree match --format json`` prints it: alike for the same seed."""
        names = ("game", "position", "a", "b", "games", "swap", "seed", *(["max_plies"] if self.max_plies else []))
        return {
            **{name: getattr(self, name) for name in names},
            "standings": [standing.to_json() for standing in self.standings if standing.games],
            "expectations": [found.to_json() for found in self.expectations],
            "not_computed": self.not_computed or None,
        }
