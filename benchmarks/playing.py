"""Matches: games a second, against the same levels played move by move in Python, and exact expectations."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from common import FOUR, NO_TARGET, Settings, Target, interleaved, median, spread, timed

import analysis
from analysis.common.workers import Workers
from analysis.playing.expectation import bounded, chains
from analysis.playing.levels import find_player, parse_level
from analysis.playing.simulation import LevelView, Terms, play_by_turns, simulate
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
    if str(_expected(_view(SMALL), "random", "random")) != RANDOM_WINS:
        raise AssertionError(f"X wins {RANDOM_WINS} of random games")
    _games(settings)
    _expectations(settings)


def _view(spec: str, symmetry: str = "none") -> LevelView:
    solution = analysis.solve(spec, counts=False)
    return LevelView.of(solution.game, solution.game.rules().start, solution, symmetry=symmetry)


def _simulated(ground: LevelView, a: str, b: str, games: int, workers: int) -> tuple[float, np.ndarray]:
    """Seconds of so many games, and their lengths."""
    plies: list[np.ndarray] = []
    pairing, most = (parse_level(a), parse_level(b)), ground.engine.rules.max_plies or 1000
    with Workers(workers) as pool:
        batches = simulate(ground, pairing, Terms(games, swap=False, seed=1, max_plies=most), pool)
        seconds = timed(lambda: plies.extend(batch.plies for batch in batches))
    return seconds, np.concatenate(plies)


def _games(settings: Settings) -> None:
    rows = []
    for spec, a, b in MATCHES:
        game = analysis.load_game(spec)
        ground = _view(spec) if a == "perfect" else LevelView.of(game, game.rules().start)
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


def _expected(view: LevelView, a: str, b: str) -> object:
    return chains(view, (parse_level(a), parse_level(b)), [0])[0].ends(bounded(view.engine.game, 1000)).won[0]


def _expectations(settings: Settings) -> None:
    rows = []
    for spec in (SMALL,) if settings.quick else (SMALL, FOUR):
        view = _view(spec, symmetry="geometric")
        variants: dict[str, Callable[[], float]] = {
            "solve": lambda s=spec: timed(lambda: analysis.solve(s, counts=False, workers=settings.workers))
        }
        for a, b in (("perfect", "random"), ("greedy", "random")):
            variants[f"{a} against {b}"] = lambda a=a, b=b, v=view: timed(lambda: _expected(v, a, b))
        seconds = interleaved(variants, settings.repeat)
        solve = median(seconds.pop("solve"))
        for name, figures in seconds.items():
            target = A_SOLVE.judge(median(figures) / solve) if spec == FOUR else NO_TARGET
            rows.append(
                (f"{spec}, {name}", f"{view.solution.classes:,}", f"{median(figures):.3f}", spread(figures, 3),
                 f"{median(figures) / solve:.2f}", *target)
            )  # fmt: skip
    columns = ("", "classes", "seconds", "least..greatest", "solves", "target", "")
    settings.table(f"Expectations, {settings.workers} threads, the solution at hand", columns, rows)
