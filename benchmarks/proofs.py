"""How far from the end of Connect-Four a search proves what a position is worth, in ten seconds.

Positions are of games between greedy players who begin at random, neither side can win at once nor has to parry, and
several moves are left to choose from: what is on the board where two careful beginners play.
"""

from __future__ import annotations

import random
import time

from common import Settings, median

import analysis
from analysis.games.families import load_game
from analysis.playing.levels import Greedy
from analysis.rules.game import ONGOING
from analysis.search.finding import search_position

STONES = (20, 16, 14, 12, 10, 8)
MANY, QUICK = 12, 4
SECONDS = 10.0
CHOICE = 4
"""Moves that a greedy player chooses from, at least."""


def proofs(settings: Settings) -> None:
    """Print the table."""
    game = load_game("connect")
    search_position(game, _positions(20, 1)[0], 1.0)  # compiles
    rows = []
    for stones in STONES:
        seconds, nodes, proven = [], 0, 0
        for state in _positions(stones, QUICK if settings.quick else MANY):
            began = time.perf_counter()
            with analysis.running(workers=settings.workers):
                found = search_position(game, state, SECONDS)
            seconds.append(time.perf_counter() - began)
            proven, nodes = proven + found.exact, nodes + found.nodes * found.exact
        spent = sum(took for took in seconds if took < SECONDS) or 1.0
        rows.append(
            (stones, 42 - stones, f"{proven} of {len(seconds)}", f"{median(seconds):.2f}", f"{nodes / spent / 1e6:.1f}")
        )
    title = f"Proofs: Connect-Four 6x7, {SECONDS:g} s a position"
    settings.table(title, ("stones", "plies left", "proven", "median seconds", "M nodes/s"), rows)


def _positions(stones: int, many: int) -> list[int]:
    game = load_game("connect")
    rules, greedy, rng, found = game.rules(), Greedy(game, "greedy"), random.Random(stones), list[int]()
    while len(found) < many:
        state = rules.start
        for _ in range(stones):
            moves = dict(rules.moves(state))
            if not moves:
                break
            state = moves[rng.choice(greedy.preferred(state))]
        moves = rules.moves(state)
        quiet = moves and all(rules.payoff(child) == ONGOING for _, child in moves)
        if quiet and len(greedy.preferred(state)) >= CHOICE:
            found.append(state)
    return found
