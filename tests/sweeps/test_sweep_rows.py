"""The table of a sweep: types, files, comparisons, pictures."""

from __future__ import annotations

import pandas
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from analysis.errors import OptionError, StoreError
from analysis.sweeps import Difference, Sweep, compare_sweeps, plot_sweep, read_sweep
from analysis.sweeps.rows import COLUMNS, DETERMINED, as_table, column_names, read_rows, write_rows

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
