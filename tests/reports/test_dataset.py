"""A data set holds what the solution holds, and no class is in two splits."""

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

import analysis
from analysis.errors import MissingDataError, OptionError, StoreError
from analysis.reports.exports import dataset

SPLITS = ("train", "validation", "test")


def written(solution, out, to="dataset"):
    analysis.export(solution, out, to)
    return {split: pd.concat(map(pd.read_parquet, sorted((out / split).iterdir()))) for split in SPLITS}


@pytest.mark.parametrize("spec", ["tictactoe", "connect:rows=3,cols=3,k=3", "dodgem:n=2", "kayles:pins=5"])
def test_rows(spec, tmp_path):
    solution = analysis.solve(spec)
    game, frame = solution.game, pd.concat(written(solution, tmp_path / "set").values())
    assert sorted(frame["state"]) == sorted(state for tier in solution.tiers for state in tier.states.tolist())
    assert frame["weight"].sum() == solution.position_count
    found = solution.lookup(frame["state"])
    plies = frame["remoteness_plies"].fillna(65535)
    assert all(frame["value"] == found.value)
    assert all(plies == found.remoteness_plies)
    assert all(frame["to_move"] == found.to_move)
    assert (np.stack(frame["legal"]) == found.legal_mask).all()
    assert (np.stack(frame["optimal"]) == found.optimal_mask).all()
    if "board" in frame:
        boards = game.boards(frame["state"])
        assert (np.stack(frame["board"]) == boards.reshape(len(frame), -1)).all()
    else:
        assert list(frame["position"]) == list(game.format_positions(frame["state"].to_numpy()))
    if solution.counted:
        assert frame["histories"].sum() == solution.total("histories")


def test_no_class_is_in_two_splits(tmp_path):
    solution = analysis.solve("tictactoe", symmetry="none")
    classes = analysis.solve("tictactoe")
    splits = written(solution, tmp_path / "set", "dataset-planes")
    of = {split: set(classes.engine.canonicals(rows["state"].to_numpy()).tolist()) for split, rows in splits.items()}
    assert sum(map(len, of.values())) == len(set.union(*of.values())) == 765
    assert {split: len(rows) for split, rows in splits.items()} == {"train": 4332, "validation": 617, "test": 529}
    rows = splits["test"]
    assert (np.stack(rows["planes"]).reshape(-1, 4, 3, 3) == solution.game.planes(rows["state"])).all()


def test_the_card(tmp_path):
    analysis.export("tictactoe", tmp_path / "set", "dataset", depth=3)
    card = (tmp_path / "set" / "README.md").read_text()
    for split in SPLITS:
        assert f"path: {split}/*.parquet" in card
        assert f"| {split} | {pq.read_metadata(tmp_path / 'set' / split / '00000.parquet').num_rows} |" in card


def test_what_is_refused(tmp_path):
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").touch()
    with pytest.raises(StoreError):
        analysis.export("tictactoe", tmp_path / "full", "dataset")
    with pytest.raises(OptionError):
        analysis.export("tictactoe", tmp_path / "set", "dataset", moves=True)
    with pytest.raises(OptionError):
        analysis.export("tictactoe", None, "dataset")
    with pytest.raises(MissingDataError):
        analysis.export("nim:2-1", tmp_path / "set", "dataset-planes")
    residual = analysis.solve("tictactoe", symmetry="residual")
    with pytest.raises(MissingDataError):
        analysis.export(residual, tmp_path / "set", "dataset")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["full"]


def test_several_files(tmp_path, monkeypatch):
    monkeypatch.setattr(dataset, "FILE_ROWS", 100)
    splits = written("tictactoe", tmp_path / "set")
    assert sum(map(len, splits.values())) == 765
    assert len([*(tmp_path / "set" / "train").iterdir()]) > 3
