"""How fast the pruning laboratory searches: nodes a second, beside the tests' oracle and other programs.

A search in compiled code and the tests' oracle in plain Python visit the very same nodes, so the ratio of their nodes a
second travels from one machine to another. But the oracle remembers who has won, and what follows, of each position,
and a search without a table works that out at every node. So there are several ratios: to an oracle used for the first
time, to one that has seen it all, and to one that remembers nothing. All searches use one thread.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numba
import numpy as np
from common import FOUR, NO_TARGET, Settings, Target, interleaved, median, spread, timed
from peer_programs import Found, Peer, easyai_search, limited_oracle, open_spiel_search, oracle_search
from peers import brief, offered

from analysis.engine.kernels.types import int64, int64s, uint8s
from analysis.games.families import load_game
from analysis.search import laboratory
from analysis.search.catalogue import ALGORITHMS, Task
from analysis.search.catalogue import Settings as Limits
from analysis.search.kernels import layout
from analysis.search.kernels.steps import Expand
from analysis.search.problem import compile_rules, game_problem
from analysis.search.workspace import Workspace

THREE = "mnk:rows=3,cols=3,k=3"
BOARD = (3, 3, 3)

KNOWN = {
    ("minimax", THREE, None): 549_946,
    ("alphabeta", THREE, None): 18_297,
    ("alphabeta", FOUR, 7): 45_461,
    ("alphabeta", FOUR, 8): 88_091,
    ("alphabeta", FOUR, 13): 90_119_534,
    ("alphabeta_table", FOUR, None): 1_017_702,
    ("minimax_memo", FOUR, None): 51_562_425,
}
"""Nodes from the empty board, moves in natural order, to a depth or to the end: a search that visits others is wrong.
Minimax visits every line of play, with memo every move once, and alpha-beta what the oracle does."""

DEEP, COMMON, SMALL = 13, 11, 8
"""Depths on the 4x4 board: of the compiled alpha-beta alone; of the same tree in both; of an oracle that forgets."""

RATES = (
    ("minimax", 7),
    ("alphabeta", DEEP),
    ("alphabeta_failhard", DEEP),
    ("negascout", DEEP),
    ("alphabeta_table", None),
    ("mtdf", None),
    ("iterative", None),
    ("minimax_memo", None),
    ("sss", 10),
    ("dual", 10),
    ("pns", 8),
    ("dfpn", None),
)
"""Each to a depth at which it takes some time, and the best-first ones little memory."""

ORACLE = Target(100, " x", least=True)
RATE = {"alphabeta_table": Target(2, " M/s", least=True)}

OURS = "gametree alphabeta"
FIRST = "oracle, first use"
AGAIN = "oracle, again"
FORGETFUL = "oracle, forgetful"
TICTACTOE = "oracle, first use, 3x3"

Visited = tuple[int, float]
"""Nodes, and the seconds they took."""


def search(settings: Settings) -> None:
    """Print the tables."""
    _check_oracle()
    _print_oracle(settings)
    _print_rates(settings)
    _print_rules(settings)
    _laboratory.cache_clear()  # hundreds of megabytes of solved positions
    _print_peers(settings)


# Compiled and plain ---------------------------------------------------------------------------------------------------


def _check_oracle() -> None:
    """The oracle and its twin of limited depth agree with each other and with the compiled search."""
    small = limited_oracle()(3, 3, 3)
    whole = small.alphabeta(small.start, -math.inf, math.inf)
    if whole != (0, KNOWN["alphabeta", THREE, None]) or small.limited(small.start, 9, -math.inf, math.inf) != whole:
        raise AssertionError(f"the oracle finds {whole} on {THREE}")
    large = limited_oracle()(4, 4, 4)
    for depth in (7, 8):
        found = large.limited(large.start, depth, -math.inf, math.inf)
        if found != (0, _run("alphabeta", FOUR, depth)[0]):
            raise AssertionError(f"the oracle finds {found} on {FOUR} to depth {depth}")


def _print_oracle(settings: Settings) -> None:
    """The table of alpha-beta in compiled code and in plain Python."""
    repeat = min(settings.repeat, 3)
    nodes: dict[str, int] = {}
    variants = _alike()
    seconds = interleaved({name: functools.partial(_noted, nodes, name, variants[name]) for name in variants}, repeat)
    deep, common, first, again = list(seconds)[:4]
    if not nodes[common] == nodes[first] == nodes[again]:
        raise AssertionError(f"not the same tree: {nodes}")
    rates = {name: nodes[name] / median(figures) for name, figures in seconds.items()}
    rows = []
    for name, figures in seconds.items():
        ratio = "" if name in (deep, common) else f"{rates[deep] / rates[name]:,.0f}"
        judged = ORACLE.judge(rates[deep] / rates[name]) if name == first else NO_TARGET
        rows.append((name, *_cells(nodes[name], figures), ratio, *judged))
    settings.table(
        f"Search: alpha-beta on {FOUR}, nodes a second; median of {repeat}",
        ("", "nodes", "seconds", "least..greatest", "M nodes/s", f"depth {DEEP} is x as fast", "target", ""),
        rows,
    )


def _alike() -> dict[str, Callable[[], Visited]]:
    """The same loop in compiled code and in plain Python; the second and the two after it visit the same tree."""
    large: list[Any] = []  # the oracle that has just been used for the first time

    def first() -> Visited:
        large[:] = [limited_oracle()(4, 4, 4)]
        return _limited(large[0], COMMON)

    def forgetful() -> Visited:
        oracle = limited_oracle()(4, 4, 4)
        oracle.forget()
        return _limited(oracle, SMALL)

    return {
        f"{OURS}, depth {DEEP}": lambda: _run("alphabeta", FOUR, DEEP),
        f"{OURS}, depth {COMMON}": lambda: _run("alphabeta", FOUR, COMMON),
        f"{FIRST}, depth {COMMON}": first,
        f"{AGAIN}, depth {COMMON}": lambda: _limited(large.pop(), COMMON),
        f"{FORGETFUL}, depth {SMALL}": forgetful,
        TICTACTOE: lambda: _limited(limited_oracle()(3, 3, 3), 9),
    }


def _limited(oracle: Any, depth: int) -> Visited:
    found: list[int] = []
    seconds = timed(lambda: found.append(oracle.limited(oracle.start, depth, -math.inf, math.inf)[1]))
    return found[0], seconds


# Rates ----------------------------------------------------------------------------------------------------------------


def _print_rates(settings: Settings) -> None:
    """The table of nodes a second of all algorithms."""
    nodes: dict[str, int] = {}
    variants = {
        name: functools.partial(_noted, nodes, name, functools.partial(_run, name, FOUR, depth))
        for name, depth in RATES
    }
    seconds = interleaved(variants, settings.repeat + 1)
    rows = []
    for name, depth in RATES:
        figures = seconds[name][1:]  # the first compiles, and pages memory in
        judged = RATE[name].judge(nodes[name] / median(figures) / 1e6) if name in RATE else NO_TARGET
        rows.append((name, "end" if depth is None else depth, *_cells(nodes[name], figures), *judged))
    settings.table(
        f"Search: nodes a second on {FOUR} from the empty board, one thread",
        ("algorithm", "depth", "nodes", "seconds", "least..greatest", "M nodes/s", "target", ""),
        rows,
    )


@functools.cache
def _laboratory(spec: str, depth: int | None) -> laboratory.Laboratory:
    return laboratory.Laboratory(game_problem(spec, depth=depth), Limits(max_nodes=10**12))


def _run(algorithm: str, spec: str, depth: int | None) -> Visited:
    """Search from the empty board. Refuses to measure a search that is wrong: its value is that of the solved game, and
    its nodes are the known ones.
    """
    lab = _laboratory(spec, depth)
    row = lab.run(lab.tasks([ALGORITHMS[algorithm]])[0])
    value = None if lab.solved is None else lab.solved.value
    if row.value != value or row.nodes != KNOWN.get((algorithm, spec, depth), row.nodes):
        raise AssertionError(
            f"{algorithm} on {spec} to depth {depth}: value {row.value} ({row.stopped}), {row.nodes:,} nodes"
        )
    return row.nodes, row.seconds


def _noted(nodes: dict[str, int], name: str, measure: Callable[[], Visited]) -> float:
    """The seconds; how many nodes there were is noted under the name."""
    nodes[name], seconds = measure()
    return seconds


def _cells(nodes: int, figures: list[float]) -> tuple[str, ...]:
    """Nodes, seconds, their spread and the rate."""
    seconds = median(figures)
    return f"{nodes:,}", f"{seconds:.3f}", spread(figures, 3), f"{nodes / seconds / 1e6:,.2f}"


# How much of it is the rules ------------------------------------------------------------------------------------------


@numba.njit(int64(Expand, int64, int64, int64s, uint8s))
def _expand_all(expand, lab, at, states, stops):
    """Ask the rules about all states and do nothing else; returns how many are leaves."""
    leaves = 0
    for i in range(len(states)):
        leaves += expand(lab, states[i], stops[i], at) == 0
    return leaves


def _print_rules(settings: Settings) -> None:
    """The table of what a node costs, and how much of that the rules take by themselves: the same calls, for the same
    states in the same order.
    """
    nodes, _ = _run("alphabeta", FOUR, COMMON)
    workspace = Workspace(_laboratory(FOUR, COMMON).problem, visits=nodes)
    workspace.run(ALGORITHMS["alphabeta"].load())
    visits = workspace.visits()
    states = visits[:, layout.VISIT_STATE].copy()
    stops = (visits[:, layout.VISIT_PLY] == COMMON).astype(np.uint8)
    leaves = workspace[layout.LEAVES]
    workspace = Workspace(workspace.problem)  # one without the visits
    del visits

    def rules_alone() -> float:
        found: list[int] = []
        row = workspace[layout.STACK]
        expand, address = workspace.expand, workspace.address
        seconds = timed(lambda: found.append(_expand_all(expand, address, row, states, stops)))
        if found != [leaves]:
            raise AssertionError(f"{found[0]:,} leaves instead of {leaves:,}")
        return seconds

    whole, rules = "all of it", "the rules alone"
    seconds = interleaved({whole: lambda: _run("alphabeta", FOUR, COMMON)[1], rules: rules_alone}, settings.repeat)
    settings.table(
        f"Search: what a node of alphabeta costs, {FOUR} to depth {COMMON}, {leaves / nodes:.0%} leaves",
        ("", "ns a node", "least..greatest", "share"),
        [
            (
                name,
                f"{median(figures) / nodes * 1e9:.2f}",
                spread([figure / nodes * 1e9 for figure in figures]),
                f"{median(figures) / median(seconds[whole]):.0%}",
            )
            for name, figures in seconds.items()
        ],
    )


# Beside other programs ------------------------------------------------------------------------------------------------


def _print_peers(settings: Settings) -> None:
    """The table of searches of tic-tac-toe by all programs. Nothing a peer does ends the run."""
    programs = _ours()
    for program in (oracle_search, easyai_search, open_spiel_search):
        programs += offered(program, BOARD)
    found = [_tried(peer) for peer in programs]
    measured = {
        str(number): functools.partial(timed, peer.solve)
        for number, peer in enumerate(programs)
        if peer.solve is not None and not found[number].note
    }
    seconds = interleaved(measured, settings.repeat)
    yardstick = median(seconds["0"])
    settings.table(
        "Search: tic-tac-toe from the empty board by several programs; warm, in one process, interleaved",
        ("program", "computes", "value", "nodes", "seconds", "least..greatest", "relative"),
        [_row(peer, found[number], seconds.get(str(number), []), yardstick) for number, peer in enumerate(programs)],
    )


def _ours() -> list[Peer]:
    return [
        _searching("alphabeta", "alpha-beta"),
        _searching("alphabeta_table", "alpha-beta; table"),
        _searching("sss", "SSS*, with a list of open nodes"),
        _searching("minimax", "minimax"),
        Peer("gametree", "nothing: compiles the rules, once per process", _compiling),
    ]


def _searching(name: str, computes: str) -> Peer:
    """A search with all that it needs but the rules, which are compiled, and the algorithm, which is loaded."""
    algorithm, problem = ALGORITHMS[name], game_problem(THREE)
    run = algorithm.load()

    def solve() -> Found:
        workspace = Workspace(problem, Task(algorithm))
        value, _ = workspace.run(run)
        nodes = workspace[layout.NODES]
        if nodes != KNOWN.get((name, THREE, None), nodes):
            raise AssertionError(f"{name} visits {nodes:,} nodes of {THREE}")
        return Found(value, None, nodes=nodes)

    return Peer(f"gametree {name}", computes, solve)


def _compiling() -> Found:
    compile_rules.__wrapped__(load_game(THREE), None)  # without its cache
    return Found(None, None)


def _tried(peer: Peer) -> Found:
    """What a peer finds; the run is a warm-up for it. Where it fails, a note says why."""
    if peer.solve is None:
        return Found(None, None)
    try:
        return peer.solve()
    except Exception as error:
        if peer.program.startswith("gametree"):
            raise
        return Found(None, None, f"failed: {brief(error)}")


def _row(peer: Peer, found: Found, figures: list[float], yardstick: float) -> tuple[str, ...]:
    if not figures:
        return peer.program, found.note or peer.computes, *[""] * 5
    return (
        peer.program,
        peer.computes,
        "" if found.value is None else "0" if found.value == 0 else f"{found.value:+d} WRONG",
        "" if found.nodes is None else f"{found.nodes:,}",
        f"{median(figures):.5f}",
        spread(figures, 5),
        f"{median(figures) / yardstick:,.1f}",
    )
