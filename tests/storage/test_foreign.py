"""What no solve wrote: sealed manifests of any form, links, pipes and devices in place of files, pages that moved."""

import contextlib
import os

import pytest

import analysis
from analysis.errors import GametreeError, StoreError, VerificationError
from analysis.storage.parquet import PartFile, describe, write_table
from tests.support.forging import forge_manifest, forge_tier, manifest_of, tier_of
from tests.support.program import one_line

SLOW = (True, -1, 1.5, "x", [], {}, {"a": 1})
WRONG = (None, 1 << 70, [None], *(pytest.param(each, marks=pytest.mark.slow) for each in SLOW))


@pytest.fixture
def solved(tmp_path):
    analysis.solve("mnk:rows=2,cols=2,k=2", directory=tmp_path / "s", tables=["moves"])
    return tmp_path / "s"


def read_all(directory):
    """Every number, or a refusal."""
    for ask in (
        lambda: analysis.open_solution(directory)._repr_html_(),
        lambda: analysis.open_solution(directory).statistics(),
        lambda: analysis.open_solution(directory).positions(),
        lambda: analysis.verify(directory),
    ):
        with contextlib.suppress(GametreeError):
            ask()


@pytest.mark.parametrize("wrong", WRONG)
def test_manifests_of_any_form(solved, wrong):
    manifest = manifest_of(solved)
    totals = manifest["totals"]
    forged = [{**manifest, name: wrong} for name in manifest]
    forged += [{**manifest, "totals": [{**totals[0], name: wrong}, *totals[1:]]} for name in totals[0]]
    forged += [{**manifest, "symmetry": {**manifest["symmetry"], name: wrong}} for name in ("kind", "order")]
    forged += [{**manifest, "tables": {**manifest["tables"], name: wrong}} for name in manifest["tables"]]
    for each in forged:
        forge_manifest(solved, each, tiers=False)
        read_all(solved)


@pytest.mark.parametrize("wrong", WRONG)
def test_records_of_tiers_of_any_form(solved, wrong):
    tier = tier_of(solved, 2)
    forged = [{**tier, name: wrong} for name in tier]
    forged += [
        {**tier, name: [{**tier[name][0], key: wrong}]} for name in ("positions", "moves") for key in tier[name][0]
    ]
    forged += [{name: value for name, value in tier.items() if name != gone} for gone in tier]
    for each in forged:
        forge_tier(solved, 2, each)
        read_all(solved)
        with pytest.raises((StoreError, VerificationError)):
            analysis.verify(solved)


@pytest.mark.parametrize("spec", ["mnk:rows=" + "9" * 5000, "bidding:" + "game=bidding:" * 3000, "a" * 100_000])
def test_games_that_are_none(solved, spec, gametree):
    forge_manifest(solved, {**manifest_of(solved), "game": spec})
    refused = gametree("stats", solved)
    one_line(refused, 1)
    assert len(refused.err) < 5000


def test_a_page_in_the_place_of_another(tmp_path):
    """Its own checksum goes with it; that of the column does not."""
    table = analysis.solve("tictactoe").tiers[5].table()
    path = tmp_path / "part.parquet"
    part = write_table(path, table)
    group, data = PartFile(path, part).metadata.row_group(0), path.read_bytes()
    places = [group.column(i) for i in range(group.num_columns)]
    spans = [(min(c.data_page_offset, c.dictionary_page_offset or 1 << 60), c.total_compressed_size) for c in places]
    swapped = 0
    for to, size in spans:
        for at, long in spans:
            if size == long and data[at : at + size] != data[to : to + size]:
                path.write_bytes(data[:to] + data[at : at + size] + data[to + size :])
                swapped += 1
                with pytest.raises(StoreError, match="checksum"):
                    PartFile(path, part).read()
                assert describe(path) != part
    assert swapped


@pytest.mark.parametrize("name", ["tiers/tier-0001.json", "positions/tier-0001-part-0000.parquet", "manifest.json"])
@pytest.mark.parametrize("other", ["pipe", "/dev/zero", "folder"])
def test_no_regular_file(solved, gametree, name, other):
    (solved / name).unlink()
    if other == "pipe":
        os.mkfifo(solved / name)
    elif other == "folder":
        (solved / name).mkdir()
    else:
        (solved / name).symlink_to(other)
    for command in (["stats"], ["show"], ["verify"], ["export", "--to", "csv"]):
        if command == ["stats"] and "positions" in name:  # which reads no table but the first
            continue
        refused = gametree(command[0], solved, *command[1:])
        assert refused.code == 1, refused
        assert refused.err.count("\n") == 1


def test_nothing_is_moved_out_of_a_linked_folder(solved, tmp_path, gametree):
    (tmp_path / "x").mkdir()
    (tmp_path / "x" / ".partial").symlink_to(solved)
    before = sorted(solved.rglob("*"))
    for more in ([], ["--force"]):
        one_line(gametree("solve", "tictactoe", "--out", tmp_path / "x", *more), 1, "link")
    assert sorted(solved.rglob("*")) == before


def test_names_that_no_file_can_have(gametree):
    one_line(gametree("stats", f"mnk:rows={'2' * 300},cols=3,k=3"), 2)
    with pytest.raises(GametreeError):
        analysis.open_solution("x" * 300)
