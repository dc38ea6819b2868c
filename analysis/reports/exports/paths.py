"""Stream optimal paths as text, JSON, CSV, JSON lines, Parquet, or a table in Markdown or LaTeX."""

from __future__ import annotations

import dataclasses
import itertools
import json
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from ...common.markup import FORMS as PAPER_FORMS
from ...common.markup import table_lines
from ...errors import OptionError, TooLargeError
from ...solution.paths import OptimalPaths
from ...solution.storage.path_files import PATH_SCHEMA, path_blocks, write_path_rows
from ...solution.storage.row_files import opened

FORMATS = ("text", "json", "csv", "jsonl", "parquet", "markdown", "latex")
SUFFIXES = {"": "text", "txt": "text", "md": "markdown", "tex": "latex", "ndjson": "jsonl"}
"""Suffixes that differ from the name of their format."""


def path_format(form: str | None, out: Path | None) -> str:
    """Return the format: ``form`` if given, else by the file's suffix, text if it has none. Raises `OptionError` for
    the suffix of another kind of file.

    >>> path_format(None, Path("a.csv")), path_format("json", Path("a.csv")), path_format(None, None)
    ('csv', 'json', 'text')
    """
    if form is not None:
        return form
    suffix = "" if out is None else out.suffix.lower().removeprefix(".")
    name = SUFFIXES.get(suffix, suffix)
    if name not in FORMATS:
        raise OptionError(f"{out} has the suffix of no format; add --format with one of {', '.join(FORMATS)}")
    return name


@dataclasses.dataclass(frozen=True)
class Selection:
    """The paths to write: all, the first ``limit``, number ``index``, a random ``sample``, or only their ``count``."""

    limit: int | None = None
    index: int | None = None
    sample: int | None = None
    seed: int | None = None
    count: bool = False

    def check(self, form: str) -> None:
        """Raise `OptionError` for an unknown format or choices that exclude each other."""
        if form not in FORMATS:
            raise OptionError(f"unknown format {form!r}; choose from {', '.join(FORMATS)}")
        chosen = [f"--{name}" for name in ("limit", "index", "sample") if getattr(self, name) is not None]
        chosen += ["--count"] if self.count else []
        if len(chosen) > 1:
            raise OptionError(f"{' and '.join(chosen)} exclude each other; give one of them")
        if self.seed is not None and self.sample is None:
            raise OptionError("--seed needs --sample N; give both or neither")

    def needs_counts(self, form: str) -> bool:
        """Return whether writing the paths needs their counts."""
        return self.index is not None or self.sample is not None or self.count or form == "json"

    def lines(self, paths: OptimalPaths) -> Iterator[bytes]:
        """Yield the chosen paths, one per line, many lines at a time."""
        if self.index is not None:
            yield f"{paths[self.index]}\n".encode()
        elif self.sample is not None:
            yield from (f"{path}\n".encode() for path in paths.sample(self.sample, self.seed))
        elif not self.count:
            yield from paths.blocks(self.limit)


def export_paths(paths: OptimalPaths, selection: Selection, form: str, out: Path | None) -> None:
    """Write the chosen paths to a file or to standard output.

    Raises `OptionError`, `StoreError`, and `TooLargeError` for a file that does not fit the disk, or for very many
    paths without an explicit limit.
    """
    selection.check(form)
    if form == "parquet" and out is None:
        raise OptionError("--format parquet needs --out FILE")
    if form == "parquet" and selection.count:
        raise OptionError("--count gives one number; use --format text or json")
    lines = selection.lines(paths)
    if out is not None and selection in (Selection(), Selection(limit=selection.limit)):
        try:
            lines = path_blocks(paths, selection.limit, anyway=selection.limit is not None)
        except TooLargeError as error:
            raise TooLargeError(f"{error}: add --limit N to write the first N") from None
    with opened(out) as file:
        _write(paths, selection, form, file, lines)


def _write(paths: OptimalPaths, selection: Selection, form: str, file: IO[bytes], lines: Iterator[bytes]) -> None:
    """Write the chosen paths, given as lines, or their number to an open file."""
    blocks = (block.decode("ascii").split("\n")[:-1] for block in lines)
    if form in PAPER_FORMS:
        rows = ([text, paths.outcome, str(paths.plies(text))] for texts in blocks for text in texts)
        table = (["count"], "r", [[str(paths.count)]]) if selection.count else (PATH_SCHEMA.names, "llr", rows)
        lines = (line.encode() for line in table_lines(form, *table))
    elif form == "json":
        head = json.dumps({"game": paths.game, "start": paths.start, "count": paths.count})
        commas = itertools.chain([""], itertools.repeat(", "))
        pairs = zip(filter(None, blocks), commas, strict=False)
        pieces = (f"{comma}{json.dumps(texts)[1:-1]}" for texts, comma in pairs)
        lines = map(str.encode, itertools.chain([f'{head[:-1]}, "paths": ['], pieces, ["]}\n"]))
    elif selection.count:
        lines = iter([{"csv": "count\n%d\n", "jsonl": '{"count": %d}\n'}.get(form, "%d\n").encode() % paths.count])
    elif form != "text":
        write_path_rows(paths, form, file, lines)
        return
    for line in lines:
        file.write(line)
        file.flush()
