"""Positions of m,n,k games by ply, counted without solving: all numbers are those of a solution."""

import json
from math import factorial

import pytest

import analysis
from analysis.errors import MissingDataError, OptionError, SymmetryError
from analysis.solving.planning.line_positions import count_positions
from tests.support.line_counts import line_counts
from tests.support.program import one_line

SMALL = ("mnk:1,1,1", "mnk:2,2,2", "mnk:1,5,3", "mnk:2,3,5", "mnk:3,3,1", "mnk:3,3,2", "tictactoe", "mnk:3,4,3,misere")
LARGE = (
    "mnk:3,4,4", "mnk:4,3,3", "mnk:2,7,3", "mnk:3,5,2", "mnk:3,5,3", "mnk:5,3,4", "mnk:4,4,2", "mnk:4,4,3", "mnk:4,4,4",
    "mnk:4,4,5",
)  # fmt: skip


@pytest.mark.parametrize("symmetry", ["geometric", "none", "full"])
@pytest.mark.parametrize("spec", [*SMALL, *(pytest.param(spec, marks=pytest.mark.slow) for spec in LARGE)])
def test_as_solved(spec, symmetry):
    try:
        solved = analysis.solve(spec, symmetry=symmetry, counts=False).statistics()
    except SymmetryError:
        with pytest.raises(SymmetryError):
            count_positions(spec, symmetry=symmetry)
        return
    counted = count_positions(spec, symmetry=symmetry).statistics()
    assert {name: solved[name] for name in counted if name not in ("by_ply", "symmetry")} == {
        name: number for name, number in counted.items() if name not in ("by_ply", "symmetry")
    }
    terminal = [row.pop("terminal_canonical") for row in counted["by_ply"]]
    assert [{name: row[name] for name in counted["by_ply"][0]} for row in solved["by_ply"]] == counted["by_ply"]
    if symmetry == "none":
        names = ("terminal_X", "terminal_O", "terminal_tie")
        assert terminal == [sum(row[name] for name in names) for row in counted["by_ply"]]


@pytest.mark.slow
def test_five_by_five():
    """OEIS A317575, row 5, is known to its sixth term; the seventh is of an independent program."""
    rows = count_positions("mnk:5,5,5").statistics()["by_ply"]
    assert [row["canonical"] for row in rows[:7]] == [1, 6, 85, 904, 9664, 66859, 443850]
    alone = count_positions("mnk:5,5,5", symmetry="none").statistics()["by_ply"]
    assert [row["positions"] for row in rows] == [row["canonical"] for row in alone]
    assert all(8 * row["canonical"] >= row["positions"] for row in rows)


def test_terminal_classes():
    """OEIS A317576, rows 1 to 4."""
    rows = [
        [0, 1],
        [0, 0, 0, 2],
        [0, 0, 0, 0, 0, 21, 21, 58, 23, 15],
        [0, 0, 0, 0, 0, 0, 0, 280, 642, 4942, 6770, 20286, 16042, 20998, 7970, 3774, 1059],
    ]
    for n, wanted in enumerate(rows, 1):
        counted = count_positions(f"mnk:{n},{n},{n}").statistics()["by_ply"]
        assert [row["terminal_canonical"] for row in counted] == wanted


def test_refusals(gametree):
    for symmetry in ("residual", "round"):
        with pytest.raises(OptionError):
            count_positions("tictactoe", symmetry=symmetry)
    with pytest.raises(MissingDataError):
        count_positions("wild")
    one_line(gametree("stats", "hex", "--by-ply-only"), 1, "hex:n=3")
    one_line(gametree("stats", "mnk:5,6,5", "--by-ply-only"), 1, "28 cells")
    one_line(gametree("stats", "tictactoe", "mnk", "--by-ply-only"), 2, "one game")
    one_line(gametree("stats", "tictactoe", "--by-ply-only", "--from", "X????????"), 2, "--from")


def test_commands(gametree):
    told = gametree("stats", "tictactoe", "--by-ply-only", "--format", "json")
    assert json.loads(told.out) == count_positions("tictactoe").statistics()


@pytest.mark.slow
@pytest.mark.parametrize("board", [(4, 5, 4), (5, 5, 5), (3, 8, 5)])
def test_closed_forms(board):
    """Histories that go on are as many as orders of the marks of each position in which play goes on."""
    closed = line_counts(*board)
    rows, cols, k = board
    for row in count_positions(f"mnk:{rows},{cols},{k}", symmetry="none").statistics()["by_ply"]:
        ply, over = row["ply"], closed.x[row["ply"]] + closed.o[row["ply"]]
        going_on = row["positions"] - row["terminal_X"] - row["terminal_O"]
        assert going_on * factorial(ply // 2) * factorial(ply - ply // 2) == closed.histories[ply] - over
