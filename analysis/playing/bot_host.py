"""Play by a function or class of a file: run as a script in a process of its own, which knows nothing of the package.

It speaks the protocol of `analysis.playing.bots` on standard input and output, and gives the function each position as
a `BotPosition` and a list of legal moves. What the function prints goes to standard error.
"""

from __future__ import annotations

import inspect
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TextIO

from analysis.machine.hosting import compiled, run_module, said, take_streams


class BotPosition(str):
    """A position as the game writes it, with what else is known of it."""

    game: str = ""
    """The specification of the game."""
    start: str = ""
    """The position where the game began."""
    side: str = ""
    """Whose turn it is, which is the bot's: ``X`` for the first player, ``O`` for the second."""
    moves: tuple[int, ...] = ()
    """The codes of the moves played since the start."""
    cells: tuple[str, ...] = ()
    """The marks on the board, row by row from the top left, ``.`` for none; empty for a game without a board."""
    names: dict[int, str]
    """The legal moves in the game's notation, by code, where that is not the code."""
    move_seconds: float = 0.0
    """The time for this move."""
    game_seconds: float | None = None
    """The time left for the whole game, if it is limited."""


Choose = Callable[[BotPosition, list[int]], Any]


def load(file: str, name: str) -> Callable[[], Choose]:
    """Run a file; return what begins a game with its function or class of this name, which returns a chooser."""
    sys.path.insert(0, str(Path(file).parent))
    module = run_module(compiled(file), file)
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


def serve(begin: Callable[[], Choose], lines: TextIO, out: TextIO) -> None:
    """Answer the requests."""
    told: dict[str, str] = {}
    choose: Choose | None = None
    for line in lines:
        word, _, rest = line.rstrip("\n").partition(" ")
        if word == "isready":
            print("readyok", file=out, flush=True)
        elif word == "newgame":
            told, choose = {word: rest}, begin()
        elif word == "go":
            choose = choose or begin()
            moves = [int(code) for code in told.get("legal", "").split()]
            print("bestmove", choose(position_of(told, moves, rest), moves), file=out, flush=True)
        else:
            told[word] = rest


def position_of(told: dict[str, str], moves: list[int], go: str) -> BotPosition:
    """Return the position that was told, line by line."""
    found, words = BotPosition(told.get("position", "")), go.split()
    times = {name: int(number) / 1000 for name, number in zip(words[::2], words[1::2], strict=False)}
    found.game, found.start, found.side = told.get("newgame", ""), told.get("start", ""), told.get("side", "")
    found.moves = tuple(map(int, told.get("moves", "").split()))
    found.cells = tuple(told.get("cells", "").split())
    found.names = dict(zip(moves, told["names"].split("\t"), strict=True)) if told.get("names") else {}
    found.move_seconds, found.game_seconds = times.get("movetime", 0.0), times.get("time")
    return found


def main() -> None:
    """Serve the function or class that the arguments name; an error is one line on standard error."""
    file, name = sys.argv[1:3]
    requests, out = take_streams()
    try:
        serve(load(file, name), requests, out)
    except BaseException as error:
        what = said(error, file)
        what = f"{Path(file).name}, {what}" if what.startswith("line ") else what
        os.write(2, f"\n{what}\n".encode(errors="replace"))
        os._exit(1)


if __name__ == "__main__":
    main()
