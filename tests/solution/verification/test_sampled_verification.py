"""Sampled verification: what is drawn, what it finds and how often, and what it refuses."""

import json
import math
import shutil

import numpy as np
import pyarrow.parquet as pq
import pytest

import analysis
from analysis.errors import OptionError, VerificationError
from analysis.solution.verification.verify import Draw
from tests.support.forging import changed, forge
from tests.support.program import one_line
from tests.support.solved_kinds import DAMAGE, KINDS, solve_kinds


@pytest.fixture(scope="module")
def solved(tmp_path_factory):
    return solve_kinds(tmp_path_factory.mktemp("sampled"))


@pytest.fixture
def copy(solved, tmp_path):
    return shutil.copytree(solved / "tictactoe", tmp_path / "copy")


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[pytest.mark.slow] if name == "tictactoe" else []) for name in KINDS]
    + ["uncounted", "user"],
)
def test_intact_solutions_of_every_kind(solved, name):
    solution = analysis.open_solution(solved / name)
    for share in (1.0, 0.6, 0.2):
        report, spread = analysis.verify(solved / name, share=share), 5 * math.sqrt(solution.classes) * (share < 1)
        assert abs(report.classes - share * solution.classes) <= spread
        assert (report.share, report.counts) == (share, solution.counted)
    assert report.moves < analysis.verify(solved / name, share=1.0).moves == analysis.verify(solved / name).moves


@pytest.mark.parametrize("share", [0.001, 0.1, 0.5, 0.9])
def test_what_is_drawn(share):
    """The same again for the same seed, in pieces too, and each class as often as any other."""
    total, times = 1000, np.zeros(1000)
    numbers = Draw(share, 3).between(0, 0, total)
    pieces = [Draw(share, 3).between(low, 0, min(7, total - low)) + low for low in range(0, total, 7)]
    assert np.concatenate(pieces).tolist() == numbers.tolist()
    for seed in range(400):
        times[Draw(share, seed).between(0, 0, total)] += 1
    assert np.abs(times - 400 * share).max() <= 5 * math.sqrt(400 * share * (1 - share)) + 2
    assert abs(times.sum() - 400_000 * share) <= 5 * math.sqrt(400_000 * share)


def test_how_many_wrong_ones_are_found_surely():
    assert [Draw(share).sure() for share in (1, 0.01, 0.95, 0.94)] == [1, 299, 1, 2]


@pytest.mark.parametrize(("name", "tier", "column", "new"), DAMAGE)
def test_what_is_wrong_is_found_where_it_is_looked_at(solved, tmp_path, name, tier, column, new):
    directory = shutil.copytree(solved / name, tmp_path / "copy")
    rows = pq.ParquetFile(directory / "positions" / f"tier-{tier:04d}-part-0000.parquet").metadata.num_rows
    forge(directory, "positions", tier, changed(column, rows // 2, new))
    with pytest.raises(VerificationError, match=r"tier \d+") as sampled:
        analysis.verify(directory, share=1.0)
    with pytest.raises(VerificationError, match=r"tier \d+") as full:
        analysis.verify(directory)
    assert str(sampled.value).partition(":")[0] == str(full.value).partition(":")[0] or "moves/" in str(full.value)


def test_missing_states_are_found(copy):
    forge(copy, "positions", 5, lambda table: table.slice(1))
    with pytest.raises(
        VerificationError, match=r"tier 4, position \S+: the position \S+ after one of its moves is not stored"
    ):
        analysis.verify(copy, share=1.0)


def test_how_often_wrong_classes_are_found(copy):
    """Seven wrong orbit sizes, each seen in its own row only: a tenth finds one in 1 - 0.9 ** 7 = 52 % of all draws."""
    for tier, row in ((3, 5), (4, 3), (5, 50), (6, 90), (6, 91), (7, 20), (8, 7)):
        forge(copy, "positions", tier, changed("orbit_size", row, lambda v: v + 1))
    found = 0
    for seed in range(60):
        try:
            analysis.verify(copy, share=0.1, seed=seed)
        except VerificationError:
            found += 1
    assert 18 <= found <= 45


def test_the_same_seed_draws_the_same(copy):
    forge(
        copy, "positions", 6, lambda table: changed("value", 3, lambda v: 5)(changed("value", 90, lambda v: 5)(table))
    )

    def outcome(seed):
        try:
            return analysis.verify(copy, share=150 / 765, seed=seed).moves
        except VerificationError as error:
            return str(error)

    assert [outcome(seed) for seed in range(6)] == [outcome(seed) for seed in range(6)]
    assert len({outcome(seed) for seed in range(6)}) > 1


def test_files(copy):
    """Sizes and names of all, and checksums of what is read."""
    file = copy / "positions" / "tier-0000-part-0000.parquet"
    data = file.read_bytes()
    file.write_bytes(data[:20] + bytes([data[20] ^ 1]) + data[21:])
    with pytest.raises(analysis.GametreeError, match="tier-0000-part-0000"):
        analysis.verify(copy, share=1e-6)
    file.write_bytes(data + b"x")
    with pytest.raises(VerificationError, match="size"):
        analysis.verify(copy, share=1e-6)
    file.unlink()
    with pytest.raises(VerificationError, match="missing"):
        analysis.verify(copy, share=1e-6)
    file.write_bytes(data)
    (copy / "positions" / "more.parquet").write_bytes(data)
    with pytest.raises(VerificationError, match="belongs to no tier"):
        analysis.verify(copy, share=1e-6)


def test_the_command(gametree, copy):
    result = gametree("verify", copy, "--share", 50 / 765, "--seed", 4, "--format", "json")
    report = json.loads(result.out)
    assert result.code == 0
    assert 20 < report["classes"] < 90
    assert report["share"] == 50 / 765
    forge(copy, "positions", 5, changed("value", 3, lambda v: 9))
    one_line(gametree("verify", copy, "--share", 1), 1, "tier 5, position", "value is 9")


@pytest.mark.parametrize(
    "arguments",
    [
        ["--share", 0], ["--share", 1.01], ["--share", -0.5], ["--share", "nan"], ["--seed", 3],
        ["--share", 0.5, "--seed", -1],
    ],
)  # fmt: skip
def test_refusals(gametree, copy, arguments):
    one_line(gametree("verify", copy, *arguments), 2)


def test_refusals_of_the_library(gametree, tmp_path, copy):
    for wrong in ({"share": 0.0}, {"share": 2.0}, {"seed": 1}):
        with pytest.raises(OptionError):
            analysis.verify(copy, **wrong)
    analysis.bidding.solve("bidding:game=mnk:rows=2,cols=2,k=2,chips=2", directory=tmp_path / "bids")
    with pytest.raises(OptionError):
        analysis.verify(tmp_path / "bids", share=0.3)
    one_line(gametree("verify", tmp_path / "bids", "--share", 0.3), 2)
    assert gametree("verify", tmp_path / "bids").code == 0
