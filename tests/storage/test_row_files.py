"""Rows of Arrow tables in files: the same values from CSV, JSON lines and Parquet, whatever the texts hold."""

from __future__ import annotations

import csv
import io
import json
from decimal import Decimal

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from analysis.errors import StoreError
from analysis.storage.row_files import row_file, row_writer, text_column

SCHEMA = pa.schema({"name": pa.string(), "number": pa.int64(), "count": pa.decimal128(38, 0), "over": pa.bool_()})
PLAIN = [("007", 1, Decimal(10**30), True), ("", None, None, None), (None, -5, Decimal(0), False)]
ODD = [('say "1,2"', 1, None, True), ("two\nlines", 2, None, False), ("snowman \u2603", 3, None, True)]


def table(rows):
    return pa.Table.from_pylist([dict(zip(SCHEMA.names, row, strict=True)) for row in rows], schema=SCHEMA)


def written(form, rows, **options):
    file = io.BytesIO()
    with row_writer(file, SCHEMA, form, **options) as write:
        for low in range(0, len(rows), 2):
            write(table(rows[low : low + 2]))
    return file.getvalue().decode()


def test_csv_has_quotation_marks_where_they_are_needed():
    assert written("csv", PLAIN) == f"name,number,count,over\n007,1,{10**30},true\n,,,\n,-5,0,false\n"
    assert written("csv", PLAIN, quoted=True).splitlines()[1:] == [f'"007",1,{10**30},true', '"",,,', ",-5,0,false"]
    rows = list(csv.DictReader(io.StringIO(written("csv", ODD), newline="")))
    assert [(row["name"], int(row["number"])) for row in rows] == [row[:2] for row in ODD]
    assert written("csv", []) == "name,number,count,over\n"


def test_json_lines_are_what_json_dumps_makes():
    for rows in (PLAIN, ODD):
        plain = [(name, number, count if count is None else int(count), over) for name, number, count, over in rows]
        lines = [json.dumps(dict(zip(SCHEMA.names, row, strict=True))) for row in plain]
        assert written("jsonl", rows).splitlines() == lines
    assert written("jsonl", []) == ""


def test_parquet_keeps_rows_for_a_group(tmp_path):
    with row_file(tmp_path / "a.PARQUET", SCHEMA) as write:
        for _ in range(5):
            write(table(PLAIN))
    file = pq.ParquetFile(tmp_path / "a.PARQUET")
    assert (file.metadata.num_rows, file.metadata.num_row_groups) == (15, 1)
    assert file.read().equals(pa.concat_tables([table(PLAIN)] * 5))
    with row_file(tmp_path / "none.parquet", SCHEMA):
        pass
    assert pq.read_table(tmp_path / "none.parquet").equals(SCHEMA.empty_table())


@pytest.mark.parametrize("suffix", [".csv", ".jsonl", ".parquet"])
def test_complete_or_absent(suffix, tmp_path):
    def fail():
        with row_file(tmp_path / f"a{suffix}", SCHEMA) as write:
            write(table(PLAIN))
            raise StoreError("no more")

    with pytest.raises(StoreError, match="no more"):
        fail()
    assert list(tmp_path.iterdir()) == []


def test_half_a_surrogate_pair():
    assert text_column([]).type == pa.string()
    assert text_column(["a\ud800b", None, "\U0001f600"]).to_pylist() == ["a\ufffdb", None, "\U0001f600"]
