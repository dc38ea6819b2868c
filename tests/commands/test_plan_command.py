"""``gametree plan``: its three formats, positions, and games that do not fit."""

from __future__ import annotations

import csv
import io

import pytest

from analysis.machine.memory import readable
from analysis.wording import between, lasting, rough
from tests.support.program import one_line

QUICK = ("--seconds", "2")


def test_as_json_and_csv(gametree):
    data = gametree("plan", "tictactoe", *QUICK, "--format", "json").json
    assert data["canonical"]["low"] <= 765 <= data["canonical"]["high"]
    rows = list(csv.DictReader(io.StringIO(gametree("plan", "tictactoe", *QUICK, "--format", "csv").out)))
    assert [int(row["tier"]) for row in rows] == [tier["tier"] for tier in data["by_tier"]]
    assert [int(row["canonical_low"]) for row in rows] == [tier["canonical"]["low"] for tier in data["by_tier"]]


@pytest.mark.parametrize("spec", ["tictactoe", "dodgem", "connect:rows=6,cols=7,k=4"])
def test_for_people(gametree, spec):
    result = gametree("plan", spec, *QUICK)
    assert result.code == 0
    assert max(map(len, result.out.splitlines())) <= 80
    assert "gametree s" in result.out.replace("\n", " ")


@pytest.mark.parametrize("say", [rough, readable, lasting])
def test_the_largest_sizes_fit_their_columns(say):
    ends = [9.96 * 10.0**power for power in range(21)]
    assert max(len(between(low, high, say)) for low in ends for high in ends if low < high) <= 24


def test_a_position(gametree):
    from_there = gametree("plan", "tictactoe", "XOX?O????", *QUICK, "--format", "json").json
    assert from_there == gametree("plan", "tictactoe", "--from", "XOX?O????", *QUICK, "--format", "json").json | {
        "free": from_there["free"], "seconds": from_there["seconds"], "out_of_core": from_there["out_of_core"]
    }  # fmt: skip
    one_line(gametree("plan", "tictactoe", "XX???????"), 2, "2 X and 0 O")


def test_what_does_not_fit_exits_with_0(gametree):
    data = gametree("plan", "nim:heaps=9-9-9", *QUICK, "--memory", "1MB", "--format", "json").json
    assert data["fits"]["memory"] is False
    assert "nothing fits" in data["advice"]


def test_wrong_input(gametree):
    one_line(gametree("plan", "bidding:game=tictactoe,chips=4"), 2, "by turns")
    one_line(gametree("plan", "chess"), 2, "no game is called")
    one_line(gametree("plan", "tictactoe", "--seconds", "0"), 2, "seconds")
    one_line(gametree("plan", "tictactoe", "--memory", "much"), 2, "memory")
    for command in ("plan", "solve", "sweep", "prune"):
        one_line(gametree(command, "tictactoe", "--memory", "2"), 2, "2GB")
