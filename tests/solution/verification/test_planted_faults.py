"""Wrong numbers planted at random are found, and told of in the same words with any workers and any memory."""

import random
import re
import shutil

import pyarrow.parquet as pq
import pytest

import analysis
from analysis.errors import VerificationError
from analysis.solution.verification.verify import verify
from tests.support.forging import changed, forge, forge_tier, manifest_of, split, tier_of

GAMES = {
    "connect:rows=3,cols=4,k=3": 100_000,
    "tictactoe": 60_000,
    "kayles:pins=22": 300_000,
    "chomp:rows=4,cols=4": 60_000,
    "dots_and_boxes:rows=1,cols=3": 60_000,
}
"""Games with counts, and the bytes in which a few of their rows are looked at together."""

COLUMNS = (
    "value", "remoteness_plies", "to_move", "orbit_size", "histories", "games_x", "games_o", "games_tie",
    "optimal_paths", "shortest_paths",
)  # fmt: skip
LARGE = ("remoteness_plies", "games_x", "games_o")
"""Planted in games of which a verification takes longest."""


@pytest.fixture(scope="module")
def solved(tmp_path_factory):
    folder = tmp_path_factory.mktemp("planted")
    for number, game in enumerate(GAMES):
        analysis.solve(game, directory=folder / str(number), workers=1)
    return folder


def wrong(directory, **how):
    """What verification says is wrong."""
    with pytest.raises(VerificationError, match=r"tier \d+") as error, analysis.running(**how):
        verify(directory)
    return str(error.value)


def plant(directory, rng, column):
    """Make a number of a class drawn at random one more; returns its tier."""
    sizes = {row["tier"]: tier_of(directory, row["tier"])["rows"] for row in manifest_of(directory)["totals"]}
    tier, size = rng.choice(list(sizes.items()))
    forge(directory, "positions", tier, changed(column, rng.randrange(size), lambda number: number + 1))
    return tier


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, 6))])
@pytest.mark.parametrize(
    "column", [pytest.param(column, marks=[pytest.mark.slow] if column in LARGE else []) for column in COLUMNS]
)
def test_one_wrong_number(solved, tmp_path, column, seed):
    number = (seed + COLUMNS.index(column)) % len(GAMES)
    directory, rng = shutil.copytree(solved / str(number), tmp_path / "s"), random.Random(f"{column} {seed}")
    planted = plant(directory, rng, column)
    found = wrong(directory, workers=1)
    named = r"tier \d+, position \S.*: (\w+) is \S+, but the rules give \S+$"
    assert re.match(rf"tier {planted}: histories " if column == "histories" else named, found)
    assert wrong(directory, workers=2) == found
    for row in manifest_of(directory)["totals"]:
        split(directory, row["tier"], 290, 70)
    assert wrong(directory, memory=list(GAMES.values())[number], workers=2) == found


@pytest.mark.parametrize("seed", [0, 1, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(2, 8))])
def test_the_first_of_several_wrong_numbers_is_named(solved, tmp_path, seed):
    """Whatever is wrong with it: the tier is the last one, and the state the first there."""
    directory, rng = shutil.copytree(solved / "0", tmp_path / "s"), random.Random(seed)
    tier = max(plant(directory, rng, rng.choice(("value", "remoteness_plies", "orbit_size", "games_x"))) for _ in "123")
    found = wrong(directory, workers=1)
    assert found.startswith(f"tier {tier}, position ")
    for memory in (20_000, 100_000, None):
        assert wrong(directory, workers=2, memory=memory) == found


def test_every_wrong_row_of_a_tier_comes_after_the_first(solved, tmp_path):
    """Other columns of later rows do not come before it, though they are compared before."""
    directory = shutil.copytree(solved / "1", tmp_path / "s")
    table = pq.read_table(directory / "positions" / "tier-0005-part-0000.parquet")
    position = analysis.load_game("tictactoe").format_position(table["state"][20].as_py())
    forge(directory, "positions", 5, changed("games_tie", 20, lambda number: number + 1))
    for column, row in (("orbit_size", 21), ("value", 50), ("to_move", 90)):
        forge(directory, "positions", 5, changed(column, row, lambda number: number + 1))
    for how in ({"workers": 1}, {"workers": 2}, {"memory": 30_000}):
        assert wrong(directory, **how).startswith(f"tier 5, position {position}: games_tie is ")


@pytest.mark.parametrize("key", ["first_state", "last_state"])
def test_states_that_are_recorded_of_a_file(solved, tmp_path, key):
    """In samples too, which do not read every file."""
    directory = shutil.copytree(solved / "1", tmp_path / "s")
    tier = tier_of(directory, 4)
    tier["positions"][0][key] += 1
    forge_tier(directory, 4, tier)
    for how in ({}, {"share": 0.5}):
        with pytest.raises(VerificationError, match=r"tier 4|tier-0004"):
            analysis.verify(directory, **how)
