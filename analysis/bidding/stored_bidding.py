"""A stored solution of a bidding game on a user game's board, whose file nobody has named; see `without_rules`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self

from analysis.engine.engine import Engine
from analysis.errors import GametreeError, StoreError
from analysis.games.bidding import Bidding, BiddingState
from analysis.rules.game import Rules
from analysis.storage.without_rules import StoredEngine, StoredGame


class StoredBidding(Bidding):
    """The chips and who holds what, as the manifest has them; boards are written as numbers."""

    named: StoredGame
    board: int

    @classmethod
    def of(cls, directory: Path, manifest: Mapping[str, Any], named: StoredGame) -> Self:
        """The game in a ``directory``. Raises `StoreError` where its parameters are none."""
        try:
            checked = Bidding(**{**manifest["parameters"], "game": "tictactoe"})  # on a board that is known
        except (GametreeError, AttributeError, TypeError, ValueError) as error:
            raise StoreError(f"{directory} is damaged: its parameters are not what was written ({error})") from None
        game = cls.__new__(cls)
        vars(game).update(vars(checked) | {"base": named, "named": named, "board": manifest["start"]})
        return game

    @property
    def spec(self) -> str:
        """What it was called."""
        return self.named.spec

    @property
    def start(self) -> BiddingState:
        """The first board, as canonical, and full purses."""
        return BiddingState(self.board, *self.budgets, None if self.ties == "coin" else self.first)

    def rules_hash(self) -> str:
        """The hash in the manifest."""
        return self.named.digest

    def rules(self) -> Rules:
        """Raises `RulesNeededError`."""
        self.named.refuse()

    @property
    def slug(self) -> str:
        """Raises `RulesNeededError`: no folder is called as a manifest says."""
        self.named.refuse()


def stored_engine(game: StoredBidding, manifest: Mapping[str, Any]) -> Engine:
    """The engine of its boards, which has no rules."""
    return StoredEngine(game.named, {**manifest, "loopy": False, "by_ply": True})
