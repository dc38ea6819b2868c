"""Write a solution, or a part of it, as a file for another tool."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable
from pathlib import Path
from typing import IO

from ..errors import OptionError, TooLargeError
from ..machine.files import check_writable, require_disk
from ..machine.workers import tell_progress
from ..pictures.style import FORMATS as PICTURES
from ..rules.game import GameLike
from ..solution.storage.row_files import opened
from ..solving.find import find_solution
from ..wording import meant
from . import drawings, graphs, rows
from .part import Part

LEAST_BYTES = 16
"""The least that a class takes in any format."""

LARGER = "; csv, jsonl and the Parquet tables of `gametree solve --out` hold any number"
"""Advice if a graph is too large."""


@dataclasses.dataclass(frozen=True)
class Format:
    """A format for a part of a solution."""

    name: str
    """The name for ``--to``."""
    suffixes: tuple[str, ...]
    """Suffixes of its files, the usual one first."""
    write: Callable[[Part, IO[bytes]], None]
    """Writes a part to an open file. Raises `GametreeError`."""
    most: int | None = None
    """The most classes written by default; None for any number."""


_ALL = (
    Format("graphml", (".graphml",), graphs.write_graphml, most=1_000_000),
    Format("dot", (".dot", ".gv"), drawings.write_dot, most=5_000),
    *(Format(form, (f".{form}",), functools.partial(drawings.write_picture, form=form), most=400) for form in PICTURES),
    Format("json", (".json",), graphs.write_json, most=1_000_000),
    Format("csv", (".csv",), rows.write_csv),
    Format("jsonl", (".jsonl", ".ndjson"), rows.write_jsonl),
)

FORMATS = {form.name: form for form in _ALL}
"""All formats by name, in the order of the help."""

TABLES = "; gametree solve GAME --out DIR writes Parquet tables (--text: readable positions)"


def find_format(name: str | None, out: Path | None) -> Format:
    """Return the format of this name or, without one, that of the file's suffix. Raises `OptionError`.

    >>> find_format(None, Path("tree.gv")).name
    'dot'
    """
    if name is None:
        named = next((form for form in _ALL if out is not None and out.suffix.lower() in form.suffixes), None)
        if named is None:
            suffix = "" if out is None else out.suffix
            given = f"{out} ends in {suffix}, which is no format here" if suffix else "no format given"
            hint = TABLES if suffix.lower() == ".parquet" else ""
            raise OptionError(f"{given}; add --to with one of {', '.join(FORMATS)}{hint}")
        return named
    if name not in FORMATS:
        hint = TABLES if name == "parquet" else meant(name, FORMATS)
        raise OptionError(f"unknown format {name!r}; choose from {', '.join(FORMATS)}{hint}")
    form, suffix = FORMATS[name], "" if out is None else out.suffix.lower()
    other = next((other for other in _ALL if suffix in other.suffixes and other is not form), None)
    if other is not None:
        raise OptionError(f"{out} has the suffix of the format {other.name}; use {form.suffixes[0]}, or leave out --to")
    return form


def check_export(out: Path | None, to: str | None = None, moves: bool = False) -> Format:
    """Check everything that can be told before solving, and return the format.

    Raises `OptionError` for options that cannot be combined and for a format that needs a file, and `StoreError` for an
    impossible file.
    """
    if out is not None:
        check_writable(out)
    form = find_format(to, out)
    if moves and form.name != "csv":
        raise OptionError(f"--moves cannot be used with {form.name}; leave it out")
    return form


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

    ``to`` is one of `FORMATS` (None: by the file's suffix). ``depth`` and ``optimal_only``
    choose the part within that many plies of the start, or reached by optimal moves. ``moves`` writes the table of
    moves as csv. The file is complete or absent.

    Raises `OptionError` for an unknown format and for options that cannot be combined, `StoreError` for a file that
    cannot be written, and `TooLargeError` for more than ``max_nodes`` classes (None: the format's limit).
    """
    out = None if out is None else Path(out)
    form, solution = check_export(out, to, moves), find_solution(solution)
    part = Part(solution.classes, depth=depth, optimal_only=optimal_only)
    most = form.most if max_nodes is None else max_nodes
    if most is not None and part.classes > most:
        cut, tables = "" if part.whole else " in this part", "" if form.most is None else LARGER
        raise TooLargeError(
            f"{solution.game.spec} has {part.classes:,} classes{cut}; the limit for {form.name} is {most:,}: "
            f"use --depth, --optimal-only or --from, or raise --max-nodes{tables}"
        )
    if out is not None:
        require_disk(out, LEAST_BYTES * part.classes, f"{part.classes:,} classes")
    if moves or form.name != "csv":
        solution.classes.engine.prepare()
    tell_progress("writing positions", 0, None)
    with opened(out) as file:
        (rows.write_moves if moves else form.write)(part, file)
