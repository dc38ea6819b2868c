"""How long ``find_position`` takes for what it may take, and how much it finds out by then.

``python benchmarks/answers.py 1 10 60`` asks of the same positions with so many seconds each: of how many the value is
proven, of how many also how far the end is, and what the answers took. Positions come about by random moves, the same
each time, of which neither side has one that wins at once; ``--positions N`` of each game. The first answer in a
process also loads the compiler, so that one is given before.
"""

from __future__ import annotations

import argparse
import random
import time

from analysis.games.families import load_game
from analysis.rules.game import ONGOING
from analysis.search.finding import Finding, find_position

GAMES = (("connect", 8), ("connect", 12), ("connect", 16), ("mnk:4,5,4", 4), ("hex:5", 3), ("othello:size=6", 12))
"""With how many moves there have been."""


def positions(spec: str, plies: int, many: int) -> list[str]:
    """So many positions after so many random moves."""
    game, rng, found = load_game(spec), random.Random(plies), list[str]()
    rules = game.rules()
    while len(found) < many:
        state = rules.start
        for _ in range(plies):
            state = rng.choice(rules.moves(state) or [(0, state)])[1]
        moves = rules.moves(state)
        if moves and all(rules.payoff(child) == ONGOING for _, child in moves):
            found.append(game.format_position(state))
    return found


def measure(many: int, budgets: list[float]) -> None:
    """Print a line for each game and each number of seconds."""
    print(f"{'game':16} {'plies':>5} {'S':>4} {'proven':>8} {'distance':>8} {'median s':>9} {'longest s':>9}")
    for spec, plies in GAMES:
        texts = positions(spec, plies, many)
        find_position(spec, texts[0], seconds=1.0)
        for seconds in budgets:
            took, found = [], list[Finding]()
            for text in texts:
                began = time.perf_counter()
                found.append(find_position(spec, text, seconds=seconds))
                took.append(time.perf_counter() - began)
            proven = [each for each in found if each.exact]
            far = sum(each.remoteness_plies is not None for each in proven)
            counts = f"{len(proven):3} of {many:2} {far:8}"
            print(
                f"{spec:16} {plies:5} {seconds:4g} {counts} {sorted(took)[many // 2]:9.2f} {max(took):9.2f}", flush=True
            )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("seconds", nargs="+", type=float)
    parser.add_argument("--positions", type=int, default=4)
    given = parser.parse_args()
    measure(given.positions, given.seconds)
