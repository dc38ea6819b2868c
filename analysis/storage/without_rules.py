"""A stored solution of a user game whose file nobody has named: what its tables tell, and no line of code is run.

The game and the engine here stand where those with rules do. What needs the rules asks for the file.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NoReturn

from analysis.engine.engine import Engine
from analysis.errors import RulesNeededError
from analysis.machine.workers import Workers
from analysis.rules.game import Game, Residual, Rules
from analysis.rules.symmetry import GREATEST_ORDER, Group
from analysis.wording import visible

CHUNK = 1 << 16
"""Rows that are handed on at a time."""


@dataclasses.dataclass(frozen=True)
class StoredGame(Game):
    """A user game by what the manifest in a ``directory`` says of it. Positions are written as numbers."""

    directory: Path
    named: str
    """What it was called where it was solved: never a path to be opened."""
    digest: str

    @property
    def spec(self) -> str:
        """What it was called."""
        return self.named

    @property
    def slug(self) -> str:
        """Raises `RulesNeededError`: no folder is called as a manifest says."""
        self.refuse()

    def rules_hash(self) -> str:
        """The hash in the manifest."""
        return self.digest

    def parse_either_side(self, text: str) -> int:
        """A state by its number, as any."""
        return self.parse_position(text)

    def either_side(self) -> Rules:
        """Raises `RulesNeededError`."""
        self.refuse()

    def rules(self) -> Rules:
        """Raises `RulesNeededError`."""
        self.refuse()

    def residual(self) -> Residual:
        """Raises `RulesNeededError`."""
        self.refuse()

    def refuse(self) -> NoReturn:
        """Raise `RulesNeededError`."""
        form = re.sub(r"(^|game=).*?\.py(?=[:,]|$)", r"\1FILE.py", self.named)
        raise RulesNeededError(
            f"{self.directory} holds the solution of a user game, {visible(self.named)}, and this needs its rules: "
            f"name its file, --game {visible(form)}, which is then run (in Python game=...)"
        )


class StoredEngine(Engine):
    """An engine without rules: a state is looked up where it is canonical."""

    def __init__(self, game: StoredGame, manifest: Mapping[str, Any]) -> None:
        order = manifest["symmetry"]["order"]
        group = Group(manifest["symmetry"]["kind"], ((),) * min(order or 1, GREATEST_ORDER), 0, 0)
        known = {"game": game, "start": manifest["start"], "group": group, "reduces": order is None}
        for name, value in {**known, "workers": Workers(1), "_manifest": manifest}.items():
            object.__setattr__(self, name, value)

    ruled = False

    def __reduce__(self) -> tuple[Any, ...]:
        return StoredEngine, (self.game, self._manifest)  # type: ignore[attr-defined]

    @property
    def rules(self) -> Rules:  # type: ignore[override]
        """Raises `RulesNeededError`."""
        return self.game.rules()

    @property
    def loopy(self) -> bool:
        """See `Engine`."""
        return bool(self._manifest["loopy"])  # type: ignore[attr-defined]

    @property
    def by_ply(self) -> bool:
        """See `Engine`."""
        return bool(self._manifest["by_ply"])  # type: ignore[attr-defined]

    @property
    def payoffs(self) -> tuple[int, int]:
        """See `Engine`; kept for bidding games only."""
        least, greatest = self._manifest["payoffs"]  # type: ignore[attr-defined]
        return int(least), int(greatest)

    @property
    def chunk(self) -> int:
        """See `Engine`."""
        return CHUNK

    def tier(self, state: int) -> None:
        """None: only the tables tell."""

    def canonical(self, state: int) -> int:
        """The state itself."""
        return state
