"""Verification by an executor finds what verification in this process finds, in the same words."""

from __future__ import annotations

import multiprocessing
import shutil
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import analysis
from analysis.checks.solutions import elsewhere
from analysis.errors import OptionError, VerificationError
from tests.support.forging import changed, forge
from tests.support.solved_kinds import USER

GAMES = {
    "by_ply": ("connect:rows=3,cols=4,k=3", True),
    "values": ("connect:rows=3,cols=4,k=3", False),
    "skipping": ("kayles:pins=9", True),
    "two_limbs": ("kayles:pins=22", True),
    "scores": ("dots_and_boxes:rows=2,cols=2", True),
    "loopy": ("dodgem", False),
    "small": ("dodgem:n=2", False),
    "user": ("count.py:Count", True),
}
DAMAGE = [
    ("by_ply", 6, "value", lambda v: -1 if v == 1 else v + 1),
    ("by_ply", 5, "games_x", lambda v: v + 1),
    ("by_ply", 5, "histories", lambda v: v + 1),
    ("by_ply", 7, "optimal_paths", lambda v: v + 1),
    ("values", 6, "remoteness_plies", lambda v: v + 1),
    ("values", 4, "orbit_size", lambda v: v * 2),
    ("skipping", 3, "nimber", lambda v: v + 1),
    ("two_limbs", 11, "games_o", lambda v: v + 10**20),
    ("two_limbs", 11, "histories", lambda v: v + 1),
    ("scores", 5, "value", lambda v: 1 - abs(v)),
    ("loopy", 0, "value", lambda v: 1 - abs(v)),
    ("small", 0, "value", lambda v: 1 - abs(v)),
    ("user", 7, "histories", lambda v: v + 1),
]


FAST = ("skipping", "small")


@pytest.fixture(scope="module")
def solved(tmp_path_factory):
    """Solutions, whose games can be loaded by their names in other processes."""
    folder = tmp_path_factory.mktemp("solved")
    (folder / "count.py").write_text(USER)
    for name, (game, counts) in GAMES.items():
        analysis.solve(str(folder / game) if name == "user" else game, directory=folder / name, counts=counts)
    return folder


class Counting(ThreadPoolExecutor):
    tasks = 0

    def submit(self, *arguments, **options):
        self.tasks += 1
        return super().submit(*arguments, **options)


@pytest.fixture
def executor(monkeypatch):
    """Threads, which get pieces of all tiers but the smallest."""
    monkeypatch.setattr(elsewhere, "SMALL", 2)
    monkeypatch.setattr(elsewhere, "PIECES", 1)
    with Counting(2) as threads:
        yield threads
    assert threads.tasks > 3


def slowly(cases):
    """The cases, those of most kinds marked."""
    named = [(case if isinstance(case, tuple) else (case,)) for case in cases]
    return [pytest.param(*case, marks=[] if case[0] in FAST else [pytest.mark.slow]) for case in named]


@pytest.mark.parametrize("name", slowly(GAMES))
def test_intact_solutions_of_every_kind(name, solved, executor):
    assert analysis.verify(solved / name, executor=executor) == analysis.verify(solved / name)
    for share in (1.0, 0.5):
        report = analysis.verify(solved / name, share=share, seed=3, executor=executor)
        assert report == analysis.verify(solved / name, share=share, seed=3)
    assert not [path for path in solved.iterdir() if path.name.startswith(".")]


@pytest.mark.parametrize(("name", "tier", "column", "new"), slowly(DAMAGE))
def test_what_is_wrong_is_found(name, tier, column, new, solved, executor, tmp_path):
    directory = shutil.copytree(solved / name, tmp_path / "copy")
    rows = pq.ParquetFile(directory / "positions" / f"tier-{tier:04d}-part-0000.parquet").metadata.num_rows
    forge(directory, "positions", tier, changed(column, rows // 2, new))
    with pytest.raises(VerificationError, match=r"tier \d+") as here:
        analysis.verify(directory)
    with pytest.raises(VerificationError, match=r"tier \d+") as there:
        analysis.verify(directory, executor=executor)
    assert str(there.value) == str(here.value)
    if column == "histories":
        return
    with pytest.raises(VerificationError, match=r"tier \d+") as sampled:
        analysis.verify(directory, share=1.0, executor=executor)
    with pytest.raises(VerificationError, match=r"tier \d+") as whole:
        analysis.verify(directory, share=1.0)
    assert str(sampled.value) == str(whole.value)


def test_states_that_are_missing_or_not_reached(solved, executor, tmp_path):
    missing = shutil.copytree(solved / "values", tmp_path / "missing")
    forge(missing, "positions", 5, lambda table: table.slice(1))
    added = shutil.copytree(solved / "values", tmp_path / "added")

    def with_stranger(table):
        """The first state once more with another piece: no play leads there."""
        own = set(table["state"].to_pylist())
        state = next(state for state in range(1, 1 << 20) if state not in own and bin(state).count("1") == 3)
        return pa.concat_tables([table, changed("state", 0, lambda _: state)(table.slice(0, 1))]).sort_by("state")

    forge(added, "positions", 3, with_stranger)
    for directory in (missing, added):
        with pytest.raises(VerificationError) as here:
            analysis.verify(directory)
        with pytest.raises(VerificationError) as there:
            analysis.verify(directory, executor=executor)
        assert str(there.value) == str(here.value)


@pytest.mark.slow
def test_processes(solved):
    """Whose pieces are of large tiers only."""
    analysis.solve("connect:rows=4,cols=5,k=4", directory=solved / "large")
    with ProcessPoolExecutor(2, multiprocessing.get_context("spawn")) as processes:
        assert analysis.verify(solved / "large", executor=processes) == analysis.verify(solved / "large")
        report = analysis.verify(solved / "large", share=0.6, executor=processes)
        assert report == analysis.verify(solved / "large", share=0.6)


def test_what_cannot_be_checked_elsewhere(tmp_path):
    analysis.bidding.solve("bidding:game=tictactoe,chips=2", directory=tmp_path / "bidding")
    with ThreadPoolExecutor(1) as threads, pytest.raises(OptionError, match="bidding"):
        analysis.verify(tmp_path / "bidding", executor=threads)
