"""Games of one player: least moves to a goal, by rules and by programs, and what commands say of them."""

import numpy as np
import pytest

import analysis
from tests.support.program import ROOT

EXAMPLES = f"{ROOT}/docs/how-to/examples"
STAIRS = """
class Stairs:
    def __init__(self, steps=7):
        self.left = steps
    def legal_moves(self):
        return [n for n in (2, 3) if n <= self.left]
    def move(self, n):
        self.left -= n
    def is_solved(self):
        return self.left == 0
"""


def distances(solution) -> list[int]:
    """How many positions there are at each number of moves from the goal."""
    return [row["win"] for row in solution.statistics()["by_remoteness"] if row["win"]]


def test_programs(tmp_path, gametree, monkeypatch):
    """Steps of 2 and 3: 7 is 2 + 2 + 3 in three orders, and 1 is a dead end, met from 3 and 4."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "stairs.py").write_text(STAIRS)
    solution = analysis.solve("stairs.py")
    stats = solution.statistics()
    assert solution.game.puzzle
    assert (solution.value, solution.remoteness_plies, stats["positions"]) == (1, 3, 7)
    assert (stats["games_x"], stats["games"]) == (3, 5)
    assert [solution[moves].value for moves in ("223", "33", "23", "22")] == [1, 0, 1, 1]

    assert "3 moves to the goal" in gametree("solve", "stairs.py").out
    assert "goals 3" in gametree("stats", "stairs.py").out
    assert "2 moves to the goal" in gametree("show", "stairs.py", "2").out
    assert "unsolvable" in gametree("show", "stairs.py", "33").out
    assert sorted(gametree("paths", "stairs.py").out.split()) == ["223", "232", "322"]
    assert "to_move" not in gametree("find", "stairs.py").out.splitlines()[0]
    assert gametree("verify", "data/stairs", "--game", "stairs.py").code == 0


def test_two_players_are_no_puzzle():
    assert not analysis.load_game("tictactoe").puzzle
    assert not analysis.load_game("nim:heaps=1").puzzle


@pytest.mark.parametrize("discs", [1, 2, 3, 5])
def test_hanoi(discs):
    """2^n - 1 moves (Lucas 1883) in 3^n positions."""
    solution = analysis.solve(f"{EXAMPLES}/hanoi.py:Hanoi:discs={discs}")
    assert (solution.remoteness_plies, solution.position_count) == (2**discs - 1, 3**discs)


@pytest.mark.parametrize(
    ("rows", "cols", "positions", "most"),
    [(2, 2, 12, 6), (2, 3, 360, 21), (2, 4, 20160, 36), (3, 3, 181440, 31)],
)
def test_sliding(rows, cols, positions, most):
    """OEIS A151944; of the 8-puzzle with the gap in a corner, A089473."""
    solution = analysis.solve(f"{EXAMPLES}/slide.py:Slide:rows={rows},cols={cols}")
    found = distances(solution)
    assert (solution.position_count, sum(found), len(found) - 1) == (positions, positions, most)
    if most == 31:
        assert found == [
            1, 2, 4, 8, 16, 20, 39, 62, 116, 152, 286, 396, 748, 1024, 1893, 2512, 4485, 5638, 9529, 10878, 16993,
            17110, 23952, 20224, 24047, 15578, 14560, 6274, 3910, 760, 221, 2,
        ]  # fmt: skip


@pytest.mark.parametrize(("n", "most"), [(2, 4), (3, 9), (4, 7), (5, 15)])
def test_lights_out(n, most):
    """Presses commute, so the least number for a pattern is the least of those that differ by presses that do nothing;
    at most 15 on 5 x 5 (J. Scherphuis).
    """
    cells = [divmod(cell, n) for cell in range(n * n)]
    masks = [sum(1 << i for i, (r, c) in enumerate(cells) if abs(r - a) + abs(c - b) < 2) for a, b in cells]
    patterns = np.zeros(1, np.int32)
    for mask in masks:
        patterns = np.concatenate([patterns, patterns ^ mask])
    nothing = np.flatnonzero(patterns == 0).astype(np.int32)
    presses = np.bitwise_count(np.arange(1 << n * n, dtype=np.int32)[:, None] ^ nothing).min(axis=1)
    wanted = np.bincount(presses) // len(nothing)

    solution = analysis.solve(f"{EXAMPLES}/lights.py:Lights:n={n}")
    assert distances(solution) == wanted.tolist()
    assert len(wanted) - 1 == most


@pytest.mark.parametrize(
    ("hole", "games", "solved"), [(0, 568630, 29760), (1, 294543, 14880), (3, 1149568, 85258), (4, 137846, 1550)]
)
def test_peg_solitaire(hole, games, solved):
    """Games on the triangle of 15 holes, and those that leave one peg, by the free hole."""
    solution = analysis.solve(f"{EXAMPLES}/pegs.py:Pegs:hole={hole}")
    stats = solution.statistics()
    assert (solution.value, solution.remoteness_plies) == (1, 13)
    assert (stats["games"], stats["games_x"]) == (games, solved)


def test_english_peg_solitaire():
    """Positions up to symmetry after each move: OEIS A112737."""
    solution = analysis.solve(f"{EXAMPLES}/pegs.py:Pegs:board=english,hole=16,last=16")
    stats = solution.statistics()
    assert [row["classes"] for row in stats["by_ply"]][:10] == [1, 1, 2, 8, 39, 171, 719, 2757, 9751, 31312]
    assert (solution.value, solution.remoteness_plies) == (1, 31)
    assert (stats["positions"], stats["classes"]) == (187_636_299, 23_475_688)
    assert stats["games_x"] == 40_861_647_040_079_968


def test_goals_are_worth_one():
    """With other payoffs it is a game of one player for the best score."""
    assert not analysis.Rules(0, 1, lambda s, out: 0, lambda s, m: s, lambda s: 2, payoffs=(0, 2)).puzzle
