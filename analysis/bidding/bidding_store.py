"""Write and open the directories of bidding solutions; docs/solution-directory.md describes the tables."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from analysis.bidding.bidding_induction import SolvedBoards
from analysis.bidding.bidding_solution import BiddingSolution, BiddingTotals
from analysis.bidding.board_records import StoredBoards
from analysis.bidding.board_tables import parts, position_table
from analysis.bidding.boards import board_engine
from analysis.bidding.exact_values import value_json
from analysis.bidding.least_chips import LeastChips
from analysis.bidding.state_layout import StateLayout
from analysis.engine.engine import Engine, resting
from analysis.errors import StoreError
from analysis.games.bidding import Bidding
from analysis.machine.workers import Workers, no_progress
from analysis.storage import parquet
from analysis.storage.directory import MANIFEST, SolutionDirectory, open_manifest, part_name
from analysis.storage.stored_games import KIND, refuse_other_rules, stored_game
from analysis.version import __version__


class BiddingWriter(SolutionDirectory):
    """Writes the solution of a ``game`` into a directory, tier by tier, with the boards as ``text`` too if wanted; as a
    context manager it leaves nothing behind unless finished.
    """

    def __init__(self, directory: Path, game: Bidding, workers: Workers, *, text: bool = False) -> None:
        super().__init__(directory, ["positions"])
        self._game, self._workers, self._text = game, workers, text

    def write_tier(self, solved: SolvedBoards) -> None:
        """Write the files of a tier, then its JSON."""
        number, layout = solved.boards.number, StateLayout.of(self._game)

        def write_part(part: tuple[int, slice]) -> dict[str, Any]:
            table = position_table(layout, solved, part[1], self._game.base if self._text else None)
            return parquet.write_table(self.partial / "positions" / part_name(number, part[0]), table)

        written = list(self._workers.map(write_part, enumerate(parts(solved, layout.columns))))
        data = {
            "tier": number,
            "rows": sum(part["rows"] for part in written),
            "rules_hash": self._game.rules_hash(),
            "positions": written,
        }
        self.write_tier_json(number, data)

    def write_solution(self, engine: Engine, totals: Sequence[BiddingTotals], least: Sequence[LeastChips]) -> None:
        """Move everything into place, the manifest last."""
        stored = [StoredBoards.open(self.partial, row.tier).find for row in totals]
        solution = BiddingSolution(self._game, resting(engine), stored, totals, lambda: least)
        stats = solution.statistics()
        manifest = {
            "kind": KIND,
            "gametree": __version__,
            "game": self._game.spec,
            "parameters": self._game.parameters(),
            "rules_hash": self._game.rules_hash(),
            "symmetry": {"kind": stats["symmetry"], "order": stats["symmetry_order"]},
            "tables": {"text": self._text},
            **value_json(solution.root.value),
            **{name: stats[name] for name in ("boards", "classes", "terminal", "states", "saddle", "mixed", "rounded")},
            "totals": [row.to_json() for row in totals],
            "least_chips": stats["least_chips"],
        }
        self.finish(manifest)


def open_bidding(directory: str | Path, game: Bidding | None = None) -> BiddingSolution:
    """The solution in a ``directory``; tables are read when they are needed. ``game`` is the game that it is of, where
    that is known, wherever its file was then (default: the one that the manifest names; a user game's file is run).
    Raises `StoreError` where the directory holds no bidding solution, or one by other rules than the game has now.
    """
    directory = Path(directory)
    manifest = read_bidding_manifest(directory)
    game = game or stored_bidding(directory, manifest)
    refuse_other_rules(directory, manifest, game)
    try:
        totals = [BiddingTotals.from_json(row) for row in manifest["totals"]]
        least = [LeastChips(**row) for row in manifest["least_chips"]]
        stored = [StoredBoards.open(directory, row.tier).find for row in totals]
        symmetry = manifest["symmetry"]["kind"]
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise StoreError(f"{directory} is damaged: its manifest or tiers/ are not what was written ({error})") from None
    engine = board_engine(game.base, symmetry=symmetry, workers=Workers(1), progress=no_progress)
    return BiddingSolution(game, engine, stored, totals, lambda: least, directory)


def read_bidding_manifest(directory: Path) -> dict[str, Any]:
    """The manifest of a bidding solution. Raises `StoreError`."""
    manifest = open_manifest(directory)
    if manifest.get("kind") != KIND:
        raise StoreError(f"{directory} holds the solution of {manifest.get('game')}, which is no bidding game")
    kinds = {"game": str, "rules_hash": str, "symmetry": dict, "tables": dict, "totals": list, "least_chips": list}
    wrong = [name for name, kind in kinds.items() if not isinstance(manifest.get(name), kind)]
    if wrong:
        raise StoreError(f"{directory / MANIFEST} is damaged: {wrong[0]} is missing or no longer what was written")
    return manifest


def stored_bidding(directory: Path, manifest: dict[str, Any]) -> Bidding:
    """The game that a manifest names. Raises `StoreError`."""
    game = stored_game(directory, manifest)
    if not isinstance(game, Bidding):
        raise StoreError(f"{directory / MANIFEST} is damaged: {game.spec} is no bidding game")
    return game
