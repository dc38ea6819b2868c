"""Optimal paths as text, JSON, CSV, JSON lines or Parquet, streamed."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa

from analysis.errors import OptionError
from analysis.solution.paths import OptimalPaths
from analysis.storage.row_files import opened, row_writer
from analysis.storage.store import PATH_SCHEMA, require_disk_for, write_paths

FORMATS = ("text", "json", "csv", "jsonl", "parquet")


def path_format(form: str | None, out: Path | None) -> str:
    """The format that is asked for: by name, or else by how the file is called, or else text.

    >>> path_format(None, Path("a.csv")), path_format("json", Path("a.csv")), path_format(None, None)
    ('csv', 'json', 'text')
    """
    if form is not None:
        return form
    suffix = "" if out is None else out.suffix.lower().removeprefix(".")
    return suffix if suffix in FORMATS else "text"


@dataclasses.dataclass(frozen=True)
class Selection:
    """Which of the paths: all of them, at most ``limit``, the one numbered ``index``, ``sample`` of them at random, or
    none but their ``count``.
    """

    limit: int | None = None
    index: int | None = None
    sample: int | None = None
    seed: int | None = None
    count: bool = False

    def check(self, form: str) -> None:
        """Raise `OptionError` where the format is unknown, or two choices exclude each other."""
        if form not in FORMATS:
            raise OptionError(f"format {form!r} is unknown; it is one of {', '.join(FORMATS)}")
        chosen = [f"--{name}" for name in ("limit", "index", "sample") if getattr(self, name) is not None]
        chosen += ["--count"] if self.count else []
        if len(chosen) > 1:
            raise OptionError(f"{' and '.join(chosen)} exclude each other; give one of them")
        if self.seed is not None and self.sample is None:
            raise OptionError("--seed is for --sample N; give both or neither")

    def needs_counts(self, form: str) -> bool:
        """Whether the paths must have been counted to write them so."""
        return self.index is not None or self.sample is not None or self.count or form == "json"

    def lines(self, paths: OptimalPaths) -> Iterator[bytes]:
        """The chosen paths, one a line, many lines at a time."""
        if self.count:
            return
        if self.index is not None:
            yield paths[self.index].encode() + b"\n"
        elif self.sample is not None:
            for path in paths.sample(self.sample, self.seed):
                yield path.encode() + b"\n"
        else:
            yield from paths.blocks(self.limit)


def export_paths(paths: OptimalPaths, selection: Selection, form: str, out: Path | None) -> None:
    """Write the chosen paths to a file or to standard output. Raises `OptionError`, `StoreError`."""
    selection.check(form)
    if out is not None and selection == Selection():
        require_disk_for(paths, out)
    if form == "parquet":
        if out is None:
            raise OptionError("--format parquet needs --out FILE")
        if selection.count:
            raise OptionError("--count is one number; use --format text or json")
        write_paths(out, paths, selection.lines(paths))
        return
    with opened(out) as file:
        if selection.count or form in ("text", "json"):
            for piece in _pieces(paths, selection, form):
                file.write(piece)
                file.flush()
            return
        with row_writer(file, PATH_SCHEMA, form) as write:
            for block in selection.lines(paths):
                texts = _texts(block)
                write(pa.table([texts, [paths.outcome] * len(texts), [*map(paths.plies, texts)]], schema=PATH_SCHEMA))
                file.flush()


def _texts(block: bytes) -> list[str]:
    return block.decode("ascii").split("\n")[:-1]


def _pieces(paths: OptimalPaths, selection: Selection, form: str) -> Iterator[bytes]:
    if form == "json":
        yield (
            json.dumps({"game": paths.game, "from": paths.start, "count": paths.count})[:-1].encode() + b', "paths": ['
        )
        separator = b""
        for texts in filter(None, map(_texts, selection.lines(paths))):
            yield separator + json.dumps(texts)[1:-1].encode()
            separator = b", "
        yield b"]}\n"
    elif selection.count:
        before, after = {"csv": ("count\n", ""), "jsonl": ('{"count": ', "}")}.get(form, ("", ""))
        yield f"{before}{paths.count}{after}\n".encode()
    else:
        yield from selection.lines(paths)
