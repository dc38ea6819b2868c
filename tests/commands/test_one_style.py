"""Who knows one command can guess the others: positions, lists, symmetries, formats and names alike everywhere."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pandas
import pytest
import typer

from analysis.commands.main import app
from analysis.machine.version import __version__
from tests.support.program import ROOT, one_line

COMMANDS = typer.main.get_command(app).commands
OPTIONS = {
    name: {text: option for option in command.params if not option.hidden for text in option.opts}
    for name, command in COMMANDS.items()
}


READERS = (
    "stats", "paths", "show", "find", "traps", "play", "match", "audit", "exploit", "prune", "report", "export",
    "verify", "explore", "cite",
)  # fmt: skip
"""What reads the solution in a directory, which does not say which file is run."""


@pytest.mark.parametrize("name", COMMANDS)
def test_names_of_options(name):
    """No two differ by an s, but for a directory's game and a match's games; the same is called the same everywhere."""
    options = OPTIONS[name]
    assert [text for text in options if f"{text}s" in options] == ["--game"] * (name == "match")
    assert ("--game" in options) == (name in READERS)
    solves = name not in ("games", "bot", "check", "verify", "clean")
    assert ("--from" in options) == (solves and name not in ("solve", "sweep"))
    assert ("--symmetry" in options) == solves
    assert ("--workers" in options) == (name == "verify" or (solves and name != "prune"))
    assert ("--progress" in options) == (name not in ("games", "play", "bot", "clean"))
    assert COMMANDS[name].rich_help_panel in ("Solve", "Look", "Play", "Compare", "Publish")


WORDS = {
    "N", "NUMBER", "SECONDS", "SHARE", "SIZE", "FILE", "DIR", "FORMAT", "POSITION", "GAME", "GAME_OR_DIR", "KIND",
    "KINDS", "LEVEL", "SIDE", "COLUMN", "COLUMNS", "ORDER", "ORDERS", "QUERY", "WHERE", "HOST", "ORIGIN", "EVALUATION",
    "ALGORITHMS", "WINDOWS", "DEPTHS", "SCHEME", "STRATEGY", "PROTOCOL", "A", "B", "A..B", "HEX", "N[:SEED]",
    "R,C,K ...", "ROLE=COLUMN,...", "NAME", "URL", "NAME...", "PATTERN...", "GAME_OR_DIR...", "GAME_OR_TREE [POSITION]",
}  # fmt: skip
"""What values are called in the help: one word for one thing, in the plural where commas may stand between several."""
OF = {
    "--seconds": "SECONDS", "--move-seconds": "SECONDS", "--memory": "SIZE", "--seed": "N", "--workers": "N",
    "--limit": "N", "--from": "POSITION", "--plot": "FILE", "--format": "FORMAT", "--evaluate": "EVALUATION",
}  # fmt: skip


@pytest.mark.parametrize("name", COMMANDS)
def test_words_for_values(name):
    for param in COMMANDS[name].params:
        if param.hidden or getattr(param, "is_flag", False):
            continue
        assert param.metavar in WORDS, (param.opts, param.metavar)
        assert param.metavar == OF.get(param.opts[0], param.metavar)
        if param.metavar == "SECONDS":
            assert (
                param.opts[0] == "--seconds"
                if name in ("show", "plan", "audit")
                else param.opts[0].endswith("-seconds")
            )


def test_a_position_is_the_second_argument_or_from(gametree):
    pruning = ["prune", "tictactoe", "-a", "alphabeta,pns"]
    for command in (["show", "tictactoe"], ["traps", "tictactoe"], ["richman", "tictactoe"], pruning):
        found = [
            gametree(*command, *position, "--format", "json").json
            for position in (["0124"], ["--from", "0124"], ["a1 b1 c1 b2"], ["--from", "XOX?O????"])
        ]
        for answer in found:
            answer.pop("read_as", None)  # of digits
            for row in answer.get("rows", []):
                del row["seconds"]
        assert found[0] == found[1] == found[2] == found[3]
        one_line(gametree(*command, "0124", "--from", "0124"), 2, "twice")
    assert gametree("stats", "tictactoe", "--from", "0124", "--format", "json").json["positions"] == 79
    assert (
        gametree("paths", "tictactoe", "--from", "0-1-2-4").out == gametree("paths", "tictactoe", "--from", "0124").out
    )


def test_lists_by_commas_or_by_repetition(rows):
    commas = rows("tictactoe", "-a", "alphabeta,mtdf", "--order", "natural,best", "--window", "full,null:1")
    again = rows(
        "tictactoe", "-a", "alphabeta", "-a", "mtdf", "--order", "natural", "--order", "best",
        "--window", "full", "--window", "null:1",
    )  # fmt: skip
    assert [row["nodes"] for row in commas] == [row["nodes"] for row in again]
    assert len(commas) == 6
    one = rows("mnk:2,2,2", "-a", "alphabeta", "--order", "permutation:3,1,0,2,reverse")
    assert [row["order"] for row in one] == ["permutation:3,1,0,2", "reverse"]


def test_boards_by_commas_or_by_repetition(gametree):
    ways = (["--boards", "2,2,2", "2,3,2"], ["--boards", "2,2,2,2,3,2"], ["--boards", "2x2x2", "--boards", "2x3x2"])
    found = [gametree("prune", *way, "-a", "alphabeta", "--format", "json").json["rows"] for way in ways]
    assert [[(row["board"], row["nodes"]) for row in answer] for answer in found] == [
        [("2,2,2", found[0][0]["nodes"]), ("2,3,2", found[0][1]["nodes"])]
    ] * 3


def test_a_file_says_its_format(gametree):
    for name, read in {"a.csv": pandas.read_csv, "a.parquet": pandas.read_parquet}.items():
        assert gametree("paths", "tictactoe", "--out", name).code == 0
        assert len(read(name, dtype={"path": str}) if name == "a.csv" else read(name)) == 3584
    gametree("paths", "tictactoe", "--out", "a.txt")
    assert Path("a.txt").read_text() == gametree("paths", "tictactoe").out
    gametree("paths", "tictactoe", "--from", "0124", "--out", "b.csv", "--format", "text")
    assert Path("b.csv").read_text() == gametree("paths", "tictactoe", "--from", "0124").out


def test_several_symmetries_are_one_table(gametree):
    given = ("--symmetry", "none,geometric", "--symmetry", "full")
    found = gametree("solve", "mnk:2,3,2", *given, "--format", "json").json
    assert [row["symmetry"] for row in found] == ["none", "geometric", "full"]
    assert len({row["positions"] for row in found}) == 1
    assert found[0]["canonical"] == found[0]["positions"] > found[1]["canonical"] >= found[2]["canonical"]
    assert [Path(row["directory"]).name.rpartition("k2")[2] for row in found] == ["-none", "", "-full"]
    table = gametree("solve", "mnk:2,3,2", "--symmetry", "none,geometric,full").out
    assert table.count("there already") == 3
    assert max(map(len, table.splitlines())) <= 80
    for row in found:
        args = ("stats", "mnk:2,3,2", "--symmetry", row["symmetry"], "--format", "json")
        assert gametree(*args).json["canonical"] == row["canonical"]


def test_the_other_ways_to_call_it(program):
    assert program("--version").stdout == f"gametree {__version__}\n"
    command = [sys.executable, "-m", "analysis", "show", "tictactoe", "--format", "csv"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=True)
    assert len(done.stdout.splitlines()) == 10


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("sh", ["show"]),
        ("solve mnk --symmetry none,f", ["none,full"]),
        ("match tictactoe perf", ["perfect", "perfect:shortest"]),
        ("prune tictactoe -a alphabeta,mt", ["alphabeta,mtdf"]),
    ],
)
def test_completion(program, typed, found):
    words = {"COMP_WORDS": f"gametree {typed}", "COMP_CWORD": str(len(typed.split()))}
    assert program(env={**words, "_GAMETREE_COMPLETE": "complete_bash"}).stdout.split() == found
