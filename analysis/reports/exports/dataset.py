"""Write a data set for training: Parquet files of boards as numbers with exact labels, split by class, and a card."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from ...common.files import check_writable, require_disk, sync_directory, temporary_folder
from ...common.version import __version__
from ...common.wording import with_count
from ...engine.columns import array, column, count_numbers, text_column
from ...engine.engine import make_engine
from ...errors import MissingDataError, StoreError
from ...solution.batches import worth_column
from .part import Block, Part

SPLITS = {"train": 80, "validation": 10, "test": 10}
"""The parts, and how many of 100 classes are in each."""

FILE_ROWS = 1 << 20
"""The most rows of a file."""

ROW_BYTES = 3
"""The least that a row takes on the disk, compressed."""

CARD = """---
license: cc0-1.0
pretty_name: {title}, solved
configs:
- config_name: default
  data_files:
{files}---

# {title}, solved

Positions of `{game}` from `{start}`, with exact values, by exhaustive search (gametree {version}).
{classes} of positions in splits by class: no position of one split is a rotation or reflection of one in another.

| split | rows | positions |
|---|---|---|
{rows}

| column | type | meaning |
|---|---|---|
{columns}

```python
import pandas
frame = pandas.read_parquet("train")

import datasets, torch
table = datasets.load_dataset("parquet", data_files={{"train": "train/*.parquet"}}, split="train")
loader = torch.utils.data.DataLoader(table.with_format("torch"), batch_size=256, shuffle=True)
```

Weigh rows by `weight` for a position drawn at random. The labels are facts and free of rights (CC0).
"""


def write_dataset(part: Part, out: Path, *, planes: bool = False) -> None:
    """Write a part of a solution as a data set into a new directory ``out``, which is complete or absent.

    Raises `StoreError` if something is there, `MissingDataError` for ``planes`` of a game without a board, and
    `RulesNeededError` without rules.
    """
    solution = part.solution
    if solution.engine.residual is not None or solution.engine.whole is not None:
        raise MissingDataError("classes of --symmetry residual have no boards; solve the game with another symmetry")
    check_target(out)
    require_disk(out, ROW_BYTES * part.classes, f"{part.classes:,} rows")
    shape = _shape(part, required=planes)
    columns = _columns(part, shape, planes=planes)
    schema = pa.schema([(name, kind) for name, kind, _ in columns])
    with temporary_folder(out.name, out.resolve().parent) as folder:
        counts = {split: [0, 0] for split in SPLITS}
        with contextlib.ExitStack() as files:
            writers = {split: _Files(folder / split, schema, files) for split in SPLITS}
            for block in part.blocks(moves=True):
                table = _table(part, block, schema, shape)
                split_of = _splits(part, block.states)
                for number, split in enumerate(SPLITS):
                    rows = table.filter(column(split_of == number))
                    writers[split].add(rows)
                    counts[split][0] += len(rows)
                    counts[split][1] += int(array(rows["weight"]).sum())
        (folder / "README.md").write_text(_card(part, columns, counts), encoding="utf-8")
        for path in (*folder.rglob("*"), folder):
            _flush(path)
        folder.replace(out)
    sync_directory(out.resolve().parent)


def check_target(out: Path) -> None:
    """Raise `StoreError` if a data set cannot be written as this directory."""
    check_writable(out / "README.md" if out.is_dir() else out)
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise StoreError(f"cannot write {out}: it is there already; name a new directory")


class _Files:
    """The files of a split: when one is full, the next is begun."""

    def __init__(self, folder: Path, schema: pa.Schema, files: contextlib.ExitStack) -> None:
        self._folder, self._schema, self._files = folder, schema, files
        self._number, self._rows = 0, FILE_ROWS
        self._writer: pq.ParquetWriter | None = None
        folder.mkdir()

    def add(self, rows: pa.Table) -> None:
        """Write rows."""
        if self._writer is None or self._rows + len(rows) > FILE_ROWS:
            if self._writer is not None:
                self._writer.close()
            path = self._folder / f"{self._number:05}.parquet"
            self._writer = self._files.enter_context(pq.ParquetWriter(path, self._schema, compression="zstd"))
            self._number, self._rows = self._number + 1, 0
        self._writer.write_table(rows)
        self._rows += len(rows)


def _shape(part: Part, *, required: bool) -> tuple[int, int] | None:
    """Return the rows and columns of the board, None without one. Raises `MissingDataError` if it is ``required``."""
    try:
        _, rows, cols = part.solution.game.boards([part.solution.engine.start]).shape
    except MissingDataError:
        if required:
            raise
        return None
    return rows, cols


def _columns(part: Part, shape: tuple[int, int] | None, *, planes: bool) -> list[tuple[str, pa.DataType, str]]:
    """Return the name, the type and the meaning of each column."""
    solution = part.solution
    codes = solution.engine.rules.largest_code + 1
    worth = worth_column(solution.game, np.empty(0, np.int16)).type
    columns: list[tuple[str, pa.DataType, str]] = [("state", pa.int64(), "the position as gametree's rules number it")]
    if shape is None:
        columns.append(("position", pa.string(), "the position as text"))
    else:
        cells = shape[0] * shape[1]
        meaning = "row by row: 0 free, 1 a mark of the first player, -1 of the second, 3 and more others"
        columns.append(("board", pa.list_(pa.int8(), cells), f"{shape[0]} x {shape[1]}, {meaning}"))
        if planes:
            meaning = "the mover's marks, the other player's, others, 1 everywhere if the first player moves"
            columns.append(("planes", pa.list_(pa.uint8(), 4 * cells), f"4 x {shape[0]} x {shape[1]}: {meaning}"))
    columns += [
        ("to_move", pa.int8(), "1 if the first player moves, -1 if the second"),
        ("value", worth, "the first player's payoff under optimal play"),
        ("remoteness_plies", pa.uint16(), "plies to the end under optimal play; null if play never ends"),
        ("legal", pa.list_(pa.bool_(), codes), "which moves are legal, by code"),
        ("optimal", pa.list_(pa.bool_(), codes), "which moves keep the value"),
        ("weight", pa.uint16(), "the number of positions that the row stands for"),
    ]
    if solution.counted:
        columns.append(("histories", pa.float64(), "the sequences of moves that lead to one of them"))
    return columns


def _table(part: Part, block: Block, schema: pa.Schema, shape: tuple[int, int] | None) -> pa.Table:
    game, moves, n = block.game, block.moves, len(block)
    assert moves is not None
    legal, optimal = np.zeros((2, n, part.solution.engine.rules.largest_code + 1), dtype=bool)
    legal[moves.rows, moves.codes] = True
    optimal[moves.rows, moves.codes] = moves.optimal
    columns: dict[str, Callable[[], Any]] = {
        "state": lambda: block.table["state"],
        "position": lambda: text_column(block.positions),
        "board": lambda: _lists(game.boards(block.states)),
        "planes": lambda: _lists(game.planes(block.states)),
        "to_move": lambda: block.table["to_move"],
        "value": lambda: worth_column(game, array(block.table["value"])),
        "remoteness_plies": lambda: block.table["remoteness_plies"],
        "legal": lambda: _lists(legal),
        "optimal": lambda: _lists(optimal),
        "weight": lambda: block.table["orbit_size"],
        "histories": lambda: column(_as_floats(block.table["histories"])),
    }
    return pa.table([columns[name]() for name in schema.names], schema=schema)


def _as_floats(counts: pa.ChunkedArray) -> np.ndarray:
    """Return counts of one limb or two as float64[n]."""
    limbs = count_numbers(counts)
    return limbs @ np.float64(2) ** (64 * np.arange(limbs.shape[1]))


def _lists(rows: np.ndarray) -> pa.Array:
    """Return the rows of an array as lists of one length."""
    flat = np.ascontiguousarray(rows).reshape(len(rows), -1)
    return pa.FixedSizeListArray.from_arrays(column(flat.ravel()), flat.shape[1])


def _splits(part: Part, states: np.ndarray) -> np.ndarray:
    """Return the number of the split of each state, by its class."""
    solution = part.solution
    if solution.symmetry == "none":
        states = make_engine(solution.game, start=solution.engine.start).canonicals(states)
    keys = states.view(np.uint64) + np.uint64(0x9E3779B97F4A7C15)  # SplitMix64: G. Steele et al., OOPSLA 2014
    keys = (keys ^ keys >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
    keys = (keys ^ keys >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
    ends = np.cumsum([*SPLITS.values()])
    return np.searchsorted(ends, (keys ^ keys >> np.uint64(31)) % np.uint64(100), side="right")


def _card(part: Part, columns: list[tuple[str, pa.DataType, str]], counts: dict[str, list[int]]) -> str:
    solution = part.solution
    return CARD.format(
        title=solution.game.headline[0],
        game=solution.game.spec,
        start=solution.start,
        version=__version__,
        classes=with_count(part.classes, "class", "classes"),
        files="".join(f"  - split: {split}\n    path: {split}/*.parquet\n" for split in SPLITS),
        rows="\n".join(f"| {split} | {rows:,} | {positions:,} |" for split, (rows, positions) in counts.items()),
        columns="\n".join(f"| {name} | {kind} | {meaning} |" for name, kind, meaning in columns),
    )


def _flush(path: Path) -> None:
    if path.is_dir():
        sync_directory(path)
        return
    with path.open("rb") as file:
        os.fsync(file.fileno())
