"""What is seen at the prompt: a few lines that say what matters, lengths, and tables for pandas."""

from __future__ import annotations

import itertools
import sys

import pytest

import analysis
from analysis.errors import CountOverflowError, MissingDataError
from analysis.playing import Terms
from analysis.search.comparison import SearchRequest, compare


@pytest.fixture(scope="module")
def solution():
    return analysis.solve("tictactoe")


def seen(thing, lines: int) -> str:
    """What is printed of a thing, in so many lines at most that fit a terminal."""
    text = repr(thing)
    assert text.startswith("<")
    assert text.endswith(">")
    assert len(text.splitlines()) <= lines
    assert all(len(line) < 80 for line in text.splitlines())
    return text


@pytest.mark.parametrize(
    "spec", ["tictactoe", "nim:heaps=1-2", "dodgem:n=2", "dots_and_boxes:rows=1,cols=2", "connect:rows=3,cols=3,k=3"]
)
def test_positions(spec):
    for position in itertools.islice(analysis.solve(spec), 0, None, 50):
        text = seen(position, 3)
        assert position.position in text
        assert ("to move" in text) == (position.to_move is not None)
        assert all(move.name in text for move in position.moves[:1])


def test_what_is_said_of_a_position(solution):
    position = solution["XOX?O????"]
    text = seen(position, 3)
    assert all(fact in text for fact in ("X to move", "value 0", "remoteness 5", "keep it: 7", "368 games"))
    assert "over" in seen(solution["041263578"], 2)
    bare = analysis.solve("tictactoe", counts=False)["0124"]
    assert "368" not in seen(bare, 2)


def test_paths(solution, tmp_path):
    paths = solution.optimal_paths()
    text = seen(paths, 2)
    assert all(fact in text for fact in ("tictactoe", "3,584", "a tie", "041263578"))
    assert len(paths) == paths.count == len(list(paths)) == 3584
    assert paths
    assert [*itertools.islice(reversed(paths), 2)] == [paths[3583], paths[3582]]
    assert "win of X" in seen(solution.optimal_paths("X?O?X?O?X"), 2)
    uncounted = analysis.solve("tictactoe", counts=False).optimal_paths()
    assert uncounted
    assert "3,584" not in seen(uncounted, 2)
    assert len(list(uncounted)) == 3584  # which asks for a length first
    for error in (MissingDataError, TypeError):
        with pytest.raises(error):
            len(uncounted)
    loopy = analysis.solve("dodgem:n=2").optimal_paths(shortest=True)
    assert len(loopy) == loopy.count
    assert "shortest" in seen(loopy, 2)


def test_more_paths_than_len_can_say():
    paths = analysis.solve("kayles:pins=30").optimal_paths()
    assert paths.count > sys.maxsize
    assert paths
    assert f"{paths.count:,}" in seen(paths, 3)
    for error in (CountOverflowError, OverflowError):
        with pytest.raises(error, match=r"\.count"):
            len(paths)
    assert len([*itertools.islice(paths, 5)]) == 5


def test_comparisons(solution):
    found = analysis.compare(solution, ["minimax", "alphabeta"], orders=["natural", "best"])
    text = seen(found, 5)
    assert all(f"{row.nodes:,}" in text for row in found.rows)
    assert "best" in text
    frame = found.to_pandas()
    assert [*frame["nodes"]] == [row.nodes for row in found.rows]
    assert [*frame.columns] == [*vars(found.rows[0])]
    assert frame["stopped"].isna().all()
    many = analysis.compare(
        "mnk:rows=2,cols=2,k=2",
        ["minimax", "alphabeta"],
        orders=["best", "natural", "worst", "killer", "history", "least"],
    )
    assert seen(many, 10).splitlines()[-1].strip(" >").startswith(f"and {len(many.rows) - 8} more")
    drawn = compare("tictactoe", SearchRequest(["alphabeta"], random_orders="3"))
    assert "random orders" in seen(drawn, 3)
    assert len(drawn.to_pandas()) == len(drawn.distribution)
    stopped = compare("tictactoe", SearchRequest(["minimax", "alphabeta"], max_nodes=1000))
    assert "max-nodes" in seen(stopped, 3)
    assert stopped.to_pandas()["value"].isna().all()


def test_matches_and_sweeps_in_pandas():
    match = analysis.playing.play_match("tictactoe", "perfect", "random", Terms(games=20, seed=1, swap=True))
    frame = match.to_pandas()
    assert [*frame["wins"]] == [standing.wins for standing in match.standings]
    assert {*frame.columns} == {*match.rows()[0]}
    found = analysis.sweeps.sweep("hex:n=1..2")
    assert len(found.to_pandas()) == 2
    altered = [found.rows[0] | {"moves": 2}, found.rows[1]]
    assert analysis.sweeps.compare_sweeps(altered, found).to_pandas().to_dict("records") == [
        {"game": "hex:n=1", "symmetry": "geometric", "column": "moves", "then": 2, "now": 1}
    ]
    assert analysis.sweeps.compare_sweeps(found, found).to_pandas().empty
