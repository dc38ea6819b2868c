"""Write and open the directories of sums; docs/reference/solution-directory.md describes the table."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from analysis.errors import SpecError, StoreError
from analysis.games.families import SUM, load_game
from analysis.games.sums import SumGame
from analysis.machine.arguments import NATURAL, fits
from analysis.machine.files import read_sealed_json, write_sealed_json
from analysis.machine.version import __version__
from analysis.rules.game import HasRules
from analysis.solution.storage import parquet
from analysis.solution.storage.directory import (
    MANIFEST,
    RUN,
    TIERS,
    SolutionDirectory,
    open_manifest,
    part_name,
    part_path,
    tier_name,
)
from analysis.solution.storage.stored_games import StoredGame, refuse_other_rules, stored_game
from analysis.solution.storage.stored_tier import read_tier
from analysis.sums.graph_nimbers import nimbers_of
from analysis.sums.nimbers import Found, Nimbers
from analysis.sums.sum_solution import SumSolution

FOLDER = "positions"
MASKED = 63
"""Numbers that are bits of an int64."""


class SumWriter(SolutionDirectory):
    """Writes the solution of a sum; what was `saved` before an interruption is found again."""

    def __init__(self, directory: Path, game: SumGame) -> None:
        super().__init__(directory, [FOLDER], lasting=True)
        self._game = game

    def save(self, nimbers: Nimbers) -> None:
        """Keep what is known so far, so that the same command goes on with it."""
        record = self._write(nimbers)
        run = {"kind": SUM, "gametree": __version__, "rules_hash": self._game.rules_hash(), "part": record}
        write_sealed_json(self.partial / RUN, run)

    def saved(self) -> Found | None:
        """Return what an interrupted solve has kept; None if it was of another game or version, or is damaged."""
        with contextlib.suppress(StoreError, LookupError, TypeError):
            run, sealed = read_sealed_json(self.partial / RUN)
            whose = (SUM, __version__, self._game.rules_hash())
            if sealed and whose == (run["kind"], run["gametree"], run["rules_hash"]):
                return found_in(parquet.PartFile(part_path(self.partial / FOLDER, run["part"]), run["part"]).read())
        return None

    def write_solution(self, solution: SumSolution) -> None:
        """Write the table and move everything into place, the manifest last."""
        record = self._write(solution.nimbers)
        of_tier = {"tier": 0, "rows": record["rows"], "rules_hash": self._game.rules_hash(), FOLDER: [record]}
        self.write_tier_json(0, of_tier)
        self.finish(manifest_of(solution))

    def _write(self, nimbers: Nimbers) -> dict[str, Any]:
        return parquet.write_table(self.partial / FOLDER / part_name(0, 0), part_table(nimbers.found()))


def part_table(found: Found) -> pa.Table:
    """Return a row for each part, ascending: its number, or the digits of it if any exceeds an int64, the nimber if it
    is known, else the numbers that it is not.
    """
    parts, facts = found
    known = np.asarray(facts < 0, dtype=bool)
    masks = np.where(known, 0, facts)
    bits = [masks >> bit & 1 for bit in range(1 + int(max(masks, default=0)).bit_length())]
    rows, numbers = np.nonzero(np.array(bits, dtype=bool).T)
    ends = np.searchsorted(rows, np.arange(len(masks) + 1)).astype(np.int32)
    lists = pa.ListArray.from_arrays(ends, pa.array(numbers, pa.uint32()), mask=pa.array(known))
    return pa.table(
        {
            "part": pa.array([*map(str, parts)], pa.string()) if parts.dtype == object else pa.array(parts),
            "nimber": pa.array(np.where(known, -1 - facts, 0), pa.uint32(), mask=~known),
            "excluded": lists,
        }
    )


def found_in(table: pa.Table) -> Found:
    """Return what a table says of parts."""
    parts, nimbers, lists = (table[name].combine_chunks() for name in ("part", "nimber", "excluded"))
    known = np.asarray(nimbers.is_valid())
    excluded = np.asarray(lists.flatten())
    masks = np.zeros(len(parts), dtype=object if max(excluded, default=0) >= MASKED else np.int64)
    rows = np.repeat(np.arange(len(parts)), np.asarray(lists.value_lengths().fill_null(0)))
    for number in np.unique(excluded).tolist():
        masks[rows[excluded == number]] |= 1 << number
    facts = np.where(known, -1 - np.asarray(nimbers.fill_null(0)).astype(np.int64), masks)
    wide = pa.types.is_string(parts.type)
    return (np.array([*map(int, parts.to_pylist())], dtype=object) if wide else np.array(parts)), facts


def manifest_of(solution: SumSolution) -> dict[str, Any]:
    """Return the manifest of a solution without the parts that `SolutionDirectory.finish` adds."""
    game, stats = solution.game, solution.statistics()
    return {
        "kind": SUM,
        "gametree": __version__,
        "game": game.lasting_spec,
        "parameters": game.parameters(),
        "rules_hash": game.rules_hash(),
        "symmetry": {"kind": "none", "order": None},
        "tables": {},
        **{name: stats[name] for name in ("nimber", "decided", "excluded", "greatest_nimber", "series")},
        "totals": [{"tier": 0, "parts": stats["decided"] + stats["excluded"]}],
    }


_FORMS: dict[str, Any] = {
    "game": str, "rules_hash": str, "nimber": NATURAL, "decided": NATURAL, "excluded": NATURAL,
    "greatest_nimber": NATURAL, "series": [{"n": int, "nimber": NATURAL}],
    "totals": [{"tier": NATURAL, "parts": NATURAL}],
}  # fmt: skip


def read_sum_manifest(directory: Path) -> dict[str, Any]:
    """Read the manifest of a sum. Raises `StoreError`."""
    manifest = open_manifest(directory)
    if manifest.get("kind") != SUM:
        raise StoreError(f"{directory} holds the solution of {manifest.get('game')}, which is not a sum")
    wrong = [name for name, form in _FORMS.items() if not fits(manifest.get(name, ...), form)]
    if wrong or [row["tier"] for row in manifest["totals"]] != [0]:
        raise StoreError(
            f"{directory / MANIFEST} is damaged: {[*wrong, 'totals'][0]} is missing or no longer what was written"
        )
    return manifest


def open_solution(directory: str | Path, game: str | HasRules | None = None) -> SumSolution:
    """Open the solution in a ``directory``; ``game`` names the file of a user game. Raises `StoreError` if it holds no
    sum, or one by other rules, and `RulesNeededError` for a user game that nobody has named.
    """
    directory = Path(directory)
    manifest = read_sum_manifest(directory)
    found = stored_game(directory, manifest) if game is None else load_game(game)
    if isinstance(found, StoredGame):
        found.refuse()
    if not isinstance(found, SumGame):
        raise SpecError(f"{directory} holds the solution of {manifest['game']}, but {found.spec} is not a sum")
    refuse_other_rules(directory, manifest, found)
    recorded = read_tier(directory, 0, manifest[TIERS][tier_name(0)])
    nimbers = nimbers_of(found.parts, read_parts(directory, recorded))
    series = [(row["n"], row["nimber"]) for row in manifest["series"]]
    solution = SumSolution(found, nimbers, series, manifest["nimber"])
    solution.directory = directory
    return solution


def read_parts(directory: Path, recorded: dict[str, Any]) -> Found:
    """Return what the table of a solution says of parts. Raises `StoreError`."""
    (part,) = recorded[FOLDER]
    return found_in(parquet.PartFile(part_path(directory / FOLDER, part), part).read())
