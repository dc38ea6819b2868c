"""`verify` finds every kind of damage, also where the checksums were made to fit."""

import shutil

import pytest

import analysis
from analysis.errors import StoreError, VerificationError
from analysis.solution.storage.store import Tables
from analysis.solving.to_directory import solve_to_directory
from tests.support.forging import add_stranger, changed, forge, forge_manifest, manifest_of


@pytest.fixture(scope="module")
def original(tmp_path_factory):
    directory = tmp_path_factory.mktemp("verify") / "ttt"
    choice = Tables(moves=True, text=True, paths=True)
    solve_to_directory("tictactoe", directory, tables=choice)
    return directory


@pytest.fixture
def copy(original, tmp_path):
    return shutil.copytree(original, tmp_path / "copy")


def test_intact(original):
    report = analysis.verify(original)
    assert (report.classes, report.moves, report.counts) == (765, 2270, True)


@pytest.mark.slow
def test_intact_for_every_symmetry(tmp_path):
    for symmetry in ("geometric", "full", "none"):
        solve_to_directory("mnk:rows=2,cols=4,k=3", tmp_path / symmetry, symmetry=symmetry)
        analysis.verify(tmp_path / symmetry)


@pytest.mark.parametrize("ply", [6, *(pytest.param(ply, marks=pytest.mark.slow) for ply in (0, 3, 9))])
@pytest.mark.parametrize(
    ("column", "new"),
    [
        ("value", lambda v: -1 if v == 1 else v + 1),
        ("remoteness_plies", lambda v: v + 1),
        ("terminal", lambda v: not v),
        ("to_move", lambda v: -v),
        ("orbit_size", lambda v: v + 1),
        ("ply", lambda v: v + 1),
        ("histories", lambda v: v + 1),
        ("games_x", lambda v: v + 1),
        ("games_o", lambda v: v + 1),
        ("games_tie", lambda v: v + 1),
        ("optimal_paths", lambda v: v + 1),
        ("shortest_paths", lambda v: v + 1),
        ("position", lambda v: v[::-1].replace("?", "X")),
    ],
)
def test_every_column(copy, column, new, ply):
    row = 0 if ply == 0 else 2
    forge(copy, "positions", ply, changed(column, row, new))
    with pytest.raises(VerificationError, match=rf"tier {ply}(, position \S+|: histories are)"):
        analysis.verify(copy)


def test_state_that_is_not_canonical(copy):
    forge(copy, "positions", 1, changed("state", 0, lambda v: 256))
    with pytest.raises(VerificationError, match="tier 1"):
        analysis.verify(copy)


@pytest.mark.parametrize("counts", [True, False])
def test_position_that_no_move_reaches(tmp_path, counts):
    """Canonical, finished, and totals made to fit; but nothing leads there."""
    solve_to_directory("tictactoe", tmp_path / "s", tables=Tables(counts=counts))
    add_stranger(tmp_path / "s", **({"histories": 0} if counts else {}))
    with pytest.raises(VerificationError, match=r"tier 9, position \S+: "):
        analysis.verify(tmp_path / "s")


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("parameters", {"misere": True}),
        ("tables", {"counts": True, "moves": True, "text": False, "paths": True}),
        ("symmetry", {"kind": "geometric", "order": 4}),
        ("games", {"X": 1, "O": 2, "tie": 3, "total": 6}),
        ("game", "mnk:rows=3,cols=3,k=3"),
        ("game", 5),
        ("rules_hash", "0"),
        ("totals", []),
        ("totals", [{}]),
        ("totals", "none"),
        ("tables", {"counts": "yes", "moves": True, "text": True, "paths": True}),
        ("gametree", None),
        ("tables", None),
        ("symmetry", {"kind": "round", "order": 8}),
    ],
)
def test_description_in_the_manifest(copy, key, value):
    manifest = manifest_of(copy)
    for forged in ({**manifest, key: value}, {k: v for k, v in manifest.items() if k != key}):
        forge_manifest(copy, forged)
        with pytest.raises((VerificationError, StoreError)) as error:
            analysis.verify(copy)
        assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("column", "new"), [("move", lambda v: v + 1), ("optimal", lambda v: not v), ("child", lambda v: v + 1)]
)
def test_moves_table(copy, column, new):
    forge(copy, "moves", 4, changed(column, 3, new))
    with pytest.raises(VerificationError, match=f"tier 4, position .* column {column} of moves/"):
        analysis.verify(copy)


def test_nulls(copy):
    forge(copy, "positions", 9, changed("games_o", 1, lambda _: None))
    with pytest.raises(VerificationError, match="tier 9: positions/ has unexpected columns or types"):
        analysis.verify(copy)


@pytest.mark.parametrize(
    ("key", "how"),
    [
        *((key, how) for key in ("value", "remoteness_plies", "positions", "canonical", "moves", "histories")
          for how in ({}, {"share": 1e-6})),
        *((key, {}) for key in ("optimal_paths", "quotient_paths", "games_up_to_symmetry")),
    ],
)  # fmt: skip
def test_totals_of_the_game(copy, key, how):
    manifest = manifest_of(copy)
    manifest[key] += 1
    forge_manifest(copy, manifest)
    with pytest.raises(VerificationError, match=f"{key} is"):
        analysis.verify(copy, **how)


@pytest.mark.parametrize("key", ["counts", "by_remoteness", "histories", "ended"])
def test_totals_of_a_tier(copy, key):
    """The whole says which; of a sample they do not add up."""
    manifest = manifest_of(copy)
    totals = manifest["totals"][6]
    if key == "histories":
        totals[key] += 1
    else:
        (totals[key][0] if key == "by_remoteness" else totals[key])[0] += 1
    forge_manifest(copy, manifest)
    with pytest.raises(VerificationError, match=f"{key} of tier 6 is"):
        analysis.verify(copy)
    with pytest.raises(VerificationError, match=r"tier 6 do not add up|games is|histories is"):
        analysis.verify(copy, share=1e-6)


def test_damaged_missing_and_foreign_files(copy, tmp_path):
    file = copy / "positions" / "tier-0004-part-0000.parquet"
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 1
    file.write_bytes(data)
    with pytest.raises(VerificationError, match=r"tier-0004-part-0000\.parquet: damaged"):
        analysis.verify(copy)
    file.unlink()
    with pytest.raises(VerificationError, match=r"tier-0004-part-0000\.parquet: missing"):
        analysis.verify(copy)
    data[len(data) // 2] ^= 1
    file.write_bytes(data)
    analysis.verify(copy)
    (copy / "positions" / "tier-0004-part-0001.parquet").write_bytes(data)
    with pytest.raises(VerificationError, match="belongs to no tier"):
        analysis.verify(copy)
    (copy / "positions" / "tier-0004-part-0001.parquet").unlink()
    (copy / "tiers" / "tier-0002.json").unlink()
    with pytest.raises(VerificationError, match=r"tier-0002\.json: missing"):
        analysis.verify(copy)
