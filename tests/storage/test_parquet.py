"""Damage to Parquet files, to every bit of them: what is read is what was written, or refused."""

import io

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import analysis
from analysis.errors import StoreError
from analysis.machine.files import as_store_error
from analysis.storage.parquet import PartFile, describe, open_parquet, parquet_writer, write_table
from analysis.storage.row_files import row_file

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
            assert open_parquet(io.BytesIO(damaged)).read().to_pydict() == table.to_pydict()
        except (OSError, pa.ArrowException):
            continue


def test_files_of_others_are_read_too():
    table = pa.table({"path": ["0124"]})
    pq.write_table(table, sink := io.BytesIO())
    assert open_parquet(sink).read().to_pydict() == table.to_pydict()
    for nothing in (b"", b"PAR1", b"PAR1\0\0\0\0PAR1", b"x" * 1000):
        with pytest.raises((OSError, pa.ArrowException)):
            open_parquet(io.BytesIO(nothing)).read()


def test_many_row_groups_and_none(tmp_path):
    table = pa.table({"n": [*range(1000)]})
    for pieces in (0, 1, 7):
        with (tmp_path / "a").open("wb") as file, parquet_writer(file, table.schema) as writer:
            for _ in range(pieces):
                writer.write_table(table)
        with (tmp_path / "a").open("rb") as file:
            read = open_parquet(file)
            assert (read.num_row_groups, read.read().num_rows) == (pieces, 1000 * pieces)
