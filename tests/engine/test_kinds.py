"""Games of every kind by the command line and through the disk: tiers, loops, scores, nimbers."""

import shutil

import pyarrow.parquet as pq
import pytest

import analysis
from analysis.errors import MissingDataError, VerificationError
from analysis.solution.storage.store import Tables
from analysis.solving.to_directory import solve_to_directory
from tests.support.forging import changed, forge
from tests.support.program import one_line

BOARD = "H 5 10\n5 1* 5\n10 5 C\n"
LOOPY = "morris"
SKIPPING = "kayles:pins=6"
OWN_SYMMETRIES = "nim:heaps=2-2-3"
SCORES = "dots_and_boxes:rows=1,cols=2"
COURSE = "H 5 10 5 25 / 5 10 25 10 5 / 10 25 1 25 10 / 5 10 25 10 5 / 25 5 10 5 C H=0 C=0 H"


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
    assert stored.moves().equals(wanted.moves())
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


@pytest.mark.slow
def test_loopy_games_have_no_counts(gametree):
    assert gametree("solve", LOOPY).code == 0
    for command in (
        ["paths", LOOPY],
        ["paths", LOOPY, "--count"],
        ["paths", "data/morris"],
        ["solve", "dodgem", "--paths"],
    ):
        one_line(gametree(*command), 1, "is loopy", "games and optimal paths have no end")
    one_line(gametree("prune", LOOPY), 2, "is loopy", "needs a --depth")
    found = gametree("stats", LOOPY, "--format", "json").json
    assert all(found[name] is None for name in ("games", "histories", "optimal_paths", "games_by_length", "by_ply"))
    assert sum(row["value_draw"] for row in found["by_tier"]) == found["by_remoteness"][-1]["draw"] == 1208
    assert found["by_remoteness"][-1]["remoteness_plies"] is None
    assert all(row["tie"] == 0 for row in found["by_remoteness"])
    with pytest.raises(MissingDataError):
        _ = analysis.solve(LOOPY).games
    lines = gametree("stats", LOOPY).out.splitlines()
    assert "draws      1,208 positions from which play never ends" in lines
    csv = gametree("stats", LOOPY, "--format", "csv").out.splitlines()
    assert csv[0].startswith("tier,positions,classes")
    assert len(csv) == 8
    assert gametree("prune", LOOPY, "--depth", "4", "-a", "alphabeta").code == 0


@pytest.mark.slow
def test_coin_grabber_is_searched(gametree, tmp_path):
    found = gametree("show", "coin_grabber", COURSE, "--depth", "6", "--format", "json").json
    assert (found["depth"], found["evaluation"], found["complete"]) == (6, "money", False)
    assert [move["name"] for move in found["moves"]] == ["D", "R"]
    timed = gametree("show", "coin_grabber", COURSE, "--depth", "99", "--seconds", "0.5", "--format", "json").json
    assert timed["depth"] > 0
    proven = gametree("show", "coin_grabber", COURSE, "--seconds", "300", "--format", "json").json
    assert (proven["value"], proven["exact"]) == (1, True)
    none = gametree("show", "coin_grabber", COURSE, "--depth", "6", "--evaluate", "none", "--format", "json").json
    assert (none["evaluation"], none["value"]) == (None, 0)
    one_line(gametree("show", "coin_grabber", COURSE, "--seconds", "0"), 2, "cannot search for 0 seconds")
    one_line(gametree("show", "coin_grabber", COURSE, "--evaluate", "money"), 2, "add --depth")
    one_line(gametree("show", "coin_grabber", "H C", "--depth", "3"), 2, "write them like H=15 C=20 H")
    (tmp_path / "boards").mkdir()
    (tmp_path / "boards" / "small.txt").write_text(BOARD)
    small = "coin_grabber:board=boards/small.txt,threshold=20"
    start = "H 5 10 / 5 1 5 / 10 5 C H=0 C=0 H"
    solved = gametree("show", small, start, "--format", "json").json
    deep = gametree("show", small, start, "--depth", "99", "--evaluate", "none", "--format", "json").json
    assert deep["value"] == solved["value"] == 1
