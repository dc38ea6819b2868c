"""Write files of optimal paths, and report progress."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import IO, Any

import pyarrow as pa

from ...common.context import options
from ...common.files import as_store_error, atomic_file
from ...common.workers import tell_progress
from ...engine.columns import schema_of
from ...errors import TooLargeError
from ..paths import OptimalPaths
from .directory import PATHS, SolutionDirectory
from .parquet import describe
from .row_files import ROWS, row_writer

MOST = 100_000_000
"""More paths than this are only written on request."""

PATH_SCHEMA = schema_of({"path": pa.string(), "outcome": pa.string(), "plies": pa.int16()})
"""The columns of a table of optimal paths."""


def path_blocks(paths: OptimalPaths, limit: int | None = None, *, anyway: bool = False) -> Iterator[bytes]:
    """Return all paths, or the first ``limit``, as blocks of lines, reporting progress. Raises `TooLargeError` for more
    than `MOST`, unless they are wanted ``anyway``; if they are not counted, once these are found.
    """
    rows = paths.count if limit is None and paths.counted else limit
    if rows is not None and rows > MOST and not anyway:
        raise TooLargeError(f"of {rows:,} optimal paths, more than {MOST:,} are only written on request")
    return _reported(paths.blocks(limit), rows, anyway=anyway)


def _reported(blocks: Iterable[bytes], rows: int | None, *, anyway: bool) -> Iterator[bytes]:
    done = 0
    for block in blocks:
        yield block
        done += block.count(b"\n")
        tell_progress("writing optimal paths", done, rows)
        if done > MOST and not anyway:
            raise TooLargeError(f"there are more than {MOST:,} optimal paths, which are only written on request")


def write_paths_table(place: SolutionDirectory, paths: OptimalPaths) -> dict[str, Any]:
    """Write ``optimal_paths.parquet``; return its record for the manifest. Raises `TooLargeError` as `path_blocks`."""
    path, blocks = place.partial / PATHS, path_blocks(paths, anyway=options().anyway)
    with atomic_file(path) as file, as_store_error(path):
        write_path_rows(paths, "parquet", file, blocks)
    return describe(path)


def write_path_rows(paths: OptimalPaths, form: str, file: IO[bytes], blocks: Iterable[bytes]) -> None:
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
