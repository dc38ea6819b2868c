"""What is printed for people fits 80 columns, whatever it is about; with --wide nothing is left out."""

from __future__ import annotations

import re

import pytest

from tests.support.program import ROOT

DODGEM = "dodgem:n=2"
COMMANDS = (
    "games", "games coin_grabber connect othello",
    "solve tictactoe", "solve nim", "solve kayles:30", "solve tictactoe --symmetry geometric,none",
    "solve bidding:game=mnk:rows=2,cols=2,k=2,chips=4",
    "stats tictactoe", "stats nim", "stats chomp:rows=3,cols=4", f"stats {DODGEM}", "stats othello:size=4",
    "stats bidding:game=mnk:rows=2,cols=2,k=2,chips=4",
    "show tictactoe", "show coin_grabber --depth 3", f"show {DODGEM}", "show dots_and_boxes:rows=2,cols=2",
    "show bidding:game=tictactoe,chips=4",
    "find tictactoe only_move", "find nim", "find connect:rows=4,cols=4 only_move", "find morris value=draw",
    "traps tictactoe", "traps connect:rows=4,cols=4", "traps dots_and_boxes:rows=1,cols=2", "traps othello:size=4",
    "traps tictactoe --against blunder:1/10", f"traps {DODGEM}", "traps chomp:rows=3,cols=4",
    "prune tictactoe",
    "prune tictactoe --algorithms all --order natural,best --window full,null:1 --symmetry none,full",
    "prune tictactoe --random-orders 3 --algorithms alphabeta --explain", "prune --boards 3,3,3 3,2,3 --explain",
    "match tictactoe perfect:shortest random --swap --games 100",
    "match tictactoe greedy random --swap --games 100 --wide",
    "match bidding:game=mnk:rows=2,cols=2,k=2,chips=4 perfect random --swap --games 100",
    "richman tictactoe", "check mnk:rows=2,cols=2,k=2", "audit tictactoe games.csv", "audit tictactoe choices.csv",
)  # fmt: skip
WHOLE = re.compile(r"[HC0-9 /=.]+|  gametree show .*")
"""What cannot be broken: a position of Coin Grabber, and a command to be copied."""


@pytest.mark.parametrize("command", COMMANDS)
def test_no_line_is_longer(gametree, tmp_path, command, monkeypatch):
    monkeypatch.delenv("COLUMNS", raising=False)
    (tmp_path / "games.csv").write_text("path,x,o\n041263578,Ada,Bob\n8042635,Bob,Ada\n")
    (tmp_path / "choices.csv").write_text("position,move\n?????????,0\nXO???????,2\nXO???????,3\n")
    result = gametree(*command.split())
    assert result.code == 0, result
    assert [line for line in result.out.splitlines() if len(line) > 80 and not WHOLE.fullmatch(line)] == []


@pytest.mark.parametrize("command", ["solve tictactoe", "solve nim:0", "plan tictactoe", "richman tictactoe"])
def test_narrow_terminals(gametree, command, monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    result = gametree(*command.split())
    assert [line for line in result.out.splitlines() if len(line) > 60] == []


def test_what_is_left_out_is_named_and_shown_with_wide(gametree):
    result, wide = gametree("prune", "tictactoe"), gametree("prune", "tictactoe", "--wide")
    said = " ".join(result.out.partition("With --wide also: ")[2].partition("\n\n")[0].split()).split(", ")
    assert set(said) > {"cutoffs", "passes", "value"}
    [header] = [line for line in wide.out.splitlines() if line.startswith("algorithm")]
    assert all(re.search(rf" {name}( |$)", header) for name in said)
    assert "With --wide" not in wide.out


def test_a_terminal_is_as_wide_as_it_is(gametree, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    assert "With --wide also: order, symmetry, value\n" in gametree("prune", "tictactoe").out


def test_every_command_that_prints_tables_has_wide(gametree):
    page = (ROOT / "docs" / "commands.md").read_text()
    sections = dict(re.findall(r"^## `gametree (\w+)`$(.*?)(?=^## |\Z)", page, re.MULTILINE | re.DOTALL))
    tables = [name for name, text in sections.items() if "`--format FORMAT`: table," in text]
    assert tables
    assert [name for name in tables if "--wide" not in sections[name] and name not in ("games", "verify")] == []
