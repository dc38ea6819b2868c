"""A game as the side that has bought the move sees it: it may place although there are no turns."""

from __future__ import annotations

import dataclasses
import functools
from typing import Any, ClassVar

from analysis.games.shared.either_side import EitherSide
from analysis.rules.game import Game, Rules


@dataclasses.dataclass(frozen=True)
class OneSide(Game):
    """The game ``base`` with the moves of one ``side`` only, ``X`` or ``O``, on boards of `Game.either_side`. Codes and
    texts are those of the base game, so that moves are typed and said as there.

    >>> from analysis.games.mnk import TicTacToe
    >>> game = OneSide(TicTacToe(), "O")
    >>> [game.format_position(after) for _, after in game.rules().moves(game.parse_position("XX?XOX?OX"))]
    ['XXOXOX?OX', 'XX?XOXOOX']
    """

    family: ClassVar[str] = "one_side"
    description: ClassVar[str] = "a game in which one side has bought the move"

    base: Game
    side: str

    @functools.cached_property
    def _rules(self) -> Rules:
        rules = EitherSide(self.base).rules()
        bit = "XO".index(self.side)

        def legal_moves(state: int, out: Any) -> int:
            codes = [0] * rules.max_moves
            mine = [code >> 1 for code in codes[: rules.legal_moves(state, codes)] if code & 1 == bit]
            out[: len(mine)] = mine
            return len(mine)

        def play(state: int, move: int) -> int:
            return rules.play(state, 2 * move + bit)

        def to_move(state: int) -> int:
            return 1 - 2 * bit

        largest = rules.largest_code // 2
        return dataclasses.replace(rules, legal_moves=legal_moves, play=play, to_move=to_move, largest_code=largest)

    def rules(self) -> Rules:
        """The rules in plain Python; they are not compiled."""
        return self._rules

    @property
    def rows_from_bottom(self) -> bool:  # type: ignore[override]  # as the base game has it
        """As in the base game."""
        return self.base.rows_from_bottom

    @property
    def typed_moves(self) -> str:  # type: ignore[override]  # as the base game has it
        """As in the base game."""
        return self.base.typed_moves

    @property
    def spec(self) -> str:
        """What it is called in messages."""
        return self.base.spec

    def parse_position(self, text: str) -> int:
        """The state written as ``text``. Raises `PositionError`."""
        return self.base.parse_either_side(text)

    def format_position(self, state: int) -> str:
        """The position as the base game writes it."""
        return self.base.format_position(state)

    def grid(self, state: int) -> list[list[str]] | None:
        """The board as the base game shows it."""
        return self.base.grid(state)

    def parse_move(self, text: str) -> int:
        """The code of a move as the base game writes it. Raises `PositionError`."""
        return self.base.parse_move(text)

    def format_move(self, move: int) -> str:
        """A move as the base game writes it."""
        return self.base.format_move(move)
