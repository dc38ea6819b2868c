"""Games in which play returns, in shards on the disk: the rows of a solve in memory, and published numbers."""

import random

import numpy as np
import pyarrow.parquet as pq
import pytest

import analysis
from analysis.engine import engine
from analysis.engine.engine import make_engine
from analysis.engine.kernels import BLOCK
from analysis.engine.passes import loops as passes
from analysis.solution.storage.directory import SolutionDirectory
from analysis.solution.storage.store import Tables
from analysis.solving.planning.costs import ShardSizes
from analysis.solving.sharded import driver, loops, run
from analysis.solving.to_directory import solve_to_directory
from tests.support.program import ROOT, slow
from tests.support.random_games import load, looping, mirrored
from tests.support.sharding import rows_of, use_small_ranges, use_small_shards

QUIXO, TEEKO = (f"{ROOT}/docs/how-to/examples/{name}.py" for name in ("quixo", "teeko"))
FAST = ["dodgem:n=3", "morris:three"]
SMALL_TEEKO = f"{TEEKO}:Teeko:rows=4,cols=4"


def solved_in_shards(graph, directory, monkeypatch):
    """The rows of a random game, solved in small shards: state -> value and remoteness."""
    use_small_shards(monkeypatch, ShardSizes(60, 40, 12))
    use_small_ranges(monkeypatch, 8, 2)
    monkeypatch.setattr(driver, "SMALL", 0)
    game = load(graph)
    monkeypatch.setattr(run, "load_same", lambda *_: game)
    monkeypatch.setattr(type(game), "lasting_spec", "explicit", raising=False)
    tables = Tables(counts=False)
    with SolutionDirectory(directory, tables.folders, lasting=True) as place:
        driver.solve_in_shards(place, make_engine(game).classes, tables, "", None)
        table = pq.read_table(place.partial / "positions").to_pydict()
    return dict(zip(table["state"], zip(table["value"], table["remoteness_plies"], strict=True), strict=True))


@pytest.mark.parametrize("seed", [*range(12), *slow(*range(12, 150))])
@pytest.mark.parametrize("tiered", [False, True])
def test_random_games(seed, tiered, tmp_path, monkeypatch):
    """With tiers or without, symmetric or not, with ties, extra turns and moves to the same position."""
    rng = random.Random(seed)
    graph = looping(rng, rng.choice((8, 30, 55)), tiered=tiered)
    graph = mirrored(rng, graph) if seed % 3 == 0 else graph
    oracle = graph.oracle(by_rounds=True)
    rows = solved_in_shards(graph, tmp_path / "s", monkeypatch)
    wanted = {state: (oracle.value(state), oracle.remoteness(state)) for state in rows}
    assert rows == wanted


@pytest.mark.parametrize("spec", [*FAST, *slow("dodgem:n=4", f"{QUIXO}:Quixo:n=3", SMALL_TEEKO)])
def test_the_rows_of_a_solve_in_memory(spec, tmp_path, monkeypatch):
    tables = Tables(counts=False, moves=True)
    solve_to_directory(spec, tmp_path / "memory", tables=tables)
    use_small_shards(monkeypatch, *[] if spec in FAST else [ShardSizes(30_000, 20_000, 25_000)])
    use_small_ranges(monkeypatch)
    with analysis.running(workers=2, sharded=True):
        solution = solve_to_directory(spec, tmp_path / "shards", tables=tables)
    wanted, found = rows_of(tmp_path / "memory"), rows_of(tmp_path / "shards")
    assert all(found[name].equals(wanted[name]) for name in wanted)
    assert analysis.verify(solution.directory).classes == solution.statistics()["classes"]


@pytest.mark.parametrize("key_bits", [63, 24])
@pytest.mark.parametrize("spec", ["dodgem:n=3", *slow("dodgem:n=4", SMALL_TEEKO)])
def test_many_ranges_in_memory(spec, key_bits, monkeypatch, tmp_path):
    """Small groups and ranges, few pairs at once, and children that leave no room for their parents in one number."""
    tables = Tables(counts=False)
    solve_to_directory(spec, tmp_path / "one", tables=tables)
    monkeypatch.setattr(engine, "CHUNK_TIERED", 1 << 7 if spec in FAST else 1 << 13)
    monkeypatch.setattr(passes, "RANGE", 2 * BLOCK if spec in FAST else 32 * BLOCK)
    monkeypatch.setattr(passes, "PAIRS", 200)
    monkeypatch.setattr(passes, "KEY_BITS", key_bits)
    with analysis.running(workers=2):
        solve_to_directory(spec, tmp_path / "many", tables=tables)
    assert rows_of(tmp_path / "many") == rows_of(tmp_path / "one")


@pytest.mark.slow
def test_quixo():
    solution = analysis.solve(QUIXO)
    stats = solution.statistics()
    assert (solution.value, solution.remoteness_plies) == (1, 21)
    assert (stats["positions"], stats["classes"]) == (82_497_861, 10_339_244)
    assert sum(row["draw"] for row in stats["by_remoteness"]) == 3_213_236


def test_spans():
    """Lists are read in spans, and what lies between is left out if it is long."""
    offsets = np.arange(0, 11 * loops.GAP, loops.GAP, dtype=np.int64)
    assert [*loops.spans(np.array([0, 1, 3, 7]), offsets)] == [(0, 4), (7, 8)]
