"""Files of rows: the same values from every format, every bit of damage noticed, small files of much refused."""

import csv
import io
import json
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import analysis
from analysis.common.files import as_store_error
from analysis.engine.columns import text_column
from analysis.errors import NoRoomError, StoreError
from analysis.solution.storage.parquet import (
    LARGEST_GROUP,
    PartFile,
    describe,
    read_parquet,
    write_table,
)
from analysis.solution.storage.row_files import row_file, row_writer

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


EVERY = [pytest.param(3, marks=pytest.mark.slow), 37]


def flipped(data, step):
    for place in range(0, 8 * len(data), step):
        damaged = bytearray(data)
        damaged[place // 8] ^= 1 << place % 8
        yield bytes(damaged)


def whole(path, part):
    return PartFile(path, part).read()


def piecewise(path, part):
    return pa.concat_tables(PartFile(path, part).batches(50))


def by_group(path, part):
    file = PartFile(path, part)
    return pa.concat_tables(
        file.read_group(number, file.schema.names) for number in range(file.metadata.num_row_groups)
    )


@pytest.mark.parametrize("read", [whole, piecewise, by_group])
@pytest.mark.parametrize("step", EVERY)
def test_every_bit_of_a_part(tmp_path, step, read):
    table = analysis.solve("mnk:rows=3,cols=3,k=3").tiers[3].table()
    path = tmp_path / "part.parquet"
    part = write_table(path, table)
    assert part == describe(path)
    assert read(path, part).equals(table)
    refused = 0
    for data in flipped(path.read_bytes(), step):
        path.write_bytes(data)
        try:
            with as_store_error(path):
                assert read(path, part).equals(table)
        except StoreError:
            refused += 1
    assert refused > 8 * part["bytes"] // step * 0.8


@pytest.mark.parametrize("step", EVERY)
def test_every_bit_of_a_file_that_stands_alone(tmp_path, step):
    table = pa.table({"path": ["0124", "0125", None] * 20, "plies": [*range(60)], "share": [0.25] * 60})
    with row_file(tmp_path / "a.parquet", table.schema) as write:
        write(table)
    data = (tmp_path / "a.parquet").read_bytes()
    assert pq.read_table(io.BytesIO(data)).equals(table)
    for damaged in flipped(data, step):
        try:
            assert read_parquet(io.BytesIO(damaged), "a").to_pydict() == table.to_pydict()
        except (OSError, pa.ArrowException):
            continue


def test_files_of_others_are_read_too():
    table = pa.table({"path": ["0124"]})
    pq.write_table(table, sink := io.BytesIO())
    assert read_parquet(sink, "a").to_pydict() == table.to_pydict()
    for nothing in (b"", b"PAR1", b"PAR1\0\0\0\0PAR1", b"x" * 1000):
        with pytest.raises((OSError, pa.ArrowException)):
            read_parquet(io.BytesIO(nothing), "a")


def test_one_row_of_a_long_list(tmp_path):
    values = pa.array(np.zeros(60_000_000, np.int8))
    table = pa.table({"path": pa.ListArray.from_arrays(pa.array([0, 60_000_000], pa.int32()), values)})
    pq.write_table(table, tmp_path / "list.parquet")
    assert (tmp_path / "list.parquet").stat().st_size < 1 << 20
    raises = pytest.raises(NoRoomError, match=r"list\.parquet")
    with analysis.running(memory="300MB"), (tmp_path / "list.parquet").open("rb") as file, raises:
        read_parquet(file, "list.parquet")


def test_a_forged_table_of_a_solution(tmp_path):
    path = tmp_path / "tier-0000-part-0000.parquet"
    pq.write_table(pa.table({"state": pa.array(np.zeros(LARGEST_GROUP + 1, np.int64))}), path, row_group_size=1 << 21)
    with pytest.raises(StoreError, match="a row group has"):
        PartFile(path, describe(path))
