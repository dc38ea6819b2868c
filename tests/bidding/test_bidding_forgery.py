"""Every forged number of a bidding solution is refused, also where the checksums were made to fit."""

from __future__ import annotations

import copy
import hashlib
import shutil
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

from analysis.bidding.bidding_solving import bidding_to_directory
from analysis.bidding.verification.bidding_verify import verify_bidding
from analysis.errors import StoreError, VerificationError
from analysis.solving.to_directory import solve_to_directory
from tests.support.bidding_forging import LARGER, MIXED, PURE, other, refused, rows_of
from tests.support.forging import changed, forge, forge_manifest, forge_tier, manifest_of, tier_of


@pytest.fixture(scope="module", params=[PURE, MIXED], ids=["pure", "mixed"])
def original(request, tmp_path_factory):
    directory = tmp_path_factory.mktemp("bidding") / "s"
    bidding_to_directory(request.param, directory, text=True)
    return directory


@pytest.fixture
def forged(original, tmp_path):
    return shutil.copytree(original, tmp_path / "forged")


# Forged tables --------------------------------------------------------------------------------------------------------


def lists(value):
    """Forged mixed bids, made of some that are right or of nothing."""
    if value is None:
        return [[{"bid": 0, "probability": 1.0, "numerator": 1, "denominator": 1}], []]
    last = value[-1]
    return [
        None,
        [],
        value[:-1],
        value[::-1],
        [*value, last],
        [*value[:-1], {**last, "probability": None}],
        [*value[:-1], {**last, "probability": last["probability"] / 2}],
        [*value[:-1], {**last, "numerator": None, "denominator": None}],
        [*value[:-1], {**last, "numerator": 2 * last["numerator"], "denominator": 2 * last["denominator"]}],
        [*value[:-1], {**last, "numerator": last["numerator"] + 1}],
        [*value[:-1], {**last, "numerator": -1, "denominator": 0}],
        [{**part, "numerator": None, "denominator": None} for part in value],
        [{"bid": value[0]["bid"], "probability": 1.0, "numerator": 1, "denominator": 1}],
        [
            {**part, "probability": p, "numerator": n, "denominator": 7}
            for part, p, n in zip(value, (1 / 7, 6 / 7), (1, 6), strict=False)
        ],
    ]


def forgeries(column, value):
    if column.endswith("_mix"):
        return lists(value)
    return [other(value), 1 if value is None else None]


def sampled(number, step):
    return range(number % step, 10**6, step)


def forge_all(forged, step, every_tier=1):
    """Forge every ``step``-th state of the directory in every column; each has to be refused."""
    count = 0
    tiers = sorted(int(path.name[5:9]) for path in (forged / "tiers").iterdir())[::every_tier]
    for number in tiers:
        rows, kept = rows_of(forged, number), shutil.copytree(forged, forged.parent / "kept", dirs_exist_ok=True)
        for i, column in enumerate(rows[0]):
            for row in sampled(i, step):
                if row >= len(rows):
                    break
                for new in forgeries(column, rows[row][column]):
                    forge(forged, "positions", number, changed(column, row, lambda _, new=new: new))
                    try:
                        refused(forged, f"tier {number}|tier-{number:04d}-part-0000")
                    except pytest.fail.Exception:
                        raise AssertionError(
                            f"tier {number}, row {row}: {column} {rows[row][column]} -> {new}"
                        ) from None
                    count += 1
        shutil.copytree(kept, forged, dirs_exist_ok=True)
    return count


@pytest.mark.slow
def test_some_of_every_column(forged):
    assert forge_all(forged, 211, every_tier=2) > 20


@pytest.mark.slow
def test_every_column(forged):
    assert forge_all(forged, 23) > 70


def test_names_the_first_state_that_fails(forged):
    rows = rows_of(forged, 1)
    at = [i for i, row in enumerate(rows) if not row["terminal"]][:5]
    moved = rows[at[2]]["x_move"] + 1

    def change(table):
        return changed("x_move", at[2], lambda _: moved)(changed("x_move", at[4], lambda v: v + 1)(table))

    forge(forged, "positions", 1, change)
    row = rows[at[2]]
    state = f"{row['position']} X={row['x_chips']} O={row['o_chips']} advantage={'X' if row['advantage'] == 1 else 'O'}"
    message = refused(forged)
    assert message == f"tier 1, state {state}: x_move is {moved}, the rules say {rows[at[2]]['x_move']}"


def test_another_optimal_bid(tmp_path):
    """Where several bids are optimal the least is the one that is stored."""
    solution, _ = bidding_to_directory(LARGER, tmp_path / "s")
    for i, row in enumerate(rows_of(tmp_path / "s", 3)):
        if not row["terminal"] and row["x_bid"] < row["x_chips"]:
            text = solution.game.base.format_position(row["state"])
            holder = "X" if row["advantage"] == 1 else "O"
            position = solution[f"{text} X={row['x_chips']} O={row['o_chips']} advantage={holder}"]
            if min(position.matrix[row["x_bid"] + 1]) == position.value:
                forge(tmp_path / "s", "positions", 3, changed("x_bid", i, lambda v: v + 1))
                refused(tmp_path / "s", rf"x_bid is {row['x_bid'] + 1}, the rules say {row['x_bid']}")
                return
    raise AssertionError("no state with several optimal bids")


def test_a_saddle_point_as_mixed_bids(tmp_path):
    """Both bids with probability 1 are the same strategies, but not how they are written."""
    bidding_to_directory(LARGER, tmp_path / "s")
    at = next(i for i, row in enumerate(rows_of(tmp_path / "s", 4)) if not row["terminal"])

    def change(table):
        for side in "xo":
            bid = table[f"{side}_bid"][at].as_py()
            drawn = [{"bid": bid, "probability": 1.0, "numerator": 1, "denominator": 1}]
            table = changed(f"{side}_mix", at, lambda _, drawn=drawn: drawn)(table)
            table = changed(f"{side}_bid", at, lambda _: None)(table)
        return table

    forge(tmp_path / "s", "positions", 4, change)
    refused(tmp_path / "s", "tier 4, state .* bids without chance would do")


def test_value_and_mixed_bids_that_agree(tmp_path):
    """A value that the stored bids of one side do guarantee, but which the other side's do not."""
    bidding_to_directory(MIXED, tmp_path / "s")
    rows = rows_of(tmp_path / "s", 1)
    at = next(i for i, row in enumerate(rows) if row["x_mix"])

    def change(table):
        value = Fraction(table["value_numerator"][at].as_py(), table["value_denominator"][at].as_py()) - Fraction(1, 16)
        for name, new in (
            ("value", float(value)), ("value_numerator", value.numerator), ("value_denominator", value.denominator),
        ):  # fmt: skip
            table = changed(name, at, lambda _, new=new: new)(table)
        return table

    forge(tmp_path / "s", "positions", 1, change)
    refused(tmp_path / "s", r"tier 1, state .*: o_mix gets \S+ where it is answered best, and not")


def test_rows(forged):
    whole = shutil.copytree(forged, forged.parent / "whole")
    columns = next(
        i for i, row in enumerate(rows_of(forged, 1)) if i and row["state"] != rows_of(forged, 1)[0]["state"]
    )
    cases = {
        "has .* rows, the rules say": lambda t: t.slice(1),
        "has other columns": lambda t: t.drop_columns(["x_move"]),
        "other columns or types": lambda t: t.set_column(2, "x_chips", t["x_chips"].cast(pa.int32())),
        "not stored in its place": lambda t: t.slice(columns),
        "board .*: not stored": lambda t: t.slice(0, len(t) - columns),
        "rows, the rules say": lambda t: pa.concat_tables([t.slice(0, 1), t]),
        "stored again": lambda t: pa.concat_tables([t, t.slice(len(t) - columns)]).slice(0, len(t) + columns),
        "x_chips is|o_chips is|advantage is": lambda t: t.take(np.r_[1, 0, 2 : len(t)]),
        "no move leads there": lambda t: pa.concat_tables([t, changed("state", 0, lambda _: 2**40)(t.slice(0, 1))]),
        "number -5: not canonical": lambda t: changed("state", 0, lambda _: -5)(t),
        "board .*: not stored$": lambda t: t.slice(0, 0),
    }
    for match, change in cases.items():
        forge(forged, "positions", 1, change)
        if "stored again" in match:
            refused(forged, "tier 1.*(stored again|rows, the rules say)")
        else:
            refused(forged, match)
        shutil.copytree(whole, forged, dirs_exist_ok=True)
    verify_bidding(forged)


# Forged manifests and files -------------------------------------------------------------------------------------------


def leaves(data, path=()):
    """The paths of all values, and of all lists and objects, in JSON."""
    found = [path] if path else []
    for key, value in data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ():
        found += leaves(value, (*path, key))
    return found


def with_leaf(data, path, change):
    data = copy.deepcopy(data)
    place = data
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = change(place[path[-1]])
    return data


def without(data, path):
    data = copy.deepcopy(data)
    place = data
    for key in path[:-1]:
        place = place[key]
    del place[path[-1]]
    return data


def forged_leaf(value):
    if isinstance(value, dict):
        return {**value, "more": 1}
    if isinstance(value, list):
        return [*value, value[-1] if value else 0]
    return other(value) if value else 1 if value is None or value == 0 else "x"


@pytest.mark.parametrize("step", [59, pytest.param(5, marks=pytest.mark.slow)])
def test_every_entry_of_the_manifest(forged, step):
    manifest = manifest_of(forged)
    every = leaves(manifest)
    for place in every[:40:6] + every[40::step]:
        cases = [with_leaf(manifest, place, lambda _: None), without(manifest, place)]
        if place != ("gametree",):
            cases.append(with_leaf(manifest, place, forged_leaf))
        for case in cases:
            if case != manifest:
                forge_manifest(forged, case, tiers=False)
                refused(forged, kinds=(VerificationError, StoreError))
    forge_manifest(forged, manifest)
    assert len(every) > 80
    verify_bidding(forged)


def test_numbers_of_another_type(forged):
    manifest = manifest_of(forged)
    for place, new in (
        (("boards",), float(manifest["boards"])),
        (("tables", "text"), 1),
        (("parameters", "least"), False),
    ):
        forge_manifest(forged, with_leaf(manifest, place, lambda _, new=new: new))
        refused(forged, "manifest", kinds=(VerificationError, StoreError))


def test_every_entry_of_a_tier_file(forged):
    data = tier_of(forged, 1)
    for place in leaves(data):
        for case in (with_leaf(data, place, lambda _: None), without(data, place), with_leaf(data, place, forged_leaf)):
            forge_tier(forged, 1, case)
            refused(forged, "tier-0001")
    forge_tier(forged, 1, {**data, "moves": []})
    refused(forged, "tier-0001.json: not what gametree writes")


def test_files(forged):
    every = [path for path in forged.rglob("*") if path.is_file()]
    for path in every:
        data = path.read_bytes()
        damaged = bytearray(data)
        damaged[len(data) // 2] ^= 1
        for content in (None, b"", data[: len(data) // 2], bytes(damaged), data + b"\0"):
            if content is None:
                path.unlink()
            else:
                path.write_bytes(content)
            message = refused(forged, kinds=(VerificationError, StoreError))
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
    refused(forged, "tier-0001-part-0000.parquet", kinds=StoreError)


def test_of_other_rules_or_of_another_kind(forged, tmp_path):
    manifest = manifest_of(forged)
    forge_manifest(forged, {**manifest, "rules_hash": "0"})
    refused(forged, "made by other rules")
    forge_manifest(forged, {**manifest, "symmetry": {**manifest["symmetry"], "kind": "round"}})
    refused(forged, "manifest.json is damaged: symmetry", StoreError)
    solve_to_directory("mnk:rows=2,cols=2,k=2", tmp_path / "plain")
    refused(tmp_path / "plain", "is no bidding game", StoreError)
    refused(tmp_path, "is no solution directory", StoreError)
