"""Texts on streams of any encoding, and texts of games that steer no terminal and are no formula in a spreadsheet."""

import csv
import io
import json
import re
import signal
import sys
from pathlib import Path

import pytest
import typer

import analysis
import cli
from analysis.cli.display.parts import Answer
from analysis.cli.display.printing import show
from analysis.cli.main import app
from analysis.common.endings import SIGNALS
from analysis.errors import GametreeError, OptionError
from tests.support.forging import forge_tier, tier_of
from tests.support.hostile import SPEC, hostile_game, write_hostile

ENCODINGS = ("utf-8", "ascii", "cp437", "cp1252")
TREE = "((3 12) (2 4))"

COMMANDS = {
    "games": ["games"],
    "solve": ["solve", "tictactoe", "--out", "s", "--force"],
    "stats": ["stats", "tictactoe"],
    "paths": ["paths", "tictactoe", "--limit", "3"],
    "show": ["show", "tictactoe"],
    "find": ["find", "tictactoe", "value = 1", "--limit", "3"],
    "plan": ["plan", "tictactoe", "--seconds", "0.5"],
    "play": ["play", "tictactoe"],
    "match": ["match", "tictactoe", "random", "random", "--games", "2", "--seed", "1"],
    "audit": ["audit", "tictactoe", "games.csv"],
    "prune": ["prune", "größe.txt", "-a", "alphabeta", "--trace"],
    "report": ["report", "tictactoe", "--out", "page"],
    "export": ["export", "größe.txt", "--out", "tree.dot", "--force"],
    "bot": ["bot", "tictactoe"],
    "check": ["check", "tictactoe", "--games", "3"],
    "new": ["new", "mine"],
    "verify": ["verify", "s"],
    "explore": ["explore", "tictactoe", "--out", "page.html", "--force"],
}
"""Of each command, one that is quick; on a game whose names no encoding but UTF-8 holds, where it takes one."""


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Run a command with standard streams of an encoding: its exit code, and what it wrote, decoded."""
    (tmp_path / "größe.txt").write_text(TREE, encoding="utf-8")
    (tmp_path / "games.csv").write_text("path\n0124\n", encoding="utf-8")

    def command(encoding: str, *arguments: str) -> tuple[int, str, str]:
        streams = [io.TextIOWrapper(io.BytesIO(), encoding=encoding) for _ in range(2)]
        for written in tmp_path.glob("*mine.py"):  # which are never overwritten
            written.unlink()
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


@pytest.mark.slow
@pytest.mark.parametrize("name", COMMANDS)
def test_every_command(name, run):
    same_everywhere(name, run)


def same_everywhere(name, run):
    if name == "verify":
        assert run("utf-8", *COMMANDS["solve"])[0] == 0
    codes = {encoding: run(encoding, *COMMANDS[name]) for encoding in ENCODINGS}
    assert len({code for code, *_ in codes.values()}) == 1, codes
    assert codes["utf-8"][1] or codes["utf-8"][2]
    assert not any("Traceback" in err for _, _, err in codes.values())
    if name not in ("play", "bot"):
        assert {run(encoding, name, "--help")[0] for encoding in ENCODINGS} == {0}


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


STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
FORMULA = re.compile(r"[=+\-@\t\r](?![0-9.]+$)")
DRAWN = ["grid", pytest.param("picture", marks=pytest.mark.slow), pytest.param("text", marks=pytest.mark.slow)]
SCRIPT = "?\nm\nh\nb\nnonsense\n=1+1\n?\nu\n7\nb\n7\n"

HOSTILE = [
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
    for command in HOSTILE:
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


EXPORTED = ("csv", "json", "jsonl", "graphml", "dot")


@pytest.mark.parametrize("form", ["json", "csv", "markdown", "latex", *EXPORTED])
def test_what_is_printed_steers_no_terminal(hostile, form):
    printed = [(*command, "--format", form) for command in HOSTILE[:8]] if form not in EXPORTED[2:] else []
    exported = [("export", SPEC, "--to", form, *["--moves"] * (form == "csv"))] if form in EXPORTED else []
    for command in (*printed, *exported):
        found = hostile(command)
        assert found.code == (1 if command[0] == "check" else 0)
        assert not STEERING.findall(found.out + found.err), command
        if form == "json":
            json.loads(found.out)
        elif form == "csv":
            rows = [*csv.reader(io.StringIO(found.out, newline=""), strict=True)]
            assert len({*map(len, rows)}) == 1
            assert not [cell for row in rows for cell in row if FORMULA.match(cell)]


@pytest.mark.parametrize("form", ["table", "csv", "json", "markdown", "latex"])
def test_a_file_of_others_steers_no_terminal(gametree, tmp_path, form):
    """Names of columns, players and nodes, and what is said of them on standard error."""
    rows = 'path,"pl\x1b[31mayer","fir\x9bst"\n0124,"a\x9b31m\u202e\x07",=1+1\n0,b\x1b[1m,c\n'
    (tmp_path / "games.csv").write_text(rows, encoding="utf-8")
    tree = {"name": "a\x1b[31m", "value": 1, "children": [{"name": "b\x9b", "value": 3}, {"name": "c\x7f", "value": 5}]}
    (tmp_path / "tree.json").write_text(json.dumps(tree), encoding="utf-8")
    for command in (
        ("audit", "tictactoe", "games.csv", "--by", "pl\x1b[31mayer"),
        ("audit", "tictactoe", "games.csv"),
        ("prune", "tree.json", "-a", "alphabeta", *["--trace"] * (form == "table")),
    ):
        found = gametree(*command, "--format", form)
        assert found.out
        assert not STEERING.findall(found.out + found.err), command


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
    with pytest.raises(GametreeError, match=r"tier-0001|is not a file name"):
        analysis.open_solution(tmp_path / "s").position("X????????")
    with pytest.raises(GametreeError, match=r"tier-0001|is not a file name"):
        analysis.verify(tmp_path / "s")
