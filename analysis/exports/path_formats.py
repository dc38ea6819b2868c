"""Optimal paths as text, JSON, CSV, JSON lines or Parquet, streamed."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Any

from analysis.errors import OptionError
from analysis.machine.files import atomic_file
from analysis.solution.paths import OptimalPaths
from analysis.storage.store import require_disk_for, write_paths

FORMATS = ("text", "json", "csv", "jsonl", "parquet")


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

    def texts(self, paths: OptimalPaths) -> Iterator[str]:
        """The chosen paths one by one."""
        for block in self.lines(paths):
            yield from block.decode("ascii").split("\n")[:-1]


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
    with _sink(out) as file:
        for piece in _pieces(paths, selection, form):
            file.write(piece)
            file.flush()


def _pieces(paths: OptimalPaths, selection: Selection, form: str) -> Iterable[bytes]:
    if form == "json":
        return _json(paths, selection)
    if selection.count:
        head = {"csv": "count\n", "jsonl": '{"count": '}.get(form, "")
        return [f"{head}{paths.count}{'}' if form == 'jsonl' else ''}\n".encode()]
    if form == "text":
        return selection.lines(paths)
    rows = ({"path": path, "outcome": paths.outcome, "plies": paths.plies(path)} for path in selection.texts(paths))
    return _jsonl(rows) if form == "jsonl" else _csv(rows)


def _json(paths: OptimalPaths, selection: Selection) -> Iterator[bytes]:
    head = json.dumps({"game": paths.game, "from": paths.start, "count": paths.count})
    yield head[:-1].encode() + b', "paths": ['
    separator = b""
    for block in selection.lines(paths):
        if block:
            texts = block.decode("ascii").split("\n")[:-1]
            yield separator + ", ".join(f'"{text}"' for text in texts).encode()
            separator = b", "
    yield b"]}\n"


def _jsonl(rows: Iterable[dict[str, Any]]) -> Iterator[bytes]:
    return (json.dumps(row).encode() + b"\n" for row in rows)


def _csv(rows: Iterable[dict[str, Any]]) -> Iterator[bytes]:
    yield b"path,outcome,plies\n"
    for row in rows:
        yield f"{row['path']},{row['outcome']},{row['plies']}\n".encode()


@contextlib.contextmanager
def _sink(out: Path | None) -> Iterator[IO[bytes]]:
    if out is None:
        yield sys.stdout.buffer
        return
    with atomic_file(out) as file:
        yield file
