"""Write a solution, or a part of it, as a file for another tool."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import IO, NamedTuple

from ...common.files import check_writable, require_disk
from ...common.wording import did_you_mean
from ...common.workers import tell_progress
from ...errors import OptionError, TooLargeError
from ...rules.game import GameLike
from ...solution.storage.row_files import opened
from ...solving.find import find_solution
from ..style import FORMATS as PICTURES
from . import dataset, drawings, graphs, rows
from .part import Part

LEAST_BYTES = 16
"""The least that a class takes in any format but Parquet, which compresses."""


class Format(NamedTuple):
    """A format for a part of a solution."""

    suffixes: tuple[str, ...]
    """Suffixes of its files, the usual one first."""
    write: Callable[[Part, IO[bytes]], None]
    """Writes a part to an open file. Raises `GametreeError`."""
    most: int | None = None
    """The most classes written by default; None for any number."""
    write_moves: Callable[[Part, IO[bytes]], None] | None = None
    """Writes the table of moves, if the format has one."""


FORMATS = {
    "graphml": Format((".graphml",), graphs.write_graphml, 1_000_000),
    "dot": Format((".dot", ".gv"), drawings.write_dot, 5_000),
    **{form: Format((f".{form}",), functools.partial(drawings.write_picture, form=form), 400) for form in PICTURES},
    "json": Format((".json",), graphs.write_json, 1_000_000),
    "csv": Format((".csv",), rows.write_classes, None, rows.write_moves),
    "jsonl": Format((".jsonl", ".ndjson"), rows.write_jsonl),
    "parquet": Format(
        (".parquet",),
        functools.partial(rows.write_classes, form="parquet"),
        None,
        functools.partial(rows.write_moves, form="parquet"),
    ),
}
"""All formats by name, in the order of the help."""


DATASETS = ("dataset", "dataset-planes")
"""The formats that are directories."""


def check_export(out: Path | None, to: str | None = None, moves: bool = False) -> str:
    """Check everything that can be checked before solving, and return the name of the format: the one given or, without
    one, that of the file's suffix.

    Raises `OptionError` for options that cannot be combined, and `StoreError` for an impossible file.

    >>> check_export(Path("tree.gv"))
    'dot'
    """
    if to in DATASETS:
        if out is None or moves:
            raise OptionError("a dataset is a directory: give --out DIR" + ", without --moves" * moves)
        dataset.check_target(out)
        return to
    if out is not None:
        check_writable(out)
    names = [*FORMATS, *DATASETS]
    suffix = "" if out is None else out.suffix.lower()
    by_suffix = next((name for name, form in FORMATS.items() if suffix in form.suffixes), None)
    name = by_suffix if to is None else to
    if name is None:
        fault = f"{out} ends in {suffix}, which is no format here" if suffix else "no format given"
        raise OptionError(f"{fault}; add --to with one of {', '.join(names)}")
    if name not in FORMATS:
        raise OptionError(f"unknown format {name!r}; choose from {', '.join(names)}{did_you_mean(name, names)}")
    if by_suffix not in (None, name):
        usual = FORMATS[name].suffixes[0]
        raise OptionError(f"{out} has the suffix of the format {by_suffix}; use {usual}, or leave out --to")
    if moves and FORMATS[name].write_moves is None:
        raise OptionError(f"--moves cannot be used with {name}; leave it out")
    return name


def export(
    solution: GameLike,
    out: str | Path | None,
    to: str | None = None,
    *,
    depth: int | None = None,
    optimal_only: bool = False,
    moves: bool = False,
    max_nodes: int | None = None,
) -> None:
    """Write a solution, or that of a game, or a part of it, to the file ``out`` (None: standard output).

    ``to`` is one of `FORMATS` (None: by the file's suffix). ``depth`` and ``optimal_only`` choose the part within that
    many plies of the start, or reached by optimal moves. ``moves`` writes the table of moves as csv or parquet. As a
    ``dataset``, ``out`` is a new directory of Parquet files with boards, as ``dataset-planes`` with `Game.planes` too,
    and exact labels, split by class. What is written is complete or absent.

    Raises `OptionError` for an unknown format and for options that cannot be combined, `StoreError` for a file that
    cannot be written, and `TooLargeError` for more than ``max_nodes`` classes (None: the format's limit).
    """
    out = None if out is None else Path(out)
    name, solution = check_export(out, to, moves), find_solution(solution)
    part = Part(solution.of_classes, depth=depth, optimal_only=optimal_only)
    if name in DATASETS:
        assert out is not None
        solution.engine.prepare()
        dataset.write_dataset(part, out, planes=name == "dataset-planes")
        return
    form = FORMATS[name]
    most = form.most if max_nodes is None else max_nodes
    if most is not None and part.classes > most:
        cut = "" if part.whole else " in this part"
        tables = "; csv, jsonl and parquet hold any number" if form.most else ""
        raise TooLargeError(
            f"{solution.game.spec} has {part.classes:,} classes{cut}; the limit for {name} is {most:,}: "
            f"use --depth, --optimal-only or --from, or raise --max-nodes{tables}"
        )
    if out is not None and name != "parquet":
        require_disk(out, LEAST_BYTES * part.classes, f"{part.classes:,} classes")
    if moves or name not in ("csv", "parquet"):
        solution.of_classes.engine.prepare()
    tell_progress("writing positions", 0, None)
    with opened(out) as file:
        write = form.write_moves if moves else form.write
        assert write is not None
        write(part, file)
