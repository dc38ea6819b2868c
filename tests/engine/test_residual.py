"""Residual classes have all counts that the merged graph determines, whatever is done with them."""

import pytest

import analysis
from analysis.errors import MissingDataError, OptionError, SymmetryError
from analysis.solution.storage.store import Tables
from analysis.solving.to_directory import solve_to_directory
from tests.support.class_graph import every_position
from tests.support.program import ROOT, slow
from tests.support.sharding import manifest_numbers, rows_of, use_small_shards

HEAPS = f"{ROOT / 'tests' / 'support' / 'residual_heaps.py'}:Heaps"
DETERMINED = ("value", "remoteness_plies", "games", "games_by_length", "histories", "optimal_paths")
NULL = (
    "positions", "symmetry_order", "terminal_x", "terminal_o", "terminal_tie", "moves", "quotient_paths",
    "games_up_to_symmetry", "by_remoteness",
)  # fmt: skip


@pytest.fixture(scope="module", params=["tictactoe", *slow("mnk:rows=2,cols=5,k=3,misere=true"), HEAPS])
def both(request):
    """A game solved by residual classes and without any."""
    return analysis.solve(request.param, symmetry="residual"), analysis.solve(request.param, symmetry="none")


def determined(stats):
    return {name: stats[name] for name in DETERMINED}


def test_statistics(both):
    left, all_positions = (solution.statistics() for solution in both)
    assert left.keys() == all_positions.keys()
    assert determined(left) == determined(all_positions)
    assert [left[name] for name in NULL] == [None] * len(NULL)
    assert left["classes"] < all_positions["classes"]
    for name in {"by_ply", "by_tier"} & left.keys():
        for row, whole in zip(left[name], all_positions[name], strict=True):
            assert row["histories"] == whole["histories"]
            assert row["positions"] is row["moves"] is row["value_x"] is row["terminal_tie"] is None
    games = [{row["value"]: row["games"] for row in stats["by_value"]} for stats in (left, all_positions)]
    assert games[0] == games[1]


def test_every_position(both):
    left, all_positions = both
    for position in every_position(all_positions):
        found = left.at(position.state)
        assert (found.value, found.remoteness_plies, found.nimber, found.moves) == (
            position.value, position.remoteness_plies, position.nimber, position.moves
        )  # fmt: skip
        assert found.histories is None
        assert (found.games, found.games_x) == (position.games, position.games_x)
        record, whole = left.records.of(position.state), all_positions.records.of(position.state)
        assert (record.games, record.games_x) == (whole.games, whole.games_x)
        assert (record.optimal_paths, record.shortest_paths) == (whole.optimal_paths, whole.shortest_paths)
        assert record.orbit_size is None


def test_paths(both):
    left, all_positions = (solution.optimal_paths() for solution in both)
    assert list(left) == list(all_positions)
    assert left[left.count // 2] == all_positions[left.count // 2]
    assert list(left.sample(5, seed=3)) == list(all_positions.sample(5, seed=3))
    later = both[1][both[1].start].moves[0].position
    assert list(both[0].optimal_paths(later, shortest=True)) == list(both[1].optimal_paths(later, shortest=True))


def test_from_a_position(both):
    _, all_positions = both
    later = all_positions[all_positions.start].moves[0].position
    left, whole = (analysis.solve(all_positions.game, start=later, symmetry=kind) for kind in ("residual", "none"))
    assert determined(left.statistics()) == determined(whole.statistics())


def test_positions_are_not_counted(both):
    for ask in (len, lambda left: left.find("orbit_size = 2")):
        with pytest.raises(MissingDataError):
            ask(both[0])
    assert both[0].position_count is None


@pytest.mark.parametrize("counts", [True, False])
@pytest.mark.parametrize("spec", [*slow("mnk:rows=3,cols=4,k=3", "tictactoe"), "notakto:rows=2,cols=2,k=2", HEAPS])
def test_stored_verified_and_in_shards(spec, counts, monkeypatch, tmp_path):
    use_small_shards(monkeypatch)
    tables = Tables(counts=counts, moves=True, text=True, paths=spec in ("tictactoe", HEAPS))
    for name, sharded in (("memory", False), ("shards", True)):
        with analysis.running(workers=2, sharded=sharded):
            solve_to_directory(spec, tmp_path / name, symmetry="residual", tables=tables)
    assert manifest_numbers(tmp_path / "shards") == manifest_numbers(tmp_path / "memory")
    wanted = rows_of(tmp_path / "memory")
    assert all(table.equals(wanted[name]) for name, table in rows_of(tmp_path / "shards").items())
    assert all(table["orbit_size"].null_count == len(table) for name, table in wanted.items() if "positions" in name)
    for name in ("memory", "shards"):
        report = analysis.verify(tmp_path / name)
        assert report.classes == analysis.open_solution(tmp_path / name).classes
        assert report.counts == counts
    stored = analysis.open_solution(tmp_path / "shards")
    assert stored.statistics() == analysis.solve(spec, symmetry="residual", counts=counts).statistics()
    assert stored.records.of(stored.engine.start).orbit_size is None


def test_what_has_no_residual_classes():
    with pytest.raises(OptionError):
        analysis.solve("nim", symmetry="residual")
    with pytest.raises(SymmetryError, match="65 bits"):
        analysis.solve("mnk:rows=5,cols=6,k=4", symmetry="residual")
    with pytest.raises(OptionError):
        analysis.compare("tictactoe", symmetries=["residual"])
