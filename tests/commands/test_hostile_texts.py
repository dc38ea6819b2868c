"""What a game calls things never steers a terminal, and is no formula in what a spreadsheet opens."""

from __future__ import annotations

import csv
import io
import json
import re
import sys
from pathlib import Path

import pytest

import analysis
from analysis.errors import GametreeError
from analysis.machine.markup import as_cell, from_cell
from tests.support.forging import forge_tier, tier_of
from tests.support.hostile import SPEC, TEXTS, hostile_game, write_hostile

STEERING = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
FORMULA = re.compile(r"[=+\-@\t\r](?![0-9.]+$)")
DRAWN = ["grid", pytest.param("picture", marks=pytest.mark.slow), pytest.param("text", marks=pytest.mark.slow)]
SCRIPT = "?\nm\nh\nb\nnonsense\n=1+1\n?\nu\n7\nb\n7\n"

COMMANDS = [
    ("solve", SPEC, "--force", "--out", "solved", "--text", "--moves", "--paths"),
    ("stats", SPEC),
    ("show", SPEC),
    ("show", SPEC, "\x1b[31mred\x1b[0m"),
    ("show", SPEC, "--depth", "1", "--evaluate", "=1+1[red]<b>"),
    ("check", SPEC),
    ("prune", SPEC, "-a", "alphabeta", "--trace"),
    ("match", SPEC, "random", "perfect", "--games", "4", "--seed", "1"),
    ("show", SPEC, "no such \x1b[31m position"),
    ("stats", f"{SPEC}:name\x1b[31m=\u202e"),
]


@pytest.fixture
def hostile(gametree, tmp_path):
    def run(command, *options, drawn="grid"):
        name = command[1] if ":" in command[1].partition(":")[2] else f"{SPEC}:drawn={drawn}"
        return gametree(command[0], name, *command[2:], *options)

    write_hostile(tmp_path)
    return run


@pytest.mark.parametrize("drawn", DRAWN)
def test_nothing_steers_a_terminal(hostile, drawn):
    for command in COMMANDS:
        found = hostile(command, drawn=drawn)
        assert found.code in (0, 1, 2)
        assert not STEERING.findall(found.out + found.err), command


@pytest.mark.parametrize("drawn", DRAWN)
@pytest.mark.parametrize("who", ["both", "none"])
def test_a_game_steers_no_terminal(gametree, tmp_path, monkeypatch, drawn, who):
    write_hostile(tmp_path)
    monkeypatch.setattr(sys, "stdin", io.StringIO(SCRIPT))
    found = gametree("play", f"{SPEC}:drawn={drawn}", "--you", who)
    assert (found.code, STEERING.findall(found.out + found.err)) == (0, [])
    assert "wins after 2 plies" in found.out or "A tie after 2 plies" in found.out


@pytest.mark.parametrize("screen", [False, True])
def test_what_is_printed_for_programs(hostile, monkeypatch, screen):
    for command in (*COMMANDS[:8], ("export", SPEC, "--to", "csv", "--moves"), ("export", SPEC, "--to", "json")):
        for form in ("json", "csv") if command[0] != "export" else (command[3],):
            monkeypatch.setattr(sys.stdout, "isatty", lambda: screen)
            found = hostile(command, *(("--format", form) if command[0] != "export" else ()))
            if screen:
                assert not STEERING.findall(found.out)
            elif form == "json":
                json.loads(found.out)
            else:
                rows = [*csv.reader(io.StringIO(found.out, newline=""), strict=True)]
                assert len({*map(len, rows)}) == 1
                assert not [cell for row in rows for cell in row if FORMULA.match(cell)]


def test_cells():
    for text in (*TEXTS, "''=1", "'", "", "=", "-1e5", "-.5", "+", "1", "-1x"):
        cell = as_cell(text)
        assert not FORMULA.match(cell) or cell == text == "-1e5"
        assert from_cell(cell) == text.replace("\ud800", "\ufffd")


def test_parameters_that_no_specification_holds(tmp_path):
    game = hostile_game(tmp_path, name="a=b:c")
    assert (game.name, game.said) == ("a=b:c", "a, <b> = 1+1:x ")
    assert analysis.load_game(game.spec) == game
    analysis.solve(game, directory=tmp_path / "s")
    assert analysis.open_solution(tmp_path / "s").game.name == "a=b:c"
    analysis.verify(tmp_path / "s")
    assert analysis.load_game(f"{tmp_path / 'hostile.py'}:name=a=b:c").name == "a=b:c"
    for name in ("../../x", "/etc", "x" * 50, "a\x00\n\u202e"):
        slug = hostile_game(tmp_path, name=name).slug
        assert Path(slug).name == slug == slug.strip("\x00\n/")


@pytest.mark.parametrize("name", ["../tiers/tier-0000.json", "/etc/passwd", "..", "", 7])
def test_a_stored_solution_names_no_other_files(tmp_path, name):
    analysis.solve("tictactoe", directory=tmp_path / "s")
    data = tier_of(tmp_path / "s", 1)
    data["positions"][0]["file"] = name
    forge_tier(tmp_path / "s", 1, data)
    with pytest.raises(GametreeError, match=r"tier-0001|is no name of a file"):
        analysis.open_solution(tmp_path / "s").position("X????????")
    with pytest.raises(GametreeError, match=r"tier-0001|is no name of a file"):
        analysis.verify(tmp_path / "s")
