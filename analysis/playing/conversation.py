"""What every game in a terminal is: questions to people, and words for hints, taking back and leaving."""

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
from typing import Any, ClassVar, Generic, NoReturn, Protocol, TextIO, TypeVar

from analysis.errors import GametreeError, OptionError, RulesError
from analysis.machine.endings import cleanup
from analysis.rules.counting import first_number
from analysis.rules.game import Game
from analysis.rules.notation import Notation
from analysis.rules.picture import picture
from analysis.wording import visible, visible_lines

FORMS = {
    "give up": ("r", "resign", "give up"),
    "take back": ("u", "undo", "take back"),
    "hints": ("h", "hint", "hints"),
    "moves": ("m", "moves"),
    "board": ("b", "board"),
    "help": ("?", "help"),
    "quit": ("q", "quit", "exit"),
}
"""What to type for each of them, the shortest first. With a colon before it each is meant in every game."""


class TypedWords:
    """The words in one game: a form that ``is_move`` there means the move, as ``u`` (up) does in Coin Grabber. With a
    colon before it a form is always the word; another text with a colon may be a move.

    >>> words = TypedWords(lambda text: text == "u")
    >>> words.find("U"), words.find(":U"), words.shortest("take back"), words.shortest("hints")
    (None, 'take back', 'undo', 'h')
    """

    def __init__(self, is_move: Callable[[str], bool]) -> None:
        self._is_move = is_move
        self.moves = frozenset(form for forms in FORMS.values() for form in forms if is_move(form))
        """The forms that are moves here."""

    def find(self, text: str) -> str | None:
        """Which of `FORMS` a text means, or None. Raises `OptionError` for a colon before anything else."""
        typed = " ".join(text.lower().split())
        if typed == "0" and first_number():  # as course programs have it, since no cell is called so
            return "give up"
        colon, form = typed.startswith(":"), typed.removeprefix(":").strip()
        for meaning, forms in FORMS.items():
            if form in forms and (colon or form not in self.moves):
                return meaning
        if colon and not self._is_move(text):
            known = ", ".join(f":{forms[0]}" for forms in FORMS.values())
            raise OptionError(f"{text[:40]!r} means nothing; there are {known}")
        return None

    def shortest(self, meaning: str) -> str:
        """The shortest form that is no move."""
        forms = FORMS[meaning]
        return next((form for form in forms if form not in self.moves), f":{forms[0]}")


WIDTH = 79

EXPLAINED = {
    "give up": "give up",
    "take back": "take back your last move and the replies to it",
    "hints": "hints: what every move is worth, best first",
    "moves": "list the legal moves",
    "board": "show the board again",
    "help": "explain all this",
    "quit": "leave; you are told how to go on later",
}


def words_help(words: TypedWords, explained: Mapping[str, str]) -> list[str]:
    """What may be typed besides moves, a line for each word."""
    lines = ["Or type"]
    for meaning, forms in FORMS.items():
        free = [form for form in forms if form not in words.moves]
        shown = ", ".join([*free[:2], f":{forms[0]}"])
        lines.append(f"  {shown:<22}{explained[meaning]}")
    return lines


def wrapped(text: str, indent: str = "") -> str:
    """A text on lines that a terminal holds."""
    return textwrap.fill(text, WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


LEFT = frozenset(("move", "that is", "optimal", "best", "place", "then place", "placed"))
"""Columns of words."""


def columns(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table; what is not in `LEFT` to the right."""
    lines = [head, *rows]
    widths = [max(len(line[i]) for line in lines) for i in range(len(head))]
    shape = "  ".join(f"{{:{'<' if name in LEFT else '>'}{width}}}" for name, width in zip(head, widths, strict=True))
    return "\n".join(shape.format(*line).rstrip() for line in lines)


class Console:
    """Standard input and output, a terminal or a pipe; anything else with these methods will do as well."""

    def __init__(self) -> None:
        for stream in (sys.stdin, sys.stdout):
            if isinstance(stream, io.TextIOWrapper):  # bytes that are no text, or text that the terminal cannot show
                stream.reconfigure(errors="backslashreplace")

    def say(self, text: str = "") -> None:
        """Print one or more lines, at once; what a game calls things never steers the terminal."""
        print(visible_lines(text.expandtabs()), flush=True)

    def ask(self, prompt: str) -> str | None:
        """What is typed after the prompt, without spaces around it; None at the end of the input."""
        print(visible(prompt), end="", flush=True)
        line = sys.stdin.readline() if sys.stdin is not None else ""
        if not line:
            print(flush=True)
            return None
        if not sys.stdin.isatty():
            print(flush=True)  # no Enter has been pressed on the screen
        return line.strip()

    def ask_secretly(self, prompt: str) -> str | None:
        """What is typed, not shown if it is typed in a terminal: the bids of two people at one keyboard. None at the
        end of the input.
        """
        if sys.stdin is None or not sys.stdin.isatty():
            return self.ask(prompt)
        try:
            with cleanup(_as_it_is(sys.stdin)):
                return getpass.getpass(visible(prompt)).strip()
        except EOFError:
            print(flush=True)
            return None
        except UnicodeDecodeError:  # bytes that are no text are no bid either
            return "?" * 3


def _as_it_is(terminal: TextIO) -> Callable[[], object]:
    """What makes a terminal show again what is typed, as `getpass` does unless the process ends within."""
    try:
        import termios
    except ImportError:  # Windows
        return lambda: None
    before = termios.tcgetattr(terminal)

    def restore() -> None:
        with contextlib.suppress(termios.error):  # it may be gone
            termios.tcsetattr(terminal, termios.TCSANOW, before)

    return restore


class Opponent(Protocol):
    """What is told of a player."""

    level: str
    note: str


Answer = TypeVar("Answer")
Side = TypeVar("Side", int, str)
Seated = TypeVar("Seated", bound=Opponent)


@dataclasses.dataclass(frozen=True)
class Prompt(Generic[Answer, Side]):
    """Something that a person is asked."""

    prompt: str
    read: Callable[[str], Answer]
    """The answer that a text means. Raises `PositionError` with the reason where it is none."""
    hints: Callable[[], str]
    """What there is to know; may raise `GametreeError`."""
    moves: Callable[[], str]
    """What is legal."""
    side: Side
    """Who is asked."""
    secretly: bool = False
    begun: bool = False
    """Whether something that cannot stand by itself has been said before: to take back then begins with this again."""


class _Again(Exception):  # noqa: N818 - no error: what is asked begins again
    """A player took a move back."""


class _Left(Exception):  # noqa: N818 - no error either
    """A player left."""


@dataclasses.dataclass(kw_only=True, eq=False)
class Conversation(abc.ABC, Generic[Side, Seated]):
    """One game between the ``players`` of some sides and the people of the others, at a ``console``.

    ``know`` gives what is known of the game when it is first needed; it may raise `GametreeError`. ``resume`` makes the
    command that goes on from a position; ``rng`` is what players draw from; ``numbered`` shows numbers on the board;
    ``waiting`` is entered while something may take long. A subclass says what is asked, and calls `_set_up` first.
    """

    sides: ClassVar[tuple[Any, Any]]
    undone: ClassVar[str]
    """What taking back takes back."""

    players: Mapping[Side, Seated]
    console: Console
    know: Callable[[], Any]
    resume: Callable[[str], str]
    rng: random.Random
    numbered: bool = False
    waiting: contextlib.AbstractContextManager[object] = dataclasses.field(default_factory=contextlib.nullcontext)

    def _set_up(self, game: Game, notation: Notation, words: TypedWords, called: Sequence[str]) -> None:
        """What is played, how moves are typed on its board, words beside them, and what the sides are called."""
        self.game, self.notation, self.words = game, notation, words
        self.people = frozenset(side for side in self.sides if side not in self.players)
        you = {side: " (you)" if self.people == {side} else "" for side in self.sides}
        self.names: dict[Side, str] = {side: name + you[side] for side, name in zip(self.sides, called, strict=True)}

    # What is played ---------------------------------------------------------------------------------------------------

    @property
    @abc.abstractmethod
    def over(self) -> bool:
        """Whether nothing more can be played."""

    @abc.abstractmethod
    def _turn(self) -> None:
        """Play on, until the board is shown again."""

    @abc.abstractmethod
    def _undo(self, question: Prompt[Any, Side]) -> str:
        """Take back, and say what; nothing where there is nothing to take back."""

    @abc.abstractmethod
    def _show(self) -> None:
        """The position."""

    @abc.abstractmethod
    def _help(self) -> str:
        """The game, and what may be typed."""

    @abc.abstractmethod
    def _result(self) -> str:
        """How the game ended."""

    @abc.abstractmethod
    def _standing(self) -> tuple[str, str]:
        """Where the game stands, for people who leave, and as a position to go on from."""

    @abc.abstractmethod
    def _look_back(self) -> None:
        """Say what was played, and where the game was `_decided`."""

    @abc.abstractmethod
    def _find_decided(self) -> str:
        """Where the game was decided. Raises `GametreeError` where that is not known."""

    # The loop ---------------------------------------------------------------------------------------------------------

    def run(self) -> None:
        """Play until the game is over or a player leaves."""
        self.console.say(f"{self.game.spec}: {' against '.join(self.names.values())}.")
        self._introduce()
        if self.people:
            self.console.say(f"{self.words.shortest('help')} explains.")
        self._show()
        while not self.over:
            try:
                self._turn()
            except _Again:
                self._show()
            except _Left:
                return
        self.console.say(self._result())
        self._look_back()

    def _introduce(self) -> None:
        """Who plays what."""
        for side, player in self.players.items():
            how = f": {player.note}" if player.note else ""
            self.console.say(wrapped(f"{self.names[side]} is {player.level}{how}."))

    def _draw(self, game: Game, state: int) -> str:
        """The board, with numbers if they are wanted and the game goes on."""
        return picture(game, state, self.notation.numbers(state) if self.numbered and not self.over else None)

    def _decided(self) -> str:
        try:
            with self.waiting:
                return self._find_decided()
        except GametreeError as error:
            return wrapped(f"Where it was decided is not known: {error}.")

    def farewell(self) -> str:
        """Where the game stands, and how to go on from there."""
        if self.over:
            return self._result()
        stands, position = self._standing()
        return f"The game stands after {stands}.\nGo on with:\n  {self.resume(position)}"

    # Asking -----------------------------------------------------------------------------------------------------------

    def _ask(self, question: Prompt[Answer, Side]) -> Answer:
        """The answer to a question, however often it takes; leaves `_turn` where that is taken back or left."""
        ask = self.console.ask_secretly if question.secretly else self.console.ask
        while True:
            text = ask(question.prompt)
            if text is None:
                self._leave("End of input. ")
            try:
                meaning = self.words.find(text)
                if meaning is None:
                    return question.read(text)
                self._obey(meaning, question)
            except RulesError:
                raise
            except GametreeError as error:
                self.console.say(wrapped(f"{error}. {self.words.shortest('help')} explains."))

    def _obey(self, meaning: str, question: Prompt[Any, Side]) -> None:
        """Do what a word asks for."""
        if meaning == "give up":
            self._give_up(question.side)
            self._leave()
        elif meaning == "quit":
            self._leave()
        elif meaning == "take back":
            taken = self._undo(question)
            self.console.say(wrapped(f"Taken back: {taken}." if taken else f"There is no {self.undone} to take back."))
            if taken:
                raise _Again
        elif meaning == "hints":
            with self.waiting:
                hints = question.hints()
            self.console.say(hints)
        elif meaning == "board":
            self._show()
        else:
            self.console.say(question.moves() if meaning == "moves" else self._help())

    def _give_up(self, side: Side) -> None:
        winner = next(name for other, name in self.names.items() if other != side)
        self.console.say(f"{self.names[side]} gives up: {winner} wins.")

    def _leave(self, why: str = "") -> NoReturn:
        self.console.say(f"{why}{self.farewell()}")
        raise _Left
