"""Bidding games: whole processes, states a second in memory, and the tests' oracle beside them."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from common import NO_TARGET, ROOT, Settings, Target, interleaved, median, spread, temporary, timed

from analysis.bidding.bidding_solving import solve as solve_bidding
from analysis.bidding.bidding_solving import solve_states
from analysis.bidding.board_tiers import board_engine, board_tiers
from analysis.common.workers import Workers
from analysis.games.bidding import Bidding
from analysis.games.families import load_game

SMALL, LARGE = "bidding:game=tictactoe,chips=8", "bidding:game=tictactoe,chips=100"
ORACLE = "bidding:game=tictactoe,chips=1"
PARTS = (
    SMALL,
    LARGE,
    LARGE + ",ties=chooses",
    "bidding:game=mnk:misere=true,chips=4",
    "bidding:game=mnk:rows=3,cols=4,k=3,chips=8",
)
PROCESS = Target(2, " s")
CHIPS = 4
"""Chips each where X wins tic-tac-toe: a figure of a wrong program is worth nothing."""


def bidding(settings: Settings) -> None:
    """Print the tables."""
    if solve_bidding(f"bidding:game=tictactoe,chips={CHIPS}").root.value != 1:
        raise AssertionError("X wins bidding tic-tac-toe with 4 chips each")
    _processes(settings)
    _parts(settings)
    _oracle(settings)


def _processes(settings: Settings) -> None:
    """`gametree solve` as a whole process, with compiled kernels."""
    with temporary() as directory:
        out, cache = str(Path(directory, "out")), str(Path(directory, "cache"))

        def run(spec: str) -> float:
            command = [sys.executable, "cli.py", "solve", spec, "--force", "--out", out]
            environment = {**os.environ, "NUMBA_CACHE_DIR": cache}
            return timed(lambda: subprocess.run(command, check=True, capture_output=True, cwd=ROOT, env=environment))

        run(SMALL)
        variants: dict[str, Callable[[], float]] = {spec: (lambda s=spec: run(s)) for spec in (SMALL, LARGE)}
        seconds = interleaved(variants, settings.repeat)
    rows = [
        (
            f"gametree solve {spec}",
            f"{median(s):.2f}",
            spread(s),
            *(PROCESS.judge(median(s)) if spec == SMALL else NO_TARGET),
        )
        for spec, s in seconds.items()
    ]
    settings.table("Whole processes, kernels cached", ("", "seconds", "least..greatest", "target", ""), rows)


def _parts(settings: Settings) -> None:
    """The passes, in this process. A bid that is looked at is one comparison of a state's matrix by rows or columns."""
    rows = []
    for spec in PARTS[: 3 if settings.quick else None]:
        figures = [_measure(spec, settings.workers) for _ in range(settings.repeat + 1)][1:]
        linking, solving = (median([figure[i] for figure in figures]) for i in range(2))
        states, bids, mixed = figures[0][2:]
        per_bid = f"{solving / bids * 1e9:.2f}"
        rows.append((spec, f"{states:,}", f"{mixed:,}", f"{linking:.3f}", f"{solving:.3f}", per_bid))
    columns = ("", "states", "mixed", "boards s", "states s", "ns/bid")
    settings.table(f"In memory, {settings.workers} threads: states of classes of boards", columns, rows)


def _measure(spec: str, workers: int) -> tuple[float, float, int, int, int]:
    game = load_game(spec)
    assert isinstance(game, Bidding)
    tiers, solved = [], []
    with Workers(workers) as pool:
        engine = board_engine(game.base, workers=pool)
        linking = timed(lambda: tiers.extend(board_tiers(engine)))
        solving = timed(lambda: solved.extend(solve_states(game, tiers, pool)))
    boards = sum(len(tier.playing) for tier in tiers)
    bids = sum(sum(map(len, game.bids(purse))) for purse in range(game.splits)) * 2
    mixed = sum(len(tier.mixed) for tier in solved)
    return linking, solving, boards * game.columns, boards * bids, mixed


def _oracle(settings: Settings) -> None:
    from tests.support import bidding_oracle as oracle

    def plainly() -> float:
        oracle.recursion.cache_clear()
        return timed(lambda: [oracle.value("?" * 9, x, 2 - x, "X", oracle.Rules()) for x in range(3)])

    variants: dict[str, Callable[[], float]] = {
        "tests/support/bidding_oracle.py": plainly,
        "gametree": lambda: timed(lambda: solve_bidding(ORACLE, workers=1)),
    }
    seconds = interleaved(variants, min(settings.repeat, 3) + 1)
    ours = median(seconds["gametree"][1:])
    rows = [(name, f"{median(s[1:]):.3f}", f"{median(s[1:]) / ours:.1f} x") for name, s in seconds.items()]
    settings.table(f"{ORACLE}, one thread, from the rules to all values", ("", "seconds", "ratio"), rows)
