"""The table of a sweep: types, files, comparisons, pictures; `gametree sweep` and `gametree cite`."""

import csv
import hashlib
import io
import json
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pandas
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml

import analysis
from analysis.errors import OptionError, StoreError
from analysis.machine.markup import as_tex
from analysis.machine.version import __version__
from analysis.solution.conversions import checksum
from analysis.sweeps import Difference, Sweep, compare_sweeps, plot_sweep, read_sweep
from analysis.sweeps.citing import AUTHORS, YEAR
from analysis.sweeps.rows import COLUMNS, DETERMINED, as_table, column_names, read_rows, write_rows
from tests.support.program import ROOT, one_line
from tests.support.solved_kinds import USER

LARGE = 10**38 - 1


def row(game="mnk:rows=3,cols=3,k=3", **cells):
    known = {"game": game, "symmetry": "geometric", "status": "solved", "value": 0, "positions": 1, "loopy": False}
    return dict.fromkeys(COLUMNS) | known | cells


ROWS = [
    row(rows=3, misere=True, games_total=LARGE, seconds=0.125, moves=2**53 + 1, checksum="ab"),
    row("nim:heaps=3,take=any", heaps="3", take="any", games_total=1, histories=2**64 - 1),
    row("=cmd.py:A:value=-1", value_parameter=-1, why='=1+1, "two"\nlines', status="failed"),
]


@pytest.mark.parametrize("name", ["s.csv", "s.parquet"])
def test_what_is_written_is_read(tmp_path, name):
    write_rows(tmp_path / name, ROWS)
    found = read_rows(tmp_path / name)
    assert found == ROWS
    assert column_names(found)[:7] == ["game", "symmetry", "rows", "misere", "heaps", "take", "value_parameter"]
    assert read_sweep(tmp_path / name).columns == column_names(ROWS)


def test_types(tmp_path):
    write_rows(tmp_path / "s.parquet", ROWS)
    types = dict(
        zip(*(lambda schema: (schema.names, schema.types))(pq.read_schema(tmp_path / "s.parquet")), strict=True)
    )
    assert types["games_total"] == pa.decimal128(38, 0)
    assert types["histories"] == pa.uint64()
    assert (types["rows"], types["misere"], types["heaps"]) == (pa.int64(), pa.bool_(), pa.string())
    assert (types["seconds"], types["positions"]) == (pa.float64(), pa.int64())
    frame = Sweep(ROWS).to_pandas()
    assert frame["games_total"].tolist()[:2] == [LARGE, 1]
    assert (str(frame["rows"].dtype), frame["moves"][0]) == ("Int64", 2**53 + 1)


def test_a_parameter_of_two_types_is_text():
    assert as_table([row(take=3), row(take="any"), row()])["take"].to_pylist() == ["3", "any", None]


def test_spreadsheets_run_nothing(tmp_path):
    write_rows(tmp_path / "s.csv", ROWS)
    text = (tmp_path / "s.csv").read_text()
    assert "'=cmd.py" in text
    assert "'=1+1" in text
    assert str(LARGE) in text
    assert pandas.read_csv(tmp_path / "s.csv")["game"].tolist()[0] == ROWS[0]["game"]


@pytest.mark.parametrize(
    "text",
    [
        "a,b\n",
        "a,b\n1,2\n",
        "game,symmetry,status\nhex:n=1,geometric,solvd\n",
        "game,symmetry,status,value\nhex:n=1,geometric,solved,x\n",
        "game,symmetry,status,nosuch\nhex:n=1,geometric,solved,x\n",
        "game,symmetry,status,loopy\nhex:n=1,geometric,solved,perhaps\n",
        "game,symmetry,status\nhex:n=1,geometric\n",
        "game,symmetry,status\nhex:n=1,geometric,solved,1,2\n",
        f"game,symmetry,status,games_x\nhex:n=1,geometric,solved,{10**38}\n",
        '"game\n',
        "\x00\xff",
    ],
)
def test_files_that_hold_no_sweep(tmp_path, text):
    for name in ("s.csv", "s.parquet"):
        (tmp_path / name).write_text(text, encoding="latin-1")
        with pytest.raises(StoreError, match=name):
            read_rows(tmp_path / name)
    with pytest.raises(StoreError):
        read_rows(tmp_path / "missing.csv")


def test_comparisons():
    then, now = [dict(each) for each in ROWS], [dict(each) for each in ROWS]
    assert compare_sweeps(then, now).differences == ()
    assert (compare_sweeps(then, now).compared, compare_sweeps(then, now).undecided) == (2, 1)
    now[0] |= {"seconds": 9.0, "version": "2", "rules_hash": "x", "limit_seconds": 1.0, "why": "?"}
    assert compare_sweeps(then, now).differences == ()
    for name in DETERMINED:
        planted = [then[0] | {name: "other"}]
        (found,) = compare_sweeps(planted, now).differences
        assert found == Difference(now[0]["game"], "geometric", name, "other", now[0][name])
    refused = compare_sweeps([then[1] | {"status": "refused"}], now).differences
    assert [(each.column, each.then, each.now) for each in refused] == [("status", "refused", "solved")]
    lacking = {name: value for name, value in then[0].items() if name != "moves"}
    assert compare_sweeps([lacking], [now[0] | {"moves": 7}]).differences == ()
    for others in ([row("hex:n=1")], [then[0] | {"symmetry": "full"}], []):
        with pytest.raises(OptionError):
            compare_sweeps(others, now)


def numbers(x, y, game="hex:n=1"):
    return [row(game, canonical=a, positions=b) for a, b in zip(x, y, strict=True)]


@pytest.mark.parametrize(
    ("y", "scale"),
    [
        ((1, 50, 100), "linear"),
        ((1, 50, 101), "log"),
        ((0, 1, 500), "symlog"),
        ((-3, 0, 3), "linear"),
        ((5,) * 3, "linear"),
    ],
)
def test_scales(y, scale):
    figure = plot_sweep(numbers((1, 2, 3), y), "canonical", "positions")
    assert figure.axes[0].get_yscale() == scale
    (line,) = figure.axes[0].get_lines()
    assert (tuple(line.get_ydata()), line.get_linestyle()) == (y, "-")
    figure.draw_without_rendering()


def test_families_are_told_apart_without_colour():
    games = [each for k in range(17) for each in numbers((1, 1, 2), (k, 2, 3), f"family{k}:n=1")]
    lines = plot_sweep(games, "canonical", "positions").axes[0].get_lines()
    assert len({(line.get_marker(), line.get_color()) for line in lines}) == 17
    assert {line.get_linestyle() for line in lines} == {"None"}  # two numbers at one place


@pytest.mark.parametrize(
    "columns", [("game", "positions"), ("nosuch", "positions"), ("moves", "positions"), ("loopy", "value")]
)
def test_what_cannot_be_drawn(columns):
    with pytest.raises(OptionError):
        plot_sweep(numbers((1, 2), (3, 4)), *columns)


PATTERN = "hexapawn:2..3,2"


@pytest.fixture
def made(tmp_path):
    """A file with rows that nobody had to solve."""
    rows = analysis.sweeps.sweep(["hexapawn:2,2"]).rows
    row = rows[0] | {"status": "solved", "why": None, "symmetry": "geometric", "value": -1, "games_total": 10**30}
    write_rows(tmp_path / "made.csv", [row | {"game": f"a_{n}&|<b>", "n": n, "positions": 10**n} for n in range(3)])
    return "made.csv"


def test_formats(gametree, tmp_path):
    done = gametree("sweep", PATTERN, "--out", "s.parquet", "--format", "json")
    assert done.code == 0
    assert "1 solved, 1 refused" in done.err or "1 refused, 1 solved" in done.err
    rows = read_sweep(tmp_path / "s.parquet").rows
    assert done.json == rows
    found = gametree("sweep", "--out", "s.parquet", "--format", "csv").rows
    for line, row in zip(found, rows, strict=True):
        spelt = {
            name: str(row.get(name)).lower() if isinstance(row.get(name), bool) else row.get(name) for name in line
        }
        assert line == {name: "" if value is None else str(value) for name, value in spelt.items()}
    table = gametree("sweep", "--out", "s.parquet").out
    assert "hexapawn:rows=2,cols=2: refused: rows=2" in table
    chosen = gametree("sweep", "--out", "s.parquet", "--columns", "game,positions", "--format", "csv")
    assert chosen.out.splitlines() == ["game,positions", '"hexapawn:rows=2,cols=2",', '"hexapawn:rows=3,cols=2",14']


def test_markdown(gametree, made):
    lines = gametree("sweep", "--out", made, "--format", "markdown", "--columns", "game,games_total").out.splitlines()
    assert lines[1] == "| --- | ---: |"
    assert lines[2] == rf"| a\_0&amp;\|&lt;b&gt; | {10**30:,} |"
    assert len(lines) == 5


def test_latex(gametree, made, tmp_path):
    text = gametree("sweep", "--out", made, "--format", "latex", "--columns", "game,games_total").out
    assert rf"a\_0\&\textbar{{}}\textless{{}}b\textgreater{{}} & {10**30:,} \\" in text
    assert text.startswith("\\begin{tabular}{lr}\n")
    wide = gametree("sweep", "--out", made, "--format", "latex", "--wide").out
    assert all(line.count("&") - line.count(r"\&") == 37 for line in wide.splitlines() if line.endswith(r"\\"))
    if (latex := shutil.which("pdflatex")) is not None:
        page = "\\documentclass{article}\\begin{document}\n" + text + "\\end{document}\n"
        (tmp_path / "page.tex").write_text(page)
        subprocess.run([latex, "-halt-on-error", "page.tex"], cwd=tmp_path, check=True, capture_output=True)


@pytest.mark.parametrize("text", ["{", "}", "a}{b", r"\input{x}", "%", "# $x^2$ ~ _", "--", "[1] *", "a\nb"])
def test_no_text_is_a_command_of_tex(text):
    found = as_tex(text)
    assert "\n" not in found
    depth = 0
    for sign in found:
        depth += (sign == "{") - (sign == "}")
        assert depth >= 0
    assert depth == 0
    commands = set(re.findall(r"\\[a-z]+", found))
    assert not {name for name in commands if not name.startswith("\\text")}
    assert not re.search(r"(?<!\\)[#$%&_^~]", found)


def test_check(gametree, made, tmp_path):
    same = gametree("sweep", "--out", made, "--check", made, "--format", "json")
    assert (same.code, same.json) == (0, {"compared": 3, "undecided": 0, "differences": []})
    rows = read_sweep(tmp_path / made).rows
    write_rows(tmp_path / "then.parquet", [rows[0] | {"positions": 7}, *rows[1:]])
    other = gametree("sweep", "--out", made, "--check", "then.parquet", "--format", "csv")
    assert other.code == 1
    assert list(csv.reader(io.StringIO(other.out))) == [
        ["game", "symmetry", "column", "then", "now"], [rows[0]["game"], "geometric", "positions", "7", "1"],
    ]  # fmt: skip
    assert gametree("sweep", "--out", made, "--check", "then.parquet").code == 1
    one_line(gametree("sweep", "--out", made, "--check", "missing.csv"), 2, "missing.csv")


def test_plot(gametree, made, tmp_path):
    for form in ("svg", "png", "pdf"):
        done = gametree("sweep", "--out", made, "--plot", f"p.{form}", "--x", "n", "--y", "positions")
        assert (done.code, done.out) == (0, "")
        assert f"p.{form} " in done.err
        assert (tmp_path / f"p.{form}").stat().st_size > 1000
    assert "positions" in (tmp_path / "p.svg").read_text()


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        ([], 2, "PATTERN"),
        (["nosuch:1..2"], 2, "nosuch"),
        (["mnk:rows=4..1"], 2, "1..4"),
        (["bidding:game=tictactoe,chips=1..2"], 2, "bidding"),
        (["hex:1", "--format", "xml"], 2, "xml"),
        (["hex:1", "--columns", "game,nosuch"], 2, "nosuch"),
        (["hex:1", "--symmetry", "sideways"], 2, "sideways"),
        (["hex:1", "--memory", "much"], 2, "4GB"),
        (["hex:1", "--game-seconds", "0"], 2, "seconds"),
        (["hex:1", "--out", "s.txt"], 2, ".parquet"),
        (["hex:1", "--x", "n"], 2, "--plot"),
        (["hex:1", "--plot", "p.svg", "--x", "n"], 2, "--y"),
        (["hex:1", "--plot", "p.bmp", "--x", "n", "--y", "value"], 2, "bmp"),
        (["hex:1", "--plot", "p.svg", "--x", "n", "--y", "nosuch"], 2, "nosuch"),
        (["--out", "missing.parquet"], 2, "missing.parquet"),
    ],
)
def test_refusals(gametree, arguments, code, words):
    result = gametree("sweep", *arguments)
    assert result.code == code, result
    assert words in result.err or words == "PATTERN"
    assert result.err.count("\n") == 1
    assert result.out == ""


def test_progress(gametree):
    told = gametree("sweep", "hex:1..2", "--workers", "1", "--progress", "json").err.splitlines()
    lines = [json.loads(line) for line in told if line.startswith("{")]
    assert lines[0]["stage"] == "solving"
    assert lines[0]["on"].startswith("hex:n=")
    assert (lines[-1]["done"], lines[-1]["total"]) == (2, 2)


@pytest.mark.parametrize("name", ["tictactoe", "dodgem", "dots_and_boxes:1,2"])
def test_cite(gametree, name):
    solution = analysis.solve(name)
    found = gametree("cite", name, "--format", "json").json
    numbers = solution.statistics()
    for key in ("value", "remoteness_plies", "positions", "canonical", "moves", "histories", "optimal_paths"):
        assert found[key] == numbers[key]
    wanted = (solution.game.rules_hash(), checksum(solution), __version__, solution.symmetry)
    assert (found["rules_hash"], found["checksum"], found["version"], found["symmetry"]) == wanted
    for text in (found["rules_hash"], found["checksum"], __version__, f"{numbers['positions']:,}", solution.game.spec):
        assert text in found["sentence"]
    entry = gametree("cite", name, "--format", "bibtex").out
    assert entry == found["bibtex"]
    assert re.match(r"@misc\{[a-z0-9-]+,\n  author = \{\{the gametree developers\}\},\n", entry)
    assert entry.count("{") == entry.count("}")
    assert gametree("cite", name).out == f"{entry}\n{found['sentence']}\n"
    gametree("solve", name, "--out", "stored")
    assert gametree("cite", "stored", "--format", "json").json == found
    assert gametree("cite", name, "--symmetry", "none", "--format", "json").json["symmetry"] == "none"
    assert cited_again(gametree, found) == found


def cited_again(gametree, found):
    """What the commands in a citation cite."""
    assert found["command"] in found["sentence"]
    *before, last = (shlex.split(each)[1:] for each in found["command"].split(" && "))
    assert all(gametree(*each).code == 0 for each in before)
    return gametree(*last, "--format", "json").json


def test_the_command_has_all_options(gametree):
    gametree("solve", "nim:3-4", "--symmetry", "none", "--no-counts", "--out", "s")
    found = gametree("cite", "s", "--format", "json").json
    assert (found["symmetry"], found["games"]) == ("none", None)
    assert cited_again(gametree, found) == found


def test_cite_residual_classes(gametree):
    found = gametree("cite", "tictactoe", "--symmetry", "residual", "--format", "json").json
    assert (found["positions"], found["moves"], found["canonical"], found["games"]) == (None, None, 370, 255168)
    assert "370 classes" in found["sentence"]
    assert "None" not in found["sentence"]


def test_cite_from_a_position_and_what_cannot_be_cited(gametree):
    found = gametree("cite", "tictactoe", "--from", "0124", "--format", "json").json
    assert (found["positions"], found["start"]) == (79, "XOX?O????")
    assert "from XOX?O????" in found["sentence"]
    assert cited_again(gametree, found) == found
    one_line(gametree("cite", "tictactoe", "--format", "ris"), 2, "ris")
    one_line(gametree("cite", "sum:cram:2,3", "--from", "......"), 2, "start")
    one_line(gametree("cite", "sum:cram:2,3", "--author", "Ada"), 2, "sum:cram")
    one_line(gametree("cite", "nosuch"), 2, "nosuch")


@pytest.mark.parametrize(
    "name", ["sum:cram:3,6", "bidding:game=tictactoe,chips=1", "bidding:tictactoe,chips=1,ties=coin"]
)
def test_cite_what_is_not_played_by_turns(gametree, name):
    solution = analysis.solve(name, directory="stored")
    found, numbers = gametree("cite", name, "--format", "json").json, solution.statistics()
    for key in ("nimber", "value", "value_exact"):
        assert found[key] == numbers.get(key)
    assert (found["rules_hash"], found["version"]) == (solution.game.rules_hash(), __version__)
    result = numbers["nimber"] if "nimber" in numbers else numbers["value_exact"]
    for text in (found["rules_hash"], __version__, solution.game.spec, f"{result};"):
        assert text in found["sentence"]
    assert "None" not in found["sentence"]
    assert gametree("cite", "stored", "--format", "bibtex").out == found["bibtex"]


def test_a_game_of_ones_own_is_cited_with_its_file(gametree, tmp_path):
    Path("count.py").write_text(USER)
    digest = hashlib.sha256(USER.encode()).hexdigest()
    found = gametree("cite", "count.py:Count", "--format", "json")
    assert (found.json["file"], found.json["file_hash"], found.json["author"]) == ("count.py", digest, None)
    assert digest in found.json["sentence"]
    assert "AUTHOR" in found.json["sentence"]
    assert {"--author", "--address"} <= {*found.err.split()}
    Path("tree.json").write_text("[1, [0, -1], 2]")
    for name in ("count.py:Count", "tree.json"):
        cited = gametree("cite", name, "--format", "json").json
        assert shlex.split(cited["command"])[-2] == "--game"
        assert cited_again(gametree, cited) == cited
    assert "6 positions in 6 classes, 5 moves, 4 games, 6 histories, 1 optimal path;" in cited["sentence"]
    told = gametree("cite", "count.py:Count", "--author", "Ada & Co", "--address", "https://example.org")
    assert told.err == ""
    assert "by Ada & Co, from https://example.org" in told.out
    assert r"Ada \& Co" in told.out
    one_line(gametree("cite", "tictactoe", "--author", "Ada"), 2, "tictactoe")
    assert gametree("cite", "tictactoe", "--format", "json").json["file"] is None


def test_citation_file():
    found = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert {"cff-version", "message", "title", "authors"} <= set(found)
    assert set(found) <= {
        "cff-version", "message", "type", "title", "abstract", "version", "license", "keywords", "authors",
    }  # fmt: skip
    assert (found["cff-version"], found["type"]) == ("1.2.0", "software")
    assert str(found["version"]) == __version__
    assert found["authors"] == [{"name": AUTHORS}]
    licence = (ROOT / "LICENSE").read_text()
    assert found["license"] in licence
    assert f"Copyright (c) {YEAR} {AUTHORS}" in licence
    assert len(set(found["keywords"])) == len(found["keywords"])
    assert all(isinstance(word, str) for word in found["keywords"])


def test_a_table_that_somebody_else_made(gametree, tmp_path):
    (tmp_path / "mine.py").write_text("raise SystemExit('run')")
    (tmp_path / "theirs.csv").write_text('game,value,positions\n"mnk:2,2,2",1,17\nhex:2,1,31\nmine.py,0,5\n')
    result = gametree("sweep", "mnk:2,2,2", "hex:1..2", "--check", "theirs.csv", "--format", "json")
    assert result.code == 1
    assert result.json["compared"] == 2
    assert [(each["game"], each["column"], each["then"], each["now"]) for each in result.json["differences"]] == [
        ("mnk:rows=2,cols=2,k=2", "positions", 17, analysis.solve("mnk:2,2,2").position_count),
        ("hex:n=2", "positions", 31, 32),
    ]
    (tmp_path / "wrong.csv").write_text("game,value\nhex:m=2,1\n")
    one_line(gametree("sweep", "hex:1", "--check", "wrong.csv"), 1, "wrong.csv", "hex")
