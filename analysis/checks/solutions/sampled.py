"""Check some classes of a solution, drawn at random, each against those that its moves lead to."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from analysis.checks.solutions import manifest_check
from analysis.checks.solutions.derived import Derived
from analysis.checks.solutions.draws import Choice, Draw
from analysis.checks.solutions.replay import BATCH
from analysis.checks.solutions.state_check import StateCheck
from analysis.checks.solutions.stored_rows import StoredRows, TierRows
from analysis.machine.workers import Progress
from analysis.rules.game import Game


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
    directory: Path,
    manifest: dict[str, Any],
    game: Game,
    tiers: Sequence[dict[str, Any]],
    choice: Choice,
    progress: Progress,
) -> tuple[Draw, int]:
    """Check the classes that are drawn, the start, and what the manifest says of the whole. Returns the draw and the
    number of moves of its classes. Raises `VerificationError`, naming the first state that fails.
    """
    draw = choice.of(sum(tier["rows"] for tier in tiers))
    check = StateCheck(manifest, game)
    block = BATCH * draw.total // draw.size  # of them `BATCH` are drawn, more or less
    done, end = 0, draw.total
    for recorded in reversed(tiers):
        tier = check.tiers[recorded["tier"]] = TierRows(directory, recorded, check.files)
        begin = end - len(tier)
        for low in range(begin, end, block):
            progress("verifying", done, draw.size)
            rows = draw.between(low, min(low + block, end)) - begin
            if len(rows):
                _check_rows(check, tier.at(rows))
            done += len(rows)
        end = begin
    moves, start = check.moves_seen, tier.at(np.array([check.row_of_start(tier)]))
    _check_rows(check, start)
    manifest_check.compare(manifest, manifest_check.description(directory, manifest, game, check.positions))
    manifest_check.compare_sums(manifest, [tier["rows"] for tier in tiers])
    manifest_check.compare(manifest, manifest_check.whole(manifest, start))
    return draw, moves


def _check_rows(check: StateCheck, rows: StoredRows) -> None:
    """All that is stored of some rows but histories, which come from the tiers before theirs."""
    check.check_form(rows)
    check.check_states(rows)
    expanded = check.expand(rows)
    check.compare(rows, Derived(expanded, check.find_children(rows, expanded)))
