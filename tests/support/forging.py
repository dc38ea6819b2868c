"""Damage to a solution directory that its checksums do not show."""

import hashlib
import json

import pyarrow as pa
import pyarrow.parquet as pq

from analysis.common.files import write_sealed_json
from analysis.games.families import load_game
from analysis.rules.symmetry import permute
from analysis.solution.storage.parquet import describe, parquet_options


def forge(directory, folder, ply, change):
    """Change a table of a tier and make all checksums fit."""
    path = directory / folder / f"tier-{ply:04d}-part-0000.parquet"
    table = change(pq.ParquetFile(path).read())
    pq.write_table(table, path, **parquet_options(table.schema))
    tier = tier_of(directory, ply)
    tier[folder][0] = describe(path)
    tier["rows"] = tier["positions"][0]["rows"]
    forge_tier(directory, ply, tier)


def split(directory, ply, rows, group):
    """Write the positions of a tier again, so many rows in a file and so many in a row group."""
    folder, tier = directory / "positions", tier_of(directory, ply)
    table = pa.concat_tables([pq.ParquetFile(folder / part["file"]).read() for part in tier["positions"]])
    tier["positions"] = []
    for number, begin in enumerate(range(0, len(table), rows)):
        path = folder / f"tier-{ply:04d}-part-{number:04d}.parquet"
        pq.write_table(table.slice(begin, rows), path, **parquet_options(table.schema) | {"row_group_size": group})
        tier["positions"].append(describe(path))
    forge_tier(directory, ply, tier)


def tier_of(directory, number):
    """What is recorded of a tier."""
    return json.loads((directory / "tiers" / f"tier-{number:04d}.json").read_text())


def forge_tier(directory, number, tier):
    """Write what is recorded of a tier, and the manifest with its new checksum."""
    (directory / "tiers" / f"tier-{number:04d}.json").write_text(json.dumps(tier))
    forge_manifest(directory, manifest_of(directory))


def manifest_of(directory):
    """The manifest, without its checksum."""
    manifest = json.loads((directory / "manifest.json").read_text())
    del manifest["sha256"]
    return manifest


def forge_manifest(directory, manifest, *, tiers=True):
    """Write a manifest whose checksums fit, also those of the tiers if it has them."""
    if tiers and isinstance(manifest.get("tiers"), dict):
        files = {name: directory / "tiers" / name for name in manifest["tiers"]}
        sums = {name: hashlib.sha256(path.read_bytes()).hexdigest() for name, path in files.items() if path.exists()}
        manifest = {**manifest, "tiers": {**manifest["tiers"], **sums}}
    (directory / "manifest.json").unlink()  # nothing is written beside it
    write_sealed_json(directory / "manifest.json", manifest)


def replaced(table, column, values):
    """The table with other values in a column, of which only a null changes what the column may hold."""
    index = table.column_names.index(column)
    field = table.schema.field(index)
    field = field.with_nullable(field.nullable or None in values)
    return table.set_column(index, field, pa.array(values, type=field.type))


def changed(column, row, new):
    def change(table):
        values = table[column].to_pylist()
        values[row] = new(values[row])
        return replaced(table, column, values)

    return change


def add_stranger(directory, **columns):
    """Add a position of tic-tac-toe that no move leads to, otherwise like the first of its tier but for ``columns``."""
    rules = load_game("tictactoe").rules()
    state = min(permute(0b000111100_111000011, p, 2) for p in rules.symmetries)

    def with_stranger(table):
        row = table.slice(0, 1)
        for name, value in {"state": state, **columns}.items():
            row = changed(name, 0, lambda _, value=value: value)(row)
        return pa.concat_tables([table, row]).sort_by("state")

    forge(directory, "positions", 9, with_stranger)
