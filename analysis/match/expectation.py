"""What to expect of two levels of play, without playing: exact where the game is small, else to rounding."""

from __future__ import annotations

import dataclasses
from fractions import Fraction
from typing import Any

from analysis.errors import OptionError
from analysis.match.graph import Graph
from analysis.match.pairing import Ground, Pairing
from analysis.match.sources import root_of, solution_from
from analysis.players.levels import parse_level
from analysis.rules import Game
from analysis.workers import Progress, Workers, no_progress

MAX_PLIES = 1000
"""Plies after which a game counts as unfinished, unless told otherwise."""

Number = Fraction | float
SEEN = tuple(f"expected_{name}" for name in ("wins", "losses", "ties", "unfinished", "payoff", "plies"))
"""Columns of a table of levels and sides."""
FIELDS = ("x_wins", "o_wins", "tie", "unfinished", "payoff", "plies")


@dataclasses.dataclass(frozen=True)
class Expectation:
    """How games of two levels end, on average over all that they may choose.

    The four probabilities add up to 1, exactly so where they are fractions.
    """

    game: str
    position: str
    """Where games start."""
    x: str
    """The level of the first player."""
    o: str
    max_plies: int
    x_wins: Number
    """Fractions where `exact`, else floats."""
    o_wins: Number
    tie: Number
    unfinished: Number
    """The probability that a game goes on after ``max_plies``."""
    payoff: Number
    """The first player's; of an unfinished game 0."""
    plies: Number
    """The length of a game; of an unfinished one ``max_plies``."""

    @property
    def exact(self) -> bool:
        """Whether the numbers are exact fractions, and not rounded."""
        return isinstance(self.x_wins, Fraction)

    def seen_by(self, side: str) -> dict[str, float]:
        """The numbers as the player of ``X`` or ``O`` sees them, rounded."""
        won, lost, payoff = self.x_wins, self.o_wins, self.payoff
        if side == "O":
            won, lost, payoff = lost, won, -payoff
        numbers = (won, lost, self.tie, self.unfinished, payoff, self.plies)
        return dict(zip(SEEN, map(float, numbers), strict=True))

    def to_json(self) -> dict[str, Any]:
        """As ``gametree match --format json`` prints it: numbers with their fractions as text, null where rounded."""
        found: dict[str, Any] = {"x": self.x, "o": self.o, "exact": self.exact}
        for name in FIELDS:
            number = getattr(self, name)
            found[name] = {"value": float(number), "fraction": str(number) if self.exact else None}
        return found


def expect(
    game: str | Game,
    a: str,
    b: str,
    *,
    position: str | None = None,
    max_plies: int = MAX_PLIES,
    threads: int | None = None,
    progress: Progress = no_progress,
) -> Expectation:
    """What to expect where level ``a`` moves first and ``b`` second, from ``position`` (default: the start) on.

    Levels are ``random``, ``greedy``, ``perfect``, ``perfect:shortest`` and ``blunder:P``. The game (a GAME_OR_DIR) is
    solved unless its solution is stored. Raises `OptionError` for another level, `TooLargeError` for a game that is too
    large, and what solving raises.

    >>> result = expect("tictactoe", "perfect", "random")
    >>> result.x_wins, result.tie
    (Fraction(75257, 77760), Fraction(2503, 77760))
    """
    pairing = require_pairing(a, b)
    state = root_of(game, position)
    solution, _ = solution_from(game, state, threads=threads, progress=progress)
    with Workers(threads) as workers:
        ground = Ground.solved(solution, state)
        graph = Graph.build(ground, pairing, workers, progress)
    return expectation(graph, ground, pairing, 0, max_plies, progress)


def require_pairing(a: str, b: str) -> Pairing:
    """The pairing of two levels whose moves have a known distribution. Raises `OptionError` for others."""
    pairing = Pairing.of(a, b)
    if pairing is None:
        searching = next(level for level in (a, b) if parse_level(level).kind == "depth")
        raise OptionError(
            f"what {searching} plays is known only by playing it: exact expectations are of levels that do not search"
        )
    return pairing


def expectation(
    graph: Graph, ground: Ground, pairing: Pairing, first: int, max_plies: int, progress: Progress = no_progress
) -> Expectation:
    """What to expect where level ``first`` of a pairing (0 is A) moves first."""
    game, longest = ground.engine.game, ground.engine.rules.max_plies
    ends, _ = graph.play(first, max_plies if longest is None else min(max_plies, longest), progress)
    return Expectation(
        game.spec,
        game.format_position(ground.root),
        pairing.names[first],
        pairing.names[1 - first],
        max_plies,
        ends.won[0],
        ends.won[1],
        ends.won[2],
        ends.unfinished,
        ends.payoff,
        ends.plies,
    )
