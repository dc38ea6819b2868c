"""Verification within little memory: in many ranges, with files for what is found out, and with the same findings."""

import json
import shutil
import tracemalloc

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import analysis
from analysis.engine.columns import to_int
from analysis.errors import VerificationError
from analysis.solution.storage.parquet import describe, parquet_options
from analysis.solution.verification.certificate import Certificate
from analysis.solution.verification.kernels import add_weighted, weigh_children
from analysis.solution.verification.verify import verify
from analysis.solution.verification.whole import mark_reached
from tests.support.forging import (
    add_stranger,
    changed,
    forge,
    forge_manifest,
    forge_tier,
    manifest_of,
    replaced,
    split,
    tier_of,
)
from tests.support.solved_kinds import DAMAGE, KINDS, solve_kinds

LITTLE = dict.fromkeys([*KINDS, "user"], 30000) | {"uncounted": 10_000, "two_limbs": 300_000, "loopy": 100_000}
"""Bytes, in which a few rows are checked at a time and few tiers are held."""

GATHERED = Certificate._gathered


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
    gathered = []
    monkeypatch.setattr(Certificate, "_gathered", lambda *given: gathered.append(given) or GATHERED(*given))
    directory = in_pieces(solved / name, tmp_path / "pieces")
    report = verify(directory, memory=LITTLE[name])
    wanted = analysis.verify(solved / name)
    assert (report.classes, report.moves, report.counts) == (wanted.classes, wanted.moves, wanted.counts)
    assert verify(directory) == report
    if wanted.classes < 100:
        assert verify(solved / name, memory=1) == wanted
    assert gathered
    assert 0 < analysis.verify(directory, share=0.9).classes <= wanted.classes


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


@pytest.mark.parametrize("memory", [20_000, 10**9])
def test_what_moves_reach_in_a_loopy_game(solved, tmp_path, memory):
    """From every fiftieth position of dodgem, compared with a search in plain Python."""
    directory = in_pieces(solved / "loopy", tmp_path / "pieces")
    game = analysis.load_game("dodgem")
    recorded = [tier_of(directory, row["tier"]) for row in manifest_of(directory)["totals"]]
    with analysis.running(workers=2):
        certificate = Certificate(directory, manifest_of(directory), game, recorded, 0, memory)
    positions, rules, tiers = certificate.positions, game.rules(), certificate.tiers
    states = {number: tier.states for number, tier in tiers.items()}
    for row in range(0, len(states[0]), 50):
        certificate.reached = {number: np.zeros(-(-len(tier) // 8), np.uint8) for number, tier in tiers.items()}
        mark_reached(certificate, row)
        flags = {number: np.unpackbits(bits, bitorder="little") for number, bits in certificate.reached.items()}
        found = {s for number, own in states.items() for s in own[flags[number][: len(own)] == 1].tolist()}
        wanted, waiting = {int(states[0][row])}, [int(states[0][row])]
        while waiting:
            for _, child in rules.moves(waiting.pop()):
                least = int(positions.least(np.array([child]))[0])
                if least not in wanted:
                    wanted.add(least)
                    waiting.append(least)
        assert found == wanted


@pytest.mark.parametrize("limbs", [1, 2])
def test_weighted_sums_are_exact(limbs):
    """Compared with whole numbers of Python, and of all rows at once or some at a time."""
    rng = np.random.default_rng(5)
    numbers, weights = (rng.integers(0, 2**64, shape, dtype=np.uint64) for shape in ((50, limbs), 50))
    digits = np.zeros(6, np.uint64)
    for low in range(0, 50, 20):
        add_weighted(numbers[low : low + 20].copy(), weights[low : low + 20].copy(), digits)
    right = sum(to_int(number) * int(weight) for number, weight in zip(numbers, weights, strict=True))
    assert sum(int(digit) << 32 * place for place, digit in enumerate(digits)) == right


def test_weights_are_of_56_bits_and_other_ones_with_another_key():
    """As many bits are set as not, at each place; and a tier takes only what leads to it."""
    start, n, ones = 0x123456789ABCDEF1, 4000, np.ones(4000, np.uint8)
    states, tiers, found = np.arange(n), np.arange(n) % 3, []
    for key, factor in ((start, start), (start, start + 2), (start + 1, start)):
        weights = np.empty(n, np.uint64)
        weigh_children(ones, states, tiers, 1, np.uint64(key), np.uint64(factor), weights)
        assert (weights[tiers != 1] == 0).all()
        own = weights[tiers == 1]
        assert len(np.unique(own)) == len(own)
        share = (own[:, None] >> np.arange(64, dtype=np.uint64) & np.uint64(1)).mean(axis=0)
        assert np.abs(share[:56] - 0.5).max() < 0.08
        assert not share[56:].any()
        found.append(own)
    assert all((found[0] != other).all() for other in found[1:])


FORGED = (lambda v: v + 1, lambda v: v + 2**61 - 1, lambda v: 2 * v)


@pytest.mark.parametrize("name", ["tictactoe", "skipping", "user", pytest.param("two_limbs", marks=pytest.mark.slow)])
@pytest.mark.parametrize("change", range(len(FORGED)))
def test_histories_that_are_wrong_together(solved, tmp_path, name, change):
    """Two of a tier whose sum is right, and a whole tier twice as large."""
    directory = shutil.copytree(solved / name, tmp_path / "copy")
    tier = {"two_limbs": 11, "skipping": 3}.get(name, 5)
    path = directory / "positions" / f"tier-{tier:04d}-part-0000.parquet"
    before = pq.ParquetFile(path).read()["histories"].to_pylist()
    if len(before) < 2:
        pytest.skip("one class")
    after = [2 * number for number in before]
    if change < 2:
        one = FORGED[change](before[0]) - before[0]
        after = [before[0] + one, *before[1:-1], before[-1] + one]
        if before[-1] > one:
            after[-1] = before[-1] - one
    forge(directory, "positions", tier, lambda table: replaced(table, "histories", after))
    for memory in (None, LITTLE[name]):
        with pytest.raises(VerificationError, match=rf"tier {tier}: histories are not"):
            verify(directory, memory=memory)


@pytest.mark.parametrize("name", slowly([*KINDS, "uncounted", "user"]))
def test_tiers_by_themselves(solved, tmp_path, name):
    """All of them in ranges count what the whole has; what is wrong in one is found by its range, with any memory."""
    numbers = [row["tier"] for row in manifest_of(solved / name)["totals"]]
    middle = numbers[len(numbers) // 2]
    ranges = [range(0, middle), range(middle, middle + 1), range(middle + 1, numbers[-1] + 1)]
    reports = [verify(solved / name, tiers=own, memory=memory) for own in ranges for memory in (None, LITTLE[name])]
    whole = verify(solved / name)
    assert sum(report.classes for report in reports) == 2 * whole.classes
    assert sum(report.moves for report in reports) == 2 * whole.moves
    copy = shutil.copytree(solved / name, tmp_path / "copy")
    column, new = ("histories", lambda v: v + 1) if whole.counts else ("value", lambda v: v + 1)
    forge(copy, "positions", middle, changed(column, 0, new))
    with pytest.raises(VerificationError, match=rf"tier {middle}"):
        verify(copy, tiers=ranges[1])
    if whole.counts:
        assert verify(copy, tiers=ranges[0])
        with pytest.raises(VerificationError, match=rf"tier {middle + 1}: histories"):
            verify(copy, tiers=range(middle + 1, middle + 2))


def test_a_class_that_no_move_leads_to_is_found_by_its_tier(solved, tmp_path):
    added = shutil.copytree(solved / "uncounted", tmp_path / "added")
    add_stranger(added, orbit_size=8)
    with pytest.raises(VerificationError, match=r"tier 9, position \S+: no move leads there"):
        verify(added, tiers=range(9, 10))


def renumbered(directory, numbers):
    """Give the tiers of a solution without counts other numbers, in this order."""
    for number in reversed([row["tier"] for row in manifest_of(directory)["totals"]]):
        tier, new = tier_of(directory, number), numbers[number]
        path = directory / "positions" / f"tier-{new:04d}-part-0000.parquet"
        (directory / "positions" / tier["positions"][0]["file"]).rename(path)
        (directory / "tiers" / f"tier-{number:04d}.json").unlink()
        table = pq.ParquetFile(path).read()
        pq.write_table(replaced(table, "ply", [new] * len(table)), path, **parquet_options(table.schema))
        described = {**tier, "tier": new, "positions": [describe(path)]}
        (directory / "tiers" / f"tier-{new:04d}.json").write_text(json.dumps(described))
    listed(directory, [{**row, "tier": numbers[row["tier"]]} for row in manifest_of(directory)["totals"]])


def reordered(directory):
    """The second tier comes last."""
    first, second, *rest = manifest_of(directory)["totals"]
    listed(directory, [first, *rest, second])


def listed(directory, totals):
    """Have the manifest list these tiers."""
    tiers = {f"tier-{row['tier']:04d}.json": "" for row in totals}
    forge_manifest(directory, {**manifest_of(directory), "totals": totals, "tiers": tiers})


@pytest.mark.parametrize(
    ("name", "change", "words"),
    [
        *(("uncounted", lambda d, own=own: renumbered(d, own), "0, 1, 2") for own in
          (range(1, 11), [*range(9), 10])),
        *((name, reordered, "") for name in ("uncounted", "loopy", "skipping")),
    ],
)  # fmt: skip
def test_tiers_with_other_numbers_and_in_another_order(solved, tmp_path, name, change, words):
    directory = shutil.copytree(solved / name, tmp_path / "copy")
    change(directory)
    with pytest.raises(VerificationError, match=rf"manifest\.json: the tiers must be {words}"):
        verify(directory)


def nothing_in_a_part(directory, folder):
    """A file without rows, and with another column, as a part of tier 5."""
    path = directory / folder / "tier-0005-part-0001.parquet"
    pq.write_table(pa.table({"other": pa.array([], pa.int64())}), path)
    tier = tier_of(directory, 5)
    tier[folder].append(describe(path))
    forge_tier(directory, 5, tier)


def unsorted_states(table):
    return table.take([0, *reversed(range(1, len(table) - 1)), len(table) - 1])


def unsorted_groups(directory, number):
    """A tier whose later half comes first, in a row group of its own."""
    path = directory / "positions" / f"tier-{number:04d}-part-0000.parquet"
    table = pq.ParquetFile(path).read()
    half = len(table) // 2
    table = pa.concat_tables([table.slice(half), table.slice(0, half)])
    pq.write_table(table, path, **parquet_options(table.schema) | {"row_group_size": len(table) - half})
    forge_tier(directory, number, {**tier_of(directory, number), "positions": [describe(path)]})


def a_file_beside(directory):
    """One that the manifest calls that of optimal paths."""
    path = directory / "other.parquet"
    shutil.copy(directory / "positions" / "tier-0000-part-0000.parquet", path)
    forge_manifest(directory, {**manifest_of(directory), "paths_file": describe(path)})


FORM = (
    ("tictactoe", lambda d: nothing_in_a_part(d, "positions"), "tier 5: positions/"),
    ("tictactoe", lambda d: nothing_in_a_part(d, "moves"), "tier 5: moves/"),
    ("tictactoe", lambda d: forge(d, "positions", 5, changed("position", 1, lambda v: v + "\0")), "tier 5, position"),
    ("loopy", lambda d: forge(d, "positions", 5, unsorted_states), "tier 5, position"),
    ("loopy", lambda d: unsorted_groups(d, 5), "tier 5: states are not in ascending order"),
    ("uncounted", lambda d: unsorted_groups(d, 5), "tier 5: states are not in ascending order"),
    ("skipping", a_file_beside, "paths_file"),
)


@pytest.mark.parametrize(("name", "change", "words"), FORM)
@pytest.mark.parametrize("little", [False, True])
def test_files_of_another_form(solved, tmp_path, name, change, words, little):
    directory = shutil.copytree(solved / name, tmp_path / "copy")
    change(directory)
    with pytest.raises(VerificationError, match=words):
        verify(directory, memory=5000 if little else None)


def test_numbers_where_a_draw_has_no_remoteness(tmp_path):
    analysis.solve("morris", directory=tmp_path / "s")
    assert verify(tmp_path / "s")
    name, ends = "remoteness_plies", lambda table: [65535 if v is None else v for v in table[name].to_pylist()]
    forge(tmp_path / "s", "positions", 6, lambda table: replaced(table, name, ends(table)))
    with pytest.raises(VerificationError, match="tier 6: remoteness_plies"):
        verify(tmp_path / "s")


def test_counts_in_a_loopy_game(solved, tmp_path):
    directory = shutil.copytree(solved / "loopy", tmp_path / "copy")
    manifest = manifest_of(directory)
    tables = {**manifest["tables"], "counts": True}
    forge_manifest(directory, {**manifest, "tables": tables, "optimal_paths": 1})
    with pytest.raises(VerificationError, match="a loopy game cannot have"):
        verify(directory)


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
        assert verify(tmp_path / "s", memory=memory).classes == 857_514
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 8_000_000
    assert peaks[0] > 12_000_000
