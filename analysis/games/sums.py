"""Sums: an impartial game that is solved by the independent parts of its positions, ``sum:GAME``.

What is known of such a game are nimbers. ``GAME`` is a specification: of a family in `families.SUMMED`, of another
family that says how its positions fall into parts (`Game.parts`), or of a user's game with a method ``parts()``.
"""

from __future__ import annotations

import dataclasses
import functools
import hashlib
from collections.abc import Callable
from typing import Any, ClassVar

from analysis.errors import RulesError, SpecError
from analysis.games.shared.only_sums import OnlySums
from analysis.rules.game import Game, Parts, Rules, is_users, kept_rules


@dataclasses.dataclass(frozen=True)
class SumGame(Game):
    """The ``game`` of a specification, solved by its parts.

    >>> SumGame("cram:3,4").spec
    'sum:cram:rows=3,cols=4'
    """

    family: ClassVar[str] = "sum"
    description: ClassVar[str] = (
        "nimbers of an impartial game, part by part: cram, node_kayles, arc_kayles, octal, dawson, treblecross, "
        "kayles, grundy, nim or a game of your own"
    )
    example: ClassVar[str] = "sum:cram:rows=3,cols=13"
    sizes: ClassVar[str] = (
        "cram 4 x 9 and 5 x 7, node_kayles 3 x 21 and octal heaps of a thousand take seconds; see games sum:GAME"
    )
    known: ClassVar[str] = "nimbers of kayles: OEIS A002186; of grundy: A002188; of 3 x n node_kayles: A316632"

    game: str | Game = "cram"
    """Its specification; itself, where it is of the running program."""

    def __post_init__(self) -> None:
        if self.base.origin or not is_users(self.base):
            object.__setattr__(self, "game", self.base.spec)  # the same however it was written
        _ = self.parts

    @functools.cached_property
    def base(self) -> Game:
        """The game whose positions fall into parts."""
        from analysis.games.families import load_summand

        return load_summand(self.game) if isinstance(self.game, str) else self.game

    @functools.cached_property
    def parts(self) -> Parts:  # type: ignore[override] # filled in from the rules
        """How positions fall into parts. Raises `SpecError` if they do not, `RulesError` for what is no `Parts`."""
        from analysis.games.families import SUMMED

        found, summed = self.base.parts(), ", ".join(SUMMED)
        if found is None:
            raise SpecError(
                f"{self.base.spec} does not say how its positions fall into independent parts; {summed}, "
                "kayles, grundy and nim do"
            )
        if not isinstance(found, Parts):
            raise RulesError(f"{self.base.spec}: parts() must return Parts, not {type(found).__name__}")
        if found.moves is not None and found.start is not None:
            return found
        rules = kept_rules(self.base)
        if not rules.impartial:
            raise RulesError(f"{self.base.spec} has parts(), so its rules must say impartial=True")
        return dataclasses.replace(
            found,
            moves=found.moves or _moves_of(rules),
            start=rules.start if found.start is None else found.start,
        )

    def rules(self) -> Rules:
        """Raise `SpecError`: sums have nimbers only."""
        from analysis.games.families import FOR_SUMS

        other = "" if isinstance(self.base, OnlySums) else f"; for this, take {self.base.spec}"
        raise SpecError(f"{self.spec} is a sum, of which only nimbers are known; {FOR_SUMS}{other}")

    def parameters(self) -> dict[str, Any]:
        """Return those of the game."""
        return self.base.parameters()

    @property
    def spec(self) -> str:
        """The specification that makes this game again."""
        return f"sum:{self.base.spec}"

    @property
    def lasting_spec(self) -> str:
        """The same with the file of a user game by its absolute path."""
        return f"sum:{self.base.lasting_spec}"

    @property
    def slug(self) -> str:
        """The folder name."""
        return f"sum-{self.base.slug}"

    def rules_hash(self) -> str:
        """Return a SHA-256 of the game's own hash and the version of this class."""
        return hashlib.sha256(f"{self.base.rules_hash()} sum {self.rules_version}".encode()).hexdigest()

    def parse_position(self, text: str) -> Any:
        """Return the position written as the game reads it, or as its parts do. Raises `PositionError`."""
        return (self.parts.read or self.base.parse_position)(text)

    def format_position(self, state: Any) -> str:
        """Return a position as the game writes it."""
        return self.base.format_position(state)


def _moves_of(rules: Rules) -> Callable[[int], list[int]]:
    def moves(state: int) -> list[int]:
        return [child for _, child in rules.moves(state)]

    return moves
