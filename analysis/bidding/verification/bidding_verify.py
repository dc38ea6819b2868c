"""Check the directory of a bidding solution: that files are what was written, and numbers what the rules say."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from analysis.bidding.bidding_store import read_bidding_manifest, stored_bidding
from analysis.bidding.exact_values import LevelWorth, value_json
from analysis.bidding.least_chips import greatest_total
from analysis.bidding.verification.forced_chips import Rows, forced_rows
from analysis.bidding.verification.played_boards import Images, PlayedTier, play_boards
from analysis.bidding.verification.tier_check import TierCheck
from analysis.errors import OptionError, SymmetryError, VerificationError
from analysis.games.bidding import Bidding
from analysis.machine.arguments import checked
from analysis.machine.workers import Progress, no_progress
from analysis.storage.directory import MANIFEST, TIERS, part_name, tier_name
from analysis.storage.integrity import check_files, not_as_written, read_tier_files
from analysis.storage.stored_games import KIND

SUMS = ("boards", "classes", "states", "saddle", "mixed", "rounded")
"""Totals of the whole game, beside those of finished boards."""


@dataclasses.dataclass(frozen=True)
class BiddingReport:
    """What was checked."""

    game: str
    files: int
    boards: int
    """Counted, as states are, like those of `gametree stats`: those that differ by a symmetry apart."""
    states: int
    mixed: int
    """States with mixed bids."""
    totals: int
    """Totals of chips for which the least chips were derived again."""

    def to_json(self) -> dict[str, Any]:
        """As ``gametree verify --format json`` prints it."""
        return dataclasses.asdict(self)

    def sentence(self) -> str:
        """For people."""
        return (
            f"{self.game}: all {self.files} files are intact, and the value, the bids and the placements of each of "
            f"{self.states:,} states, {self.mixed:,} of them with mixed bids, on {self.boards:,} boards follow "
            f"from the rules; so do the least chips for {self.totals:,} totals."
        )


@checked
def verify(directory: str | Path, *, progress: Progress = no_progress) -> BiddingReport:
    """Check every file and every number of the ``directory`` of a bidding solution; ``progress`` is told how far it is.

    The boards are played again, and each state is compared with those after it: its placements have to be the best, its
    bids to get each side the value whatever the other bids, which proves the value. The numbers of the manifest follow.
    The least chips are derived again for every total of chips up to 200, and for the greatest in the manifest. Rounded
    values may miss theirs by 2e-9 of the range of what is bid for.

    Raises `StoreError` where the directory holds no bidding solution at all, and `VerificationError`, naming the file
    or the first state that fails, where it is not what the rules say.
    """
    directory = Path(directory)
    manifest = read_bidding_manifest(directory)
    game = stored_bidding(directory, manifest)
    if manifest["rules_hash"] != game.rules_hash():
        raise VerificationError(f"{directory / MANIFEST}: made by other rules than {game.spec} has now (rules_hash)")
    with not_as_written(directory):
        return _Check(directory, manifest, game, progress).report()


verify_bidding = verify  # the name that it had


class _Check:
    """The check of one directory."""

    def __init__(self, directory: Path, manifest: dict[str, Any], game: Bidding, progress: Progress) -> None:
        self._directory, self._manifest, self._game, self._progress = directory, manifest, game, progress
        self._path = directory / MANIFEST

    def report(self) -> BiddingReport:
        """What was checked."""
        directory, manifest, game = self._directory, self._manifest, self._game
        numbers = [row["tier"] for row in manifest["totals"]]
        recorded = read_tier_files(directory, manifest, game.rules_hash())
        for data in recorded:
            self._check_tier_file(data)
        files = check_files(directory, recorded, ["positions"])
        rules = game.base.either_side()  # refused where there is no game to ask
        assert rules is not None
        try:
            images = Images(rules, manifest["symmetry"]["kind"])
        except (OptionError, SymmetryError) as error:
            raise VerificationError(f"{self._path}: {error}") from None
        tiers = play_boards(rules, images, self._progress)
        if numbers != [tier.number for tier in tiers]:
            raise VerificationError(f"{self._path}: totals are of tiers {numbers}, not of 0 to {len(tiers) - 1}")
        root, totals = self._check_tiers(tiers, recorded)
        self._check_manifest(self._description(images, root, totals))
        forced = self._check_least_chips(tiers)
        counts = {name: manifest[name] for name in ("boards", "states", "mixed")}
        return BiddingReport(game.spec, files, **counts, totals=len({total for total, _ in forced}))

    def _check_tier_file(self, data: dict[str, Any]) -> None:
        """What the tier's file holds beside what every kind of solution has there."""
        path = self._directory / TIERS / tier_name(data["tier"])
        with not_as_written(path):
            names = [part["file"] for part in data["positions"]]
        wanted = [part_name(data["tier"], i) for i in range(len(names))]
        if set(data) != {"tier", "rows", "rules_hash", "positions"} or not names or names != wanted:
            raise VerificationError(f"{path}: not what gametree writes")

    def _check_tiers(
        self, tiers: Sequence[PlayedTier], recorded: Sequence[dict[str, Any]]
    ) -> tuple[LevelWorth, list[dict[str, Any]]]:
        """All tiers, from the last to the first; what the first is worth, and the totals of all, the first first."""
        totals: list[dict[str, Any]] = []
        level, done, rows = LevelWorth.joined(0, []), 0, sum(data["rows"] for data in recorded)
        for tier, data in zip(reversed(tiers), reversed(recorded), strict=True):
            self._progress("verifying", done, rows)
            check = TierCheck(self._game, bool(self._manifest["tables"]["text"]), tier, level)
            level = check.files(self._directory / "positions", data["positions"])
            totals.insert(0, check.totals())
            done += data["rows"]
        return level, totals

    def _description(self, images: Images, root: LevelWorth, totals: list[dict[str, Any]]) -> dict[str, Any]:
        """What the manifest should say, but for the least chips."""
        game, manifest = self._game, self._manifest
        column = game.holders.index(game.start.holder) * (len(root.ranks[0]) // len(game.holders))
        x, o = game.budgets
        column += x if game.pays == "loser" else x * (o + 1) + o
        return {
            "schema": manifest["schema"],
            "kind": KIND,
            "game": game.lasting_spec,
            "parameters": game.parameters(),
            "rules_hash": game.rules_hash(),
            "start": int(images.least(np.array([game.start.board]))[0]),
            "payoffs": list(images.rules.payoffs),
            "symmetry": {"kind": manifest["symmetry"]["kind"], "order": images.order},
            "tables": {"text": bool(manifest["tables"]["text"])},
            **value_json(root.table[int(root.ranks[0, column])]),
            **{name: sum(row[name] for row in totals) for name in SUMS},
            "terminal": {name: sum(row[f"terminal_{name}"] for row in totals) for name in ("X", "O", "tie")},
            "totals": totals,
            "entries": ["positions", TIERS],
            TIERS: manifest[TIERS],
        }

    def _check_manifest(self, wanted: dict[str, Any]) -> None:
        manifest = self._manifest
        strange = sorted(set(manifest) ^ {*wanted, "gametree", "least_chips"})
        if not strange and not isinstance(manifest["gametree"], str):
            strange = ["gametree"]
        if strange:
            raise VerificationError(f"{self._path}: {strange[0]!r} is missing or not what gametree writes")
        self._check_values("", manifest, {name: value for name, value in wanted.items() if name != "totals"})
        for recorded, derived in zip(manifest["totals"], wanted["totals"], strict=True):
            tier = derived["tier"]
            if set(recorded) != set(derived):
                raise VerificationError(
                    f"{self._path}: the totals of tier {tier} have other names than gametree writes"
                )
            self._check_values(f" of tier {tier}", recorded, derived)

    def _check_values(self, where: str, recorded: dict[str, Any], derived: dict[str, Any]) -> None:
        for name, value in derived.items():
            if _differ(recorded[name], value):
                raise VerificationError(f"{self._path}: {name}{where} is {recorded[name]!r}, not {value!r}")

    def _check_least_chips(self, tiers: Sequence[PlayedTier]) -> Rows:
        """One row for each total and holder; returns those derived again, which have to be as they were derived."""
        rows, most = self._manifest["least_chips"], greatest_total(self._game, max(len(tier.states) for tier in tiers))
        keys = [(total, holder) for total in range(most + 1) for holder in self._game.holders]
        if [(row["total"], row["advantage"]) for row in rows] != keys:
            raise VerificationError(
                f"{self._path}: least_chips has not one row for each holder and total of chips up to {most}"
            )
        forced = forced_rows(self._game, tiers, most, self._progress)
        for key, row in zip(keys, rows, strict=True):
            if key in forced and _differ(row, forced[key]):
                raise VerificationError(f"{self._path}: least_chips has {row}, not {forced[key]}")
        return forced


def _differ(one: Any, other: Any) -> bool:
    """Whether two values differ as JSON, where 1, 1.0 and true are three values."""
    return json.dumps(one, sort_keys=True) != json.dumps(other, sort_keys=True)
