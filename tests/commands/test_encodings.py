"""Every command on standard streams of any encoding: what one lacks is written plainly, and data never differs."""

from __future__ import annotations

import io
import json
import signal
import sys

import pytest
import typer

import cli
from analysis.commands.display.printing import Answer, show
from analysis.commands.main import app
from analysis.errors import OptionError
from analysis.machine.endings import SIGNALS

ENCODINGS = ("utf-8", "ascii", "cp437", "cp1252")
TREE = "((3 12) (2 4))"

COMMANDS = {
    "games": ["games"],
    "solve": ["solve", "tictactoe", "--out", "s", "--force"],
    "stats": ["stats", "tictactoe"],
    "paths": ["paths", "tictactoe", "--limit", "3"],
    "show": ["show", "tictactoe"],
    "find": ["find", "tictactoe", "value = 1", "--limit", "3"],
    "traps": ["traps", "tictactoe"],
    "richman": ["richman", "tictactoe"],
    "plan": ["plan", "tictactoe", "--seconds", "0.5"],
    "sweep": ["sweep", "mnk:rows=1..2,cols=2,k=2", "--format", "markdown"],
    "play": ["play", "tictactoe"],
    "match": ["match", "tictactoe", "random", "random", "--games", "2", "--seed", "1"],
    "audit": ["audit", "tictactoe", "games.csv"],
    "exploit": ["exploit", "tictactoe", "random"],
    "prune": ["prune", "größe.txt", "-a", "alphabeta", "--trace"],
    "report": ["report", "tictactoe", "--out", "page"],
    "cite": ["cite", "tictactoe"],
    "export": ["export", "größe.txt", "--out", "tree.dot", "--force"],
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
    (tmp_path / "größe.txt").write_text(TREE, encoding="utf-8")
    (tmp_path / "games.csv").write_text("game\n0124\n", encoding="utf-8")

    def command(encoding: str, *arguments: str) -> tuple[int, str, str]:
        streams = [io.TextIOWrapper(io.BytesIO(), encoding=encoding) for _ in range(2)]
        monkeypatch.setattr(sys, "argv", ["gametree", *arguments])
        monkeypatch.setattr(sys, "stdout", streams[0])
        monkeypatch.setattr(sys, "stderr", streams[1])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO("é\n".encode()), encoding=encoding))
        handlers = {number: signal.getsignal(number) for number in SIGNALS}
        with pytest.raises(SystemExit) as stop:
            cli.main()
        for number, handler in handlers.items():  # a program that is over ignores them
            signal.signal(number, handler)
        for stream in streams:
            stream.flush()
        out, err = (stream.buffer.getvalue().decode(encoding) for stream in streams)
        return stop.value.code or 0, out, err

    return command


def test_all_commands_are_here():
    assert set(COMMANDS) == set(typer.main.get_command(app).commands)


@pytest.mark.parametrize("name", ["games", "prune", "show", "cite", "plan", "find", "check"])
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


def test_json_is_the_same(run):
    command = ("prune", "größe.txt", "-a", "alphabeta", "--format", "json")
    found = [json.loads(run(encoding, *command)[1]) for encoding in ENCODINGS]
    assert {answer["game"] for answer in found} == {found[0]["game"]}


@pytest.mark.parametrize("encoding", ["ascii", "cp437", "cp1252"])
def test_csv_is_refused_where_it_would_lose_something(encoding, monkeypatch):
    stream = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    monkeypatch.setattr(sys, "stdout", stream)
    answer = Answer({"name": "\u265e"}, [{"name": "a"}, {"name": "\u265e"}], [])
    with pytest.raises(OptionError, match="PYTHONIOENCODING=utf-8"):
        show("csv", answer)
    show("json", answer)
    stream.flush()
    assert json.loads(stream.buffer.getvalue()) == {"name": "\u265e"}
