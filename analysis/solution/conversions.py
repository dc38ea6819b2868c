"""Convert a solution to a data frame with exact sums, to a graph of networkx, and to a checksum."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from ..common.memory import Budget
from ..common.version import __version__
from ..common.wording import in_words
from ..common.workers import tell_progress
from ..engine.columns import COUNT_COLUMNS, DECIMAL, array, count_numbers, exact_sum, plain, widen
from ..engine.tiers import SolvedTier
from ..errors import MissingDataError, RulesError
from ..rules.game import Game

if TYPE_CHECKING:
    import networkx as nx
    import pandas as pd

    from .solution import Solution

GREATEST = (1 << 63) - 1
"""The greatest int64."""

PIECE = 1 << 14
"""Rows read at a time."""

SAMPLE = 1 << 10
"""Rows from which the memory of all rows is estimated."""

VALUES = {
    "state": "<i8",
    "to_move": "<i1",
    "value": "<i2",
    "remoteness_plies": "<u2",
    "terminal": "<u1",
    "orbit_size": "<u2",
}
"""The columns of every solution, and the type of their numbers in a checksum."""

_SIDES = {1: "X", -1: "O"}

# Frames ---------------------------------------------------------------------------------------------------------------


def frame_of(tables: Sequence[pa.Table], game: Game) -> pd.DataFrame:
    """Concatenate tables of positions of a game as a frame, with integers as int64, except counts whose sum over all
    positions does not fit: these columns hold Python integers.
    """
    import pandas as pd
    import pyarrow.compute as pc  # takes 30 ms to load

    if len({table.schema for table in tables}) > 1:  # some counts are decimals
        decimals = dict.fromkeys(COUNT_COLUMNS, DECIMAL)
        fields = pa.schema([field.with_type(decimals.get(field.name, field.type)) for field in tables[0].schema])
        tables = [table.cast(fields) for table in tables]
    table = pa.concat_tables(tables)
    frame, most = table.to_pandas(), int(pc.max(table["orbit_size"]).as_py() or 1)
    for field in table.schema:
        values = table[field.name]
        if field.name in COUNT_COLUMNS and total_of(table, field.name) * most > GREATEST:
            frame[field.name] = pd.Series(list(map(int, values.to_pylist())), dtype=object)
        elif not values.null_count and (field.name in COUNT_COLUMNS or pa.types.is_integer(field.type)):
            frame[field.name] = frame[field.name].astype("int64")
    if game.worths is not None and "value" in frame:
        frame["value"] = [game.worth(value) for value in frame["value"].tolist()]
    return frame


def require_frame(tier: SolvedTier, rows: int, game: Game) -> None:
    """Raise `TooLargeError` if ``rows`` like those of ``tier``, with their texts, do not fit memory."""
    sample = next(tier.pieces(SAMPLE))
    texts = game.format_positions(array(sample["state"]))
    row_bytes = (
        3 * frame_of([sample], game).assign(position=texts).memory_usage(deep=True, index=False).sum() + sample.nbytes
    )
    Budget.of_machine().require(rows * row_bytes / len(sample), f"a frame of {rows:,} classes", "a single ply or tier")


def check_column(schema: pa.Schema, column: str) -> None:
    """Raise `MissingDataError` for a ``column`` that is absent or not numeric."""
    summed = [field.name for field in schema if pa.types.is_decimal(field.type) or pa.types.is_integer(field.type)]
    if column not in summed:
        raise MissingDataError(f"there is no column of numbers {column!r}; choose from {in_words(summed)}")


def total_of(table: pa.Table, column: str) -> int:
    """Return the exact sum of a column of numbers."""
    if column in COUNT_COLUMNS:
        return exact_sum(count_numbers(table[column]))
    import pyarrow.compute as pc

    return int(pc.sum(table[column]).as_py() or 0)


# Graphs ---------------------------------------------------------------------------------------------------------------


def class_graph(solution: Solution) -> nx.DiGraph[str]:
    """Build the graph for `Solution.to_networkx`. Raises `RulesError` if two states have the same text."""
    import networkx as nx

    engine = solution.engine.classes
    graph: nx.DiGraph[str] = nx.DiGraph(
        game=solution.game.spec, start=solution.start, value=solution.value,
        remoteness_plies=solution.remoteness_plies, symmetry=solution.symmetry, classes=solution.classes, depth=None,
        optimal_only=False, version=f"gametree {__version__}",
    )  # fmt: skip
    texts: dict[int, str] = {}
    for table in (table for tier in solution.tiers for table in tier.pieces(PIECE)):
        positions = engine.game.format_positions(array(table["state"]))
        for text, row in zip(positions, table.to_pylist(), strict=True):
            if text in graph:
                raise RulesError(f"format_position() of {engine.game.spec} gives {text!r} for two states")
            row |= {name: int(row[name]) for name in COUNT_COLUMNS if name in row}
            over, outcome = row["terminal"], _SIDES.get((row["value"] > 0) - (row["value"] < 0), "tie")
            row["value"] = engine.game.worth(row["value"])
            graph.add_node(text, **(row | {"position": text}), outcome=outcome if over else None, cut=False)
            texts[row["state"]] = text
    for state, text in texts.items():
        codes_by_target = defaultdict(list)
        for code, child in engine.rules.moves(state):
            codes_by_target[texts[engine.canonical(child)]].append(code)
        for target, codes in codes_by_target.items():
            after = graph.nodes[target]
            graph.add_edge(
                text, target, move=codes[0], moves=tuple(codes), names=tuple(map(engine.game.format_move, codes)),
                value=after["value"], remoteness_plies=after["remoteness_plies"],
                optimal=after["value"] == graph.nodes[text]["value"],
            )  # fmt: skip
    return graph


# One number -----------------------------------------------------------------------------------------------------------


def checksum(solution: Solution) -> str:
    """Return the SHA-256 of everything a solution holds about every class, in hexadecimal. It does not depend on how or
    where a game was solved and stored, only on the symmetries and on whether there are counts.

    To compute it from the Parquet files, take the columns ``state`` (8 bytes), ``to_move`` (1), ``value`` (2),
    ``remoteness_plies`` (2; 65535 for null), ``terminal`` (1), ``orbit_size`` (2) and, if there are counts,
    ``histories``, ``games_x``, ``games_o``, ``games_tie``, ``optimal_paths`` and ``shortest_paths`` (16 each), over all
    tiers in order, least byte first. The result is the SHA-256 of the lines ``NAME DIGEST``, each ended by a newline,
    in which a digest is the SHA-256 of a column.

    >>> import analysis
    >>> solution = analysis.solve("mnk:rows=1,cols=2,k=2")
    >>> checksum(solution)[:8], checksum(analysis.solve("mnk:1,2,2", symmetry="none"))[:8]
    ('bdb192dc', '52c0f9a4')
    """
    names = [*VALUES, *(COUNT_COLUMNS if solution.counted else ())]
    columns = {name: hashlib.sha256() for name in names}
    done, total = 0, solution.classes
    for tier in solution.tiers:
        for piece in tier.pieces(PIECE, names):
            for name, column in columns.items():
                if name in VALUES:
                    column.update(plain(piece[name]).astype(VALUES[name]).tobytes())
                else:  # two limbs of 64 bits, the low one first
                    column.update(np.ascontiguousarray(widen(count_numbers(piece[name]), 2), "<u8").tobytes())
            done += len(piece)
            tell_progress("adding up a checksum", done, total)
    lines = (f"{name} {column.hexdigest()}\n" for name, column in columns.items())
    return hashlib.sha256("".join(lines).encode()).hexdigest()
