"""The table of a sweep: its columns and types, and its files, Parquet or CSV."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa

from analysis.engine.columns import DECIMAL, GREATEST, ONE_LIMB
from analysis.errors import InputError, StoreError
from analysis.games.families import FAMILIES, find_family, load_game
from analysis.machine.arguments import INT64
from analysis.machine.files import as_store_error, open_regular, reading, reason
from analysis.machine.markup import from_cell
from analysis.machine.memory import Budget
from analysis.rules.game import spell
from analysis.solution.storage.parquet import SMALL, open_parquet, rows_of
from analysis.solution.storage.row_files import row_file, text_column
from analysis.wording import listed

Row = dict[str, Any]
"""The facts about a game by column; parameters that it does not have are left out."""

SUFFIXES = (".parquet", ".csv")

ROW_BYTES, CELL_BYTES = 300, 100
"""Memory for each row of a table, and for each of its columns."""

TEXT, TRUTH, REAL, WHOLE, UNSIGNED = pa.string(), pa.bool_(), pa.float64(), pa.int64(), pa.uint64()
COUNT = "count"
"""The type of a column of counts: uint64, or decimal128(38, 0) if one of them does not fit."""

COLUMNS: dict[str, Any] = {
    **dict.fromkeys(("game", "symmetry", "status", "why"), TEXT),
    **dict.fromkeys(("value", "remoteness_plies", "nimber", "positions", "canonical", "symmetry_order"), WHOLE),
    **dict.fromkeys(("terminal_x", "terminal_o", "terminal_tie", "moves"), WHOLE),
    **dict.fromkeys(("games_x", "games_o", "games_tie", "games_total"), COUNT),
    **dict.fromkeys(("histories", "optimal_paths", "quotient_paths", "games_up_to_symmetry"), COUNT),
    "loopy": TRUTH,
    **dict.fromkeys(("games_x_share", "random_x", "random_o", "random_tie", "blunder_start", "seconds"), REAL),
    "peak_memory_bytes": WHOLE,
    **dict.fromkeys(("version", "rules_hash", "checksum"), TEXT),
    **dict.fromkeys(("limit_positions", "limit_memory_bytes"), WHOLE),
    "limit_seconds": REAL,
}
"""All columns except parameters, which follow the symmetry."""

DETERMINED = (*list(COLUMNS)[4:23], "checksum")
"""Columns that the rules and the symmetry determine: value to loopy, and the checksum."""

SOLVED, REFUSED, FAILED = "solved", "refused", "failed"
"""Statuses: solved; not a game, or not solvable whatever the limits; its process failed."""
LIMITS = {
    "too_many_positions": "limit_positions",
    "too_little_memory": "limit_memory_bytes",
    "too_long": "limit_seconds",
}
"""The other statuses, with the column of the limit that was hit."""
STATUSES = (SOLVED, REFUSED, FAILED, *LIMITS)


def parameter_column(name: str) -> str:
    """Return the column of a parameter.

    >>> parameter_column("rows"), parameter_column("moves")
    ('rows', 'moves_parameter')
    """
    return f"{name}_parameter" if name in COLUMNS else name


def column_names(rows: Iterable[Row]) -> list[str]:
    """Return the columns of a table of these rows: all of `COLUMNS`, and parameters in the order of the rows."""
    parameters = dict.fromkeys(name for row in rows for name in row if name not in COLUMNS)
    game, symmetry, *names = COLUMNS
    return [game, symmetry, *parameters, *names]


def as_table(rows: Sequence[Row]) -> pa.Table:
    """Convert the rows to a table. A column of parameters holds integers or booleans if all are, else texts."""
    return pa.table({name: _column(name, [row.get(name) for row in rows]) for name in column_names(rows)})


def _column(name: str, values: list[Any]) -> pa.Array:
    kind, present = COLUMNS.get(name), [value for value in values if value is not None]
    if kind is None:
        truths = {isinstance(value, bool) for value in present}
        whole = truths == {False} and all(isinstance(value, int) and value in INT64 for value in present)
        kind = TRUTH if truths == {True} else WHOLE if whole else TEXT
    if kind == COUNT and all(value < ONE_LIMB for value in present):
        kind = UNSIGNED
    if kind == COUNT:
        return pa.array([None if value is None else Decimal(value) for value in values], DECIMAL)
    if kind == TEXT:
        return text_column([None if value is None else spell(value) for value in values])
    return pa.array(values, kind)


# Files ----------------------------------------------------------------------------------------------------------------


def write_rows(path: Path, rows: Sequence[Row]) -> None:
    """Write a Parquet or CSV file, as its name says, completely or not at all. Raises `StoreError`."""
    table = as_table(rows)
    with row_file(path, table.schema) as write:
        write(table)


KEYS = ("game", "symmetry", "status")
"""Columns that every sweep has."""


def read_rows(path: Path) -> list[Row]:
    """Read a sweep's rows; game, symmetry and status are required, but for a CSV file that has neither of the latter:
    in a table that somebody else made the games are solved, with geometric symmetries. Raises `StoreError`, and
    `InputError` for a file that cannot be opened.
    """
    names, found = _read_csv(path) if path.suffix.lower() == ".csv" else _read_parquet(path)
    if missing := [name for name in KEYS if name not in names]:
        raise StoreError(f"{path} is not a sweep: it has no column {listed(missing)}")
    for number, row in enumerate(found):
        if not isinstance(row["game"], str) or row["status"] not in STATUSES:
            raise StoreError(f"{path} is not a sweep: row {number + 1} has no valid game and status")
        plain = {name: int(value) if isinstance(value, Decimal) else value for name, value in row.items()}
        found[number] = {name: value for name, value in plain.items() if value is not None or name in COLUMNS}
    return found


def _read_parquet(path: Path) -> tuple[Sequence[str], list[Row]]:
    """Return the columns and the rows, counts as decimals."""
    with reading(path, InputError):
        file = open_regular(path)
    with file, as_store_error(path):
        table, found = open_parquet(file), list[Row]()
        names = table.schema_arrow.names
        if not {*KEYS} <= {*names}:
            return names, []
        needed = table.metadata.num_rows * (ROW_BYTES + CELL_BYTES * len(names))
        if needed > SMALL:
            Budget.of_machine().require(needed, f"reading {path}", "a sweep of fewer games")
        for values in rows_of(table, str(path)):
            found += (dict(zip(names, row, strict=True)) for row in zip(*values, strict=True))
    return names, found


def _read_csv(path: Path) -> tuple[Sequence[str], list[Row]]:
    try:
        with path.open(newline="", encoding="utf-8") as file:
            table = csv.DictReader(file, strict=True)
            lines, names = list(table), list(table.fieldnames or KEYS)
        for number, line in enumerate(lines, 1):
            if None in line or None in line.values():
                raise ValueError(f"row {number} has not {len(names)} cells as the heading has; is a comma unquoted?")
        if "game" in names and not {"symmetry", "status"} & {*names}:
            names += ["symmetry", "status"]
            lines = [line | {"game": _spec(line["game"]), "symmetry": "geometric", "status": SOLVED} for line in lines]
        if not {*KEYS} <= {*names}:
            return names, []
        return names, [{name: _value(line, name, text) for name, text in line.items()} for line in lines]
    except (csv.Error, ValueError, ArithmeticError, LookupError, TypeError, AttributeError) as error:
        raise StoreError(f"{path} is not a sweep: {error}") from None
    except OSError as error:
        raise InputError(f"cannot read {path}: {reason(error)}") from None


def _spec(text: str) -> str:
    """Return the specification that sweeps have of a built-in game. Another is left as it is: no file is run."""
    return load_game(text).spec if text.partition(":")[0] in FAMILIES else text


def _value(line: dict[str, str], column: str, text: str) -> Any:
    """Parse a cell of a CSV file. A user game's parameters have the types they look like, as its file is not run."""
    if text == "":
        return None
    text, family, kind = from_cell(text), line["game"].partition(":")[0], COLUMNS.get(column)
    if kind is None and family in FAMILIES:
        types = {parameter_column(field.name): type(field.default) for field in find_family(family).parameter_fields()}
        kind = {bool: TRUTH, int: WHOLE, str: TEXT}[types[column]]
    elif kind is None:
        kind = TRUTH if text in ("true", "false") else WHOLE if re.fullmatch("-?[0-9]{1,18}", text) else TEXT
    if kind == TEXT:
        return text
    if kind == TRUTH:
        return {"true": True, "false": False}[text]
    if kind == REAL:
        return float(text)
    number = int(text)
    if abs(number) > GREATEST:
        raise ValueError(f"{column}={text} is out of range")
    return number
