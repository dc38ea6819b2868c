"""Hold a game in a terminal: ask people for their moves, and obey words."""

from __future__ import annotations

import abc
import contextlib
import dataclasses
import getpass
import io
import random
import sys
import textwrap
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, NoReturn, TextIO

from ..common.endings import cleanup
from ..common.wording import visible, visible_lines
from ..errors import GametreeError, RulesError
from ..rules.game import Game
from ..rules.notation import Notation
from ..rules.picture import picture

WORDS = {
    "hint": "what every move is worth, best first",
    "undo": "take back your last move and the replies to it",
    "moves": "list the legal moves",
    "board": "show the board again",
    "quit": "leave, and see how to continue later",
    "?": "explain all this",
}
"""What may be typed besides moves, with what it does."""

WIDTH = 79


def words_help(explained: Mapping[str, str], *, zero: bool = False) -> list[str]:
    """Return what may be typed besides moves, a line for each word; with ``zero``, 0 gives up."""
    words = {**explained, **({"0": "give up"} if zero else {})}
    return ["Or type", *(f"  {word:<8}{does}" for word, does in words.items())]


def wrapped(text: str, indent: str = "") -> str:
    """Return a text wrapped for a terminal."""
    return textwrap.fill(text, WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


LEFT = frozenset(("move", "that is", "optimal", "best", "place", "then place", "placed"))
"""Columns aligned to the left."""


def columns(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table; columns not in `LEFT` are aligned to the right."""
    lines = [head, *rows]
    widths = [max(len(line[i]) for line in lines) for i in range(len(head))]
    shape = "  ".join(f"{{:{'<' if name in LEFT else '>'}{width}}}" for name, width in zip(head, widths, strict=True))
    return "\n".join(shape.format(*line).rstrip() for line in lines)


class Console:
    """Standard input and output, a terminal or a pipe; anything else with these methods will do."""

    def __init__(self) -> None:
        for stream in (sys.stdin, sys.stdout):
            if isinstance(stream, io.TextIOWrapper):  # undecodable bytes, or text that the terminal cannot show
                stream.reconfigure(errors="backslashreplace")

    def say(self, text: str = "") -> None:
        """Print one or more lines at once; control characters from a game never reach the terminal."""
        print(visible_lines(text.expandtabs()), flush=True)

    def ask(self, prompt: str) -> str | None:
        """Return what is typed after the prompt, stripped; None at the end of the input."""
        print(visible(prompt), end="", flush=True)
        line = sys.stdin.readline() if sys.stdin is not None else ""
        if not line:
            print(flush=True)
            return None
        if not sys.stdin.isatty():
            print(flush=True)  # no Enter has been pressed on the screen
        return line.strip()

    def ask_secretly(self, prompt: str) -> str | None:
        """Return what is typed, hidden on a terminal: two people bid at one keyboard. None at the end of input."""
        if sys.stdin is None or not sys.stdin.isatty():
            return self.ask(prompt)
        try:
            with cleanup(_as_it_is(sys.stdin)):
                return getpass.getpass(visible(prompt)).strip()
        except EOFError:
            print(flush=True)
            return None
        except UnicodeDecodeError:  # undecodable bytes are not a bid either
            return "?" * 3


def _as_it_is(terminal: TextIO) -> Callable[[], object]:
    """Return what restores echo on a terminal, as `getpass` does unless the process ends meanwhile."""
    try:
        import termios
    except ImportError:  # Windows
        return lambda: None
    before = termios.tcgetattr(terminal)

    def restore() -> None:
        with contextlib.suppress(termios.error):  # the terminal may be gone
            termios.tcsetattr(terminal, termios.TCSANOW, before)

    return restore


@dataclasses.dataclass(frozen=True)
class TypedPrompt:
    """A question to a person."""

    prompt: str
    read: Callable[[str], Any]
    """Parses the answer; raises `PositionError` with the reason if it is invalid."""
    hints: Callable[[], str]
    """What is known; may raise `GametreeError`."""
    moves: Callable[[], str]
    """The legal moves."""
    side: Any
    """Who is asked."""
    secretly: bool = False
    begun: bool = False
    """Whether this follows an answer that cannot stand alone; taking back then asks for that one again."""


class _Again(Exception):  # noqa: N818 - not an error: the turn starts again
    """A player took a move back."""


class Left(Exception):  # noqa: N818 - not an error either
    """The game is left before it is over."""


@dataclasses.dataclass(kw_only=True, eq=False)
class Conversation(abc.ABC):
    """One game between the ``players`` of some sides and the people of the others, at a ``console``.

    ``know`` gives what is known of the game, when first needed, and may raise `GametreeError`. ``resume`` returns the
    command that continues from a position; players draw from ``rng``; ``waiting()`` is entered while something may take
    long. A subclass asks the questions, and calls `_set_up` first.
    """

    sides: ClassVar[tuple[Any, Any]]
    undone: ClassVar[str]
    """Name of what is taken back."""

    players: Mapping[Any, Any]
    console: Console
    know: Callable[[], Any]
    resume: Callable[[str], str]
    rng: random.Random
    waiting: Callable[[], contextlib.AbstractContextManager[object]] = contextlib.nullcontext

    def _set_up(self, game: Game, notation: Notation, called: Sequence[str], *, zero: bool = False) -> None:
        """Set the game, the notation of its moves, the names of the sides, and whether 0, no cell then, gives up."""
        self.game, self.notation, self.zero = game, notation, zero
        self.people = frozenset(side for side in self.sides if side not in self.players)
        you = {side: " (you)" if self.people == {side} else "" for side in self.sides}
        self.names: dict[Any, str] = {side: name + you[side] for side, name in zip(self.sides, called, strict=True)}

    # What is played ---------------------------------------------------------------------------------------------------

    @property
    @abc.abstractmethod
    def over(self) -> bool:
        """Whether the game has ended."""

    @abc.abstractmethod
    def _turn(self) -> None:
        """Play on until the board is shown again."""

    @abc.abstractmethod
    def _undo(self, question: TypedPrompt) -> str:
        """Take back, and return what; an empty text where there is nothing to take back."""

    @abc.abstractmethod
    def _show(self) -> None:
        """Show the position."""

    @abc.abstractmethod
    def _help(self) -> str:
        """Return the description of the game, and what may be typed."""

    @abc.abstractmethod
    def _result(self) -> str:
        """Return how the game ended."""

    @abc.abstractmethod
    def _standing(self) -> tuple[str, str]:
        """Return the state of the game in words, for people who leave, and as a position to continue from."""

    @abc.abstractmethod
    def _look_back(self) -> None:
        """Say what was played, and where the game was decided."""

    @abc.abstractmethod
    def _find_decided(self) -> str:
        """Return where the game was decided. Raises `GametreeError` where that is not known."""

    # The loop ---------------------------------------------------------------------------------------------------------

    def run(self) -> None:
        """Play until the game is over or a player leaves."""
        self.console.say(f"{self.game.spec}: {' against '.join(self.names.values())}.")
        self._introduce()
        if self.people:
            self.console.say("Type ? for help.")
        self._show()
        while not self.over:
            try:
                self._turn()
            except _Again:
                self._show()
            except Left:
                return
        self.console.say(self._result())
        self._look_back()

    def _introduce(self) -> None:
        """Say who plays what."""
        for side, player in self.players.items():
            how = f": {player.note}" if player.note else ""
            self.console.say(wrapped(f"{self.names[side]} is {player.level}{how}."))

    def _draw(self, game: Game, state: int) -> str:
        """Return the board, with numbers in its free cells if moves are cells that a person may type."""
        typed = self.people and self.notation.pointing and not self.over
        return picture(game, state, self.notation.numbers(state) if typed else None)

    def _decided(self) -> str:
        try:
            with self.waiting():
                return self._find_decided()
        except GametreeError as error:
            return wrapped(f"Where it was decided is unknown: {error}.")

    def farewell(self) -> str:
        """Return the state of the game, and how to continue it."""
        if self.over:
            return self._result()
        stands, position = self._standing()
        return f"The game stands after {stands}.\nContinue with:\n  {self.resume(position)}"

    # Asking -----------------------------------------------------------------------------------------------------------

    def _ask(self, question: TypedPrompt) -> Any:
        """Return a valid answer to a question; leaves `_turn` if something is taken back or someone leaves."""
        ask = self.console.ask_secretly if question.secretly else self.console.ask
        while True:
            text = ask(question.prompt)
            if text is None:
                self._leave("End of input. ")
            try:
                word = text.strip().lower()
                if word not in WORDS and not (self.zero and word == "0"):
                    return question.read(text)
                self._obey(word, question)
            except RulesError:
                raise
            except GametreeError as error:
                self.console.say(wrapped(f"{error}. Type ? for help."))

    def _obey(self, word: str, question: TypedPrompt) -> None:
        """Do what a word says."""
        if word == "0":
            self._lose(question.side, f"{self.names[question.side]} gives up")
            self._leave()
        if word == "quit":
            self._leave()
        if word == "undo":
            taken = self._undo(question)
            self.console.say(wrapped(f"Taken back: {taken}." if taken else f"There is no {self.undone} to take back."))
            if taken:
                raise _Again
        elif word == "hint":
            with self.waiting():
                hints = question.hints()
            self.console.say(hints)
        elif word == "board":
            self._show()
        else:
            self.console.say(question.moves() if word == "moves" else self._help())

    def _lose(self, side: Any, how: str) -> None:
        """Say that a side loses before the game is over."""
        winner = next(name for other, name in self.names.items() if other != side)
        self.console.say(f"{how}: {winner} wins.")

    def _leave(self, why: str = "") -> NoReturn:
        self.console.say(f"{why}{self.farewell()}")
        raise Left
