"""GEXF, as https://gexf.net/schema.html has it: for Gephi, and for networkx.

Version 1.2draft: every version of networkx that can read GEXF reads it, which later ones of the format are not sure of,
and so do Gephi and what else there is; nothing that 1.3 adds is needed. Edges have ids, which 1.2 asks for. There is no
date, so that the same graph is the same file.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import IO

from analysis.exports.attributes import Attribute, attributes, facts, node_blocks, node_id
from analysis.exports.graphs.markup import EDGE_ATTRIBUTES, edge_data, escape, kind_of, node_data, spell
from analysis.exports.graphs.merged_edges import merged_edges
from analysis.exports.parts.blocks import small_blocks
from analysis.exports.parts.part import Block, Part

NAMESPACE = "http://www.gexf.net/1.2draft"

_HEAD = f"""\
<?xml version="1.0" encoding="UTF-8"?>
<gexf xmlns="{NAMESPACE}" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" \
xsi:schemaLocation="{NAMESPACE} {NAMESPACE}/gexf.xsd" version="1.2">
"""


def write(part: Part, file: IO[bytes]) -> None:
    """Write the graph of classes; it is read by ``networkx.read_gexf(file)``. Labels are the texts of positions, and
    the names of moves. Raises `StoreError`.

    >>> import analysis, io, networkx
    >>> file = io.BytesIO()
    >>> write(Part(analysis.solve("tictactoe"), depth=1), file)
    >>> graph = networkx.read_gexf(io.BytesIO(file.getvalue()))
    >>> graph.nodes["s16"]["label"], graph.edges["s0", "s16"]["moves"]
    ('????X????', '4')
    """
    columns = attributes(part)
    file.write((_HEAD + _meta(part) + '<graph defaultedgetype="directed" mode="static" idtype="string">\n').encode())
    file.write((_declared("node", [(a.name, a.kind) for a in columns])).encode())
    file.write((_declared("edge", [(a.name, a.kind) for a in EDGE_ATTRIBUTES])).encode())
    file.write(f'<nodes count="{part.classes}">\n'.encode())
    for block in node_blocks(part):
        file.write(_nodes(columns, block).encode())
    file.write(b"</nodes>\n<edges>\n")
    numbers = itertools.count()
    for block in small_blocks(part):
        file.write(_edges(block, numbers).encode())
    file.write(b"</edges>\n</graph>\n</gexf>\n")


def _meta(part: Part) -> str:
    """GEXF has no attributes of a graph: they are its description, one ``name: value`` a line."""
    said = facts(part)
    creator = escape(str(said.pop("version")))
    lines = [f"{name}: {spell(kind_of(value), value)}" for name, value in said.items() if value is not None]
    description = "\n".join(lines)
    return f"<meta>\n<creator>{creator}</creator>\n<description>{description}</description>\n</meta>\n"


def _declared(owner: str, kinds: list[tuple[str, str]]) -> str:
    rows = "".join(f'<attribute id="{name}" title="{name}" type="{kind}"/>\n' for name, kind in kinds)
    return f'<attributes class="{owner}" mode="static">\n{rows}</attributes>\n'


def _around(name: str) -> tuple[str, str]:
    return f'<attvalue for="{name}" value="', '"/>'


def _nodes(columns: Sequence[Attribute], block: Block) -> str:
    rows = zip(block.states.tolist(), block.positions, node_data(columns, block, _around), strict=True)
    return "".join(
        f'<node id="{node_id(state)}" label="{escape(text)}"><attvalues>{data}</attvalues></node>\n'
        for state, text, data in rows
    )


def _edges(block: Block, numbers: Iterator[int]) -> str:
    edges = list(merged_edges(block))
    return "".join(
        f'<edge id="e{number}" source="{node_id(edge.source)}" target="{node_id(edge.target)}" '
        f'label="{escape(", ".join(edge.names))}"><attvalues>{data}</attvalues></edge>\n'
        for edge, data, number in zip(
            edges, edge_data(edges, _around), numbers, strict=False
        )  # numbers last: they go on
    )
