"""Play by a function or class of a file: run as a script in a process of its own, which knows nothing of the package.

It answers each line of JSON with one. The function is given each position as a `BotPosition` and a list of legal moves;
it has nothing to read, and what it prints is dropped.
"""

from __future__ import annotations

import inspect
import json
import operator
import os
import sys
import traceback
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


def load(file: str, name: str) -> Callable[[], Choose]:
    """Run a file; return what begins a game with its function or class of this name."""
    sys.path.insert(0, str(Path(file).parent))
    module = types.ModuleType(Path(file).stem)
    module.__file__ = file
    sys.modules[module.__name__] = module
    exec(compile(Path(file).read_bytes(), file, "exec"), vars(module))
    found: Any = getattr(module, name, None)
    if inspect.isclass(found):
        if not callable(getattr(found, "choose", None)):
            raise TypeError(f"class {name} has no method choose(position, moves)")
        make: Callable[[], Any] = found
        return lambda: _two(make().choose)
    if not callable(found):
        own = [key for key, value in vars(module).items() if getattr(value, "__module__", "") == module.__name__]
        raise TypeError(f"{Path(file).name} has no function or class {name}; it has {', '.join(own) or 'neither'}")
    return lambda: _two(found)


def _two(function: Callable[..., Any]) -> Choose:
    """Let a function that takes only the position be called with moves, too."""
    try:
        inspect.signature(function).bind("", [])
    except TypeError:
        return lambda position, moves: function(position)
    return function


def position_of(told: dict[str, Any]) -> BotPosition:
    """Return a position as it is given to a bot."""
    found, legal = BotPosition(told["position"]), told["legal"]
    found.game, found.start, found.side, found.move_seconds = (
        told[name] for name in ("game", "start", "side", "move_seconds")
    )
    found.moves, found.cells = tuple(told["moves"]), tuple(told["cells"])
    found.names = {code: name for code, name in zip(legal, told["names"], strict=True) if name != str(code)}
    return found


def plain(move: Any) -> int | str:
    """Return a move as an integer, else as a text."""
    if hasattr(move, "__index__") and not isinstance(move, bool):
        return operator.index(move)
    return str(move)[:60]


def describe(error: BaseException, file: str) -> str:
    """Return an error in one line, with the line of the file at which it happened."""
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == file]
    lines += [error.lineno] if isinstance(error, SyntaxError) and error.filename == file else []
    try:
        words = f"{type(error).__name__}: {error.msg if isinstance(error, SyntaxError) else error}"
    except Exception:  # its __str__ fails as well
        words = type(error).__name__
    return (f"{Path(file).name}:{lines[-1]}: " if lines else "") + " ".join(words.split())[:400].removesuffix(":")


def main() -> None:
    """Load the function that the arguments name, say so, and let it choose moves."""
    requests, answers = os.fdopen(os.dup(0), encoding="utf-8"), os.fdopen(os.dup(1), "w", encoding="utf-8")
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(nothing, 1)
    (file, name), process, begin, choose = sys.argv[1:3], os.getpid(), None, None
    for line in requests:
        asked = json.loads(line)
        try:
            if begin is None:
                begin, answer = load(file, name), {}
            else:
                choose = begin() if asked["new"] or choose is None else choose
                answer = {"move": plain(choose(position_of(asked), asked["legal"]))}
        except BaseException as error:
            answer = {"error": describe(error, file)}
        if os.getpid() != process:  # a process that the function began and that returned from it
            os._exit(0)
        print(json.dumps(answer), file=answers, flush=True)
    os._exit(0)  # whatever threads it has


if __name__ == "__main__":
    main()
