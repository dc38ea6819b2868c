"""What every format says of a class, and of the solution as a whole, with the types that all of them have."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from typing import Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from analysis.engine import columns
from analysis.exports.parts.blocks import small_blocks
from analysis.exports.parts.part import Block, Part
from analysis.exports.tables.text_columns import movers, outcomes
from analysis.machine.version import __version__

Kind = Literal["long", "boolean", "string"]
Value = int | bool | str | None

MOST_LONG = (1 << 63) - 1
"""The greatest number of the kind ``long``."""

MOST_NODES = 1 << 13
"""Nodes whose texts are in memory at a time: some 2 kB each in XML."""


@dataclasses.dataclass(frozen=True)
class Attribute:
    """What is said of nodes under one name."""

    name: str
    kind: Kind
    """``long`` is a signed integer of 64 bits."""
    column: Callable[[Block], Sequence[Value]]
    """Of every class of a block, in its order; None where a class has no such attribute."""


def node_id(state: int) -> str:
    """The id of a class: an NMTOKEN of XML, and a plain word elsewhere.

    >>> node_id(1023)
    's1023'
    """
    return f"s{state}"


def facts(part: Part) -> dict[str, Value]:
    """What is said of the graph as a whole; ``depth`` is None where nothing limits it, ``remoteness_plies`` in a draw.

    >>> import analysis
    >>> facts(Part(analysis.solve("tictactoe"), depth=1))  # doctest: +ELLIPSIS
    {'game': 'tictactoe', 'start': '?????????', 'value': 0, ..., 'classes': 4, 'depth': 1, 'optimal_only': False, ...}
    """
    solution = part.solution
    return {
        "game": solution.game.spec,
        "start": solution.start,
        "value": solution.value,
        "remoteness_plies": solution.remoteness_plies,
        "symmetry": solution.symmetry,
        "classes": part.classes,
        "depth": part.depth,
        "optimal_only": part.optimal_only,
        "version": f"gametree {__version__}",
    }


def node_blocks(part: Part) -> Iterator[Block]:
    """The classes of a part in small blocks, with what `attributes` need: moves only if some may be cut off."""
    return part.blocks(most=MOST_NODES) if part.whole else small_blocks(part)


def attributes(part: Part) -> list[Attribute]:
    """What is said of every node, in the order that files list it: those that the game and its solution have. Ask once
    for a part: its statistics are added up.

    ``cut`` needs blocks with moves unless the part is whole, see `node_blocks`.
    """
    solution = part.solution
    plain = ["ply" if solution.by_ply else "tier", *(["nimber"] if solution.engine.rules.impartial else [])]
    counts = list(columns.COUNT_COLUMNS) if solution.counted else []
    count_kind = kind_of_counts(part)
    return [
        Attribute("state", "long", _numbers("state")),
        Attribute("position", "string", lambda block: block.positions),
        Attribute(plain[0], "long", _numbers(plain[0])),
        Attribute("to_move", "string", lambda block: movers(block).to_pylist()),
        Attribute("value", "long", _numbers("value")),
        Attribute("remoteness_plies", "long", _numbers("remoteness_plies")),
        Attribute("terminal", "boolean", _numbers("terminal")),
        Attribute("outcome", "string", lambda block: outcomes(block).to_pylist()),
        Attribute("orbit_size", "long", _numbers("orbit_size")),
        *(Attribute(name, "long", _numbers(name)) for name in plain[1:]),
        *(Attribute(name, count_kind, _counts(name, count_kind)) for name in counts),
        Attribute("cut", "boolean", lambda block: cut(part, block).tolist()),
    ]


def nodes(columns: Sequence[Attribute], block: Block) -> Iterator[dict[str, Value]]:
    """The `attributes` of each class of a block, by name; None for one that the class does not have."""
    names = [attribute.name for attribute in columns]
    for row in zip(*(attribute.column(block) for attribute in columns), strict=True):
        yield dict(zip(names, row, strict=True))


def kind_of_counts(part: Part) -> Kind:
    """Of the counts of a part: numbers, or text where those of the game may exceed `MOST_LONG`. No count of a class is
    more than the histories of the whole game: each counted path continues one of them, and no two the same.
    """
    histories = part.solution.statistics()["histories"]
    return "long" if histories is None or histories <= MOST_LONG else "string"


def cut(part: Part, block: Block) -> np.ndarray:
    """Whether a class has moves that the part leaves out, bool[n]."""
    found = np.zeros(len(block), dtype=bool)
    if not part.whole:
        assert block.moves is not None, "which classes are cut is seen in their moves"
        found[block.moves.rows[~block.moves.inside]] = True
    return found


def _numbers(name: str) -> Callable[[Block], Sequence[Value]]:
    return lambda block: block.table[name].to_pylist()  # type: ignore[no-any-return]


def _counts(name: str, kind: Kind) -> Callable[[Block], Sequence[Value]]:
    chosen = pa.int64() if kind == "long" else pa.string()
    return lambda block: pc.cast(block.table[name], chosen).to_pylist()  # type: ignore[no-any-return]
