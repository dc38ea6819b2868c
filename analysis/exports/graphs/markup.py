"""What the XML formats share: attributes of nodes and edges in columns, and texts that no XML file can break on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from analysis.exports.attributes import Attribute, Kind, Value
from analysis.exports.graphs.merged_edges import Edge
from analysis.exports.parts.part import Block
from analysis.exports.xml_texts import clean

_ESCAPES = str.maketrans(
    {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\n": "&#10;", "\r": "&#13;", "\t": "&#9;"}
)


class EdgeAttribute(NamedTuple):
    """What is said of edges under one name."""

    name: str
    kind: Kind
    of: Callable[[Edge], Value]


EDGE_ATTRIBUTES = (
    EdgeAttribute("move", "long", lambda edge: edge.codes[0]),
    EdgeAttribute("moves", "string", lambda edge: " ".join(map(str, edge.codes))),
    EdgeAttribute("names", "string", lambda edge: ", ".join(edge.names)),
    EdgeAttribute("value", "long", lambda edge: edge.value),
    EdgeAttribute("remoteness_plies", "long", lambda edge: edge.remoteness_plies),
    EdgeAttribute("optimal", "boolean", lambda edge: edge.optimal),
)


def escape(text: str) -> str:
    """A text inside an element or inside double quotes, so that it is read back as it is: white space too, since a
    parser turns line ends and, in attributes, tabs into others.

    >>> escape('a<b & "c"')
    'a&lt;b &amp; &quot;c&quot;'
    >>> escape("bell\\a, newline\\n")
    'bell\ufffd, newline&#10;'
    """
    return clean(text).translate(_ESCAPES)


def spell(kind: Kind, value: int | bool | str) -> str:
    """A value as XML files spell it."""
    if kind == "string":
        return escape(str(value))
    return ("true" if value else "false") if kind == "boolean" else str(value)


def kind_of(value: Value) -> Kind:
    """The kind of a value that is said of the graph as a whole."""
    return "boolean" if isinstance(value, bool) else "long" if isinstance(value, int) else "string"


def node_data(attributes: Sequence[Attribute], block: Block, around: Callable[[str], tuple[str, str]]) -> Iterator[str]:
    """Of each class of a block, its attributes, each spelled between the two texts that ``around`` gives for its name;
    what a class does not have is left out.
    """
    return _joined(_spelled(a.kind, a.column(block), *around(a.name)) for a in attributes)


def edge_data(edges: Sequence[Edge], around: Callable[[str], tuple[str, str]]) -> Iterator[str]:
    """Of each edge its attributes, as `node_data` has those of classes."""
    return _joined(_spelled(a.kind, map(a.of, edges), *around(a.name)) for a in EDGE_ATTRIBUTES)


def _joined(columns: Iterable[list[str]]) -> Iterator[str]:
    return map("".join, zip(*columns, strict=True))


def _spelled(kind: Kind, values: Iterable[Value], before: str, after: str) -> list[str]:
    if kind == "long":
        return ["" if value is None else f"{before}{value}{after}" for value in values]
    return ["" if value is None else f"{before}{spell(kind, value)}{after}" for value in values]
