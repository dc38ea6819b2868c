"""Which sequences of the On-Line Encyclopedia of Integer Sequences (https://oeis.org) our numbers are: the counts by
ply of a game, and numbers of games of growing size.

Each was compared with the terms that are known there (`tests/exports/test_sequences.py`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from analysis.games.connect import Connect
from analysis.games.mnk import Mnk, TicTacToe
from analysis.rules.game import Game

SIZES = {
    ("mnk:rows=n,cols=n,k=n", "games_total"): ("A061526", 1),
    ("mnk:rows=n,cols=n,k=n", "games_x"): ("A061527", 1),
    ("mnk:rows=n,cols=n,k=n", "games_o"): ("A061528", 1),
    ("mnk:rows=n,cols=n,k=n", "games_tie"): ("A061529", 1),
    ("mnk:rows=n,cols=n,k=n", "optimal_paths"): ("A061530", 1),
    ("connect:rows=n,cols=n+1,k=4", "games_total"): ("A342329", 1),
    ("kayles:pins=n", "nimber"): ("A002186", 0),
    ("grundy:heap=n", "nimber"): ("A002188", 0),
    ("sum:kayles:pins=n", "nimber"): ("A002186", 0),
    ("sum:grundy:heap=n", "nimber"): ("A002188", 0),
    ("sum:octal:code=0.77,tokens=n", "nimber"): ("A002186", 0),
    ("sum:octal:code=0.137,tokens=n", "nimber"): ("A002187", 0),
    ("sum:node_kayles:rows=3,cols=n", "nimber"): ("A316632", 1),
}
"""Sequences of one number of games by their size n, as `sized` writes them: the sequence, and the first n there of
which there is a game.
"""

TRIANGLE = {
    "canonical": "A317575",
    "terminal_canonical": "A317576",
    "value_X_canonical": "A317573",
    "value_O_canonical": "A317574",
}
"""Triangles with a row for each n of which n x n with n in a row has these counts by ply."""

_SIZE = re.compile(r"(?<==)[0-9]+(?=,|$)")


def sized(specs: Sequence[str]) -> tuple[str, list[int]] | None:
    """Return how games differ: their specification with n for the first number that is not the same in all of them,
    n + 1 and so on for others that differ from it by as much in all; and n of each. None if they differ otherwise.

    >>> sized(["mnk:rows=3,cols=4,k=3", "mnk:rows=4,cols=5,k=3"])
    ('mnk:rows=n,cols=n+1,k=3', [3, 4])
    >>> sized(["mnk:rows=3,cols=4,k=3", "mnk:rows=4,cols=4,k=4"]), sized(["hex:n=3", "nim:heaps=3,take=any"])
    (('mnk:rows=n,cols=4,k=n', [3, 4]), None)
    """
    texts, numbers = {_SIZE.sub("n", spec) for spec in specs}, [[*map(int, _SIZE.findall(spec))] for spec in specs]
    columns = [*zip(*numbers, strict=False)]
    sizes = next((column for column in columns if len({*column}) > 1), None)
    if len(texts) > 1 or sizes is None:
        return None
    written = []
    for column in columns:
        apart = {number - size for number, size in zip(column, sizes, strict=True)}
        if len({*column}) > 1 and len(apart) > 1:
            return None
        written.append(str(column[0]) if len({*column}) == 1 else f"n{apart.pop():+}".removesuffix("+0"))
    terms = iter(written)
    return _SIZE.sub(lambda _: next(terms), specs[0]), [*sizes]


def sequence_of(game: Game, count: str, symmetry: str) -> str | None:
    """Return the sequence that one count by ply of a game is, and the row of a triangle, such as ``A317575, row 4``;
    None if none is known. Plies are n from 0 on, as there.

    >>> from analysis.games.mnk import Mnk
    >>> sequence_of(Mnk(4, 4, 4), "canonical", "geometric")
    'A317575, row 4'
    """
    if type(game) in (Mnk, TicTacToe) and isinstance(game, Mnk):
        square = game.rows == game.cols == game.k and not game.misere
        if square and count in TRIANGLE and symmetry == "geometric":
            known = game.k == 3 and count == "canonical"
            return "A008907, row 3 of A317575" if known else f"{TRIANGLE[count]}, row {game.k}"
    if type(game) is Connect and game == Connect(rows=6, cols=7, k=4) and count == "positions":
        return "A212693"
    return None
