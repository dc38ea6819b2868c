"""The atlas agrees with what is published, and with what is solved now."""

from __future__ import annotations

import csv
import runpy
from collections import Counter
from pathlib import Path

import pytest

from analysis.games.families import FAMILIES
from analysis.sweeps import compare_sweeps, read_sweep, sweep
from analysis.sweeps.patterns import asked_games
from tests.support.program import ROOT

FOLDER = ROOT / "docs" / "atlas"
ROWS = {(row["game"], row["symmetry"]): row for row in read_sweep(FOLDER / "atlas.csv")}
SECONDS, BEGINNING = 40.0, 0.4
"""What may be solved again in all, and what a process takes to begin."""

with (FOLDER / "sources.csv").open(newline="") as file:
    SOURCES = list(csv.DictReader(file))


def test_every_published_number():
    for line in SOURCES:
        assert ROWS[line["game"], "geometric"][line["column"]] == int(line["number"]), line
        assert line["source"]
    assert len(SOURCES) > 200


def test_the_patterns_are_those_of_the_rows(monkeypatch):
    monkeypatch.chdir(ROOT)
    made = runpy.run_path(str(FOLDER / "make.py"))
    asked = [*asked_games(made["PATTERNS"]), *asked_games(made["ALL_AUTOMORPHISMS"], ["full"])]
    assert {each.key for each in asked} == set(ROWS)
    assert {each.spec.partition(":")[0] for each in asked} == set(FAMILIES)
    assert Counter(row["status"] for row in ROWS.values()) == {"solved": len(ROWS)}


def test_symmetries_change_no_total():
    for game, symmetry in ROWS:
        if symmetry == "full":
            for name in (
                "value",
                "remoteness_plies",
                "positions",
                "moves",
                "games_total",
                "histories",
                "optimal_paths",
            ):
                assert ROWS[game, "full"][name] == ROWS[game, "geometric"][name]
    assert ROWS["mnk:rows=4,cols=4,k=4", "full"]["canonical"] == 307639


@pytest.mark.slow
def test_what_takes_under_a_minute_is_solved_again(monkeypatch, tmp_path):
    """Some of each, as their checksums order them."""
    monkeypatch.chdir(ROOT)
    chosen, left = [], SECONDS
    for row in sorted(ROWS.values(), key=lambda row: row["checksum"]):
        if row["symmetry"] == "geometric" and row["seconds"] < 5 and left > row["seconds"] + BEGINNING:
            left -= row["seconds"] + BEGINNING
            chosen.append(row["game"])
    found = sweep(chosen, out=Path(tmp_path, "again.csv"))
    compared = compare_sweeps(ROWS.values(), found)
    assert compared.differences == ()
    assert (compared.compared, compared.undecided) == (len(chosen), 0)
    assert len(chosen) > 50
    assert len({game.partition(":")[0] for game in chosen}) > 8
