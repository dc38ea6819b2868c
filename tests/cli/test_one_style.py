"""What holds for every command: names of options, words, width, formats, what is loaded, the page of commands."""

import csv
import io
import json
import os
import re
import shlex
import subprocess
import sys
from html import unescape
from pathlib import Path

import pandas
import pytest
import typer

from analysis.cli.display.parts import Columns, Details, Frame, Hint, Paragraph
from analysis.cli.display.printing import FORMATS
from analysis.cli.main import app
from analysis.common.markup import FORMS
from tests.cli.test_encodings import COMMANDS as CALLS
from tests.cli.test_encodings import TREE
from tests.support import transcripts
from tests.support.program import ROOT, one_line

COMMANDS = typer.main.get_command(app).commands
OPTIONS = {
    name: {text: option for option in command.params if not option.hidden for text in option.opts}
    for name, command in COMMANDS.items()
}


READERS = (
    "stats", "paths", "show", "find", "play", "match", "audit", "prune", "report",
    "export", "verify", "explore",
)  # fmt: skip
"""What reads the solution in a directory, which does not say which file is run."""


POSITIONED = ("show", "play", "prune")
"""Commands whose second argument is a position."""


@pytest.mark.parametrize("name", COMMANDS)
def test_names_of_options(name):
    """No two differ by an s, but for a directory's game and a match's games; the same is called the same everywhere."""
    options = OPTIONS[name]
    assert [text for text in options if f"{text}s" in options] == ["--game"] * (name == "match")
    assert ("--game" in options) == (name in READERS)
    solves = name not in ("games", "bot", "check", "new", "verify")
    assert ("--from" in options) == (solves and name not in ("solve", *POSITIONED))
    assert ("--symmetry" in options) == solves
    assert ("--workers" in options) == (name == "verify" or (solves and name != "prune"))
    assert ("--progress" in options) == (name not in ("games", "play", "bot", "new"))
    assert COMMANDS[name].rich_help_panel in ("Solve", "Look", "Play", "Compare", "Publish")


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_fits_on_a_page(name, gametree, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    assert len(gametree(name, "--help").out.splitlines()) <= 60


def test_where_a_position_stands(gametree):
    """It is the second argument of what looks at a position; of all others it is where play begins."""
    pruning = ["prune", "tictactoe", "-a", "alphabeta,pns"]
    for command in (["show", "tictactoe"], pruning):
        found = [
            gametree(*command, position, "--format", "json").json for position in ("0124", "a1 b1 c1 b2", "XOX?O????")
        ]
        for answer in found:
            for row in answer.get("rows", []):
                del row["seconds"]
        assert found[0] == found[1] == found[2]
        assert gametree(*command, "--from", "0124").code == 2
    assert gametree("stats", "tictactoe", "--from", "0124", "--format", "json").json["positions"] == 79
    for command in (["paths", "tictactoe"], ["export", "tictactoe", "--to", "csv"]):
        found = {gametree(*command, "--from", position).out for position in ("0124", "0-1-2-4")}
        assert len(found) == 1
        assert found != {gametree(*command).out}


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


def test_a_file_says_its_format(gametree):
    for name, read in {"a.csv": pandas.read_csv, "a.parquet": pandas.read_parquet}.items():
        assert gametree("paths", "tictactoe", "--out", name).code == 0
        assert len(read(name, dtype={"path": str}) if name == "a.csv" else read(name)) == 3584
    gametree("paths", "tictactoe", "--out", "a.txt")
    assert Path("a.txt").read_text() == gametree("paths", "tictactoe").out
    gametree("paths", "tictactoe", "--from", "0124", "--out", "b.csv", "--format", "text")
    assert Path("b.csv").read_text() == gametree("paths", "tictactoe", "--from", "0124").out


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("sh", ["show"]),
        ("solve mnk --symmetry f", ["full"]),
    ],
)
def test_completion(program, typed, found):
    words = {"COMP_WORDS": f"gametree {typed}", "COMP_CWORD": str(len(typed.split()))}
    assert program(env={**words, "_GAMETREE_COMPLETE": "complete_bash"}).stdout.split() == found


SECTIONS = re.split(
    r"^## `gametree (\w+)`$", unescape((ROOT / "docs" / "reference" / "commands.md").read_text()), flags=re.MULTILINE
)
PAGES = dict(zip(SECTIONS[1::2], SECTIONS[2::2], strict=True))


def test_every_command_is_listed_in_the_order_of_the_help():
    listed = re.findall(r"^\* `(\w+)`: (.*)$", SECTIONS[0], re.MULTILINE)
    assert listed == [(name, command.short_help) for name, command in COMMANDS.items()]
    assert list(PAGES) == list(COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_the_page_is_not_stale(name):
    """If this fails, run ``make docs``."""
    command, page = COMMANDS[name], PAGES[name]
    assert all(paragraph in page for paragraph in command.help.split("\n\n"))
    assert page.rstrip().endswith(command.epilog)
    assert f"gametree {name}" in command.epilog
    lines = re.findall(r"^\* `([^`]*)`: (.*)$", page, re.MULTILINE)
    params = [param for param in command.params if not param.hidden]
    assert len(lines) == len(params) + 1  # --help
    for param in params:
        names = set(param.opts) if param.opts[0].startswith("-") else {param.metavar}
        said = next(said for head, said in lines if names <= {*re.split(", | ", head), head})
        assert param.help in said
        assert not param.default or param.default is True or f"default: {param.default}" in said, names


@pytest.mark.slow
@pytest.mark.parametrize("name", ["play", "match", "audit"])
def test_examples_need_no_files(name, tmp_path):
    typed = COMMANDS[name].epilog.removeprefix("Example:  ")
    called = f'gametree() {{ {shlex.join([sys.executable, str(ROOT / "cli.py")])} "$@"; }}; {typed}'
    subprocess.run(["bash", "-c", called], stdin=subprocess.DEVNULL, cwd=tmp_path, check=True)


LOADED = """
import json, sys
sys.argv[0] = "gametree"
from analysis.cli.main import main
try:
    main()
finally:
    heavy = (
        "numba", "scipy", "networkx", "pandas", "matplotlib", "jinja2", "pydantic", "psutil", "pyarrow.compute",
        "starlette", "uvicorn",
    )
    print(json.dumps([name for name in heavy if name in sys.modules]), file=sys.stderr)
"""


def loaded(tmp_path, *arguments):
    command = [sys.executable, "-c", LOADED, *arguments]
    environment = {"PYTHONPATH": str(ROOT), "PATH": ""}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True)
    return done.stdout, json.loads(done.stderr.splitlines()[-1])


def test_reading_loads_nothing_heavy(tmp_path):
    out, heavy = loaded(tmp_path, "solve", "tictactoe")
    assert "255,168" in out
    assert not {"numba", "scipy", "networkx", "pandas", "matplotlib"} & set(heavy)
    reading = (["show", "tictactoe", "XOX?O????"], ["stats", "tictactoe"], ["paths", "tictactoe", "--limit", "3"])
    for command in (*reading, ["games"], ["--help"]):
        out, heavy = loaded(tmp_path, *command)
        assert out
        assert heavy == [], command


@pytest.mark.slow
@pytest.mark.parametrize("spec", ["connect:rows=4,cols=4", "nim", "dodgem", "notakto:misere=true"])
def test_reading_other_kinds(tmp_path, spec):
    loaded(tmp_path, "solve", spec, "--out", "s")
    assert "numba" not in loaded(tmp_path, "stats", "s")[1]


SESSIONS = {path.stem: path.read_text() for path in sorted((ROOT / "tests" / "golden" / "transcripts").glob("*.txt"))}


@pytest.mark.parametrize("name", SESSIONS)
def test_transcript(name, gametree, monkeypatch):
    Path("turn.txt").write_text("X\nBID\n\n\n___\n___\n___\n")
    Path("games.txt").write_text("041263578\n0123456\n8042635\n041263578\n")
    Path("choices.csv").write_text("position,move\n?????????,0\nXO???????,2\nXO???????,3\nX???O????,8\n")
    for command, wanted in transcripts.commands(SESSIONS[name]):
        call, _, given = command.partition(" < ")
        with Path(given or os.devnull).open() as file:
            monkeypatch.setattr(sys, "stdin", file)
            result = gametree(*shlex.split(call)[1:])
        assert result.err == "" or name in ("report", "find", "prune")  # notes
        assert transcripts.comparable(result.out) == transcripts.comparable(wanted), command


def test_what_is_left_out_is_named_and_shown_with_wide(gametree):
    result, wide = gametree("prune", "tictactoe"), gametree("prune", "tictactoe", "--wide")
    said = " ".join(result.out.partition("With --wide also: ")[2].partition("\n\n")[0].split()).split(", ")
    assert set(said) > {"cutoffs", "passes", "value"}
    [header] = [line for line in wide.out.splitlines() if line.startswith("algorithm")]
    assert all(re.search(rf" {name}( |$)", header) for name in said)
    assert "With --wide" not in wide.out


FORMAT = {name: option for name, command in COMMANDS.items() for option in command.params if "--format" in option.opts}


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


@pytest.mark.parametrize("name", FORMAT)
def test_every_command_that_has_a_format(gametree, tmp_path, name):
    assert FORMAT[name].help == "table, json, csv, markdown or latex." or name == "paths"
    (tmp_path / "games.csv").write_text("path\n041263578\n0123\n")
    (tmp_path / "größe.txt").write_text(TREE, encoding="utf-8")
    gametree("solve", "tictactoe", "--out", "s")
    for form in FORMS:
        for written in tmp_path.glob("*mine.py"):  # by `new`, which does not write twice
            written.unlink()
        done = gametree(*CALLS[name], "--format", form)
        assert done.code == 0, done
        assert "Try next" not in done.out
        assert done.out.count(r"\begin{tabular}") == done.out.count(r"\end{tabular}")
        assert tables(form, done.out) or name == "verify"
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
    keys = ["ply", "positions", "classes"]
    assert [row[:3] for row in map(_numbers, found[1:])] == [
        [row[by_ply[0].index(key)] for key in keys] for row in by_ply[1:]
    ]
    moves = gametree("show", "tictactoe", "0124", "--format", "json").json["moves"]
    found = tables(form, gametree("show", "tictactoe", "0124", "--format", form).out)[-1]
    assert [row[:4] for row in found[1:]] == [
        [move["name"], move["position"], f"{move['value']:+}" if move["value"] else "0", str(move["remoteness_plies"])]
        for move in moves
    ]


HOSTILE = ["|", "a|b", r"\input{x}", "<b>", "50% & $x_1$", "[1](y)", "*a*", "`", "a\nb", "{", "~^#", "- a", "1. b"]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("text", HOSTILE)
def test_no_text_is_markup(form, text):
    from analysis.cli.display.rendering import document

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
