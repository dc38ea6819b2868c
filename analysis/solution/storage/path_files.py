"""Files of optimal paths: estimate their size before writing, and report progress."""

from __future__ import annotations

import functools
import io
import itertools
import logging
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import IO, Any

import pyarrow as pa

from ...common.context import options
from ...common.files import as_store_error, atomic_file, free_bytes
from ...common.memory import readable
from ...common.workers import tell_progress
from ...engine.columns import schema_of
from ...errors import TooLargeError
from ..paths import OptimalPaths
from .directory import PATHS, SolutionDirectory
from .parquet import describe
from .row_files import ROWS, row_writer

LOG = logging.getLogger("gametree")

MOST = 100_000_000
"""More paths than this are only written if the user insists."""
TOLD = 1_000_000
"""Fewer paths than this are written in seconds, without an announcement."""
SAMPLE = 5_000
"""The first paths, by which the bytes of one are measured."""
LEAST_BYTES = 2
"""The least bytes of a path in any format, however well compressed."""
WRITING = "writing optimal paths"

PATH_SCHEMA = schema_of({"path": pa.string(), "outcome": pa.string(), "plies": pa.int16()})
"""The columns of a table of optimal paths."""

Written = Callable[[IO[bytes], Iterator[bytes]], None]
"""Writes lines of paths, as blocks of text, to a file."""


def weigh(
    paths: OptimalPaths, place: Path, write: Written, limit: int | None = None, *, anyway: bool = False
) -> int | None:
    """Announce the size of a file of all paths, or of the first ``limit``, written by ``write`` at a ``place``, if they
    are many.

    Returns their maximum number, None if not counted. Raises `TooLargeError` if the disk has no room and, unless they
    are wanted ``anyway``, for more than `MOST` paths.
    """
    few = limit is not None and limit < TOLD  # not worth counting them
    known = [] if limit is None else [limit]
    rows = min([*known, *([] if few or not paths.counted else [paths.count])], default=None)
    if rows is None:
        return rows
    free, least = free_bytes(place), LEAST_BYTES * rows
    if rows < TOLD and least <= free:
        return rows
    expected = max(least, rows * bytes_of_a_path(paths, write))
    counted = few or paths.counted  # else the limit may be far more than there are
    what = f"{'' if counted else 'up to '}{rows:,} optimal paths take about {readable(int(expected))}"
    if counted and (least > free or (expected > free and not anyway)):
        raise TooLargeError(f"{what}, but only {readable(free)} is free at {place}")
    if rows > MOST and not anyway:
        raise TooLargeError(f"{what}; more than {MOST:,} are only written on request")
    LOG.info(f"{what} of the {readable(free)} free at {place}")
    return rows


def bytes_of_a_path(paths: OptimalPaths, write: Written) -> float:
    """Measure about how many bytes a path takes."""
    texts = [f"{path}\n".encode() for path in itertools.islice(paths.one_by_one(), SAMPLE)]
    sizes = []
    for rows in (texts, texts[:1]):
        file = io.BytesIO()
        write(file, iter([b"".join(rows)]))
        sizes.append(len(file.getvalue()))
    return (sizes[0] - sizes[1]) / max(1, len(texts) - 1)


def told(blocks: Iterable[bytes], rows: int | None, *, anyway: bool = True) -> Iterator[bytes]:
    """Yield the same blocks, reporting how many of ``rows`` are done. Raises `TooLargeError` for more than `MOST`
    uncounted paths (None), unless they are wanted ``anyway``.
    """
    done = 0
    for block in blocks:
        yield block
        done += block.count(b"\n")
        tell_progress(WRITING, done, rows)
        if rows is None and done > MOST and not anyway:
            raise TooLargeError(f"there are more than {MOST:,} optimal paths, which are only written on request")


def write_paths_table(place: SolutionDirectory, paths: OptimalPaths) -> dict[str, Any]:
    """Write ``optimal_paths.parquet``; return its record for the manifest. Raises `TooLargeError` if there is no room,
    and for very many paths unless they are wanted ``anyway``.
    """
    anyway = options().anyway
    rows = weigh(paths, place.directory, functools.partial(write_path_rows, paths, "parquet"), anyway=anyway)
    path = place.partial / PATHS
    with atomic_file(path) as file, as_store_error(path):
        write_path_rows(paths, "parquet", file, told(paths.blocks(), rows, anyway=anyway))
    return describe(path)


def write_path_rows(paths: OptimalPaths, form: str, file: IO[bytes], blocks: Iterator[bytes]) -> None:
    """Write blocks of optimal paths as rows of `PATH_SCHEMA` to an open file, in a ``form`` of `row_writer`."""
    with row_writer(file, PATH_SCHEMA, form) as write:
        for block in _gathered(blocks) if form == "parquet" else blocks:
            texts = block.decode("ascii").split("\n")[:-1]
            plies = [*map(paths.plies, texts)]
            write(pa.table([texts, [paths.outcome] * len(texts), plies], schema=PATH_SCHEMA))
            file.flush()


def _gathered(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """Merge lines into blocks, each a row group of a table."""
    held, rows = bytearray(), 0
    for block in blocks:
        held += block
        rows += block.count(b"\n")
        if rows >= ROWS:
            yield bytes(held)
            held, rows = bytearray(), 0
    if held:
        yield bytes(held)
