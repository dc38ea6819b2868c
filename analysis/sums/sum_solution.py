"""The nimbers of a sum: of its start, of smaller games of its kind, and of any position that is asked for."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

from analysis.errors import SpecError
from analysis.games.families import load_game
from analysis.games.sums import SumGame
from analysis.rules.game import HasRules
from analysis.sums.nimbers import Nimbers
from analysis.sums.options import made_in, parts_of
from analysis.wording import at_prompt


def load_sum(game: str | HasRules) -> SumGame:
    """Return the sum of a specification, or of the parts of a game. Raises `SpecError` for another game."""
    found = load_game(game)
    if not isinstance(found, SumGame) and not isinstance(game, str):
        return SumGame(found)
    if not isinstance(found, SumGame):
        raise SpecError(f"{found.spec} is not a sum; write sum:{found.spec}")
    return found


@dataclasses.dataclass(frozen=True)
class SumMove:
    """What the moves of a position that leave equal parts lead to."""

    position: str
    """One of the positions after them."""
    moves: int
    """How many moves there are."""
    wins: bool
    """Whether they win: what is left has the nimber 0."""


@dataclasses.dataclass(frozen=True)
class SumPosition:
    """A position with its nimber, its parts with theirs, and its moves, those that win first."""

    position: str
    nimber: int
    parts: tuple[tuple[str, int], ...]
    """Without pairs of equal parts, which are worth nothing together."""
    moves: tuple[SumMove, ...]

    def to_json(self) -> dict[str, Any]:
        """Return what ``gametree show --format json`` prints."""
        return {
            "position": self.position,
            "nimber": self.nimber,
            "mover_wins": self.nimber != 0,
            "parts": [{"position": text, "nimber": nimber} for text, nimber in self.parts],
            "moves": [dataclasses.asdict(move) for move in self.moves],
        }


class SumSolution:
    """A solved sum. What is not known yet of a position is found when it is asked for."""

    def __init__(self, game: SumGame, nimbers: Nimbers, series: list[tuple[int, int]], nimber: int) -> None:
        self.game, self.nimbers, self.nimber = game, nimbers, nimber
        self.series = series
        """The number of each game of the kind, and its nimber."""
        self.directory: Path | None = None
        self.was_there = False
        """Whether it was stored already."""

    def __repr__(self) -> str:
        return at_prompt([f"Solution of {self.game.spec}: nimber {self.nimber}, {len(self.nimbers):,} parts"])

    @property
    def start(self) -> str:
        """The position at the start."""
        return self.game.format_position(self.game.parts.start)

    def statistics(self) -> dict[str, Any]:
        """Return all numbers. ``decided`` parts have a nimber; of ``excluded`` ones it is known what it is not."""
        facts = self.nimbers.found()[1]
        decided = facts[facts < 0]
        return {
            "game": self.game.spec,
            "nimber": self.nimber,
            "winner": "first" if self.nimber else "second",
            "decided": len(decided),
            "excluded": len(facts) - len(decided),
            "greatest_nimber": -1 - int(min(decided, default=-1)),
            "series": [{"n": number, "nimber": nimber} for number, nimber in self.series],
        }

    def __getitem__(self, position: str) -> SumPosition:
        """Return a position, written as the game writes it. Raises `PositionError` for another text."""
        return self.position(self.game.parse_position(position))

    def position(self, position: Any) -> SumPosition:
        """Return a position, a text or as the functions of the game have it, with its parts and moves."""
        if isinstance(position, str):
            return self[position]
        parts = self.game.parts
        found = parts_of(parts, position)
        alone = [(self._text(part), self.nimbers.of([part])) for part in found]
        leading: dict[tuple[int, ...], list[Any]] = {}
        for after in made_in(parts, position):
            leading.setdefault(parts_of(parts, after), []).append(after)
        moves = [
            SumMove(self.game.format_position(after[0]), len(after), self.nimbers.is_nimber(option, 0))
            for option, after in leading.items()
        ]
        moves.sort(key=lambda move: not move.wins)
        return SumPosition(self.game.format_position(position), self.nimbers.of(found), tuple(alone), tuple(moves))

    def _text(self, part: int) -> str:
        return self.game.format_position(part)
