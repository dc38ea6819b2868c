"""Matches: games a second, against the same levels played move by move in Python, and exact expectations.

A ply of a level that knows values takes the moves of a state, and looks each of them up; `gametree solve` does the same
for every class (`links.link`), in batches whose cache misses overlap. Nanoseconds for each move of that pass, in the
same run, are what a simulation could reach if drawing a move were free.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from common import FOUR, NO_TARGET, Settings, Target, interleaved, median, spread, timed

import analysis
from analysis.common.workers import Workers
from analysis.engine.passes.children import link
from analysis.playing.expectation import WeighedMoves, bounded
from analysis.playing.levels import find_player
from analysis.playing.simulation import Pairing, SolvedArrays, Terms, play_by_turns, simulate
from analysis.search.finding import find_knowledge

SMALL, LARGE = "tictactoe", "connect:rows=6,cols=7,k=4"
MATCHES = (
    (SMALL, "random", "random"),
    (SMALL, "perfect", "random"),
    (SMALL, "greedy", "random"),
    (LARGE, "random", "random"),
    (LARGE, "greedy", "random"),
)
GAMES = {"kernel": {SMALL: 100_000, LARGE: 40_000}, "python": {SMALL: 300, LARGE: 20}}
TIMES = Target(50, " x", least=True)
A_SOLVE = Target(4, " solves")
RANDOM_WINS = "737/1260"
"""Of X, where both play at random: a figure of a wrong program is worth nothing."""


def playing(settings: Settings) -> None:
    """Print the tables."""
    if str(_expected(_ground(SMALL), "random", "random", settings.workers)) != RANDOM_WINS:
        raise AssertionError(f"X wins {RANDOM_WINS} of random games")
    _games(settings)
    _moves(settings)
    _expectations(settings)


def _ground(spec: str) -> SolvedArrays:
    solution = analysis.solve(spec, counts=False)
    return SolvedArrays.solved(solution, solution.game.rules().start)


def _simulated(ground: SolvedArrays, a: str, b: str, games: int, workers: int) -> tuple[float, np.ndarray]:
    """Seconds of so many games, and their lengths."""
    plies: list[np.ndarray] = []
    pairing, most = Pairing.of(a, b), ground.engine.rules.max_plies or 1000
    assert pairing is not None
    with Workers(workers) as pool:
        batches = simulate(ground, pairing, Terms(games, swap=False, seed=1, max_plies=most), pool)
        seconds = timed(lambda: plies.extend(batch.plies for batch in batches))
    return seconds, np.concatenate(plies)


def _games(settings: Settings) -> None:
    rows = []
    for spec, a, b in MATCHES:
        game = analysis.load_game(spec)
        ground = _ground(spec) if a == "perfect" else SolvedArrays.unsolved(game, game.rules().start)
        knowledge = find_knowledge(game) if a == "perfect" else None
        players = find_player(a, game, knowledge=knowledge), find_player(b, game, knowledge=knowledge)
        fast, slow = GAMES["kernel"][spec], GAMES["python"][spec]

        def by_turns(players=players, ground=ground, slow=slow) -> float:
            terms = Terms(slow, swap=False, seed=1, max_plies=1000)
            return timed(lambda: list(play_by_turns(players, ground.root, terms))) / slow

        variants: dict[str, Callable[[], float]] = {
            "python": by_turns,
            "one": lambda g=ground, a=a, b=b, n=fast: _simulated(g, a, b, n, 1)[0] / n,
            "all": lambda g=ground, a=a, b=b, n=fast: _simulated(g, a, b, n, settings.workers)[0] / n,
        }
        each = {name: figures[1:] for name, figures in interleaved(variants, settings.repeat + 1).items()}
        one, turns = median(each["one"]), median(each["python"])
        plies = _simulated(ground, a, b, fast, 1)[1].mean()
        target = TIMES.judge(turns / one) if (spec, a) == (SMALL, "random") else NO_TARGET
        rows.append(
            (f"{game.family}, {a} against {b}", f"{1 / turns:,.0f}", f"{1 / one:,.0f}",
             f"{1 / median(each['all']):,.0f}", f"{one / plies * 1e9:.0f}", f"{turns / one:.0f} x", *target)
        )  # fmt: skip
    columns = ("", "in Python", "1 thread", f"{settings.workers} threads", "ns/ply", "1 thread / Python", "target", "")
    settings.table("Games a second", columns, rows)


def _moves(settings: Settings) -> None:
    """A move looked at by a perfect player, and one looked at when the game is solved."""
    ground = _ground(SMALL)
    states = np.tile(ground.states, 200)

    def linking() -> float:
        moves: list[int] = []
        seconds = timed(lambda: moves.append(len(link(ground.engine, states, ground.table).rows)))
        return seconds / moves[0] * 1e9

    def game() -> float:
        seconds, plies = _simulated(ground, "perfect", "perfect", 50_000, 1)
        return seconds / float((9 * plies - plies * (plies - 1) // 2).sum()) * 1e9

    figures = interleaved({"solving": linking, "playing": game}, settings.repeat + 1)
    linked, played = figures["solving"][1:], figures["playing"][1:]
    times = median(played) / median(linked)
    rows = [
        ("all classes linked, in batches", f"{median(linked):.1f}", spread(linked, 1), ""),
        (
            "perfect against perfect",
            f"{median(played):.1f}",
            spread(played, 1),
            f"{times:.1f} x",
        ),
    ]
    settings.table(
        "Tic-tac-toe, one thread: nanoseconds for each move that is looked at", ("", "ns", "least..greatest", ""), rows
    )


def _expected(ground: SolvedArrays, a: str, b: str, workers: int) -> object:
    pairing = Pairing.of(a, b)
    assert pairing is not None
    with Workers(workers) as pool:
        graph = WeighedMoves.build(ground, pairing, pool)
    return graph.play(0, bounded(ground.engine.game, 1000)).won[0]


def _expectations(settings: Settings) -> None:
    rows = []
    for spec in (SMALL,) if settings.quick else (SMALL, FOUR):
        ground = _ground(spec)
        variants: dict[str, Callable[[], float]] = {
            "solve": lambda s=spec: timed(lambda: analysis.solve(s, counts=False, workers=settings.workers))
        }
        for a, b in (("perfect", "random"), ("greedy", "random")):
            variants[f"{a} against {b}"] = lambda a=a, b=b, g=ground: timed(
                lambda: _expected(g, a, b, settings.workers)
            )
        seconds = interleaved(variants, settings.repeat)
        solve = median(seconds.pop("solve"))
        for name, figures in seconds.items():
            target = A_SOLVE.judge(median(figures) / solve) if spec == FOUR else NO_TARGET
            rows.append(
                (f"{spec}, {name}", f"{len(ground.states):,}", f"{median(figures):.3f}", spread(figures, 3),
                 f"{median(figures) / solve:.2f}", *target)
            )  # fmt: skip
    columns = ("", "classes", "seconds", "least..greatest", "solves", "target", "")
    settings.table(f"Expectations, {settings.workers} threads, the solution at hand", columns, rows)
