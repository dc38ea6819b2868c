"""What a format of an export is, and the list of them; what writes one is imported when it is used."""

from __future__ import annotations

import dataclasses
import importlib
from collections.abc import Callable
from pathlib import Path
from typing import IO

from analysis.errors import OptionError
from analysis.exports.parts.part import Part

Write = Callable[[Part, IO[bytes]], None]
"""Streams a part into a file that is open for writing. Raises `GametreeError`."""


@dataclasses.dataclass(frozen=True)
class Format:
    """One format that a part of a solution can be written in."""

    name: str
    """As ``--to`` takes it."""
    suffixes: tuple[str, ...]
    """Of its files, the usual one first."""
    tool: str
    """What reads it."""
    module: str
    """Of `analysis.exports`; its ``write`` writes it."""
    most: int | None = None
    """How many classes (of an extensive form: nodes) are written unless more are asked for; None: any number."""
    seekable: bool = False
    """Whether it needs a file and cannot be streamed to standard output."""

    @property
    def write(self) -> Write:
        """The function that writes it."""
        found: Write = importlib.import_module(f"analysis.exports.{self.module}").write
        return found


_ALL = (
    Format("graphml", (".graphml",), "networkx, Gephi, yEd, igraph", "graphs.graphml", most=1_000_000),
    Format("gexf", (".gexf",), "Gephi, networkx", "graphs.gexf", most=1_000_000),
    Format("dot", (".dot", ".gv"), "Graphviz", "drawings.dot", most=5_000),
    Format("svg", (".svg",), "browsers", "drawings.svg", most=1_000),
    Format("png", (".png",), "slides, papers", "drawings.png", most=1_000),
    Format("json", (".json",), "networkx (node_link_graph), D3", "graphs.node_link", most=1_000_000),
    Format("efg", (".efg",), "Gambit, pygambit", "trees.efg", most=1_000_000),
    Format("sqlite", (".sqlite", ".sqlite3", ".db"), "sqlite3, DuckDB, Datasette", "tables.sqlite", seekable=True),
    Format("csv", (".csv",), "pandas, DuckDB, spreadsheets", "tables.rows"),
    Format("jsonl", (".jsonl", ".ndjson"), "pandas, DuckDB, training code", "tables.json_lines"),
    Format("bfile", (".txt",), "OEIS", "tables.bfile"),
)

FORMATS = {form.name: form for form in _ALL}
"""All formats by name, in the order of the help."""


def find_format(name: str | None, out: Path | None) -> Format:
    """The format of this name or, without one, the one that files with such a suffix have. Raises `OptionError`.

    >>> find_format(None, Path("tree.gv")).name
    'dot'
    """
    if name is None:
        named = next((form for form in _ALL if out is not None and out.suffix.lower() in form.suffixes), None)
        if named is None:
            given = "" if out is None else f", and the name of {out} does not tell"
            raise OptionError(f"no format is given{given}; add --to with one of {', '.join(FORMATS)}")
        return named
    if name not in FORMATS:
        raise OptionError(f"format {name!r} is unknown; it is one of {', '.join(FORMATS)}")
    form, suffix = FORMATS[name], "" if out is None else out.suffix.lower()
    other = next((other for other in _ALL if suffix in other.suffixes and other is not form), None)
    if other is not None and suffix != ".txt":
        raise OptionError(
            f"{out} is called like a file of the format {other.name}; call it {form.suffixes[0]}, or leave out --to"
        )
    return form
