"""Check some classes of a solution, drawn at random, each against those that its moves lead to."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from analysis.checks.solutions import manifest_check
from analysis.checks.solutions.draws import Choice, Draw
from analysis.checks.solutions.state_check import StateCheck
from analysis.checks.solutions.stored_rows import StoredRows
from analysis.errors import VerificationError
from analysis.machine.workers import Progress


@dataclasses.dataclass(frozen=True)
class SampleReport:
    """What was looked at, and found right."""

    game: str
    """The specification."""
    files: int
    """Whose sizes are those that were written; checksums were compared of what was read."""
    states: int
    """Classes of positions that are stored."""
    sampled: int
    """Classes that were checked."""
    share: float
    """Those over all."""
    chance: float
    """That a single wrong class would have been found, at least."""
    found_of: int
    """Of so many wrong classes one at least would have been found with a chance of 95%."""
    moves: int
    """Moves of one position of each class that was checked."""
    counts: bool
    """Whether games and paths were checked too, and not values and remoteness only."""

    def to_json(self) -> dict[str, Any]:
        """As ``gametree verify --format json`` prints it."""
        return dataclasses.asdict(self)

    def sentence(self) -> str:
        """For people."""
        what = "value, remoteness and count of games" if self.counts else "value and remoteness"
        many = "" if self.found_of == 1 else f", one at least of {self.found_of:,} with one of 95%"
        return (
            f"{self.game}: the sizes of all {self.files} files are right, and the {what} of {self.sampled:,} of "
            f"{self.states:,} classes follow from the rules and their {self.moves:,} moves. A single wrong class would "
            f"have been found with a chance of {100 * self.chance:.3g}%{many}."
        )


def check_sample(
    check: StateCheck,
    directory: Path,
    tiers: Sequence[dict[str, Any]],
    choice: Choice,
    progress: Progress,
    elsewhere: Callable[[Draw], Iterator[Looked]] | None = None,
) -> Draw:
    """Check the classes that are drawn, here or ``elsewhere``, the start, and what the manifest says of the whole.
    Returns the draw. Raises `VerificationError`, naming the first state that fails.
    """
    manifest, done = check.manifest, 0
    draw = choice.of(sum(tier["rows"] for tier in tiers))
    for looked in _looked(check, directory, tiers, draw) if elsewhere is None else elsewhere(draw):
        progress("verifying", done, draw.size)
        check.moves_seen += looked.moves
        done += looked.rows
    for recorded in tiers:
        check.tiers[recorded["tier"]] = check.open_tier(directory, recorded)
    first = check.tiers[tiers[0]["tier"]]
    start = first.pick(np.array([check.row_of_start(first)]), check.workers)
    list(check_rows(check, start))
    manifest_check.compare(manifest, manifest_check.description(directory, manifest, check.game, check.positions))
    manifest_check.compare_sums(manifest, [tier["rows"] for tier in tiers])
    manifest_check.compare(manifest, manifest_check.whole(manifest, start))
    return draw


class Looked(NamedTuple):
    """How many rows were checked, and how many moves they have."""

    rows: int
    moves: int


def _looked(check: StateCheck, directory: Path, tiers: Sequence[dict[str, Any]], draw: Draw) -> Iterator[Looked]:
    """Check the classes that are drawn, the last tier first."""
    end, together = draw.total, check.room.span(check.rules.max_moves)
    for recorded in reversed(tiers):
        tier = check.tiers[recorded["tier"]] = check.open_tier(directory, recorded)
        begin = end - len(tier)
        rows = draw.between(begin, end) - begin
        for low in range(0, len(rows), together):
            some = tier.pick(rows[low : low + together], check.workers)
            for moves in check_rows(check, some):
                yield Looked(0, moves)
            yield Looked(len(some), 0)
        if check.positions.by_ply:
            check.tiers.pop(tier.number + 2, None)
        end = begin


def check_rows(check: StateCheck, rows: StoredRows) -> Iterator[int]:
    """Check all that is stored of some rows but histories, which come from the tiers before theirs. Yields the number
    of moves, batch by batch.
    """
    batch = check.batch
    begins = range(0, len(rows), batch)
    targets = check.gather((functools.partial(rows.slice, begin, batch) for begin in begins), {})

    def check_batch(begin: int) -> int:
        own = rows.slice(begin, batch)
        try:
            return len(check.check(own, targets).kept)
        except VerificationError as error:
            last = int(rows.states[begin - 1]) if begin else -1
            raise check.first_failure(own, targets, last) or error from None

    return check.workers.map(check_batch, begins)
