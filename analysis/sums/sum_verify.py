"""Verify the directory of a sum: files are as written, and what is said of each part follows from the rules and from
what is said of others.

What parts a move leaves is found by the ordinary functions of the game, not by the compiled kernel. A number is
excluded if an option has it as its nimber; a nimber is right if all smaller numbers are those of options, and no option
has it. Since play ends, that proves all of it.
"""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

from analysis.checks.solutions.verify import check_files, not_as_written, read_tier_files
from analysis.errors import VerificationError
from analysis.games.sums import SumGame
from analysis.machine.workers import Stage, tell_progress
from analysis.solution.storage.directory import MANIFEST
from analysis.solution.storage.stored_games import stored_game
from analysis.sums.graph_nimbers import nimbers_of
from analysis.sums.nimbers import Found, as_facts
from analysis.sums.options import Option, options_of, parts_of
from analysis.sums.sum_solution import SumSolution
from analysis.sums.sum_store import FOLDER, manifest_of, open_solution, read_parts, read_sum_manifest
from analysis.wording import some

TOLD = 1000
"""Parts after which progress is told."""


@dataclasses.dataclass(frozen=True)
class SumReport:
    """What was checked."""

    game: str
    files: int
    decided: int
    """Parts whose nimber was derived."""
    excluded: int
    """Parts of which it was derived what their nimber is not."""
    options: int
    """Different sums of parts that moves lead to."""

    def to_json(self) -> dict[str, Any]:
        """Return what ``gametree verify --format json`` prints."""
        return dataclasses.asdict(self) | {"counts": False}

    def sentence(self) -> str:
        """Describe the result in a sentence."""
        excluded = f" and the nimbers that {some(self.excluded, 'other')} cannot have" if self.excluded else ""
        return (
            f"{self.game}: all {self.files} files are intact, and the nimbers of {some(self.decided, 'part')}"
            f"{excluded} follow from the rules and each other, over {some(self.options, 'different option')}."
        )


def verify(directory: str | Path) -> SumReport:
    """Verify every file and every number in the ``directory`` of a sum. Raises `StoreError` if there is none, and
    `VerificationError`, naming the file or the first part that is wrong.
    """
    directory = Path(directory)
    manifest, path = read_sum_manifest(directory), directory / MANIFEST
    game = stored_game(directory, manifest)
    if not isinstance(game, SumGame):
        game = open_solution(directory).game  # which says what is wrong
    if manifest["rules_hash"] != game.rules_hash():
        raise VerificationError(f"{path}: made by other rules than {game.spec} has now (rules_hash)")
    with not_as_written(directory):
        recorded = read_tier_files(directory, manifest, game.rules_hash())
        files = check_files(directory, recorded, [FOLDER])
        found = read_parts(directory, recorded[0])
        checks = _Checks(game, found)
        checks.all()
        series = [(number, checks.nimber(parts_of(game.parts, at))) for number, at in game.parts.series]
        nimber = checks.nimber(parts_of(game.parts, game.parts.start))
        wanted = manifest_of(SumSolution(game, nimbers_of(game.parts, found), series, nimber))
        wanted = {
            name: wanted[name] for name in ("nimber", "decided", "excluded", "greatest_nimber", "series", "totals")
        }
        for name, value in wanted.items():
            if manifest[name] != value:
                raise VerificationError(f"{path}: {name} does not follow from the parts")
    return SumReport(game.spec, files, wanted["decided"], wanted["excluded"], checks.options)


class _Checks:
    """Checks what is said of each part."""

    def __init__(self, game: SumGame, found: Found) -> None:
        self._game = game
        self._facts = as_facts(found)
        self.options = 0
        """How many were looked at."""

    def all(self) -> None:
        """Check every part. Raises `VerificationError`."""
        for done, (part, fact) in enumerate(self._facts.items()):
            if done % TOLD == 0:
                tell_progress(Stage("verifying parts"), done, len(self._facts))
            options = options_of(self._game.parts, part)
            self.options += len(options)
            there = {number for option in options if (number := self._value(option)) is not None}
            if fact >= 0:
                missing = [n for n in range(fact.bit_length()) if fact >> n & 1 and n not in there]
                if missing or not fact:
                    self._refuse(part, f"nothing shows that its nimber is not {missing[0] if missing else 0}")
                continue
            nimber = -1 - fact
            if any(less not in there for less in range(nimber)):
                self._refuse(part, f"its nimber is less than {nimber}, or an option is missing")
            for option in options:
                if not self._is_not(option, nimber):
                    self._refuse(part, f"nothing shows that no option has its nimber {nimber}")

    def nimber(self, option: Option) -> int:
        """Return the nimber of parts together. Raises `VerificationError` if it is not stored."""
        found = self._value(option)
        if found is None:
            raise VerificationError(f"the nimber of {self._game.spec}, or of a smaller game, is missing")
        return found

    def _value(self, option: Option) -> int | None:
        total = 0
        for part in option:
            fact = self._facts.get(part, 0)
            if fact >= 0:
                return None
            total ^= -1 - fact
        return total

    def _is_not(self, option: Option, number: int) -> bool:
        """Return whether it is known that parts do not have this nimber together."""
        facts = [self._facts.get(part, 0) for part in option]
        unknown = [fact for fact in facts if fact >= 0]
        for fact in facts:
            number ^= -1 - fact if fact < 0 else 0
        if not unknown:
            return number != 0
        return len(unknown) == 1 and bool(unknown[0] >> number & 1)

    def _refuse(self, part: int, why: str) -> None:
        raise VerificationError(f"part {part} ({self._game.format_position(part)}): {why}")
