"""Many states looked up at once are what they are one by one."""

from fractions import Fraction

import numpy as np
import pytest

import analysis
from analysis.errors import MissingDataError, UnreadableError
from gametree.engine import engine as engines

NEVER = 65535
GAMES = {
    "plies": ("mnk:rows=2,cols=3,k=2", "geometric"),
    "payoffs": ("(1/3 (2 -1))", "geometric"),
    "residual": ("mnk:rows=2,cols=3,k=3", "residual"),
    "tiers": ("dots_and_boxes:rows=1,cols=2", "geometric"),
    "own canonical": ("nim:3-2", "geometric"),
    "loops": ("dodgem:n=2", "none"),
    "impartial": ("kayles:pins=5", "geometric"),
    "more": ("connect:rows=3,cols=3,k=3", "geometric"),
}


@pytest.fixture(params=[pytest.param(name, marks=[pytest.mark.slow] * (name == "more")) for name in GAMES])
def solution(request, tmp_path):
    """A solution in memory, and the same on the disk."""
    spec, symmetry = GAMES[request.param]
    return [
        analysis.solve(spec, symmetry=symmetry),
        analysis.solve(spec, symmetry=symmetry, directory=tmp_path / "solution"),
    ]


def expected(solution, state):
    if state < 0 or not solution.records.holds(state):
        return False, 0, NEVER, 0, set(), set()
    position = solution.at(state)
    plies = NEVER if position.remoteness_plies is None else position.remoteness_plies
    legal, best = {move.move for move in position.moves}, set(position.best_moves)
    return True, position.value, plies, position.to_move, legal, best


def states_of(solution):
    """Every state that play reaches, and some that it does not reach, each twice, in no order."""
    rules, seen = solution.engine.rules, [solution.engine.start]
    for state in seen:
        seen += {child for _, child in rules.moves(state)} - {*seen}
    beyond = [-1, -(2**63)]
    if solution.engine.sized:  # what is left to play does not tell whether play reaches a state
        beyond += [2**62 - 1, max(seen) + 1, max(seen) + 2]
    return np.random.default_rng(0).permutation(np.array([*seen, *beyond] * 2, dtype=np.int64))


def test_every_state(solution):
    for each in solution:
        states = states_of(each)
        found = each.lookup(states)
        legal = [set(row.nonzero()[0].tolist()) for row in found.legal_mask]
        best = [set(row.nonzero()[0].tolist()) for row in found.optimal_mask]
        columns = (found.known, found.value, found.remoteness_plies, found.to_move)
        rows = zip(*(column.tolist() for column in columns), legal, best, strict=True)
        assert [*rows] == [expected(each, state) for state in states.tolist()]
        assert found.known.sum() >= len(states) - 10


def test_compiled_functions_agree(solution, monkeypatch):
    for each in solution:
        states = states_of(each)
        plain = each.lookup(states)
        monkeypatch.setattr(engines, "WORTH_COMPILING", 1)
        compiled = each.lookup(states)
        monkeypatch.undo()
        assert plain.to_pandas().equals(compiled.to_pandas())


def test_other_columns(tmp_path):
    memory = analysis.solve("tictactoe")
    disk = analysis.solve("tictactoe", directory=tmp_path / "solution")
    states = np.concatenate([tier.states for tier in memory.tiers])
    names = ["terminal", "orbit_size", "histories", "games_x", "shortest_paths"]
    for solution in (memory, disk):
        frame = solution.positions().set_index("state").loc[states]
        found = solution.lookup(states, names)
        assert all((found.columns[name] == frame[name].to_numpy()).all() for name in names)
        assert found.to_pandas()["games_x"].sum() == solution.total("games_x")
        with pytest.raises(MissingDataError):
            solution.lookup(states, ["nimber"])
    assert analysis.solve("kayles:pins=5").lookup([0], ["nimber"]).columns["nimber"].tolist() == [0]


def test_counts_beyond_64_bits(tmp_path):
    solution = analysis.solve("mnk:rows=3,cols=7,k=7,misere", symmetry="residual")
    start = solution.engine.start
    assert solution.lookup([start], ["games_tie"]).columns["games_tie"].tolist() == [solution.games_tie]


def test_payoffs_that_are_fractions():
    solution = analysis.solve("(1/3 (2 -1))")
    assert solution.lookup([solution.engine.start]).value.tolist() == [Fraction(1, 3)]


def test_nothing_to_look_up():
    found = analysis.solve("tictactoe").lookup([])
    assert len(found) == 0
    assert found.legal_mask.shape == (0, 9)


@pytest.mark.parametrize("wrong", [0, [[0]], ["0"], [0.5], [True], None, [2**80]])
def test_what_no_states_are(wrong):
    with pytest.raises(UnreadableError):
        analysis.solve("tictactoe").lookup(wrong)
