"""Damage to a solution directory that its checksums do not show."""

from __future__ import annotations

import hashlib
import json

import pyarrow as pa
import pyarrow.parquet as pq

from analysis.storage.parquet import parquet_options


def forge(directory, folder, ply, change):
    """Change a table of a tier and make its checksum fit."""
    path = directory / folder / f"tier-{ply:04d}-part-0000.parquet"
    table = change(pq.ParquetFile(path).read())
    pq.write_table(table, path, **parquet_options(table.schema))
    tier_file = directory / "tiers" / f"tier-{ply:04d}.json"
    tier = json.loads(tier_file.read_text())
    data = path.read_bytes()
    tier[folder][0] |= {"sha256": hashlib.sha256(data).hexdigest(), "bytes": len(data), "rows": len(table)}
    tier["rows"] = tier["positions"][0]["rows"]
    tier_file.write_text(json.dumps(tier))


def changed(column, row, new):
    def change(table):
        values = table[column].to_pylist()
        values[row] = new(values[row])
        index = table.column_names.index(column)
        return table.set_column(index, column, pa.array(values, type=table.schema.field(column).type))

    return change
