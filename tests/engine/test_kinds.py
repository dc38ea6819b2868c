"""Games of every kind by the command line and through the disk: tiers, loops, scores, nimbers."""

import shutil

import pyarrow.parquet as pq
import pytest

import analysis
from analysis.errors import VerificationError
from analysis.solution.storage.store import Tables
from analysis.solving.to_directory import solve_to_directory
from tests.support.forging import changed, forge

LOOPY = "morris"
SKIPPING = "kayles:pins=6"
OWN_SYMMETRIES = "nim:heaps=2-2-3"
SCORES = "dots_and_boxes:rows=1,cols=2"


@pytest.fixture(scope="module")
def solved(tmp_path_factory):
    """A directory of each kind, with every table."""
    folder = tmp_path_factory.mktemp("kinds")
    for spec in (LOOPY, SKIPPING, OWN_SYMMETRIES, SCORES):
        choice = Tables(moves=True, text=True, paths=spec != LOOPY)
        with analysis.running(workers=2):
            solve_to_directory(spec, folder / spec.partition(":")[0], tables=choice)
    return folder


@pytest.mark.parametrize("spec", [LOOPY, SKIPPING, SCORES, OWN_SYMMETRIES])
@pytest.mark.slow
def test_through_the_disk(solved, spec, tmp_path):
    directory = solved / spec.partition(":")[0]
    stored, wanted = analysis.open_solution(directory), analysis.solve(spec)
    assert stored.statistics() == wanted.statistics()
    assert stored[stored.start] == wanted[wanted.start]
    assert stored.positions().equals(wanted.positions())
    assert stored.to_arrow(moves=True).equals(wanted.to_arrow(moves=True))
    report = analysis.verify(directory)
    assert (report.classes, report.counts) == (wanted.classes, spec != LOOPY)
    choice = Tables(moves=True, text=True, paths=spec != LOOPY)
    with analysis.running(workers=1):
        solve_to_directory(spec, tmp_path / "one", tables=choice)
    files = [path.relative_to(directory) for path in sorted(directory.rglob("*")) if path.is_file()]
    assert all((tmp_path / "one" / name).read_bytes() == (directory / name).read_bytes() for name in files)


FAST = (SKIPPING, 3)


def damage():
    up, other = (lambda v: v + 1), (lambda v: not v)
    for kind, tier in ((LOOPY, 6), (LOOPY, 4), (SKIPPING, 3), (OWN_SYMMETRIES, 4), (SCORES, 5)):
        names = ["to_move", "orbit_size", "state", "ply" if kind == SCORES else "tier"]
        if kind != LOOPY:
            names += ["histories", "games_x", "games_o", "games_tie", "optimal_paths", "shortest_paths"]
        if kind in (SKIPPING, OWN_SYMMETRIES):
            names.append("nimber")
        yield from ((kind, tier, name, up) for name in names)
        yield kind, tier, "terminal", other
        yield kind, tier, "value", lambda v: 1 - abs(v)
        yield kind, tier, "remoteness_plies", lambda v: None if v is not None else 3
        yield kind, tier, "remoteness_plies", lambda v: 4 if v is None else v + 2


@pytest.mark.parametrize(
    ("spec", "tier", "column", "new"),
    [
        at if at[:2] == FAST and i % 3 == 0 else pytest.param(*at, marks=pytest.mark.slow)
        for i, at in enumerate(damage())
    ],
)
def test_every_column_of_every_kind(solved, tmp_path, spec, tier, column, new):
    directory = shutil.copytree(solved / spec.partition(":")[0], tmp_path / "copy")
    rows = pq.ParquetFile(directory / "positions" / f"tier-{tier:04d}-part-0000.parquet").metadata.num_rows
    forge(directory, "positions", tier, changed(column, rows // 2, new))
    with pytest.raises(VerificationError, match=r"tier \d+"):
        analysis.verify(directory)


@pytest.mark.slow
def test_draws_cannot_be_forged(solved, tmp_path):
    """A draw that is passed off as a tie, or a tie as a draw, is found: so is a whole cycle of them."""
    directory = shutil.copytree(solved / LOOPY, tmp_path / "copy")

    def all_draws_are_ties(table):
        for row, plies in enumerate(table["remoteness_plies"].to_pylist()):
            if plies is None:
                table = changed("remoteness_plies", row, lambda v: 7)(table)
        return table

    forge(directory, "positions", 6, all_draws_are_ties)
    with pytest.raises(VerificationError, match="remoteness_plies is 7"):
        analysis.verify(directory)
