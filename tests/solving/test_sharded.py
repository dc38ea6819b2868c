"""A solve in shards has the tables of one in memory, however small the shards and whoever does the tasks."""

import multiprocessing
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import pytest

import analysis
from analysis.common.memory import taken_bytes
from analysis.engine import plan as foreseen
from analysis.errors import CountOverflowError, NoRoomError, RulesError, StoreError, TooLargeError
from analysis.solution.storage.store import Tables
from analysis.solving.planning.costs import ShardSizes
from analysis.solving.to_directory import solve_to_directory
from tests.support.own_game import free_cells, own_game
from tests.support.program import slow
from tests.support.sharding import bytes_of, manifest_numbers, rows_of, solved_by_one, use_small_shards

BY_PLY = "connect:rows=3,cols=4,k=3"
KINDS = [BY_PLY, "nim:heaps=3-4-5", "dots_and_boxes:rows=2,cols=2", "dodgem:n=3", "hexapawn"]
SLOW = [
    "mnk:rows=3,cols=4,k=3", "connect:rows=4,cols=3,k=3",
    "othello:size=4", "connect:rows=3,cols=3,k=3,misere=true", "kayles:pins=9", "chomp:rows=4,cols=4", "notakto",
    "morris", "connect:rows=4,cols=4,k=4", "wild", "domineering:rows=4,cols=4", "hex:n=3", "grundy:heap=12",
    "nim:heaps=5-6-7", "dodgem:n=4",
]  # fmt: skip


@pytest.fixture
def odd(tmp_path):
    """The specification of one of the odd games."""
    (tmp_path / "odd.py").write_text(ODD)
    return lambda name: f"{tmp_path / 'odd.py'}:{name}"


def compare(spec, tmp_path, tables, symmetry="geometric"):
    options = {"tables": tables, "symmetry": symmetry}
    with analysis.running(workers=1):
        solve_to_directory(spec, tmp_path / "memory", **options)
    with analysis.running(workers=2, sharded=True):
        solution = solve_to_directory(spec, tmp_path / "shards", **options)
    assert not solution.was_there
    wanted, found = rows_of(tmp_path / "memory"), rows_of(tmp_path / "shards")
    assert wanted.keys() == found.keys()
    for name in wanted:
        assert found[name].equals(wanted[name]), name
    assert manifest_numbers(tmp_path / "shards") == manifest_numbers(tmp_path / "memory")
    folders = [{path.name for path in (tmp_path / name).iterdir()} for name in ("shards", "memory")]
    assert folders[0] == folders[1]
    return solution


@pytest.mark.parametrize("counts", [True, False])
@pytest.mark.parametrize("spec", [*KINDS, *slow(*SLOW)])
def test_the_tables_of_a_solve_in_memory(spec, counts, monkeypatch, tmp_path):
    use_small_shards(monkeypatch)
    compare(spec, tmp_path, Tables(counts=counts))


EVERYTHING = Tables(moves=True, text=True, paths=True)


@pytest.mark.parametrize("spec", ["hexapawn", *slow("connect:rows=3,cols=3,k=3", "nim:heaps=3-4-5")])
def test_moves_texts_and_paths(spec, monkeypatch, tmp_path):
    use_small_shards(monkeypatch)
    solution = compare(spec, tmp_path, EVERYTHING)
    assert analysis.verify(solution.directory).moves > 0


def test_counts_of_two_limbs(monkeypatch, tmp_path):
    """More than 2**64 games: a column of decimals, with histories of two limbs in later tiers and of one in earlier."""
    use_small_shards(monkeypatch, ShardSizes(60, 40, 50))
    solution = compare("nim:heaps=9-9,take=1-2", tmp_path, Tables())
    assert solution.counted


@pytest.fixture(scope="module")
def reference(tmp_path_factory):
    """The files of a solve with one worker, and where shards were cut."""
    return solved_by_one(BY_PLY, tmp_path_factory.mktemp("reference") / "s")


@pytest.mark.parametrize("workers", [2, *slow(5)])
def test_the_same_files_whatever_the_workers(workers, reference, monkeypatch, tmp_path):
    use_small_shards(monkeypatch)
    with analysis.running(workers=workers, sharded=True):
        solve_to_directory(BY_PLY, tmp_path / "s")
    assert bytes_of(tmp_path / "s") == reference


@pytest.mark.parametrize("memory", [*slow(10**9), 3 * 10**9])
def test_the_same_files_whatever_the_executor_and_the_scratch(memory, reference, monkeypatch, tmp_path):
    """Shards are as large as planned, which is not by the memory here."""
    use_small_shards(monkeypatch)
    how = {"memory": taken_bytes() + memory, "scratch": tmp_path / "scratch"}
    with ThreadPoolExecutor(3) as executor, analysis.running(executor=executor, **how):
        solution = analysis.solve(BY_PLY, directory=tmp_path / "s")
    assert bytes_of(solution.directory) == reference
    assert not list((tmp_path / "scratch").iterdir())


@pytest.mark.slow
def test_the_same_files_from_processes(reference, monkeypatch, tmp_path):
    use_small_shards(monkeypatch)
    with ProcessPoolExecutor(2, multiprocessing.get_context("spawn")) as executor:
        analysis.running(executor=executor)(analysis.solve)(BY_PLY, directory=tmp_path / "s")
    assert bytes_of(tmp_path / "s") == reference


def test_what_memory_cannot_do(tmp_path):
    with pytest.raises(TooLargeError, match="memory"):
        analysis.running(sharded=True)(analysis.solve)(BY_PLY, directory=tmp_path / "s", memory="1MB")
    assert not (tmp_path / "s").exists()
    with pytest.raises(NoRoomError):
        analysis.solve("connect:rows=6,cols=7,k=4", memory="1GB")


def test_wrong_rules_leave_nothing(tmp_path):
    (tmp_path / "wrong.py").write_text(own_game("Wrong", play="1 - state", outcome="-128"))
    with pytest.raises((RulesError, StoreError)):
        analysis.running(sharded=True)(analysis.solve)(f"{tmp_path / 'wrong.py'}:Wrong", directory=tmp_path / "s")
    assert not (tmp_path / "s" / ".partial" / "run.json").exists()


def test_games_that_cannot_be_counted(tmp_path, monkeypatch):
    monkeypatch.setattr(foreseen, "PATIENCE", 60)  # on a busy machine too
    with pytest.raises(CountOverflowError):
        analysis.running(sharded=True)(analysis.solve)("chomp:rows=15,cols=15", directory=tmp_path / "s")
    assert not (tmp_path / "s" / ".partial" / "run.json").exists()


ODD = own_game(
    "Steps",
    fields="n: int = 64\nm: int = 2",
    setup="n, m = self.n, self.m",
    max_moves="m",
    legal_moves="for i in range(m):\n    out[i] = i\nreturn m if state < n else 0",
    play="state + 1",
    outcome="1 if state >= n else ONGOING",
    to_move="1 if state % 2 == 0 else -1",
    tier="3 + 2 * state",
)
ODD += own_game(  # by plies, and with far fewer moves than there might be
    "Plies",
    max_moves=255,
    legal_moves="out[0], out[1] = 0, 1\nreturn 2",
    play="state + 1",
    outcome="1 if state >= 125 else ONGOING",
    to_move="1 if state % 2 == 0 else -1",
)
ODD += own_game(
    "Twice",
    max_moves=12,
    legal_moves=free_cells(12, "(popcount(state) >= 6 or state >> i & 1)"),
    play="state | 1 << move | ((state | 1 << move) == 0b111110000000)",
    outcome="1 if popcount(state) >= 6 else ONGOING",
)
ODD += own_game(  # marks on nine cells whose bits are far apart, and so are the states
    "Wide",
    max_moves=9,
    legal_moves=free_cells(9, "(state >> 7 * i & 1)"),
    play="state | 1 << 7 * move",
    outcome="(state >> 14 & 1) - (state >> 42 & 1) if popcount(state) >= 6 else ONGOING",
    to_move="1 if popcount(state) % 2 == 0 else -1",
)


@pytest.mark.parametrize("game", ["Steps:n=64,m=2", *slow("Steps:n=63,m=4"), "Plies"])
def test_sums_that_need_another_limb(game, odd, tmp_path):
    """Where one state's histories pass 2**64 by its own moves, and where 128 bits do though a bound says more."""
    assert compare(odd(game), tmp_path, Tables()).games in (2**64, 2**126, 2**125)


def test_a_state_at_two_plies_is_refused(odd, tmp_path):
    with pytest.raises(RulesError, match="3969"):
        analysis.running(sharded=True)(analysis.solve)(odd("Twice"), directory=tmp_path / "s")
    assert not (tmp_path / "s").exists()
