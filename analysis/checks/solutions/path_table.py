"""Check a table of optimal paths by finding the paths again, ply by ply, many at a time."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from analysis.checks.solutions.replay import BATCH, Positions
from analysis.checks.solutions.rows import InOrder
from analysis.engine.compiling.functions import compile_function
from analysis.engine.kernels.walk import spell
from analysis.errors import VerificationError
from analysis.machine.workers import tell_progress
from analysis.rules.residual import residual_of
from analysis.solution.lookup import Children, Edges
from analysis.solution.solution import Solution
from analysis.solution.storage.parquet import PartFile
from analysis.solution.storage.path_files import PATH_SCHEMA

CELLS = 1 << 20
"""Codes of paths followed together."""

NONE = 255
"""Marks the end of a path; codes are less."""


def check_paths(path: Path, recorded: dict[str, Any], solution: Solution, positions: Positions) -> None:
    """Check a table of optimal paths.

    Args:
        path: The file.
        recorded: Its entry in the manifest.
        solution: The solution, whose values are right.
        positions: The positions of its classes.

    Raises `VerificationError`, naming a path that is wrong.
    """
    file, done = PartFile(path, recorded), 0
    rows = InOrder([file], BATCH, PATH_SCHEMA, str(path))
    outcome = solution.optimal_paths().outcome
    for texts, lengths in _Walk(solution, positions).paths():
        tell_progress("checking paths", done, file.metadata.num_rows)
        wanted = pa.table([texts, [outcome] * len(texts), lengths], schema=PATH_SCHEMA)
        stored = rows.take(len(wanted))
        if not stored.equals(wanted):
            pairs = itertools.zip_longest(stored.to_pylist(), wanted.to_pylist())
            row = next(row for row, (found, right) in enumerate(pairs) if found != right)
            found, right = ([*each.slice(row, 1).to_pylist(), "missing"][0] for each in (stored, wanted))
            raise VerificationError(f"{path}: row {done + row} is {found}, but the rules give {right}")
        done += len(wanted)
    if len(rows.take(1)):
        raise VerificationError(f"{path} has more rows than the {done} optimal paths")


class _Walk:
    """Follows all optimal paths, some together."""

    def __init__(self, solution: Solution, positions: Positions) -> None:
        game = solution.game
        self._joined = solution.engine.rules.largest_code > 9
        self._longest = max(1, len(solution.tiers) - 1)  # every move leads to a later tier
        self._start, self._worth = solution.engine.start, solution.value
        self._tiers = {tier.number: tier for tier in solution.tiers}
        self._classes, self._played, self._left = positions, positions, None
        if solution.engine.residual is not None:
            self._played, self._left = Positions(game, "none"), compile_function(residual_of(game).of)

    def paths(self) -> Iterator[tuple[list[str], np.ndarray]]:
        """Yield all paths in code order, as texts, with their lengths."""
        waiting = [(np.array([self._start]), np.full((1, self._longest), NONE, np.uint8), 0)]
        while waiting:
            states, codes, ply = waiting.pop()
            here, which = np.unique(states, return_inverse=True)
            of, moves, children = self._leads(here, ply)
            leads, begins = np.bincount(of, minlength=len(here))[which], np.searchsorted(of, which)
            if not leads.any():
                lengths, text = (codes != NONE).sum(axis=1), np.empty(codes.size * 4 + len(codes), np.uint8)
                size = spell(codes, lengths, len(codes), int(self._joined), text)
                yield text[:size].tobytes().decode("ascii").split("\n")[:-1], lengths
                continue
            rows = np.repeat(np.arange(len(states)), np.maximum(leads, 1))  # a finished path stays as it is
            nth = np.arange(len(rows)) - np.searchsorted(rows, rows)
            going = leads[rows] > 0
            taken = (begins[rows] + nth)[going]
            states, codes = states[rows], codes[rows]
            states[going], codes[going, ply] = children[taken], moves[taken]
            most = max(1, CELLS // self._longest)
            waiting += [
                (states[low : low + most], codes[low : low + most], ply + 1)
                for low in reversed(range(0, len(rows), most))
            ]

    def _leads(self, states: np.ndarray, ply: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the value-keeping moves of some states: index and code, both ascending, and the state after it."""
        pieces = []
        for low in range(0, len(states), BATCH):
            expanded = self._played.expand(states[low : low + BATCH], canonical=False)
            rows = np.repeat(np.arange(len(expanded.branching)), expanded.branching)
            classes = expanded.children if self._left is None else self._played.apply(self._left, expanded.children)
            classes = self._classes.least(classes)
            edges = Edges(rows, expanded.codes, classes, self._classes.tiers(classes, ply + 1))
            kept = Children(self._tiers, [edges]).worths(edges)[0] == self._worth
            pieces.append((rows[kept] + low, expanded.codes[kept], expanded.children[kept]))
        rows, codes, children = map(np.concatenate, zip(*pieces, strict=True))
        return rows, codes, children
