"""Play by a function or class of a file: a service of `analysis.common.host`.

The function is given each position as a `BotPosition` and a list of legal moves.
"""

from __future__ import annotations

import inspect
import operator
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

Choose = Callable[["BotPosition", list[int]], Any]


class BotPosition(str):
    """A position as the game writes it, with what else is known of it."""

    game: str
    """The specification of the game."""
    start: str
    """The position where the game began."""
    side: str
    """Whose turn it is, which is the bot's: ``X`` for the first player, ``O`` for the second."""
    moves: tuple[int, ...]
    """The codes of the moves played since the start."""
    cells: tuple[str, ...]
    """The marks on the board, row by row from the top left, ``.`` for none; empty for a game without a board."""
    names: dict[int, str]
    """The legal moves in the game's notation, by code, where that is not the code."""
    move_seconds: float
    """The time for this move."""


playing: list[Choose] = []
"""What chooses in the game that is played, if one is."""


def answer(module: types.ModuleType, asked: dict[str, Any]) -> dict[str, Any]:
    """Return the move of the module's function or class ``name`` in the position ``asked``; see `bots.Bot`. Raises
    `TypeError` where there is none, also if no position is asked.
    """
    name = asked["name"]
    chooser: Any = getattr(module, name, None)
    is_class = inspect.isclass(chooser)
    if is_class and not callable(getattr(chooser, "choose", None)):
        raise TypeError(f"class {name} has no method choose(position, moves)")
    if not callable(chooser):
        own = [key for key, value in vars(module).items() if getattr(value, "__module__", "") == module.__name__]
        raise TypeError(
            f"{Path(str(module.__file__)).name} has no function or class {name}; it has {', '.join(own) or 'neither'}"
        )
    if "legal" not in asked:
        return {}
    if asked["new"] or not playing:
        playing[:] = [chooser().choose if is_class else chooser]
    position, legal = BotPosition(asked["position"]), asked["legal"]
    vars(position).update({key: asked[key] for key in ("game", "start", "side", "move_seconds")})
    position.moves, position.cells = tuple(asked["moves"]), tuple(asked["cells"])
    position.names = {code: text for code, text in zip(legal, asked["names"], strict=True) if text != str(code)}
    try:
        inspect.signature(playing[0]).bind("", [])
    except TypeError:  # it takes only the position
        return {"move": plain(playing[0](position))}  # type: ignore[call-arg]
    return {"move": plain(playing[0](position, legal))}


def plain(move: Any) -> int | str:
    """Return a move as an integer, else as a text."""
    if hasattr(move, "__index__") and not isinstance(move, bool):
        return operator.index(move)
    return str(move)[:60]
