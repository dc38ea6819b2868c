"""Which sequences of the On-Line Encyclopedia of Integer Sequences (https://oeis.org) the counts by ply of a game are.

Each was compared with the terms that are known there (`tests/exports/test_sequences.py`).
"""

from __future__ import annotations

from analysis.games.connect import Connect
from analysis.games.mnk import Mnk, TicTacToe
from analysis.rules.game import Game

NIMBERS = {
    "kayles": "A002186",
    "grundy": "A002188",
    "octal:code=0.77": "A002186",
    "octal:code=0.137": "A002187",
    "node_kayles:rows=1": "A002187",
    "node_kayles:rows=3": "A316632",
}
"""Sequences of nimbers, by the game and the first of its parameters; a(n) is the nimber of the game of size n."""


def sequence_of(game: Game, count: str, symmetry: str) -> str | None:
    """Return the sequence that one count by ply of a game is, and the row of a triangle, such as ``A317575, row 4``;
    None if none is known. Plies are n from 0 on, as there.

    >>> from analysis.games.mnk import Mnk
    >>> sequence_of(Mnk(4, 4, 4), "canonical", "geometric")
    'A317575, row 4'
    """
    if type(game) in (Mnk, TicTacToe) and isinstance(game, Mnk):
        square = game.rows == game.cols == game.k and not game.misere
        if square and count == "canonical" and symmetry == "geometric":
            return "A008907, row 3 of A317575" if game.k == 3 else f"A317575, row {game.k}"
    if type(game) is Connect and game == Connect(rows=6, cols=7, k=4) and count == "positions":
        return "A212693"
    return None
