"""Node-link JSON: for networkx and for D3, as `networkx.node_link_data` makes it.

Nodes are called by the texts of their positions, and edges are under ``links``, as D3's forceLink expects them and
networkx did up to 3.3: from 3.4 on it is to be told ``edges="links"``.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import IO, Any

import numpy as np

from analysis.errors import RulesError
from analysis.exports.attributes import Attribute, attributes, facts, node_blocks, nodes
from analysis.exports.graphs.merged_edges import merged_edges
from analysis.exports.parts.blocks import small_blocks
from analysis.exports.parts.part import Block, Part
from analysis.machine.memory import Budget

TEXT_BYTES = 250
"""Bytes of a text that is kept with its state."""

_encode = json.JSONEncoder(ensure_ascii=False).encode


def write(part: Part, file: IO[bytes]) -> None:
    """Write the graph of classes, a line for each node and each edge; in networkx from 3.4 on it is read by
    ``networkx.node_link_graph(json.load(file), edges="links")``, before that without ``edges``. Raises `StoreError`,
    and `RulesError` where the game gives two states the same text.

    >>> import analysis, io
    >>> file = io.BytesIO()
    >>> write(Part(analysis.solve("tictactoe"), depth=1), file)
    >>> json.loads(file.getvalue())["links"][0]["source"], json.loads(file.getvalue())["links"][0]["moves"]
    ('?????????', [0, 2, 6, 8])
    """
    texts, columns = _Texts(part), attributes(part)
    file.write(b'{"directed": true, "multigraph": false,\n"graph": ' + _line(facts(part)) + b',\n"nodes": [')
    _write_lists(file, (_nodes(columns, texts.checked(block)) for block in node_blocks(part)))
    file.write(b'\n],\n"links": [')
    _write_lists(file, map(_links, small_blocks(part)))
    file.write(b"\n]}\n")


def _write_lists(file: IO[bytes], lists: Iterable[Iterable[dict[str, Any]]]) -> None:
    """The objects of all lists, one a line."""
    separator = b"\n"
    for lines in (b",\n".join(map(_line, rows)) for rows in lists):
        if lines:
            file.write(separator + lines)
            separator = b",\n"


def _line(data: dict[str, Any]) -> bytes:
    """As JSON in UTF-8; half a surrogate pair, which UTF-8 cannot hold, as the escape that JSON has for it."""
    return _encode(data).encode("utf-8", "backslashreplace")


def _nodes(columns: Sequence[Attribute], block: Block) -> Iterable[dict[str, Any]]:
    for node in nodes(columns, block):
        yield {"id": node.pop("position"), **node}


def _links(block: Block) -> Iterable[dict[str, Any]]:
    edges = list(merged_edges(block))
    targets = block.game.format_positions(np.array([edge.target for edge in edges], dtype=np.int64))
    for edge, target in zip(edges, targets, strict=True):
        yield {
            "source": block.positions[edge.row],
            "target": target,
            "move": edge.codes[0],
            "moves": edge.codes,
            "names": edge.names,
            "value": edge.value,
            "remoteness_plies": edge.remoteness_plies,
            "optimal": edge.optimal,
        }


class _Texts:
    """The texts met so far. Those of built-in games are known to differ, those of a user game are looked at."""

    def __init__(self, part: Part) -> None:
        self._game = part.solution.game
        self._states: dict[str, int] = {}
        if self._game.origin:
            Budget.of_machine().require(TEXT_BYTES * part.classes, f"{part.classes:,} texts", "graphml, a smaller part")

    def checked(self, block: Block) -> Block:
        """The block. Raises `RulesError` for a text that stands for two states."""
        if not self._game.origin:
            return block
        for text, state in zip(block.positions, block.states.tolist(), strict=True):
            earlier = self._states.setdefault(text, state)
            if earlier != state:
                raise RulesError(
                    f"format_position() of {self._game.spec} gives {text!r} for the states {earlier} and {state}, and "
                    "the nodes of node-link JSON are called by their texts; graphml calls them by their states"
                )
        return block
