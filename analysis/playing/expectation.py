"""Compute the expected results of two levels without playing, over all positions that they can reach."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from ..common.memory import Budget
from ..common.workers import tell_progress
from ..errors import OptionError, RulesError, TooLargeError
from ..rules.game import ONGOING, Game
from .chain import MOST_EXACT_STEPS, Chain, explored
from .levels import Perfect
from .player import Player
from .results import Expectation
from .simulation import LevelView, Pairing

BY_SEARCHING = "perfect play by searching prefers the quickest wins; only solved games have exact expectations"

POSITION_BYTES, MOVE_BYTES = 100, 60
"""Memory of a position and of a move, while the chain is built and used."""

MOST_POSITIONS = 20_000
"""Limit on the positions searched for a level's moves: a few minutes."""

MOST_SEARCHED_MOVES = 3_000_000
"""Limit on the moves of levels that are asked position by position."""


def expectation(game: Game, levels: tuple[str, str], max_plies: int, chain: Chain) -> Expectation:
    """Return the expectations of two levels, the first of which moves first. Raises `RulesError` for a game that is
    longer than its rules say, `TooLargeError`.
    """
    most = bounded(game, max_plies)
    ends = chain.ends(most)
    if ends.unfinished and most < max_plies:
        raise too_long(game, most)
    x_wins, o_wins, tie = ends.won
    return Expectation(*levels, x_wins, o_wins, tie, ends.payoff, ends.plies, unfinished=ends.unfinished)


def bounded(game: Game, max_plies: int) -> int:
    """Return the limit on plies, lowered to that of the rules."""
    longest = game.rules().max_plies
    return max_plies if longest is None else min(max_plies, longest)


def too_long(game: Game, most: int) -> RulesError:
    """Return the error for a game that is longer than its rules say."""
    return RulesError(f"games of {game.spec} go on after {most} plies, but its rules say max_plies={most}")


def chains(view: LevelView, pairing: Pairing, orders: Sequence[int]) -> list[Chain]:
    """Return for each order the chain of a pairing in which that level, 0 or 1, moves first. Raises `TooLargeError` for
    more classes than memory holds.
    """
    known, layer, layers, parts = np.empty(0, np.int64), np.array([view.root]), [], []
    n = m = 0
    while len(layer):
        parts.append(view.moves(layer))
        layers.append(layer)
        n, m = n + len(layer), m + len(parts[-1].children)
        tell_progress("classes of the match", n, None)
        Budget.of_machine().require(POSITION_BYTES * n + MOVE_BYTES * m, f"expectations over {n:,} classes")
        known = np.union1d(known, layer)
        layer = np.setdiff1d(parts[-1].children, known)
    states = np.concatenate(layers)
    order = np.argsort(states)
    branching, movers, payoffs, children = map(np.concatenate, zip(*parts, strict=True))
    child = order[np.searchsorted(known, children)]
    liked = [view.preferred(level, states) for level in pairing]
    kind = object if m <= MOST_EXACT_STEPS else float
    rows, found = np.repeat(np.arange(n), branching), []
    for first in orders:
        level = np.where(movers > 0, first, 1 - first)[rows]
        preferred = np.where(level == 0, *liked).astype(np.int64)
        wanted = np.bincount(rows, preferred, n).astype(np.int64)
        cases = np.stack([level, preferred, branching[rows], wanted[rows]])
        cases, which = np.unique(cases, axis=1, return_inverse=True)
        shares = [
            pairing[a].chance / moves + (1 - pairing[a].chance) * likes / likely
            for a, likes, moves, likely in cases.T.tolist()
        ]
        share = np.array(shares, object).astype(kind)[which]
        made = share != 0
        found.append(Chain(np.bincount(rows[made], minlength=n), payoffs, child[made], share[made]))
    return found


def searched_chain(players: tuple[Player, Player], root: int) -> Chain:
    """Return the chain of two players, of whom the first moves first, by asking both at every position. Raises
    `OptionError` where one is perfect by searching, which finds only the quickest wins, and `TooLargeError` where play
    reaches more than `MOST_POSITIONS`.
    """
    rules, asked = players[0].rules, 0
    if any(isinstance(player, Perfect) and player.knowledge.solution is None for player in players):
        raise OptionError(BY_SEARCHING)

    def look(state: int) -> int | list[tuple[int, Fraction]]:
        nonlocal asked
        payoff = rules.payoff(state)
        if payoff != ONGOING:
            return int(payoff)
        asked += 1
        tell_progress("expectations, positions", asked, None)
        if asked > MOST_POSITIONS:
            raise TooLargeError(
                f"levels that search are asked in at most {MOST_POSITIONS:,} positions, and more are reached"
            )
        chances = players[0 if rules.mover(state) > 0 else 1].distribution(state)
        return [(child, chances[code]) for code, child in rules.moves(state) if chances[code]]

    return explored(root, look, MOST_SEARCHED_MOVES)
