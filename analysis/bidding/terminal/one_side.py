"""A game as the side that has bought the move sees it: it may place although there are no turns."""

from __future__ import annotations

import copy
import dataclasses
from typing import Any

from analysis.games.shared.either_side import EitherSide
from analysis.rules.game import Game


def one_side(base: Game, side: str) -> Game:
    """The game ``base`` with the moves of one ``side`` only, ``X`` or ``O``, on boards of `Game.either_side`; its rules
    are not compiled. Codes and texts are those of the base game, so that moves are typed and said as there.

    >>> from analysis.games.mnk import TicTacToe
    >>> game = one_side(TicTacToe(), "O")
    >>> [game.format_position(after) for _, after in game.rules().moves(game.parse_position("XX?XOX?OX"))]
    ['XXOXOX?OX', 'XX?XOXOOX']
    """
    rules, bit = EitherSide(base).rules(), "XO".index(side)

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
    mine = dataclasses.replace(rules, legal_moves=legal_moves, play=play, to_move=to_move, largest_code=largest)
    game = copy.copy(base)
    vars(game).update(rules=lambda: mine, parse_position=base.parse_either_side)  # all else is as in the base game
    return game
