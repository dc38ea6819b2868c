"""Arrow batches hold what look-ups give."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import analysis
from analysis.errors import MissingDataError, OptionError, PositionError

SPECS = ["tictactoe", "connect:rows=3,cols=3,k=3", "dodgem:n=2", "(1/3 (2 -1))", "kayles:pins=5"]


@pytest.fixture(params=[pytest.param(spec, marks=[pytest.mark.slow] * (spec in SPECS[1:3])) for spec in SPECS])
def solution(request, tmp_path):
    """A solution in memory, and the same on the disk."""
    return [analysis.solve(request.param), analysis.solve(request.param, directory=tmp_path / "solution")]


@pytest.mark.parametrize("size", [1, 7, 65536])
def test_every_class(solution, size):
    for each in solution:
        batches = list(each.batches(size, moves=True, text=True))
        assert max(map(len, batches)) <= size
        rows = [row for batch in batches for row in batch.to_pylist()]
        assert [row["state"] for row in rows] == [state for tier in each.tiers for state in tier.states.tolist()]
        for row in rows:
            position = each.at(row["state"])
            assert row["position"] == position.position
            assert row["value"] in (position.value, str(position.value))
            assert row["remoteness_plies"] == position.remoteness_plies
            assert row["to_move"] == position.to_move
            assert row["legal_moves"] == sorted(move.move for move in position.moves)
            assert row["optimal_moves"] == sorted(position.best_moves)


def test_all_at_once(solution):
    for each in solution:
        table = each.to_arrow()
        assert table.equals(pa.Table.from_batches(each.batches(3)))
        assert pa.table(each).equals(table)
        assert len(pa.RecordBatchReader.from_stream(each).read_all()) == each.classes
        frame = pd.DataFrame.from_arrow(each) if hasattr(pd.DataFrame, "from_arrow") else table.to_pandas()
        assert len(frame) == each.classes
        assert "position" not in table.column_names


def test_frames_have_texts_if_asked():
    solution = analysis.solve("tictactoe")
    assert "position" not in solution.positions()
    assert solution.positions(1, text=True)["position"].tolist() == ["X????????", "?X???????", "????X????"]


def test_columns_and_tiers():
    solution = analysis.solve("tictactoe")
    (batch,) = solution.batches(columns=["value", "state"], ply=2)
    assert batch.schema.names == ["value", "state"]
    assert len(batch) == 12
    assert np.array_equal(batch["state"].to_numpy(), solution.tiers[2].states)
    wrong = [
        (OptionError, {"size": 0}),
        (MissingDataError, {"columns": ["nothing"]}),
        (PositionError, {"ply": 10}),
    ]
    for error, options in wrong:
        with pytest.raises(error):
            solution.batches(**options)


def test_counts_of_two_widths_are_of_one_type():
    solution = analysis.solve("mnk:rows=3,cols=7,k=7,misere", symmetry="residual")
    table = solution.to_arrow(columns=["games_tie"])
    assert table["games_tie"][0].as_py() == solution.games_tie
