"""Who plays which side."""

from __future__ import annotations

from analysis.errors import OptionError
from analysis.rules.game import Game

SIDES = (1, -1)
BOTH, NOBODY = frozenset(SIDES), frozenset[int]()


def human_sides(
    game: Game, you: str | None, first: bool = False, second: bool = False, *, begins: int = 1
) -> frozenset[int]:
    """The sides (+1 the first player, -1 the second) that people play. ``you`` is ``X``, ``O``, what the game calls
    its players, ``both`` or ``none``, in any case. ``first`` and ``second`` say whether the person makes the next move;
    ``begins`` is the side that does. Without any of them the person does. Raises `OptionError` where they make no sense
    or contradict each other.

    >>> from analysis.games.families import load_game
    >>> human_sides(load_game("domineering"), "h"), human_sides(load_game("tictactoe"), None, second=True)
    (frozenset({-1}), frozenset({-1}))
    """
    if first and second:
        raise OptionError("--first and --second contradict each other; you begin, or the opponent does")
    wanted = frozenset((-begins,)) if second else frozenset((begins,))
    if you is None:
        return wanted
    named = _named(game, you)
    if (first or second) and wanted != named:
        option = "--first" if first else "--second"
        raise OptionError(f"--you {you} and {option} contradict each other; leave one of them out")
    return named


def _named(game: Game, you: str) -> frozenset[int]:
    wanted = you.strip().lower()
    for names in (game.players, ("X", "O")):
        for side, name in zip(SIDES, names, strict=True):
            if wanted == name.lower():
                return frozenset((side,))
    if wanted in ("both", "none"):
        return BOTH if wanted == "both" else NOBODY
    known = dict.fromkeys((*game.players, "X", "O", "both", "none"))
    raise OptionError(f"--you {you[:40]!r} is nobody in {game.spec}; write one of {', '.join(known)}")
