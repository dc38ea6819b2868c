"""Every command on standard streams of any encoding: what one lacks is written plainly, and data never differs."""

from __future__ import annotations

import csv
import io
import json
import sys

import pytest
import typer

import cli
from analysis.commands.main import app

ENCODINGS = ("utf-8", "ascii", "cp437", "cp1252")
TREE = {
    "name": "Größe \u2192 λ",
    "children": [{"name": "ß", "value": 3}, {"name": "\u265e", "children": [{"value": 12}]}],
}

COMMANDS = {
    "games": ["games"],
    "solve": ["solve", "tictactoe", "--out", "s", "--force"],
    "stats": ["stats", "tictactoe"],
    "paths": ["paths", "tictactoe", "--limit", "3"],
    "show": ["show", "tree.json"],
    "find": ["find", "tictactoe", "value = 1", "--limit", "3"],
    "traps": ["traps", "tictactoe"],
    "richman": ["richman", "tictactoe"],
    "plan": ["plan", "tictactoe", "--seconds", "0.5"],
    "sweep": ["sweep", "mnk:rows=1..2,cols=2,k=2", "--format", "markdown"],
    "play": ["play", "tictactoe"],
    "match": ["match", "tictactoe", "random", "random", "--games", "2", "--seed", "1"],
    "audit": ["audit", "tictactoe", "games.csv"],
    "prune": ["prune", "tree.json", "-a", "alphabeta", "--trace"],
    "report": ["report", "tictactoe", "--out", "page"],
    "cite": ["cite", "tictactoe"],
    "export": ["export", "tree.json", "--out", "tree.dot", "--force"],
    "bot": ["bot", "tictactoe"],
    "check": ["check", "tictactoe", "--games", "3"],
    "clean": ["clean", "s", "--dry-run"],
    "verify": ["verify", "s"],
    "explore": ["explore", "tictactoe", "--out", "page.html", "--force"],
}
"""Of each command, one that is quick; on a game whose names no encoding but UTF-8 holds, where it takes one."""


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Run a command with standard streams of an encoding: its exit code, and what it wrote, decoded."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tree.json").write_text(json.dumps(TREE), encoding="utf-8")
    (tmp_path / "games.csv").write_text("game\n0124\n", encoding="utf-8")

    def command(encoding: str, *arguments: str) -> tuple[int, str, str]:
        streams = [io.TextIOWrapper(io.BytesIO(), encoding=encoding) for _ in range(2)]
        monkeypatch.setattr(sys, "argv", ["gametree", *arguments])
        monkeypatch.setattr(sys, "stdout", streams[0])
        monkeypatch.setattr(sys, "stderr", streams[1])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO("é\n".encode()), encoding=encoding))
        with pytest.raises(SystemExit) as stop:
            cli.main()
        for stream in streams:
            stream.flush()
        out, err = (stream.buffer.getvalue().decode(encoding) for stream in streams)
        return stop.value.code or 0, out, err

    return command


def test_all_commands_are_here():
    assert set(COMMANDS) == set(typer.main.get_command(app).commands)


@pytest.mark.parametrize("name", ["games", "prune", "show", "cite", "plan", "find"])
def test_quick_ones(name, run):
    same_everywhere(name, run)


@pytest.mark.slow
@pytest.mark.parametrize("name", COMMANDS)
def test_every_command(name, run):
    same_everywhere(name, run)


def same_everywhere(name, run):
    if name in ("clean", "verify"):
        assert run("utf-8", *COMMANDS["solve"])[0] == 0
    codes = {encoding: run(encoding, *COMMANDS[name]) for encoding in ENCODINGS}
    assert len({code for code, *_ in codes.values()}) == 1, codes
    assert codes["utf-8"][1] or codes["utf-8"][2]
    assert not any("Traceback" in err for _, _, err in codes.values())
    if name not in ("play", "bot"):
        assert {run(encoding, name, "--help")[0] for encoding in ENCODINGS} == {0}


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_a_trace_is_readable(encoding, run):
    code, out, err = run(encoding, "prune", "((3 12) (2 4))", "-a", "alphabeta", "--trace")
    assert (code, err) == (0, "")
    assert ("├─ " if encoding in ("utf-8", "cp437") else "|- ") in out
    assert "\\u" not in out


def test_data_is_the_same_or_refused(run):
    found = [run(encoding, "prune", "tree.json", "-a", "alphabeta", "--format", "json") for encoding in ENCODINGS]
    lines = [json.loads(out)["line"] if "line" in json.loads(out) else json.loads(out)["game"] for _, out, _ in found]
    assert len(set(map(str, lines))) == 1
    (code, out, _), *others = [run(encoding, "show", "tree.json", "--format", "csv") for encoding in ENCODINGS]
    assert code == 0
    assert any("ß" in cell for row in csv.reader(out.splitlines()) for cell in row)
    for refused, nothing, why in others:
        assert (refused, nothing) == (2, "")
        assert "PYTHONIOENCODING=utf-8" in why
        assert why.count("\n") == 1
