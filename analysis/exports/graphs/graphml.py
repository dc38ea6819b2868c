"""GraphML, as http://graphml.graphdrawing.org/specification.html has it: for networkx, Gephi, yEd, igraph.

Nodes first, then edges, each block written as it is made. Keys are called after what they are for, ``n_value`` of a
node, ``e_value`` of an edge, ``g_value`` of the graph; what a node does not have has no ``data``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import IO

from analysis.exports.attributes import Attribute, attributes, facts, node_blocks, node_id
from analysis.exports.graphs.markup import EDGE_ATTRIBUTES, edge_data, kind_of, node_data, spell
from analysis.exports.graphs.merged_edges import merged_edges
from analysis.exports.parts.blocks import small_blocks
from analysis.exports.parts.part import Block, Part

NAMESPACE = "http://graphml.graphdrawing.org/xmlns"

_HEAD = f"""\
<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="{NAMESPACE}" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" \
xsi:schemaLocation="{NAMESPACE} {NAMESPACE}/1.0/graphml.xsd">
"""


def write(part: Part, file: IO[bytes]) -> None:
    """Write the graph of classes; it is read by ``networkx.read_graphml(file)``. Raises `StoreError`.

    >>> import analysis, io, networkx
    >>> file = io.BytesIO()
    >>> write(Part(analysis.solve("tictactoe")), file)
    >>> graph = networkx.read_graphml(io.BytesIO(file.getvalue()))
    >>> len(graph), graph.graph["value"], graph.edges["s0", "s16"]["moves"]
    (765, 0, '4')
    """
    columns = attributes(part)
    file.write((_HEAD + _keys(part, columns) + _graph(part)).encode())
    for block in node_blocks(part):
        file.write(_nodes(columns, block).encode())
    for block in small_blocks(part):
        file.write(_edges(block).encode())
    file.write(b"</graph>\n</graphml>\n")


def _keys(part: Part, columns: Sequence[Attribute]) -> str:
    declared = [
        *(("graph", name, kind_of(value)) for name, value in facts(part).items()),
        *(("node", attribute.name, attribute.kind) for attribute in columns),
        *(("edge", attribute.name, attribute.kind) for attribute in EDGE_ATTRIBUTES),
    ]
    return "".join(
        f'<key id="{owner[0]}_{name}" for="{owner}" attr.name="{name}" attr.type="{kind}"/>\n'
        for owner, name, kind in declared
    )


def _graph(part: Part) -> str:
    data = "".join(
        f'<data key="g_{name}">{spell(kind_of(value), value)}</data>\n'
        for name, value in facts(part).items()
        if value is not None
    )
    return f'<graph id="classes" edgedefault="directed">\n{data}'


def _nodes(columns: Sequence[Attribute], block: Block) -> str:
    found = node_data(columns, block, lambda name: (f'<data key="n_{name}">', "</data>"))
    return "".join(
        f'<node id="{node_id(state)}">{data}</node>\n' for state, data in zip(block.states.tolist(), found, strict=True)
    )


def _edges(block: Block) -> str:
    edges = list(merged_edges(block))
    found = edge_data(edges, lambda name: (f'<data key="e_{name}">', "</data>"))
    return "".join(
        f'<edge source="{node_id(edge.source)}" target="{node_id(edge.target)}">{data}</edge>\n'
        for edge, data in zip(edges, found, strict=True)
    )
