"""Beside other programs: what each does when asked to solve the same small board, and how long it takes.

No two of them compute quite the same, so every row says what is computed. None of gametree's rows but the last has
the compiling of the rules in it, which a process does once for each game.
"""

from __future__ import annotations

from collections.abc import Callable

from common import Settings, check, median, spread, timed
from peer_programs import Found, Peer, easyai, open_spiel, oracle

import analysis

BOARDS = ((3, 3, 3), (3, 4, 3))
LONG = 3.0
"""Seconds from which on one measurement has to do."""

PROGRAMS: tuple[Callable[[int, int, int], list[Peer]], ...] = (oracle, open_spiel, easyai)


def peers(settings: Settings) -> None:
    """Print a table for each board. Nothing a peer does ends the run."""
    for board in BOARDS:
        ours = _ours(*board, settings.workers)
        for peer in ours:
            if peer.solve is not None:
                peer.solve()  # compiles what is not in the kernel cache: that is not what takes long
        others = [peer for program in PROGRAMS for peer in offered(program, board)]
        _print(board, ours + others, settings)


def _ours(rows: int, cols: int, k: int, workers: int) -> list[Peer]:
    from analysis.engine.compiling.functions import compile_rules

    spec = f"mnk:rows={rows},cols={cols},k={k}"

    def solve(symmetry: str, *, counts: bool) -> Found:
        solution = analysis.solve(spec, symmetry=symmetry, counts=counts, workers=workers)
        check(solution, spec)
        return Found(solution.value, solution.classes)

    def compiling() -> Found:
        compile_rules(analysis.load_game(spec).rules())
        return Found(None, None)

    every = "value and remoteness of every"
    counted = "games by winner, histories, optimal paths"
    return [
        Peer("gametree", f"{every} class; {counted}", lambda: solve("geometric", counts=True)),
        Peer("gametree", f"{every} position; {counted}", lambda: solve("none", counts=True)),
        Peer("gametree", f"{every} position", lambda: solve("none", counts=False)),
        Peer("gametree", "nothing: compiles the rules", compiling),
    ]


def offered(program: Callable[[int, int, int], list[Peer]], board: tuple[int, int, int]) -> list[Peer]:
    """What a program can do with this board, or one row that says why it cannot."""
    try:
        return program(*board)
    except Exception as error:
        return [Peer(program.__name__, f"could not be loaded: {brief(error)}", None)]


def _print(board: tuple[int, int, int], programs: list[Peer], settings: Settings) -> None:
    measured = [(peer, *_measure(peer, settings.repeat)) for peer in programs]
    _, first, yardstick = measured[0]
    if not yardstick:
        raise AssertionError(f"gametree itself {first.note}")
    rows, cols, k = board
    settings.table(
        f"Peers: {rows}x{cols}, {k} in a row; warm, in one process; what takes over {LONG:g} s is done once",
        ("program", "computes", "value", "states", "seconds", "least..greatest", "relative"),
        [_row(peer, found, seconds, first.value, median(yardstick)) for peer, found, seconds in measured],
    )


def _row(peer: Peer, found: Found, seconds: list[float], value: int | None, yardstick: float) -> tuple[str, ...]:
    if not seconds:
        return peer.program, found.note or peer.computes, *[""] * 5
    right = "" if found.value is None else f"{found.value:+d}" if found.value else "0"
    return (
        peer.program,
        peer.computes,
        right if found.value in (None, value) else f"{right} WRONG",
        "" if found.states is None else f"{found.states:,}",
        f"{median(seconds):.4f}",
        spread(seconds, 4),
        f"{median(seconds) / yardstick:,.2f}",
    )


def _measure(peer: Peer, repeat: int) -> tuple[Found, list[float]]:
    """What the peer found, and its seconds; a first, short run is a warm-up for all alike."""
    if peer.solve is None:
        return Found(None, None), []
    solve = peer.solve
    kept: list[Found] = []
    seconds: list[float] = []
    try:
        for _ in range(repeat + 1):
            seconds.append(timed(lambda: kept.append(solve())))
            if seconds[0] > LONG:
                return kept[-1], seconds
    except Exception as error:
        return Found(None, None, f"failed: {brief(error)}"), []
    return kept[-1], seconds[1:]


def brief(error: Exception) -> str:
    """What went wrong, in one line."""
    return f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"
