"""Positions as people write them: as the game writes them, or as the moves that lead there from the start.

Moves are written in every way in which they are printed or typed anywhere:

- a backtracker, that is codes: ``0124``, or apart by ``-`` where a code may exceed 9: ``0-11-5``;
- moves apart by spaces or commas, each as `notation.Notation` reads it: ``a1 b2``, ``d, d, e``, ``X4 O0``;
- coordinates or columns without anything between them: ``a1b2``, ``dde``.

A text that the game itself reads as a position is that position. With ``moves:`` before it a text is always moves, and
``moves:`` alone is the start.
"""

from __future__ import annotations

import contextlib
import operator
import re
from collections.abc import Callable, Sequence
from typing import Any

from analysis.errors import PositionError
from analysis.rules.game import Game, kept_rules
from analysis.rules.notation import Notation

PREFIX = "moves:"

LONGEST = 4000
"""Characters of a position; none is that long."""

SHOWN = 40
"""Characters of it that a refusal quotes."""

_CODES = re.compile(r"[0-9]{1,9}(?:-[0-9]{1,9})*", re.ASCII)
"""A backtracker whose codes are apart by ``-``."""
_CELL = re.compile(r"[a-z]{1,2}[0-9]{1,3}", re.ASCII | re.IGNORECASE)
_MOVE = re.compile(rf"{_CELL.pattern}|[0-9]+", re.ASCII | re.IGNORECASE)
"""What looks like a move of any game."""
_CELLS = re.compile(rf"(?:{_CELL.pattern}){{2,}}", re.ASCII | re.IGNORECASE)


def read_position(game: Game, text: str, notation: Notation | None = None) -> int:
    """The state that a text stands for in a ``game``, whose ``notation`` is made if it is not at hand. Raises
    `PositionError` with the reason where it is neither a position as the game writes it nor moves that can be played
    from its start.

    >>> from analysis.games.families import load_game
    >>> game = load_game("tictactoe")
    >>> [game.format_position(read_position(game, text)) for text in ("XO? ??? ???", "01", "a1 b1", "moves: 0 b1")]
    ['XO???????', 'XO???????', 'XO???????', 'XO???????']
    """
    return _read(game, text, game.parse_position, notation=notation)


def common_position(games: Sequence[Game], text: str) -> str:
    """The position that a text stands for in the first of some ``games``, as that game writes it. Raises
    `PositionError` where it stands for none, and where another of them writes no position so.

    >>> from analysis.games.families import load_game
    >>> common_position([load_game("tictactoe"), load_game("mnk:rows=3,cols=3,k=2")], "a1 b1")
    'XO???????'
    """
    first, *others = games
    written = first.format_position(read_position(first, text))
    for game in others:
        try:
            state = read_position(game, written)
        except PositionError as refused:
            raise PositionError(f"{written} is a position of {first.spec} and none of {game.spec}: {refused}") from None
        if game.format_position(state) != written:
            raise PositionError(
                f"{written} is a position of {first.spec} and not the same one of {game.spec}, which takes it for "
                f"{game.format_position(state)}"
            )
    return written


def read_either_side(game: Game, text: str) -> int:
    """The state of `Game.either_side` that a text stands for, as `read_position` reads it; moves are made by turns, as
    without bids. Raises `PositionError`.
    """

    def parse(board: str) -> int:
        return game.parse_either_side(board)

    return _read(game, text, parse, lambda state: parse(game.format_position(state)))


def _read(
    game: Game,
    text: str,
    parse: Callable[[str], int],
    reached: Callable[[int], int] = lambda state: state,
    notation: Notation | None = None,
) -> int:
    """What ``parse`` reads or else, by ``reached``, the state that moves lead to."""
    if len(text) > LONGEST:
        raise PositionError(f"a position of {len(text):,} characters, {text[:SHOWN]}..., is none")
    if text.strip().lower().startswith(PREFIX):
        return reached(play_moves(text.strip()[len(PREFIX) :], notation or Notation(game)))
    try:
        return parse(text)
    except PositionError as refused:
        if not text.strip() or _lacks_side(game, text, parse):
            raise
        try:
            return reached(play_moves(text, notation or Notation(game)))
        except NoSuchMoveError as error:
            if error.meant:
                raise
            raise refused from None


def _lacks_side(game: Game, text: str, parse: Callable[[str], int]) -> bool:
    """Whether a text is a position but for the last word, which says who moves: heaps look like a backtracker."""
    _, space, side = game.format_position(kept_rules(game).start).rpartition(" ")
    for each in dict.fromkeys((side, "X", "O", *game.players)) if space and side.isalpha() else ():
        with contextlib.suppress(PositionError):
            parse(f"{text} {each}")
            return True
    return False


class NoSuchMoveError(PositionError):
    """A move that cannot be read or played."""

    def __init__(self, message: str, meant: bool) -> None:
        super().__init__(message)
        self.meant = meant
        """Whether the text was meant as moves: all of it looks like moves of the game."""


def play_moves(text: str, notation: Notation) -> int:
    """The state after the moves of a text, from the start of the game. Raises `NoSuchMoveError` for the first that is
    no legal move.
    """
    typed = split_moves(text, notation)

    def meant() -> bool:
        return all(isinstance(each, int) or _MOVE.fullmatch(each) or notation.knows(each) for each in typed)

    shown = text.strip() if len(text.strip()) <= SHOWN else text.strip()[:SHOWN] + "..."
    return _play(notation, notation.rules.start, typed, repr(shown), meant)


def play_on(game: Game, state: int, moves: Sequence[int | str]) -> int:
    """The state after some ``moves`` from a ``state``: codes, and texts as `Notation.read` takes them. Raises
    `PositionError` for the first that is no legal move.

    >>> from analysis.games.families import load_game
    >>> game = load_game("tictactoe")
    >>> game.format_position(play_on(game, game.rules().start, (0, "b2")))
    'X???O????'
    """
    shown = ", ".join(map(repr, moves[:SHOWN])) + ", ..." * (len(moves) > SHOWN) + "," * (len(moves) == 1)
    return _play(Notation(game), state, moves, f"({shown})", lambda: True)


def _play(notation: Notation, state: int, typed: Sequence[Any], shown: str, meant: Callable[[], bool]) -> int:
    """The state after the moves that were typed; of a refusal, what is shown of them and whether moves were meant."""
    for number, move in enumerate(typed):
        moves = dict(notation.rules.moves(state))
        try:
            code = notation.read(move, state) if isinstance(move, str) else notation.legal_code(_code(move), state)
        except PositionError as error:
            over = not moves and f"the game is over before it, in {notation.game.format_position(state)}"
            raise NoSuchMoveError(f"move {number + 1} of {shown}: {over or error}", meant()) from None
        state = moves[code]
    return state


def _code(move: Any) -> int:
    """A move that is no text. Raises `PositionError` for what is no whole number."""
    if isinstance(move, bool) or not hasattr(move, "__index__"):
        raise PositionError(f"{move!r} is neither a code nor a text")
    if operator.index(move) < 0:
        raise PositionError(f"{move!r} is no code; codes count from 0")
    return operator.index(move)


def split_moves(text: str, notation: Notation) -> Sequence[int | str]:
    """The moves of a text one by one: codes of a backtracker as integers, others as texts for `Notation.read`.

    >>> from analysis.games.families import load_game
    >>> notation = Notation(load_game("wild"))
    >>> split_moves("0-11-5", notation), split_moves("X 4, o0", notation), split_moves("xa1 o B2", notation)
    ([0, 11, 5], ['X4', 'o0'], ['xa1', 'oB2'])
    """
    if notation.marks:
        text = re.sub(rf"([{''.join(notation.marks)}])\s+", r"\1", text, flags=re.IGNORECASE)
    parts = [" ".join(part.split()) for part in text.split(",") if part.strip()]
    words = [move for part in parts for move in _words(part, notation)]
    if len(parts) > 1 or len(words) != 1:
        return words
    word, joined = words[0], notation.rules.largest_code > 9
    if not joined and word.isascii() and word.isdecimal():
        return list(map(int, word))
    if (joined or "-" in word) and _CODES.fullmatch(word):
        return list(map(int, word.split("-")))
    return [word] if notation.own_numbers else _apart(word, notation)


def _words(part: str, notation: Notation) -> list[str]:
    """The moves between two commas: what is between spaces, unless only all of it together is a move."""
    words = part.split()
    if not all(map(notation.knows, words)) and notation.knows(part):
        return [part]
    return [move for word in words for move in (_apart(word, notation) if len(words) > 1 else [word])]


def _apart(word: str, notation: Notation) -> list[str]:
    """A word as it is if it is a move, else the coordinates, columns or codes that it may be made of."""
    if notation.knows(word) or _CELL.fullmatch(word) or word.isdecimal():
        return [word]
    if _CELLS.fullmatch(word):
        return _CELL.findall(word)
    if "-" in word:
        return word.split("-")
    few = notation.rules.largest_code < 10
    return list(word) if few or (word.isalpha() and all(map(notation.knows, word))) else [word]
