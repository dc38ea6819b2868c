"""Names of players and columns that spreadsheets, readers or terminals would act upon come out as they came in."""

from __future__ import annotations

import csv
import io
import json

import pyarrow.parquet as pq
import pytest

from analysis.machine.markup import csv_line, from_cell
from analysis.wording import whole
from tests.support.hostile import SPEC, TEXTS, write_hostile

NAMES = [whole(text) for text in TEXTS if text.strip()]
COLUMN = '=1+1,"<b>\x1b[31m\u202e\n%s'
DANGEROUS = tuple("=+-@\t\r")


def records(form: str) -> list[dict[str, str]]:
    """Choices of moves, or games."""
    if form == "choices":
        return [
            {"position": text, "code": str(code), "player": name, COLUMN: name}
            for code, (text, name) in enumerate(zip(TEXTS[1:], NAMES, strict=False))
            if text == whole(text)
        ]
    return [{"path": f"{n}-{n}", "x": name, "o": NAMES[-n], COLUMN: name} for n, name in enumerate(NAMES[:-1])]


def read_csv(text: str) -> list[dict[str, str]]:
    rows = [*csv.DictReader(io.StringIO(text, newline=""), strict=True)]
    assert not [cell for row in rows for cell in (*row, *row.values()) if dangerous(cell)]
    return [{from_cell(key): from_cell(cell) for key, cell in row.items()} for row in rows]


def dangerous(cell: str) -> bool:
    return cell[:1] in DANGEROUS and not cell[1:].isdecimal()


@pytest.fixture
def given(tmp_path):
    write_hostile(tmp_path)

    def write(what: str, form: str) -> str:
        rows = records(what)
        lines = [csv_line(rows[0]), *(csv_line(row.values()) for row in rows)]
        text = "".join(lines) if form == "csv" else "".join(json.dumps(row) + "\n" for row in rows)
        (tmp_path / f"{what}.{form}").write_text(text, encoding="utf-8", newline="")
        return f"{what}.{form}"

    return write


@pytest.mark.parametrize("what", ["choices", "games"])
@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_names_come_out_as_they_came_in(gametree, given, tmp_path, what, form):
    file, wanted = given(what, form), [row[COLUMN] for row in records(what)]
    found = gametree("audit", SPEC, file, "--format", "csv")
    assert (found.code, found.err) == (0, ""), found.err
    rows = read_csv(found.out)
    assert [row[COLUMN.lower()] for row in rows] == wanted
    assert [row["player" if what == "choices" else "x"] for row in rows] == [name.strip() for name in wanted]
    data = gametree("audit", SPEC, file, "--format", "json").json
    assert [row[COLUMN.lower()] for row in data["rows"]] == wanted
    table = gametree("audit", SPEC, file)
    assert table.code == 0
    assert not [char for char in table.out if char != "\n" and (char < " " or "\x7f" <= char <= "\x9f")]
    for suffix in ("csv", "jsonl", "parquet"):
        again = tmp_path / f"moves.{suffix}"
        assert gametree("audit", SPEC, file, "--out", again).code == 0
        moves = read_moves(again)
        assert {*wanted} == {row[COLUMN.lower()] for row in moves}
        assert {row["position"] for row in moves} <= {*map(whole, TEXTS)}
        if what == "choices":
            assert gametree("audit", SPEC, again, "--format", "json").json["moves"] == len(wanted)


def read_moves(path):
    if path.suffix == ".parquet":
        return pq.read_table(path).to_pylist()
    text = path.read_bytes().decode()
    return read_csv(text) if path.suffix == ".csv" else [json.loads(line) for line in text.split("\n")[:-1]]
