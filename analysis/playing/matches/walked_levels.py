"""What to expect of levels that search, in a small game: each of its positions that play reaches is searched once."""

from __future__ import annotations

import contextlib
import functools
from fractions import Fraction

from analysis.errors import OptionError, TooLargeError
from analysis.machine.workers import Progress, no_progress
from analysis.playing.matches.match_graph import MOST_EXACT_STEPS, Ends, played
from analysis.playing.players.levels import Depth, Player
from analysis.playing.players.plain_depth import PlainDepth
from analysis.rules.game import ONGOING

MOST_POSITIONS = 20_000
"""Positions that are asked for what a level plays there: a few minutes."""

MOST_STEPS = 3_000_000
"""Moves, counted once for each ply at which they are made, of chances in doubles."""

CHEAP = 500
"""Lines of play up to which plain Python is faster than to call what is compiled."""


def walk(players: tuple[Player, Player], root: int, max_plies: int, progress: Progress = no_progress) -> Ends:
    """How games end that start from ``root``, where the first player of the pair plays for the first side: in
    fractions, unless there are too many moves. Raises `TooLargeError` where play reaches more than `MOST_POSITIONS`.
    """
    rules = players[0].rules
    players = (_hastened(players[0]), _hastened(players[1]))

    @functools.cache
    def look(state: int) -> int | list[tuple[int, Fraction]]:
        payoff = rules.payoff(state)
        if payoff != ONGOING:
            return int(payoff)
        asked = look.cache_info().currsize
        progress("expectations, positions", asked, None)
        if asked >= MOST_POSITIONS:
            raise TooLargeError(
                f"exact expectations of levels that search take a search in each position, and more than "
                f"{MOST_POSITIONS:,} are reached"
            )
        chances = players[0 if rules.mover(state) > 0 else 1].distribution(state)
        return [(child, chances[code]) for code, child in rules.moves(state) if chances[code]]

    ends = played(root, look, max_plies, MOST_EXACT_STEPS, Fraction(1))
    ends = ends or played(root, look, max_plies, MOST_STEPS, 1.0)
    if ends is None:
        raise TooLargeError(f"expectations take more than {MOST_STEPS:,} steps; give a smaller --max-plies")
    return ends


def _hastened(player: Player) -> Player:
    return _EitherDepth(player) if isinstance(player, Depth) else player


class _EitherDepth(Depth):
    """Prefers the same moves as `Depth`, found by whichever of two ways is faster."""

    def __init__(self, searching: Depth) -> None:
        super().__init__(searching.game, searching.level, searching.depth)
        self._compiled, self._plain = searching, PlainDepth(searching.game, searching.level, searching.depth)

    def preferred(self, state: int) -> list[int]:
        """The moves that the search finds best."""
        codes = [code for code, _ in self.rules.moves(state)]
        if len(codes) <= 1:
            return codes
        if len(codes) ** min(self.depth, CHEAP) <= CHEAP:
            with contextlib.suppress(OptionError):  # there are more lines later on
                return self._plain.preferred(state)
        return self._compiled.preferred(state)
