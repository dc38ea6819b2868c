"""Tables of bidding solutions: what memory holds, the same bytes every time, readable by others."""

import hashlib
import json
import signal
import subprocess
import sys
import time
from fractions import Fraction

import pandas as pd
import pyarrow.parquet as pq
import pytest

import analysis
from analysis.bidding import bidding_solving
from analysis.bidding.bidding_solving import find_solution as find_bidding
from analysis.bidding.bidding_solving import solve as solve_bidding
from analysis.bidding.bidding_store import SCHEMA, TEXT
from analysis.bidding.bidding_store import open_solution as open_bidding
from analysis.bidding.bidding_verify import verify as verify_bidding
from analysis.engine import columns
from analysis.errors import OptionError, SpecError, StoreError
from analysis.games.families import load_game
from analysis.solution.storage import parquet
from analysis.solution.storage.directory import SCHEMA as VERSION
from analysis.solution.storage.stored_games import is_bidding
from analysis.solving.to_directory import solve_to_directory
from tests.support.bidding_cases import purses
from tests.support.bidding_forging import MIXED
from tests.support.forging import forge_manifest, manifest_of
from tests.support.program import ROOT, slow
from tests.support.sharding import bytes_of

PURE = "bidding:game=tictactoe,chips=2"
CHOOSES = "bidding:game=mnk:rows=2,cols=3,k=3,chips=2,ties=chooses"
PARTS = "bidding:game=mnk:rows=2,cols=3,k=3,chips=2"
FAST = ["bidding:game=mnk:rows=2,cols=2,k=2,misere=true,chips=3+1,first=O,least=1"]
SLOW = [
    MIXED,
    CHOOSES,
    "bidding:game=mnk:rows=2,cols=3,k=3,misere=true,chips=1",
    "bidding:game=wild:rows=2,cols=2,k=2,chips=2,ties=chooses,least=1",
    "bidding:game=hex:n=2,chips=2+3",
]


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    directory = tmp_path_factory.mktemp("solutions") / "ttt"
    solve_bidding(PURE, directory=analysis.Output(directory, ["text"]))
    return directory


def frame_of(directory):
    return pd.read_parquet(directory / "positions")


def boards_of(game):
    """Every board that moves of either side reach, those that differ by a symmetry apart."""
    rules = game.base.either_side()
    found, new = set(), {rules.start}
    while new:
        found |= new
        new = {after for board in new for _, after in rules.moves(board)}
    return sorted(found)


# What is in the files -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("spec", [*FAST, *slow(*SLOW)])
def test_same_solution_from_memory_and_disk(tmp_path, spec):
    disk, memory = solve_bidding(spec, directory=tmp_path / "s"), solve_bidding(spec)
    assert not disk.was_there
    assert disk.statistics() == memory.statistics()
    assert (disk.root, disk.root.to_json()) == (memory.root, memory.root.to_json())
    seen = 0
    for board in boards_of(disk.game):
        for chips in purses(*disk.game.budgets):
            for holder in "XO":
                one, other = disk.lookup(board, *chips, holder), memory.lookup(board, *chips, holder)
                assert one == other
                assert [type(one.value), one.saddle] == [type(other.value), other.saddle]
                assert [one.placements(side) for side in "XO"] == [other.placements(side) for side in "XO"]
                seen += not one.terminal
    assert seen == memory.statistics()["states"]


def test_columns(stored, tmp_path):
    types = {
        "state": "int64", "tier": "int16", "x_chips": "int16", "o_chips": "int16", "advantage": "int8",
        "value": "double", "value_numerator": "int64", "value_denominator": "int64", "terminal": "bool",
        "orbit_size": "uint16", "x_bid": "int16", "o_bid": "int16",
        "x_mix": "list<element: struct<bid: int16, probability: double, numerator: int64, denominator: int64>>",
        "o_mix": "list<element: struct<bid: int16, probability: double, numerator: int64, denominator: int64>>",
        "x_move": "uint8", "o_move": "uint8", "position": "string",
    }  # fmt: skip
    for path in (stored / "positions").iterdir():
        found = pq.read_schema(path)
        assert {name: str(found.field(name).type) for name in found.names} == types
        assert found.equals(SCHEMA.append(TEXT))
    solve_bidding(CHOOSES, directory=tmp_path / "s")
    assert list(frame_of(tmp_path / "s").columns) == list(types)[:-1]
    assert all(f"``{name}``" in (analysis.bidding.solve.__doc__ or "") for name in types)


def test_rows(stored):
    """One row for each purse and each holder of a board in play, one for a finished board; sorted."""
    frame, game = frame_of(stored), load_game(PURE)
    stats = open_bidding(stored).statistics()
    over, playing = frame[frame["terminal"]], frame[~frame["terminal"]]
    assert over["state"].is_unique
    assert over["orbit_size"].sum() == sum(stats[f"terminal_{outcome}"] for outcome in ("x", "o", "tie")) == 7660
    assert playing["orbit_size"].sum() == stats["states"] == (18753 - 7660) * 10
    assert over.drop(columns=["state", "tier", "value", "value_numerator", "value_denominator", "terminal",
                              "orbit_size", "position"]).isna().all(axis=None)  # fmt: skip
    assert set(over["value"]) == {-1.0, 0.0, 1.0}
    wanted = [(x, o, holder) for holder in (1, -1) for x, o in purses(*game.budgets)]
    for _, rows in playing.groupby("state"):
        assert list(rows[["x_chips", "o_chips", "advantage"]].itertuples(index=False, name=None)) == wanted
    assert (frame["value"] == frame["value_numerator"] / frame["value_denominator"]).all()
    assert playing[["x_bid", "o_bid", "x_move", "o_move"]].notna().all(axis=None)
    for number in range(10):
        states = frame_of_tier(stored, number)["state"]
        assert states.is_monotonic_increasing
        assert (frame_of_tier(stored, number)["tier"] == number).all()


def frame_of_tier(directory, number):
    return pd.concat(pd.read_parquet(path) for path in sorted((directory / "positions").glob(f"tier-{number:04d}-*")))


def test_mixed_bids(tmp_path):
    solution = solve_bidding(MIXED, directory=analysis.Output(tmp_path / "s", ["text"]))
    frame = frame_of(tmp_path / "s")
    drawn = frame[frame["x_mix"].notna()]
    assert (drawn["orbit_size"]).sum() == solution.statistics()["mixed"] == 30
    assert drawn["o_mix"].notna().all()
    assert drawn[["x_bid", "o_bid"]].isna().all(axis=None)
    assert frame.loc[frame["x_mix"].isna() & ~frame["terminal"], "x_bid"].notna().all()
    for row in drawn.itertuples():
        holder = "X" if row.advantage == 1 else "O"
        position = solution[f"{row.position} X={row.x_chips:.0f} O={row.o_chips:.0f} advantage={holder}"]
        for side, mix in (("X", row.x_mix), ("O", row.o_mix)):
            found = {part["bid"]: Fraction(part["numerator"], part["denominator"]) for part in mix}
            assert found == {bid.bid: bid.probability for bid in position.bids[side]}
            assert sum(found.values()) == 1
            assert [part["probability"] for part in mix] == [float(p) for p in found.values()]
            assert list(found) == sorted(found)


def test_manifest_and_tier_files(stored):
    manifest = json.loads((stored / "manifest.json").read_text())
    stats = open_bidding(stored).statistics()
    assert (manifest["kind"], manifest["schema"]) == ("bidding", VERSION)
    assert manifest["entries"] == ["positions", "tiers"]
    names = ["game", "parameters", "value", "value_exact", "boards", "classes", "states", "saddle", "mixed"]
    for name in [*names, "rounded"]:
        assert manifest[name] == stats[name], name
    for number in range(10):
        tier = json.loads((stored / "tiers" / f"tier-{number:04d}.json").read_text())
        assert (tier["tier"], tier["rules_hash"]) == (number, manifest["rules_hash"])
        assert tier["rows"] == sum(part["rows"] for part in tier["positions"]) == len(frame_of_tier(stored, number))
        for part in tier["positions"]:
            data = (stored / "positions" / part["file"]).read_bytes()
            assert (len(data), hashlib.sha256(data).hexdigest()) == (part["bytes"], part["sha256"])
    assert sorted(path.name for path in stored.iterdir()) == ["manifest.json", "positions", "tiers"]


# The same bytes -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("spec", [MIXED, *slow(PURE, "bidding:game=tictactoe,chips=9,ties=chooses")])
def test_threads_and_runs_write_identical_bytes(tmp_path, spec, monkeypatch):
    part, group, chunk = (100, 40, 1 << 8) if spec == MIXED else (2000, 500, 1 << 12)
    monkeypatch.setattr(columns, "PART", part)
    monkeypatch.setattr(parquet, "ROW_GROUP", group)
    monkeypatch.setattr(bidding_solving, "CHUNK", chunk)  # so that there are more chunks than threads
    for name, workers in (("one", 1), ("two", 2), ("three", 3), ("again", 1)):
        with analysis.running(workers=workers):
            solve_bidding(spec, directory=analysis.Output(tmp_path / name, ["text"]))
    one = bytes_of(tmp_path / "one")
    assert bytes_of(tmp_path / "two") == bytes_of(tmp_path / "three") == bytes_of(tmp_path / "again") == one
    assert verify_bidding(tmp_path / "three").game == spec


@pytest.mark.parametrize(
    ("spec", "options", "reason"),
    [
        ("bidding:game=tictactoe,chips=3", {}, "holds the solution of bidding:game=tictactoe,chips=2; choose another"),
        ("bidding:game=tictactoe,chips=2,first=O", {}, "holds the solution of bidding:game=tictactoe,chips=2;"),
        (PURE, {"symmetry": "none"}, "with `symmetry` geometric; solve it again with"),
        (PURE, {"directory": analysis.Output("s", ["text"])}, "without `text`"),
    ],
)
def test_another_solution_is_not_passed_off(tmp_path, spec, options, reason):
    solve_bidding(PURE, directory=tmp_path / "s")
    before = bytes_of(tmp_path / "s")
    with pytest.raises(StoreError, match=reason):
        solve_bidding(spec, **{"directory": "s"} | options)
    assert bytes_of(tmp_path / "s") == before


def test_found_by_name():
    assert find_bidding(PURE).directory is None
    solution = solve_bidding(PURE, directory=analysis.Output())
    assert str(solution.directory) == "data/bidding-tictactoe-chips2"
    assert find_bidding(PURE).directory == solution.directory
    assert find_bidding("data/bidding-tictactoe-chips2").directory == solution.directory
    assert is_bidding("data/bidding-tictactoe-chips2")
    other = solve_bidding(PURE, directory=analysis.Output(), symmetry="none")
    assert str(other.directory) == "data/bidding-tictactoe-chips2-none"
    assert find_bidding(PURE).directory == solution.directory
    assert find_bidding(PURE, symmetry="none").directory == other.directory
    solve_to_directory("tictactoe", "data/bidding-tictactoe-chips2", force=True)
    assert find_bidding(PURE).directory is None
    assert not is_bidding("data/bidding-tictactoe-chips2")


def test_solve_into_a_directory(tmp_path):
    solution = solve_bidding(PURE, directory=analysis.Output(tmp_path / "s", ["text"]))
    assert solution.directory == tmp_path / "s"
    assert json.loads((tmp_path / "s" / "manifest.json").read_text())["tables"] == {"text": True}
    for directory, options in ((tmp_path / "s", {"start": "X????????"}), (analysis.Output(tables=["moves"]), {})):
        with pytest.raises(OptionError):
            solve_bidding(PURE, directory=directory, **options)


def test_damaged_manifest(tmp_path):
    solve_bidding(CHOOSES, directory=tmp_path / "s")
    path = tmp_path / "s" / "manifest.json"
    manifest = manifest_of(tmp_path / "s")
    for forged, reason in (
        ("{", "damaged"),
        ("[]", "schema"),
        (json.dumps(manifest), "checksum"),
        ({"schema": VERSION, "kind": "bidding", "tiers": {}}, "game is missing"),
        ({**manifest, "kind": "tea"}, "not a bidding game"),
        ({**manifest, "game": "tictactoe"}, "is not a bidding game"),
        ({**manifest, "game": "chess"}, "cannot be loaded"),
        ({**manifest, "rules_hash": "0"}, "have changed"),
        ({**manifest, "totals": [{}]}, "damaged"),
    ):
        if isinstance(forged, str):
            path.write_text(forged)
        else:
            forge_manifest(tmp_path / "s", forged)
        with pytest.raises(StoreError, match=reason) as error:
            open_bidding(tmp_path / "s")
        assert "\n" not in str(error.value)
    forge_manifest(tmp_path / "s", manifest)
    (tmp_path / "s" / "tiers" / "tier-0002.json").unlink()
    with pytest.raises(StoreError, match=r"tier-0002\.json"):
        open_bidding(tmp_path / "s")


SOLVE = """
import analysis, sys
analysis.bidding.solve(sys.argv[1], directory=analysis.Output(sys.argv[2], force=True))
"""


@pytest.mark.slow
@pytest.mark.parametrize("seconds", [1.0, 0.5, 1.5])
def test_kill_9(tmp_path, seconds):
    """Killed at some moment of a solve: the directory holds the old solution or the new one, never a part of one."""
    directory, new = tmp_path / "s", "bidding:game=tictactoe,chips=30"
    solve_bidding(CHOOSES, directory=directory)
    process = subprocess.Popen([sys.executable, "-c", SOLVE, new, str(directory)], cwd=ROOT)
    time.sleep(seconds)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert verify_bidding(directory).game in (CHOOSES, new)
    solve_bidding(MIXED, directory=analysis.Output(directory, force=True))
    assert not (directory / ".partial").exists()
    assert verify_bidding(directory).game == MIXED


def test_the_functions_of_the_door():
    """`import analysis` takes games of both kinds; `analysis.bidding` has functions of the same names for one."""
    solution = analysis.bidding.solve(PURE, directory="s", memory="2GB")
    assert isinstance(solution, analysis.bidding.BiddingSolution)
    assert analysis.bidding.open_solution("s", PURE).root.value == solution.root.value
    for door in (analysis, analysis.bidding):
        for found in (door.solve(PURE), door.find_solution(PURE), door.find_solution("s"), door.open_solution("s")):
            assert isinstance(found, analysis.bidding.BiddingSolution)
            assert found.root.value == solution.root.value
        assert door.verify("s").game == PURE
    with pytest.raises(OptionError, match="`share` is not for bidding games"):
        analysis.verify("s", share=0.5)
    with pytest.raises(OptionError, match="`counts=False` is not for bidding games"):
        analysis.solve(PURE, counts=False)
    for refused, further in (
        (analysis.write_report, ()),
        (analysis.find_positions, (["X"],)),
        (analysis.playing.audit, (["0"],)),
        (analysis.playing.play_match, (["random", "random"],)),
        (analysis.compare, (["minimax"],)),
    ):
        for name in (PURE, "s"):
            with pytest.raises((OptionError, SpecError), match="bidding game"):
                refused(name, *further)
    with pytest.raises(OptionError, match="bidding game"):
        analysis.plan(PURE)
    analysis.solve("tictactoe", directory="t")
    for name in ("solve", "find_solution"):
        with pytest.raises(SpecError):
            getattr(analysis.bidding, name)("tictactoe")
    for name in ("open_solution", "verify"):
        with pytest.raises(StoreError):
            getattr(analysis.bidding, name)("t")
