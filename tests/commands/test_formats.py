"""Markdown and LaTeX: every command that has a table has them, and they hold what JSON and CSV do."""

from __future__ import annotations

import csv
import io
import re
from html import unescape

import pytest
import typer

from analysis.commands.display.printing import FORMATS, Columns, Details, Frame, Hint, Paragraph
from analysis.commands.main import app
from analysis.machine.markup import FORMS
from tests.support.program import one_line

COMMANDS = typer.main.get_command(app).commands
FORMAT = {
    name: option
    for name, command in COMMANDS.items()
    for option in command.params
    if "--format" in option.opts and name != "cite"  # which has no table
}
CALLS = {
    "solve": ["solve", "mnk:2,2,2"],
    "games": ["games", "hex"],
    "stats": ["stats", "dodgem"],
    "paths": ["paths", "mnk:2,2,2"],
    "show": ["show", "tictactoe", "0124"],
    "find": ["find", "tictactoe", "only_move", "--limit", "3"],
    "traps": ["traps", "tictactoe", "04"],
    "plan": ["plan", "nim", "--seconds", "1"],
    "sweep": ["sweep", "hexapawn:2..3,2"],
    "match": ["match", "tictactoe", "greedy", "random", "--games", "0"],
    "audit": ["audit", "tictactoe", "games.txt"],
    "exploit": ["exploit", "tictactoe", "random"],
    "prune": ["prune", "tictactoe", "-a", "alphabeta", "--order", "natural,best"],
    "richman": ["richman", "tictactoe"],
    "check": ["check", "nim", "--games", "3"],
    "verify": ["verify", "data/mnk-rows2-cols2-k2"],
    "clean": ["clean", "--dry-run"],
}


def tables(form, text):
    """The tables of a document: their heads and their rows, with the markup undone."""
    return [_cells(form, block) for block in re.split(r"\n\s*\n", text) if _begins(form, block)]


def _begins(form, block):
    return block.startswith("|" if form == "markdown" else r"\begin{tabular}")


def _cells(form, block):
    if form == "markdown":
        rows = [re.split(r"(?<!\\)\|", line)[1:-1] for line in block.splitlines()]
        del rows[1]
        return [[unescape(re.sub(r"\\(.)", r"\1", cell.strip())) for cell in row] for row in rows]
    lines = [line.removesuffix(r" \\") for line in block.splitlines() if line.endswith(r"\\")]
    return [[_plain(cell.strip()) for cell in re.split(r"(?<!\\)&", line)] for line in lines]


def _plain(cell):
    """A cell of LaTeX as text."""
    names = {
        "bar": "|", "less": "<", "greater": ">", "asciicircum": "^", "asciitilde": "~", "backslash": "\\",
        "braceleft": "{", "braceright": "}",
    }  # fmt: skip
    signs = r"\{?\\text([a-z]+)(?:\{\}|\})|\\([&%#_$])|\{([\[*])\}|(\{\})"
    return re.sub(signs, lambda found: names.get(found[1]) or found[2] or found[3] or "", cell)


def _numbers(row):
    return [cell.replace(",", "") for cell in row]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", FORMAT)
def test_every_command_that_has_a_format(gametree, tmp_path, name, form):
    assert FORMAT[name].help == "table, json, csv, markdown or latex." or name == "paths"
    (tmp_path / "games.txt").write_text("041263578\n0123\n")
    gametree("solve", "mnk:2,2,2")
    done = gametree(*CALLS[name], "--format", form)
    assert done.code == 0, done
    assert "Try next" not in done.out
    assert done.out.count(r"\begin{tabular}") == done.out.count(r"\end{tabular}")
    assert tables(form, done.out) or name in ("verify", "clean")
    for table in tables(form, done.out):
        assert len({len(row) for row in table}) == 1
    one_line(gametree(*CALLS[name], "--format", "xml"), 2, "'xml'", *FORMATS[1:])


@pytest.mark.parametrize("form", FORMS)
def test_rows_are_those_of_csv(gametree, form):
    """Other names for columns, dots in long numbers, and nothing else."""
    csv_rows = list(csv.reader(io.StringIO(gametree("paths", "tictactoe", "--format", "csv").out)))
    assert tables(form, gametree("paths", "tictactoe", "--format", form).out) == [csv_rows]
    by_ply = list(csv.reader(io.StringIO(gametree("stats", "tictactoe", "--format", "csv").out)))
    found = next(t for t in tables(form, gametree("stats", "tictactoe", "--format", form).out) if t[0][0] == "ply")
    keys = ["ply", "positions", "canonical"]
    assert [row[:3] for row in map(_numbers, found[1:])] == [
        [row[by_ply[0].index(key)] for key in keys] for row in by_ply[1:]
    ]
    moves = gametree("show", "tictactoe", "0124", "--format", "json").json["moves"]
    found = tables(form, gametree("show", "tictactoe", "0124", "--format", form).out)[-1]
    assert [row[:4] for row in found[1:]] == [
        [move["name"], move["position"], f"{move['value']:+}" if move["value"] else "0", str(move["remoteness_plies"])]
        for move in moves
    ]


@pytest.mark.parametrize("form", FORMS)
def test_nothing_is_left_out_for_its_width(gametree, form, monkeypatch):
    monkeypatch.setenv("COLUMNS", "20")
    names = tables(form, gametree("find", "tictactoe", "terminal", "--format", form).out)[0][0]
    assert names == [
        "position",
        "to move",
        "value",
        "remoteness",
        "moves",
        "keeping",
        "trap",
        "orbit size",
        "ply",
        "best",
    ]
    narrow = gametree("prune", "tictactoe", "-a", "alphabeta", "--format", form)
    wide = gametree("prune", "tictactoe", "-a", "alphabeta", "--format", form, "--wide")
    assert {*tables(form, narrow.out)[-1][0]} < {*tables(form, wide.out)[-1][0]}


HOSTILE = ["|", "a|b", r"\input{x}", "<b>", "50% & $x_1$", "[1](y)", "*a*", "`", "a\nb", "{", "~^#", "- a", "1. b"]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("text", HOSTILE)
def test_no_text_is_markup(form, text):
    from analysis.commands.display.rendering import document

    columns = Columns([text, "x"], [[text, 1], ["y", None]], words=[text])
    parts = [Frame(text, [Paragraph(text), {text: text}]), columns, f" {text}\n{text}", Hint(text), Details([columns])]
    found = "".join(document(form, parts))
    first, second = tables(form, found)
    shown = text.replace("\n", r"\n")
    assert first[-1] == [shown, shown]
    assert second == [[shown.replace("_", " "), "x"], [shown, "1"], ["y", "-"]]
    if form == "markdown":
        assert not re.search(r"^(- |[0-9]+[.] )", found, re.MULTILINE)
    else:
        assert r"\input" not in found
        assert found.count("{") == found.count("}")


def test_markdown_of_indented_lines_is_a_list():
    from analysis.commands.display.rendering import document

    parts = [Paragraph("a"), Paragraph("  b"), Paragraph("    c"), "", "x\n  y"]
    assert "".join(document("markdown", parts)) == "a\n\n- b\n\n  - c\n\n    x\n      y\n"
