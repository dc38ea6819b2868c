"""Verification within little memory: in many ranges, with files for what is found out, and with the same findings."""

from __future__ import annotations

import random
import shutil
import tracemalloc

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import analysis
from analysis.checks.solutions import ledgers, rederive
from analysis.checks.solutions.digits import exact_total, from_limbs
from analysis.checks.solutions.forward import mark_reached
from analysis.checks.solutions.frontier import Frontier
from analysis.checks.solutions.ledgers import NEXT, REACHED, UNREACHED, Ledger, LedgerFile
from analysis.checks.solutions.replay import Positions
from analysis.checks.solutions.stored_rows import PartFiles, TierRows
from analysis.checks.solutions.verify import verify
from analysis.errors import VerificationError
from analysis.machine.workers import Workers
from analysis.rules.symmetry import permute
from tests.support.forging import changed, forge, manifest_of, split, tier_of
from tests.support.solved_kinds import DAMAGE, KINDS, solve_kinds

LITTLE = dict.fromkeys([*KINDS, "uncounted", "user"], 30000) | {"two_limbs": 300_000, "loopy": 100_000}
"""Bytes, in which a few rows are checked at a time and few tiers are held."""


@pytest.fixture(scope="module")
def solved(tmp_path_factory):
    return solve_kinds(tmp_path_factory.mktemp("bounded"))


def in_pieces(source, target):
    """A copy whose tiers have several files and row groups."""
    shutil.copytree(source, target)
    for row in manifest_of(target)["totals"]:
        split(target, row["tier"], 29, 7)
    return target


SLOW = ("two_limbs", "tictactoe", "uncounted", "user", "skipping")


def slowly(cases):
    """The cases, those of the slow kinds marked."""
    values = [case if isinstance(case, tuple) else (case,) for case in cases]
    return [pytest.param(*value, marks=[pytest.mark.slow] if value[0] in SLOW else []) for value in values]


@pytest.mark.parametrize("name", slowly([*KINDS, "uncounted", "user"]))
def test_intact_solutions_of_every_kind(solved, tmp_path, monkeypatch, name):
    made = []

    class Noted(LedgerFile):
        def __init__(self, *given):
            made.append(given)
            super().__init__(*given)

    monkeypatch.setattr(rederive, "LedgerFile", Noted)
    directory = in_pieces(solved / name, tmp_path / "pieces")
    report = verify(directory, memory=LITTLE[name])
    wanted = analysis.verify(solved / name)
    assert (report.states, report.moves, report.counts) == (wanted.states, wanted.moves, wanted.counts)
    assert verify(directory) == report
    if wanted.states < 100:
        assert verify(solved / name, memory=1) == wanted
    assert made
    assert analysis.verify(directory, share=0.5).states == wanted.states


@pytest.mark.slow
@pytest.mark.parametrize(("name", "tier", "column", "new"), slowly([*DAMAGE, *(
    (name, tier, "histories", lambda v: v + 1) for name, tier in (("tictactoe", 5), ("two_limbs", 11), ("user", 7))
)]))  # fmt: skip
def test_what_is_wrong_is_found(solved, tmp_path, name, tier, column, new):
    directory = shutil.copytree(solved / name, tmp_path / "copy")
    rows = pq.ParquetFile(directory / "positions" / f"tier-{tier:04d}-part-0000.parquet").metadata.num_rows
    forge(directory, "positions", tier, changed(column, rows // 2, new))
    with pytest.raises(VerificationError, match=r"tier \d+") as held:
        analysis.verify(directory)
    for row in manifest_of(directory)["totals"]:
        split(directory, row["tier"], 29, 7)
    with pytest.raises(VerificationError, match=r"tier \d+") as bounded:
        verify(directory, memory=LITTLE[name])
    assert str(bounded.value) == str(held.value)


def test_missing_and_added_states(solved, tmp_path):
    missing = shutil.copytree(solved / "uncounted", tmp_path / "missing")
    forge(missing, "positions", 5, lambda table: table.slice(1))
    added = shutil.copytree(solved / "uncounted", tmp_path / "added")
    rules = analysis.load_game("tictactoe").rules()
    state = min(permute(0b000111100_111000011, p, 2) for p in rules.symmetries)

    def with_stranger(table):
        return pa.concat_tables([table, changed("state", 0, lambda _: state)(table.slice(0, 1))]).sort_by("state")

    forge(added, "positions", 9, with_stranger)
    for directory, words in ((missing, "is not stored"), (added, "tier 9, position")):
        for row in manifest_of(directory)["totals"]:
            split(directory, row["tier"], 29, 7)
        with pytest.raises(VerificationError, match=words):
            verify(directory, memory=LITTLE["uncounted"])


@pytest.mark.parametrize("held", [True, False])
def test_what_moves_reach_in_a_loopy_game(solved, tmp_path, held):
    """From every fiftieth position of dodgem, compared with a search in plain Python."""
    directory = in_pieces(solved / "loopy", tmp_path / "pieces")
    game = analysis.load_game("dodgem")
    positions, rules = Positions(game, "geometric"), game.rules()
    tiers = {row["tier"]: TierRows(directory, tier_of(directory, row["tier"]), PartFiles())
             for row in manifest_of(directory)["totals"]}  # fmt: skip
    if held:
        for tier in tiers.values():
            tier.hold(Workers(1))
    states = {number: tier.span(0, len(tier)).states for number, tier in tiers.items()}
    for row in range(0, len(states[0]), 50):
        found_out = {n: Ledger(len(tier)) if held else LedgerFile(len(tier), 0) for n, tier in tiers.items()}
        found_out[0].mark(np.array([row]), NEXT)
        mark_reached(positions, tiers, found_out, 40, Workers(1))
        found = {s for n, own in states.items() for s in own[found_out[n].marks(0, len(own)) == REACHED].tolist()}
        wanted, waiting = {int(states[0][row])}, [int(states[0][row])]
        while waiting:
            for _, child in rules.moves(waiting.pop()):
                least = int(positions.least(np.array([child]))[0])
                if least not in wanted:
                    wanted.add(least)
                    waiting.append(least)
        assert found == wanted


@pytest.mark.parametrize("limbs", [1, 2])
def test_ledgers_in_files_are_like_those_in_memory(monkeypatch, limbs):
    """And hold what is added: sums with carries, in spans of seven rows."""
    monkeypatch.setattr(ledgers, "SPAN", 7)
    rng, quotient = np.random.default_rng(5), np.zeros((50, limbs), dtype=np.uint64)
    kept, filed = Ledger(50, quotient, threads=3), LedgerFile(50, limbs)
    sums, marks = [0] * 50, np.zeros(50)
    for begin in range(0, 40, 10):
        rows, sources = np.sort(rng.integers(0, 50, 30)), rng.integers(0, 5, 30)
        numbers = rng.integers(0, 2**64, (5, limbs), dtype=np.uint64) >> np.uint64(8 * (limbs - 1))
        for ledger in (kept, filed):
            ledger.add_histories(rows, sources, numbers)
            ledger.mark(rows[:5], NEXT if begin else REACHED)
        marks[rows[:5]] = NEXT if begin else REACHED
        for row, source in zip(rows.tolist(), sources.tolist(), strict=True):
            sums[row] += sum(int(limb) << 64 * i for i, limb in enumerate(numbers[source]))
        quotient[begin : begin + 10] = rng.integers(0, 2**50, (10, limbs))
        filed.set_quotient(begin, quotient[begin : begin + 10])
    one = Ledger(50, np.zeros((50, limbs), dtype=np.uint64))
    copy = LedgerFile(50, limbs)
    one.mark(np.flatnonzero(kept.marks(0, 50) == REACHED), REACHED)
    one.add_histories(np.arange(50), np.arange(50), np.ascontiguousarray(kept.histories(0, 50)))
    copy.absorb(np.arange(50), one)
    assert kept.marks(0, 50).tolist() == filed.marks(0, 50).tolist() == marks.tolist()
    for ledger in (kept, filed, one, copy):
        assert [exact_total(from_limbs(own[None])) for own in ledger.histories(0, 50)] == sums
        assert not ledger.overflown
    rows = np.array([0, 3, 6, 7, 8, 21, 49])
    assert np.array_equal(kept.quotient(rows), filed.quotient(rows))
    assert set(filed.marks(0, 50).tolist()) <= {UNREACHED, REACHED, NEXT}


def test_histories_beyond_128_bits_are_told():
    ledger, most = Ledger(3, np.zeros((3, 2), dtype=np.uint64)), np.full((1, 2), 2**64 - 1, dtype=np.uint64)
    ledger.add_histories(np.array([1, 2]), np.zeros(2, dtype=np.int64), most)
    assert not ledger.overflown
    ledger.add_histories(np.array([1]), np.zeros(1, dtype=np.int64), np.ones((1, 1), dtype=np.uint64))
    assert ledger.overflown


@pytest.mark.parametrize(("most", "rows"), [(10**6, 10**6), (10, 7), (100, 1)])
def test_frontiers(most, rows):
    rng, frontier, wanted = random.Random(3), Frontier(most), dict[int, int]()
    for _ in range(20):
        run = {rng.randrange(300): rng.randrange(1 << 100) for _ in range(rng.randrange(1, 60))}
        states = sorted(run)
        limbs = np.array([[run[s] & (1 << 64) - 1, run[s] >> 64] for s in states], dtype=np.uint64)
        frontier.add(np.array(states), from_limbs(limbs))
        for state, number in run.items():
            wanted[state] = wanted.get(state, 0) + number
    pieces = list(frontier.merged(rows))
    states = np.concatenate([states for states, _ in pieces])
    numbers = np.concatenate([digits for _, digits in pieces])
    assert states.tolist() == sorted(wanted)
    assert [exact_total(numbers[i : i + 1]) for i in range(len(states))] == [wanted[s] for s in sorted(wanted)]
    assert max(len(piece) for piece, _ in pieces) <= 2 * max(rows, 20)


@pytest.mark.slow
@pytest.mark.parametrize("counts", [False, True])
def test_memory_is_bounded(tmp_path, counts):
    """Arrays of NumPy, while 857,514 classes are checked."""
    analysis.solve("mnk:rows=3,cols=5,k=4", directory=tmp_path / "s", counts=counts)
    for row in manifest_of(tmp_path / "s")["totals"]:
        split(tmp_path / "s", row["tier"], 1 << 15, 1 << 10)
    peaks = []
    for memory in (None, 4_000_000):
        tracemalloc.start()
        assert verify(tmp_path / "s", memory=memory).states == 857_514
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 8_000_000
    assert peaks[0] > 40_000_000
