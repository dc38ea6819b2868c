"""No command prints a number from a damaged solution, and none ends in a traceback.

Every kind of solution is damaged at random, and every command that reads one has to answer as it does for the whole
solution or to refuse in one line. ``DAMAGES=300 pytest -m slow`` with this file does 300 to each kind.
"""

import os
import random
import re
import shutil

import pytest

from tests.support.damage import damage

NUMBER = int(os.environ.get("DAMAGES", "20"))
SEED = int(os.environ.get("DAMAGES_SEED", "18"))

KINDS = {
    "ordinary": ("mnk:rows=2,cols=4,k=3", "--moves", "--text", "--paths"),
    "two_limbs": ("kayles:pins=22", "--moves"),
    "loopy": ("dodgem:n=2", "--moves", "--text"),
    "nimbers": ("nim:heaps=2-2-3", "--text"),
    "tiers": ("dots_and_boxes:rows=1,cols=2", "--moves", "--paths"),
    "no_counts": ("hexapawn:rows=3,cols=3", "--no-counts"),
    "none": ("chomp:rows=2,cols=3", "--symmetry", "none"),
    "bidding": ("bidding:game=mnk:rows=1,cols=3,k=3,chips=2", "--text"),
    "mixed_bids": ("bidding:game=notakto:rows=2,cols=2,k=2,chips=2",),
}
USER = "mine"
"""A user game, of which no command but `--game` loads the rules."""

EVERY = (("stats", "--format", "json"), ("stats",), ("show",), ("show", "--format", "json"), ("verify",))
BY_TURNS = (
    ("paths", "--count"),
    ("paths", "--limit", "50"),
    ("paths", "--sample", "3", "--seed", "1"),
    ("paths", "--shortest", "--limit", "50"),
    ("export", "--to", "csv"),
    ("export", "--to", "jsonl"),
    ("export", "--to", "csv", "--moves"),
    ("export", "--to", "json"),
    ("export", "--to", "dot"),
    ("export", "--to", "csv", "--optimal-only"),
    ("match", "perfect", "random", "--games", "20", "--seed", "3", "--format", "json"),
    ("prune", "-a", "alphabeta", "--format", "csv"),
)


@pytest.fixture(scope="module")
def solutions(tmp_path_factory):
    """One of each kind, made when it is first asked for."""
    folder = tmp_path_factory.mktemp("solutions")

    def of(gametree, kind):
        directory = folder / kind
        if not directory.exists():
            done = gametree("solve", *KINDS[kind], "--out", directory)
            assert done.code == 0, done.err
        return directory

    return of


def answers(gametree, directory, kind):
    commands = EVERY if KINDS[kind][0].startswith("bidding") else EVERY + BY_TURNS
    return {command: without_time(gametree(command[0], directory, *command[1:])) for command in commands}


def without_time(result):
    """The last column of ``prune --format csv`` is seconds."""
    return result._replace(out=re.sub(r",[0-9.e-]+$", "", result.out, flags=re.M))


def attack(gametree, solutions, tmp_path, kind, number):
    whole, other = solutions(gametree, kind), solutions(gametree, "none" if kind != "none" else "nimbers")
    copy = tmp_path / "copy"
    shutil.copytree(whole, copy)
    right = answers(gametree, copy, kind)
    assert right["stats",].code == right["show",].code == right["verify",].code == 0
    rng = random.Random(f"{SEED} {kind}")
    refused = 0
    for _ in range(number):
        shutil.rmtree(copy)
        shutil.copytree(whole, copy)
        done = damage(rng, copy, other)
        for command, found in answers(gametree, copy, kind).items():
            told = (done, command, found)
            if command == ("verify",):
                assert found.code == (2 if done == "lose(manifest.json)" else 1), told
            if found.code == 0:
                assert found.out == right[command].out, told
            else:
                refused += 1
                assert found.code in (1, 2), told
                own, usual = (each.err.splitlines() for each in (found, right[command]))
                assert own[-1].startswith("gametree: "), told
                assert sum(line.startswith("gametree: ") for line in own) <= 1 + len(usual), told
                assert "Traceback" not in found.err, told
    assert refused >= number  # by verify at least


@pytest.mark.parametrize("kind", ["ordinary", "bidding"])
def test_a_few_damages(gametree, solutions, tmp_path, kind):
    attack(gametree, solutions, tmp_path, kind, 2)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_damages(gametree, solutions, tmp_path, kind):
    attack(gametree, solutions, tmp_path, kind, NUMBER)
