"""What someone holds in a notebook or a script."""

from __future__ import annotations

import dataclasses
import subprocess
import sys
from pathlib import Path

import networkx as nx
import pytest

import analysis
from analysis.engine.passes.forward_by_ply import forward_by_ply
from analysis.engine.plan import Plan
from analysis.errors import GametreeError, PositionError, RulesError, TooLargeError
from analysis.machine.memory import Budget
from tests.support.oracle import Oracle
from tests.support.program import ROOT
from tests.support.taking import Take


@pytest.fixture(scope="module")
def solution():
    return analysis.solve("tictactoe")


def test_positions_frame(solution):
    frame = solution.positions(ply=2)
    assert len(frame) == 12
    assert {"state", "ply", "value", "remoteness_plies", "orbit_size", "histories", "position"} <= set(frame.columns)
    assert frame["orbit_size"].sum() == 72
    assert len(solution.positions()) == 765
    with pytest.raises(PositionError, match="no ply 10"):
        solution.positions(ply=10)


@pytest.mark.slow
def test_networkx(solution):
    graph, oracle = solution.to_networkx(), Oracle(3, 3, 3)
    assert nx.is_directed_acyclic_graph(graph)
    for s, data in graph.nodes(data=True):
        assert data["value"] == oracle.value(s)
        assert data["remoteness_plies"] == oracle.remoteness(s)
        assert data["ply"] == 9 - s.count("?")
        assert data["outcome"] == {1: "X", -1: "O", 0: "tie", None: None}[oracle.outcome(s)]
        assert sorted(m for _, _, moves in graph.out_edges(s, data="moves") for m in moves) == oracle.moves(s)
    plain = analysis.solve("tictactoe", symmetry="none").to_networkx()
    assert (plain.number_of_nodes(), plain.number_of_edges()) == (5478, 16167)
    assert plain.edges["?????????", "????X????"]["move"] == 4
    with pytest.raises(TooLargeError, match="765 classes"):
        solution.to_networkx(max_positions=700)


def test_notebook(solution):
    assert all(text in solution._repr_html_() for text in ("tictactoe", "255,168"))
    assert solution["XOX?O????"]._repr_html_().count("<tr>") == 3 + 1 + 5
    assert "<td" in analysis.solve("nim:heaps=1-2")["1-2 X"]._repr_html_()
    assert "tictactoe" in repr(solution)
    assert "from XOX?O????" in repr(analysis.solve("tictactoe", position="XOX?O????"))


def test_public_names():
    for name in analysis.__all__:
        assert getattr(analysis, name) is not None
    with pytest.raises(AttributeError, match="nothing"):
        analysis.nothing  # noqa: B018
    assert issubclass(GametreeError, Exception)


def test_small_budget_is_refused_at_the_tier_it_cannot_hold():
    from analysis.engine.engine import make_engine
    from analysis.games.families import load_game

    engine = make_engine(load_game("mnk:rows=4,cols=4,k=4"))
    with pytest.raises(TooLargeError, match="about 1,200,000 classes: a solution needs about 28 MB"):
        forward_by_ply(engine, Plan(Budget(10_000_000), in_memory=True, fields=0))
    with pytest.raises(TooLargeError, match="expanding a tier of"):
        forward_by_ply(engine, Plan(Budget(30_000_000), in_memory=True, fields=0))
    middle = make_engine(engine.game, start=engine.game.parse_position("XO??" * 1 + "?" * 12))
    with pytest.raises(TooLargeError, match=r"a solution of mnk:rows=4,cols=4,k=4 needs"):
        forward_by_ply(middle, Plan(Budget(2_000_000), in_memory=True, fields=5))


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="reads the peak where Linux says it")
@pytest.mark.parametrize(
    ("where", "workers"),
    [pytest.param(where, workers, marks=pytest.mark.slow) for where, workers in [("memory", 1), ("directory", 8)]],
)
def test_memory_stays_below_the_plan(workers, where, tmp_path):
    """The peak of a solve with counts, in a process of its own, is at most what was predicted and some slack."""
    script = f"""
import re, pathlib, numba
from analysis.machine.memory import Budget
from analysis.solving import solve as solving, to_directory  # with Numba, small games are compiled too
peak = lambda: int(re.search(r"VmHWM:\\s*(\\d+)", pathlib.Path("/proc/self/status").read_text())[1]) * 1024
budgets, of_machine = [], Budget.of_machine
Budget.of_machine = lambda memory=None: budgets.append(of_machine()) or budgets[-1]
to_directory.solve_to_directory("tictactoe", {str(tmp_path / "t")!r})
before = peak()
spec = "mnk:rows=4,cols=4,k=4"
if {where!r} == "memory":
    solution = solving.solve(spec, symmetry="none", workers={workers})
else:
    to_directory.solve_to_directory(spec, {str(tmp_path / "s")!r}, symmetry="none", workers={workers})
print(int(budgets[1].greatest), peak() - before)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, cwd=ROOT, check=True)
    predicted, taken = map(int, done.stdout.split())
    assert taken < 1.1 * predicted + 50_000_000
    assert predicted < 2 * taken


@pytest.mark.slow
def test_a_game_of_ones_own():
    """Helpers in globals and closures are compiled; a game without a board has no symmetries. 3k is lost."""
    fibonacci = [1, 1, 2, 3, 5, 8, 13, 21, 34, 55]
    for pile in range(1, 10):
        solution = analysis.solve(Take(pile))
        assert solution.value == (-1 if pile % 3 == 0 else 1)
        assert solution.games.total == fibonacci[pile]


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"outcome": lambda state: 32767}, "no legal move"),
        ({"play": lambda state, move: f"{state}"}, "text cannot be used in rules"),
    ],
)
def test_wrong_rules(wrong, words):
    @dataclasses.dataclass(frozen=True)
    class Wrong(Take):
        def rules(self):
            return dataclasses.replace(super().rules(), **wrong)

    with pytest.raises(RulesError, match=words):
        analysis.solve(Wrong(3))


@pytest.mark.parametrize(
    "ask",
    [
        lambda solution: solution.positions(),
        lambda solution: solution.moves(),
        lambda solution: solution.to_networkx(),
        lambda solution: list(solution),
    ],
)
def test_what_is_whole_in_memory_is_refused_before_it_is_begun(monkeypatch, ask):
    solution = analysis.solve("nim:heaps=2-2-3")
    monkeypatch.setattr(Budget, "of_machine", classmethod(lambda cls: cls(1000)))
    with pytest.raises(TooLargeError, match=r"needs about .* of memory and 1\.0 kB are free"):
        ask(solution)
