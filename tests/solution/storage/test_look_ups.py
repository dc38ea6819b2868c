"""Readers of stored solutions: the same answers as in memory, with few files open and few rows in memory."""

import concurrent.futures
import functools
import io
import json
import weakref

import numpy as np
import pyarrow.parquet as pq
import pytest

import analysis
from analysis.bidding import solve as solve_bidding
from analysis.bidding.bidding_store import open_solution as open_bidding
from analysis.bidding.bidding_verify import verify as verify_bidding
from analysis.engine import columns
from analysis.engine.tiers import FACTS
from analysis.errors import StoreError
from analysis.reports.exports import rows
from analysis.reports.exports.export import FORMATS
from analysis.reports.exports.part import Part
from analysis.solution.storage import parquet, stored_tier
from analysis.solution.storage.store import Tables
from analysis.solving.to_directory import solve_to_directory

MOST_FILES = 3
SMALL = "mnk:rows=2,cols=4,k=3"
GAMES = {
    "plies": ("mnk:rows=2,cols=3,k=2", "none"),
    "more plies": (SMALL, "none"),
    "tiers": ("dots_and_boxes:rows=1,cols=2", "geometric"),
    "more tiers": ("dots_and_boxes:rows=1,cols=3", "geometric"),
    "loopy": ("dodgem:n=2", "geometric"),
    "more that is loopy": ("dodgem:n=3", "geometric"),
    "own canonical": ("nim:heaps=2-3-4", "geometric"),
}


@pytest.fixture
def small(monkeypatch):
    """Small parts of small row groups, and room for few of them; what was open at a time, and what was held."""
    monkeypatch.setattr(columns, "PART", 60)
    monkeypatch.setattr(parquet, "ROW_GROUP", 12)
    for name in ("_opened", "_arrays", "_group"):
        few = functools.lru_cache(MOST_FILES)(getattr(stored_tier, name).__wrapped__)
        monkeypatch.setattr(stored_tier, name, few)
    monkeypatch.setattr("analysis.solution.lookup.MOST_CHILDREN", 400)
    opened, most = weakref.WeakSet(), {"files": 0, "opened": 0}

    class Counted(parquet.PartFile):
        def __init__(self, *arguments):
            super().__init__(*arguments)
            opened.add(self)
            most["opened"] += 1
            most["files"] = max(most["files"], len(opened))

    monkeypatch.setattr(stored_tier, "PartFile", Counted)
    yield most
    assert most["files"] <= MOST_FILES + 2  # one may be read, and one just have been opened


@pytest.fixture(params=[pytest.param(name, marks=[pytest.mark.slow] if "more" in name else []) for name in GAMES])
def both(request, small, tmp_path):
    """A solution on the disk, and the same in memory."""
    spec, symmetry = GAMES[request.param]
    solve_to_directory(spec, tmp_path / "s", symmetry=symmetry)
    return analysis.open_solution(tmp_path / "s"), analysis.solve(spec, symmetry=symmetry)


def written(solution, write, **part):
    write(Part(solution, **part), file := io.BytesIO())
    return file.getvalue()


def holds(tier, state):
    held, _ = tier.seek(np.array([state]), FACTS)
    return held[0]


def test_every_state(both):
    disk, memory = both
    for tier in memory.tiers:
        for state in tier.states.tolist():
            assert disk.records.of(state) == memory.records.of(state)
        assert not any(holds(disk.tiers[0], state) for state in (-1, 1 << 62))
    assert disk[disk.start] == memory[memory.start]
    assert disk[disk.start].line() == memory[memory.start].line()


def test_tables(both):
    disk, memory = both
    assert disk.positions().equals(memory.positions()[list(disk.positions().columns)])
    assert disk.to_arrow(moves=True).equals(memory.to_arrow(moves=True))
    numbers = [name for name in memory.positions().columns if name != "terminal"]
    assert [disk.total(name) for name in numbers] == [memory.total(name) for name in numbers]


@pytest.mark.slow
@pytest.mark.parametrize(
    "form",
    ["csv", *(pytest.param(form, marks=pytest.mark.slow) for form in ("jsonl", "graphml", "json", "dot"))],
)
def test_exports(both, form):
    disk, memory = both
    parts = ({}, {"depth": 3}, {"optimal_only": True})
    for part in parts if form == "csv" else ({},) if form != "dot" else parts[1:2]:
        assert written(disk, FORMATS[form].write, **part) == written(memory, FORMATS[form].write, **part)


def test_moves(both):
    disk, memory = both
    assert written(disk, rows.write_moves) == written(memory, rows.write_moves)


def test_paths(both):
    disk, memory = both
    shortest = disk.loopy
    assert list(disk.optimal_paths(shortest=shortest)) == list(memory.optimal_paths(shortest=shortest))


def test_files_are_opened_when_they_are_needed(small, tmp_path):
    solve_to_directory("tictactoe", tmp_path / "s", symmetry="none", tables=Tables(counts=False))
    before = small["opened"]
    solution = analysis.open_solution(tmp_path / "s")
    assert solution.classes == 5478
    assert small["opened"] == before
    assert solution.value == 0
    assert small["opened"] == before + 1
    assert holds(solution.tiers[5], solution.tiers[5]._recorded["positions"][3]["last_state"])
    assert small["opened"] == before + 2


def test_a_position_reads_no_more_than_it_needs(small, tmp_path, monkeypatch):
    solve_to_directory(SMALL, tmp_path / "s", symmetry="none")
    solution, read = analysis.open_solution(tmp_path / "s"), []
    group = stored_tier.PartFile.read_group

    def read_group(file, number, names):
        read.append((file._path.name, number, set(names)))
        return group(file, number, names)

    monkeypatch.setattr(parquet.PartFile, "read_group", read_group)
    shown = solution["0124"]
    files = {name: ply for ply, tier in enumerate(solution.tiers) for name in recorded_files(tier)}
    assert {files[name] for name, _, _ in read} == {4, 5}
    assert sum(files[name] == 4 for name, _, _ in read) == 1
    assert all(names <= {"state", "value", "remoteness_plies"} for name, _, names in read if files[name] == 5)
    assert len({(name, number) for name, number, _ in read}) == len(read) <= 1 + len(shown.moves)


def recorded_files(tier):
    return [part["file"] for part in tier._recorded["positions"]]


def test_a_file_that_changes_while_it_is_closed_is_refused(small, tmp_path):
    solve_to_directory(SMALL, tmp_path / "s", symmetry="none")
    solution = analysis.open_solution(tmp_path / "s")
    assert solution["0124"].value == analysis.solve(SMALL)["0124"].value
    holds(solution.tiers[4], solution.tiers[4].first_state)
    (file,) = recorded_files(solution.tiers[4])[:1]
    path = tmp_path / "s" / "positions" / file
    damaged = bytearray(path.read_bytes())
    damaged[-20] ^= 1  # in the footer
    path.write_bytes(damaged)
    first = solution.tiers[4].first_state
    for cache in (stored_tier._opened, stored_tier._arrays):
        cache.cache_clear()
    with pytest.raises(StoreError, match=file):
        holds(solution.tiers[4], first)


def test_threads_share_what_is_open(small, tmp_path):
    solve_to_directory(SMALL, tmp_path / "s", symmetry="none")
    disk, memory = analysis.open_solution(tmp_path / "s"), analysis.solve(SMALL, symmetry="none")
    states = [state for tier in memory.tiers for state in tier.states[::7].tolist()]
    with concurrent.futures.ThreadPoolExecutor(3) as pool:
        found = list(pool.map(disk.records.of, states * 2))
    assert found == [memory.records.of(state) for state in states] * 2
    small["files"] = min(small["files"], MOST_FILES)  # each thread may read one more


def test_first_and_last_states_are_recorded(small, tmp_path):
    solve_to_directory(SMALL, tmp_path / "s", tables=Tables(moves=True, paths=True))
    for path in (tmp_path / "s" / "tiers").iterdir():
        tier = json.loads(path.read_text())
        for folder in ("positions", "moves"):
            for part in tier[folder]:
                states = pq.read_table(tmp_path / "s" / folder / part["file"])["state"].to_pylist() or [None]
                assert (part["first_state"], part["last_state"]) == (states[0], states[-1])
    paths = json.loads((tmp_path / "s" / "manifest.json").read_text())["paths_file"]
    assert paths["first_state"] is paths["last_state"] is None


def test_bidding_boards_over_many_row_groups(small, tmp_path):
    spec = "bidding:game=mnk:rows=1,cols=3,k=3,chips=4"
    analysis.bidding.solve(spec, directory=tmp_path / "s")
    memory = solve_bidding(spec)
    disk = open_bidding(tmp_path / "s")
    assert disk.root == memory.root
    for text in ("X?? X=4 O=4 advantage=O", "XO? X=3 O=5 advantage=X"):
        assert disk[text] == memory[text]
    assert verify_bidding(tmp_path / "s").game == spec
