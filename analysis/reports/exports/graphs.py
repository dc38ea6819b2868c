"""Write graphs of classes: GraphML by networkx's writer, and node-link JSON.

Nodes are named ``s`` and the canonical state; in JSON, as for D3 and `networkx.node_link_data`, by the position's text.
XML omits attributes that a node or an edge does not have.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from ...common.markup import printable
from ...common.memory import Budget
from ...common.wording import STEERING, whole
from ...common.workers import tell_progress
from ...errors import RulesError
from ...solution.counts import class_moves
from .part import Part, merged_edges

if TYPE_CHECKING:
    import networkx as nx

NODE_BYTES, EDGE_BYTES = 11_000, 4_400
"""Bytes of a class and of an edge in networkx's graph and in the document made from it."""

TEXT_BYTES = 250
"""Bytes of a text kept with its state."""

_encode = json.JSONEncoder(ensure_ascii=False, default=str).encode


def node_id(state: int) -> str:
    """Return the id of a class: an NMTOKEN of XML, and a plain word elsewhere.

    >>> node_id(1023)
    's1023'
    """
    return f"s{state}"


def write_graphml(part: Part, file: IO[bytes]) -> None:
    """Write the graph of classes as GraphML; ``networkx.read_graphml(file)`` reads it.

    Raises `TooLargeError` if memory does not hold networkx's document, and `StoreError`.

    >>> import analysis, io, networkx
    >>> file = io.BytesIO()
    >>> write_graphml(Part(analysis.solve("tictactoe")), file)
    >>> graph = networkx.read_graphml(io.BytesIO(file.getvalue()))
    >>> len(graph), graph.graph["value"], graph.edges["s0", "s16"]["moves"]
    (765, 0, '4')
    """
    import networkx as nx

    document = io.BytesIO()
    nx.write_graphml_xml(_graph(part), document)
    file.write(document.getvalue().replace(b"\r", b"&#13;"))  # a parser would read it as a line end


def write_json(part: Part, file: IO[bytes]) -> None:
    """Write the graph of classes as node-link JSON, a line for each node and edge.

    ``networkx.node_link_graph(json.load(file), edges="links")`` reads it (before networkx 3.4 without ``edges``).
    Raises `StoreError`, and `RulesError` if the game gives two states the same text.

    >>> import analysis, io
    >>> file = io.BytesIO()
    >>> write_json(Part(analysis.solve("tictactoe"), depth=1), file)
    >>> json.loads(file.getvalue())["links"][0]["source"], json.loads(file.getvalue())["links"][0]["moves"]
    ('?????????', [0, 2, 6, 8])
    """
    file.write(f'{{"directed": true, "multigraph": false,\n"graph": {_line(part.facts)},\n"nodes": ['.encode())
    _write_lines(file, _json_nodes(part))
    file.write(b'\n],\n"links": [')
    _write_lines(file, _json_links(part))
    file.write(b"\n]}\n")


def _graph(part: Part) -> nx.DiGraph[str]:
    """Build networkx's graph of a part, for XML."""
    import networkx as nx

    solution = part.solution.of_classes
    edges = class_moves(solution, solution.tiers) * part.classes // solution.classes
    subject = f"networkx's document of {part.classes:,} classes"
    advice = "--to json, csv or jsonl, the Parquet tables of `gametree solve --out`, a smaller part"
    Budget.of_machine().require(NODE_BYTES * part.classes + EDGE_BYTES * edges, subject, advice)
    graph: nx.DiGraph[str] = nx.DiGraph(**_present(part.facts))
    for _, rows in part.rows():
        graph.add_nodes_from((node_id(row["state"]), _present(row)) for row in rows)
    for block in part.blocks(moves=True):
        for edge in merged_edges(block):
            texts = {"moves": " ".join(map(str, edge["moves"])), "names": ", ".join(edge["names"])}
            source, target = node_id(edge.pop("source")), node_id(edge.pop("target"))
            graph.add_edge(source, target, **_present(edge | texts))
    tell_progress("writing XML", 0, None)
    return graph


def _present(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is not None, in characters that XML can hold."""
    present = {name: value for name, value in fields.items() if value is not None}
    return {n: printable(str(value)) if isinstance(value, str | Fraction) else value for n, value in present.items()}


def _json_nodes(part: Part) -> Iterator[dict[str, Any]]:
    """Yield the nodes. Raises `RulesError` if two states of a user's game have the same text."""
    texts, game = dict[str, int](), part.solution.game
    if game.origin:
        Budget.of_machine().require(TEXT_BYTES * part.classes, f"{part.classes:,} texts", "graphml, a smaller part")
    for _, rows in part.rows():
        for row in rows:
            text, state = row.pop("position"), row["state"]
            if game.origin and texts.setdefault(text, state) != state:
                raise RulesError(
                    f"format_position() of {game.spec} gives {text!r} for the states {texts[text]} and {state}, but "
                    "node-link JSON names nodes by their texts; use graphml, which names them by states"
                )
            yield {"id": text, **row}


def _json_links(part: Part) -> Iterator[dict[str, Any]]:
    for block in part.blocks(moves=True):
        edges, texts = merged_edges(block), dict(zip(block.states.tolist(), block.positions, strict=True))
        targets = block.game.format_positions(np.array([edge["target"] for edge in edges], dtype=np.int64))
        for edge, target in zip(edges, targets, strict=True):
            yield edge | {"source": texts[edge["source"]], "target": target}


def _write_lines(file: IO[bytes], objects: Iterable[dict[str, Any]]) -> None:
    for number, entry in enumerate(objects):
        file.write(f"{',' * bool(number)}\n{_line(entry)}".encode())


def _line(data: Mapping[str, Any]) -> str:
    """Return JSON with characters that control a terminal escaped."""
    return STEERING.sub(lambda sign: f"\\u{ord(sign[0]):04x}", whole(_encode(data)))
