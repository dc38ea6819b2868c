"""Check a table of optimal paths: that it holds all of them, each once, in the order of their codes.

Sorted paths follow one another in one way only. Where two neighbours part, the later one makes the next move that keeps
the value; from there on the earlier one has made the last such move each time, and the later one makes the first. The
first path makes the first move throughout, the last path the last one. A table whose neighbours all follow one another
like that, and whose paths end where the game does, is whole; nothing needs to be counted.

The paths of a block are walked together, ply by ply, each position once.
"""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from analysis.checks.solutions.replay import BATCH, Positions
from analysis.checks.solutions.stored_rows import Tables
from analysis.engine.compiling.functions import compile_function
from analysis.errors import VerificationError
from analysis.machine.workers import Progress
from analysis.rules.residual import residual_of
from analysis.solution.lookup import Children, Edges
from analysis.solution.solution import Solution
from analysis.storage.parquet import PartFile
from analysis.storage.row_files import joined
from analysis.storage.store import PATH_SCHEMA

CELLS = 1 << 22
"""Codes of paths that are walked together, at 3 bytes each."""

NONE = 255
"""Stands where a path is over; codes are less."""

_CODE = "(25[0-4]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])"


def check_paths(
    path: Path, recorded: dict[str, Any], solution: Solution, positions: Positions, progress: Progress
) -> None:
    """Check a table of optimal paths.

    Args:
        path: The file.
        recorded: What the manifest says of it.
        solution: Whose paths these are; its values are right.
        positions: What its classes are positions of.
        progress: Is told how many paths are checked, and how many there are.

    Raises `VerificationError`, naming a path that is wrong.
    """
    file, walk = PartFile(path, recorded), _Walk(solution, positions)
    if not file.metadata.schema.to_arrow_schema().equals(PATH_SCHEMA):
        raise VerificationError(f"{path}: has other columns or types than gametree writes")
    total, done, before = file.metadata.num_rows, 0, np.empty((walk.longest, 0), np.uint8)
    rows = Tables(itertools.chain(file.batches(BATCH), [PATH_SCHEMA.empty_table()]))
    if not total:
        raise VerificationError(f"{path}: there are no paths in it")
    while len(table := rows.take(max(1, CELLS // (walk.longest + 1)))):
        progress("checking paths", done, total)
        done += len(table)
        try:
            codes = _read(table, walk)
            walk.follow(before, codes, last=done == total)
        except _WrongPathError as error:
            raise VerificationError(f"{path}: {table['path'][error.row].as_py()!r} {error}") from None
        before = codes[:, -1:]


class _WrongPathError(Exception):
    """The path in a ``row`` is wrong."""

    def __init__(self, row: int, what: str) -> None:
        super().__init__(what)
        self.row = row


def _require(right: np.ndarray, what: str) -> None:
    """Raise `_WrongPathError` for the first of some rows that is not right."""
    if not right.all():
        raise _WrongPathError(int(np.argmin(right)), what)


def _read(table: pa.Table, walk: _Walk) -> np.ndarray:
    """The codes of each path, and `NONE` after them, uint8[longest, rows]."""
    import pyarrow.compute as pc

    for column in table.columns:
        _require(column.is_valid().to_numpy(), "is no path, or something is null beside it")
    texts = table["path"].combine_chunks()
    flat, lengths = _numbers(texts) if walk.joined else _digits(texts)
    _require(table["plies"].to_numpy() == lengths, "has another number of plies")
    _require(pc.equal(table["outcome"], walk.outcome).to_numpy(), "has another outcome")
    _require(lengths <= walk.longest, "is longer than the game")
    codes = np.full((len(texts), walk.longest), NONE, np.uint8)
    codes[np.arange(walk.longest) < lengths[:, None]] = flat
    return np.ascontiguousarray(codes.T)


def _digits(texts: pa.Array) -> tuple[np.ndarray, np.ndarray]:
    """The codes of paths of one digit a code, one path after the other, and how many each has."""
    import pyarrow.compute as pc

    codes = np.frombuffer(joined(texts), np.uint8) - np.uint8(ord("0"))
    if (codes > 9).any():
        _require_form(texts, "^[0-9]*$")
    return codes, pc.binary_length(texts).to_numpy()


def _numbers(texts: pa.Array) -> tuple[np.ndarray, np.ndarray]:
    """The same of paths whose codes are joined by ``-``."""
    import pyarrow.compute as pc

    parts = pc.split_pattern(texts.filter(pc.not_equal(texts, "")), "-").flatten()
    try:
        codes = parts.cast(pa.uint8()).to_numpy()
        spelled = np.array_equal(pc.binary_length(parts).to_numpy(), 1 + (codes > 9) + (codes > 99))
    except pa.ArrowInvalid:
        spelled = False
    if not spelled or (codes == NONE).any():
        _require_form(texts, f"^({_CODE}(-{_CODE})*)?$")
    some = pc.binary_length(texts).to_numpy() > 0
    return codes, np.where(some, pc.count_substring(texts, "-").to_numpy() + 1, 0)


def _require_form(texts: pa.Array, form: str) -> None:
    """Raise `_WrongPathError` for the first text, of which there is one, that has not the form of a path."""
    import pyarrow.compute as pc

    _require(pc.match_substring_regex(texts, form).to_numpy(zero_copy_only=False), "is no path")


class _Leads(NamedTuple):
    """The moves that keep the value of some states, those of each state together, ascending."""

    begins: np.ndarray  # int64[states + 1], where those of each begin
    keys: np.ndarray  # int64[moves], 256 times the number of the state, plus the code
    children: np.ndarray  # int64[moves]


class _Walk:
    """Walks along many paths together."""

    def __init__(self, solution: Solution, positions: Positions) -> None:
        paths, game = solution.optimal_paths(), solution.game
        self.outcome, self.joined = paths.outcome, solution.engine.rules.largest_code > 9
        self.longest = max(1, len(solution.tiers) - 1)  # every move leads to a later tier
        self._start, self._worth = solution.engine.start, solution.value
        self._tiers = {tier.number: tier for tier in solution.tiers}
        self._classes, self._played, self._left = positions, positions, None
        if solution.engine.residual is not None:
            self._played, self._left = Positions(game, "none"), compile_function(residual_of(game).of)

    def follow(self, before: np.ndarray, codes: np.ndarray, *, last: bool) -> None:
        """Check paths that come after the one of ``before``, or are the first ones where that is empty, and have none
        after them if they are the ``last``. Raises `_WrongPathError`.
        """
        whole, own = np.concatenate((before, codes), axis=1), before.shape[1]
        parts = np.concatenate(([-1], (whole[:, 1:] != whole[:, :-1]).argmax(axis=0)))
        ranks, left = self._ranks(whole, parts, own)
        later = np.arange(self.longest)[:, None] > parts
        follows = np.asarray(~(later & (ranks > 0)).any(axis=0))
        follows[1:] &= ~(later[:, 1:] & (left[:, :-1] > 0)).any(axis=0)
        rows = np.arange(1, len(parts))
        follows[1:] &= ranks[parts[1:], rows] == ranks[parts[1:], rows - 1] + 1
        _require(follows[own:], "is out of order, or paths before it are missing")
        if last and left[:, -1].any():
            raise _WrongPathError(codes.shape[1] - 1, "is not the last path: those after it are missing")

    def _ranks(self, codes: np.ndarray, parts: np.ndarray, known: int) -> tuple[np.ndarray, np.ndarray]:
        """For each code how many moves that keep the value come before it in its state, and how many come after it,
        uint8[longest, rows] each. ``parts`` are the plies where each path parts from the one before it; rows below
        ``known`` have been walked before. Raises `_WrongPathError`.
        """
        ranks, left = np.zeros((2, *codes.shape), np.uint8)
        states, numbers = np.full(len(parts), self._start), np.arange(len(parts))
        for ply, own in enumerate(codes):
            rows = np.flatnonzero((parts <= ply) & (own != NONE))
            if not len(rows):
                break
            here, which = np.unique(states[rows], return_inverse=True)
            leads = self._leads(here, ply)
            keys = which << 8 | own[rows]
            places = np.searchsorted(leads.keys, keys)
            found = np.append(leads.keys, -1)[places] == keys
            if not found.all():
                raise _WrongPathError(int(rows[np.argmin(found)]) - known, "has a move that is not optimal")
            ranks[ply, rows] = places - leads.begins[which]
            left[ply, rows] = leads.begins[which + 1] - 1 - places
            states[rows] = leads.children[places]
            same = np.maximum.accumulate(np.where(parts <= ply, numbers, 0))  # the first row that begins like this
            ranks[ply], left[ply], states = ranks[ply, same], left[ply, same], states[same]
        ends, which = np.unique(states, return_inverse=True)
        _require(self._over(ends)[which][known:], "ends before the game does")
        return ranks, left

    def _leads(self, states: np.ndarray, ply: int) -> _Leads:
        """The moves that keep the value of some states of a ply."""
        pieces = [self._some_leads(states[low : low + BATCH], low, ply) for low in range(0, len(states), BATCH)]
        keys, children = map(np.concatenate, zip(*pieces, strict=True))
        return _Leads(np.searchsorted(keys, np.arange(len(states) + 1) << 8), keys, children)

    def _some_leads(self, states: np.ndarray, first: int, ply: int) -> tuple[np.ndarray, np.ndarray]:
        """The keys and the children of these moves, the first state having this number."""
        expanded = self._played.expand(states, canonical=False)
        rows = np.repeat(np.arange(len(states)), expanded.branching)
        classes = expanded.children if self._left is None else self._played.apply(self._left, expanded.children)
        classes = self._classes.least(classes)
        edges = Edges(rows, expanded.codes, classes, self._classes.tiers(classes, ply + 1))
        kept = Children(self._tiers, [edges]).worths(edges)[0] == self._worth
        keys = (rows[kept] + first) << 8 | expanded.codes[kept]
        order = np.argsort(keys, kind="stable")
        return keys[order], expanded.children[kept][order]

    def _over(self, states: np.ndarray) -> np.ndarray:
        """Whether the game is over in each state, bool[n]."""
        pieces = (states[low : low + BATCH] for low in range(0, len(states), BATCH))
        return np.concatenate([self._played.expand(piece, canonical=False).branching == 0 for piece in pieces])
