"""`verify_bidding` passes what was solved, refuses what a wrong solver writes, and checks mixed bids one by one."""

import copy
import functools
import hashlib
import itertools
import shutil
from fractions import Fraction
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import analysis
from analysis.bidding import bidding_solving, bidding_verify
from analysis.bidding.bidding_verify import certified
from analysis.bidding.bidding_verify import verify as verify_bidding
from analysis.bidding.kernels import saddles as kernels
from analysis.bidding.matrix_games import solve_matrix
from analysis.engine import columns
from analysis.solving.to_directory import solve_to_directory
from tests.support.bidding_forging import EITHER, LARGER, MIXED, PURE, other, refused, rows_of
from tests.support.forging import changed, forge, forge_manifest, forge_tier, manifest_of, split, tier_of
from tests.support.program import slow

FAST = [
    "mnk:rows=2,cols=3,k=3,chips=4",
    "mnk:rows=2,cols=3,k=3,misere=true,chips=4+3",
    "mnk:rows=2,cols=3,k=3,misere=true,chips=2,ties=chooses,least=1",
]
SLOW = [
    "tictactoe,chips=6,least=1",
    "mnk:rows=2,cols=3,k=3,misere=true,chips=3+1,first=O",
    "mnk:rows=2,cols=2,k=2,chips=3",
    "mnk:rows=2,cols=3,k=3,chips=4,least=1",
    "mnk:rows=2,cols=3,k=2,chips=3,ties=chooses",
    "mnk:rows=2,cols=3,k=3,chips=5,ties=chooses",
    "mnk:rows=1,cols=1,k=1,chips=0",
    "mnk:rows=2,cols=2,k=2,chips=0+3",
    "connect:rows=2,cols=3,k=2,chips=3",
    "wild:rows=2,cols=2,k=2,chips=3,ties=chooses",
    "notakto:rows=2,cols=2,k=2,chips=4",
    "hex:n=2,chips=3",
    "tictactoe,chips=4",
    "tictactoe:misere=true,chips=6",  # has values that are rounded
    "tictactoe,chips=30,ties=chooses",
    "hex:n=3,chips=6,ties=chooses",
    "mnk:rows=2,cols=2,k=2,chips=110",
]


@pytest.fixture(scope="module", params=[PURE, MIXED], ids=["pure", "mixed"])
def original(request, tmp_path_factory):
    directory = tmp_path_factory.mktemp("bidding") / "s"
    analysis.bidding.solve(request.param, directory=analysis.Output(directory, ["text"]))
    return directory


# Solved directories ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", [*FAST, *slow(*SLOW)])
def test_intact(tmp_path, game):
    solution = analysis.bidding.solve(f"bidding:game={game}", directory=tmp_path / "s")
    stats, report = solution.statistics(), verify_bidding(tmp_path / "s")
    assert (report.boards, report.states, report.mixed) == (stats["boards"], stats["states"], stats["mixed"])
    assert report.game == solution.game.spec
    assert report.files == 1 + 2 * len(solution.totals)


@pytest.mark.parametrize("symmetry", ["none", "full"])
def test_other_symmetries(tmp_path, symmetry):
    analysis.bidding.solve(
        "bidding:game=mnk:rows=2,cols=3,k=3,chips=2",
        directory=analysis.Output(tmp_path / "s", ["text"]),
        symmetry=symmetry,
    )
    assert verify_bidding(tmp_path / "s").boards == 725


def test_in_parts_and_chunks(tmp_path, monkeypatch):
    monkeypatch.setattr(columns, "PART", 500)
    analysis.bidding.solve("bidding:game=tictactoe,chips=2", directory=tmp_path / "s")
    assert len(list((tmp_path / "s" / "positions").glob("tier-0005-*"))) > 3
    assert verify_bidding(tmp_path / "s").boards == 18753
    first, second = sorted((tmp_path / "s" / "positions").glob("tier-0005-*"))[:2]
    data = first.read_bytes()
    first.write_bytes(second.read_bytes())
    second.write_bytes(data)
    refused(tmp_path / "s", "damaged")


def test_nothing_of_the_solver_is_used(original, monkeypatch):
    def used(*_):
        raise RuntimeError("verification uses the solver")

    patched = 0
    for module in (kernels, bidding_solving):
        for name, value in list(vars(module).items()):
            ours = getattr(value, "__module__", None) == module.__name__
            if ours and callable(value) and not isinstance(value, type):
                monkeypatch.setattr(module, name, used)
                patched += 1
    assert patched > 4
    assert verify_bidding(original).files > 0
    sources = Path(bidding_verify.__file__).read_text()
    assert "import" in sources
    assert "saddles" not in sources
    assert "bidding_solving" not in sources


# A solver that is wrong -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rule", ["passes", "chooses"])
def test_another_tie_rule(tmp_path, monkeypatch, rule):
    right = kernels.saddles
    monkeypatch.setattr(kernels, "saddles", lambda x, o, least, chooses, *more: right(x, o, least, not chooses, *more))
    analysis.bidding.solve(
        f"bidding:game=mnk:rows=2,cols=3,k=3,misere=true,chips=2,ties={rule}", directory=tmp_path / "s"
    )
    monkeypatch.undo()
    refused(tmp_path / "s", r"tier \d, state \S+ X=\d O=\d advantage=[XO]: (value|[xo]_bid) is ")


def test_any_optimal_placement_will_not_do(tmp_path, monkeypatch):
    """Of equally good placements the first is written; the last is refused."""
    found = kernels.best_placements

    def last(below, offsets, rows, moves, side, best, which):
        rows, moves = rows.copy(), moves.copy()
        for low, high in itertools.pairwise(offsets):
            for array in (rows, moves):
                array[low:high] = array[low:high][::-1].copy()
        found(below, offsets, rows, moves, side, best, which)

    monkeypatch.setattr(kernels, "best_placements", last)
    analysis.bidding.solve("bidding:game=tictactoe,chips=1", directory=tmp_path / "s")
    refused(tmp_path / "s", r"tier \d, state .*: x_move is \d, the rules say \d")


# Mixed bids, one matrix -----------------------------------------------------------------------------------------------


HALF, THIRD, ONE = Fraction(1, 2), Fraction(1, 3), Fraction(1)


def exactly(number, *names):
    """A number as the tables write it."""
    parts = (None, None) if isinstance(number, float) else (number.numerator, number.denominator)
    return dict(zip(names, (float(number), *parts), strict=True))


def found(matrix, value, x, o):
    """What is found of a state with bids from 0 on, which mix so; where it is refused, why."""
    row = exactly(value, "value", "value_numerator", "value_denominator")
    for side, mix in (("x", x), ("o", o)):
        row[f"{side}_mix"] = [
            {"bid": bid, **exactly(p, "probability", "numerator", "denominator")} for bid, p in enumerate(mix) if p
        ]
    try:
        return certified(matrix, (range(2), range(2)), row).value
    except ValueError as error:
        return str(error)


def test_mixed_bids_of_one_matrix():
    pennies, even, odd = [[ONE, -ONE], [-ONE, ONE]], (HALF, HALF), (THIRD, 1 - THIRD)
    rounded = (0.5, 0.5)
    assert found(pennies, Fraction(0), even, even) == 0
    for value, x, o, reason in (
        (Fraction(0), odd, even, "x_mix gets -1/3 against the best answer, not 0"),
        (Fraction(0), even, odd, "o_mix gets 1/3 against the best answer, not 0"),
        (Fraction(1, 10**18), even, even, "x_mix gets 0 against"),
        (Fraction(0), (HALF,), even, "x_mix does not hold probabilities that add up to 1"),
        (Fraction(0), (HALF, 0, HALF), even, "x_mix holds other bids than legal ones"),
        (Fraction(0), (3 * HALF, -HALF), even, "x_mix does not hold probabilities that add up to 1"),
        (Fraction(0), rounded, even, "0 by"),
        (Fraction(0), (HALF, 0.5), even, "0 by"),
        (0.0, even, even, "0.0 by"),
        (float("nan"), rounded, rounded, "x_mix gets"),
    ):
        assert found(pennies, value, x, o).startswith(reason)


def test_mixed_bids_for_what_is_rounded():
    """Where a payment is a double everything is, and as the solved matrix says."""
    matrix = [[0.7, -ONE], [-ONE, ONE]]
    solved = solve_matrix(matrix)
    value, x, o = solved.value, solved.rows, solved.columns
    assert found(matrix, value, x, o) == value
    for wrong, mix in (
        (Fraction(value), x),
        (value + 1e-12, x),
        (value, (x[0] + 1e-12, x[1])),
        (value, tuple(map(Fraction, x))),
    ):
        assert isinstance(found(matrix, wrong, mix, o), str)


def test_probabilities_that_do_not_fit():
    """Those of X need 124 bits, and are rounded; the value, 0, is not."""
    x, z = Fraction(2**61 + 1, 2**62 - 1), Fraction(3**38, 5**26)
    matrix, even = [[x, -x], [-z, z]], (HALF, HALF)
    p = z / (x + z)
    rounded = (float(p), float(1 - p))
    assert found(matrix, Fraction(0), rounded, even) == 0
    for value, parts, o in ((0.0, rounded, even), (Fraction(0), rounded, (0.5, 0.5)), (Fraction(0), (0.5, 0.5), even)):
        assert isinstance(found(matrix, value, parts, o), str)


@pytest.fixture
def forged(original, tmp_path):
    return shutil.copytree(original, tmp_path / "forged")


# Forged tables --------------------------------------------------------------------------------------------------------


def test_another_optimal_bid(tmp_path):
    """Where several bids are optimal the least is the one that is stored."""
    solution = analysis.bidding.solve(LARGER, directory=tmp_path / "s")
    for i, row in enumerate(rows_of(tmp_path / "s", 3)):
        if not row["terminal"] and row["x_bid"] < row["x_chips"]:
            holder = "X" if row["advantage"] == 1 else "O"
            position = solution.lookup(row["state"], row["x_chips"], row["o_chips"], holder)
            if min(position.matrix[row["x_bid"] + 1]) == position.value:
                forge(tmp_path / "s", "positions", 3, changed("x_bid", i, lambda bid: bid + 1))
                refused(tmp_path / "s", rf"x_bid is {row['x_bid'] + 1}, the rules say {row['x_bid']}")
                return
    raise AssertionError("no state with several optimal bids")


def test_a_saddle_point_as_mixed_bids(tmp_path):
    """Both bids with probability 1 are the same strategies, but not how they are written."""
    analysis.bidding.solve(LARGER, directory=tmp_path / "s")
    at, row = next((i, row) for i, row in enumerate(rows_of(tmp_path / "s", 4)) if not row["terminal"])
    for side in "xo":
        drawn = [{"bid": row[f"{side}_bid"], "probability": 1.0, "numerator": 1, "denominator": 1}]
        forge(tmp_path / "s", "positions", 4, changed(f"{side}_mix", at, lambda _, drawn=drawn: drawn))
        forge(tmp_path / "s", "positions", 4, changed(f"{side}_bid", at, lambda _: None))
    refused(tmp_path / "s", "tier 4, state .*x_bid is None, the rules say ")


def test_value_and_mixed_bids_that_agree(tmp_path):
    """A value that the stored bids of one side do guarantee, but which the other side's do not."""
    analysis.bidding.solve(MIXED, directory=tmp_path / "s")
    at, row = next((i, row) for i, row in enumerate(rows_of(tmp_path / "s", 1)) if row["x_mix"])
    value = Fraction(row["value_numerator"], row["value_denominator"]) - Fraction(1, 16)
    parts = {"value": float(value), "value_numerator": value.numerator, "value_denominator": value.denominator}
    for name, new in parts.items():
        forge(tmp_path / "s", "positions", 1, changed(name, at, lambda _, new=new: new))
    refused(tmp_path / "s", r"tier 1, state .*: [xo]_mix gets \S+ against the best answer, not")


def test_rows(forged, original):
    rows = rows_of(forged, 1)
    columns = next(i for i, row in enumerate(rows) if row["state"] != rows[0]["state"])
    cases = [
        ("[xo]_chips is|advantage is", lambda t: t.slice(1)),
        ("[xo]_chips is|advantage is", lambda t: pa.concat_tables([t.slice(0, 1), t])),
        ("[xo]_chips is|advantage is", lambda t: t.take(np.r_[1, 0, 2 : len(t)])),
        ("has wrong columns or types", lambda t: t.drop_columns(["x_move"])),
        ("has wrong columns or types", lambda t: t.set_column(2, "x_chips", t["x_chips"].cast(pa.int32()))),
        ("state is", lambda t: t.slice(columns)),
        ("rows is", lambda t: t.slice(0, len(t) - columns)),
        ("rows is", lambda t: pa.concat_tables([t, t.slice(len(t) - columns)])),
        ("rows is", lambda t: pa.concat_tables([t, changed("state", 0, lambda _: 2**40)(t.slice(0, 1))])),
        ("state is -5", lambda t: changed("state", 0, lambda _: -5)(t)),
    ]
    for match, change in cases:
        forge(forged, "positions", 1, change)
        refused(forged, f"tier.*1.*({match})")
        shutil.copytree(original, forged, dirs_exist_ok=True)
    forge(forged, "positions", 1, lambda t: t.slice(0, 0))
    refused(forged, "tier-0001.json: not what gametree writes")


def test_a_file_that_ends_amid_a_board(forged):
    rows = len(rows_of(forged, 0))
    split(forged, 0, rows - 1, 100)
    refused(forged, "tier 0: a file of positions/ ends amid a board")


# Forged manifests and files -------------------------------------------------------------------------------------------


def leaves(data, path=()):
    """The paths of all values, and of all lists and objects, in JSON."""
    found = [path] if path else []
    for key, value in data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ():
        found += leaves(value, (*path, key))
    return found


def with_leaf(data, path, change):
    """The data with another value at a path; with none where ``change`` is None."""
    data = copy.deepcopy(data)
    place = functools.reduce(lambda place, key: place[key], path[:-1], data)
    if change is None:
        del place[path[-1]]
    else:
        place[path[-1]] = change(place[path[-1]])
    return data


def forged_leaf(value):
    if isinstance(value, dict):
        return {**value, "more": 1}
    if isinstance(value, list):
        return [*value, value[-1] if value else 0]
    return other(value) if value else 1 if value is None or value == 0 else "x"


def others(data, place):
    """The data with nothing at a place, without the place, and with something else there."""
    return [with_leaf(data, place, change) for change in (lambda _: None, None, forged_leaf)]


@pytest.mark.parametrize("step", [59, *slow(5)])
def test_every_entry_of_the_manifest(forged, step):
    manifest = manifest_of(forged)
    every = leaves(manifest)
    for place in every[:40:6] + every[40::step]:
        for case in others(manifest, place)[: 2 if place == ("gametree",) else 3]:
            if case != manifest:
                forge_manifest(forged, case, tiers=False)
                refused(forged, kinds=EITHER)
    forge_manifest(forged, manifest)
    assert len(every) > 80
    verify_bidding(forged)


def test_every_entry_of_a_tier_file(forged):
    data = tier_of(forged, 1)
    for place in leaves(data):
        for case in others(data, place):
            forge_tier(forged, 1, case)
            refused(forged, "tier-0001")
    forge_tier(forged, 1, {**data, "moves": data["positions"]})
    refused(forged, "tier-0001.json: not what gametree writes")


def test_files(forged):
    for path in [path for path in forged.rglob("*") if path.is_file()]:
        data = path.read_bytes()
        damaged = bytearray(data)
        damaged[len(data) // 2] ^= 1
        for content in (None, b"", data[: len(data) // 2], bytes(damaged), data + b"\0"):
            if content is None:
                path.unlink()
            else:
                path.write_bytes(content)
            message = refused(forged, kinds=EITHER)
            assert path.name in message or path.name == "manifest.json"
        path.write_bytes(data)
    for name in ("positions/tier-0001-part-0001.parquet", "positions/notes.txt", "moves", "tiers/tier-0099.json"):
        (forged / name).write_bytes(b"")
        refused(forged, rf"{name}: belongs to no tier")
        (forged / name).unlink()
    verify_bidding(forged)


def test_no_parquet_though_the_checksum_fits(forged):
    path = forged / "positions" / "tier-0001-part-0000.parquet"
    path.write_bytes(b"PAR1 and so on PAR1")
    data = tier_of(forged, 1)
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    data["positions"][0] |= {"sha256": digest, "bytes": path.stat().st_size}
    forge_tier(forged, 1, data)
    refused(forged, "tier-0001-part-0000.parquet", kinds=EITHER)


def test_of_other_rules_or_of_another_kind(forged, tmp_path):
    manifest = manifest_of(forged)
    forge_manifest(forged, {**manifest, "rules_hash": "0"})
    refused(forged, "made by other rules")
    forge_manifest(forged, {**manifest, "symmetry": {**manifest["symmetry"], "kind": "round"}})
    refused(forged, "manifest.json is damaged: symmetry", EITHER)
    forge_manifest(forged, {**manifest, "symmetry": {**manifest["symmetry"], "kind": "residual"}})
    refused(forged, "manifest.json: residual")
    solve_to_directory("mnk:rows=2,cols=2,k=2", tmp_path / "plain")
    refused(tmp_path / "plain", "is not a bidding game", EITHER)
    refused(tmp_path, "is not a solution directory", EITHER)
