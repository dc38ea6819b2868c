"""Positions as people write them: as the game writes them, as the moves that lead there from the start, or as a board.

Moves are written in every way in which they are printed or typed anywhere:

- a backtracker, that is codes: ``0124``, or apart by ``-`` where a code may exceed 9: ``0-11-5``;
- moves apart by spaces or commas, each as `notation.Notation` reads it: ``a1 b2``, ``d, d, e``, ``X4 O0``;
- coordinates or columns without anything between them: ``a1b2``, ``dde``.

A text that the game itself reads as a position is that position; else it is moves, if they can be played; else it is a
board as others write it, see `boards`. With ``moves:`` or ``board:`` before it a text is nothing else; ``from1:``
before it says that it is moves whose numbers count from 1, and ``from0:`` from 0. ``moves:`` alone is the start.
"""

from __future__ import annotations

import contextlib
import operator
import re
from collections.abc import Callable, Sequence
from typing import Any

from analysis.errors import OptionError, PositionError, UnreadableError
from analysis.rules.boards import board_text
from analysis.rules.counting import counting_from, first_number, joined
from analysis.rules.game import Game, kept_rules
from analysis.rules.notation import Notation, kept_notation

LONGEST = 4000
"""Characters of a position; none is that long."""

SHOWN = 40
"""Characters of it that a refusal quotes."""

_PREFIX = re.compile(r"\s*(moves|board|from([0-9]{1,3}))\s*:", re.ASCII | re.IGNORECASE)
_DIGITS = re.compile(r"[0-9]+(?:[-,\s]+[0-9]+)*", re.ASCII)
_ELSEWHERE = re.compile(r"[][(),;|'\"]")
"""What stands in boards as others write them."""
_CODES = re.compile(r"[0-9]{1,9}(?:-[0-9]{1,9})*", re.ASCII)
"""A backtracker whose codes are apart by ``-``."""
_CELL = re.compile(r"[a-z]{1,2}[0-9]{1,3}", re.ASCII | re.IGNORECASE)
_MOVE = re.compile(rf"{_CELL.pattern}|[0-9]+", re.ASCII | re.IGNORECASE)
"""What looks like a move of any game."""
_CELLS = re.compile(rf"(?:{_CELL.pattern}){{2,}}", re.ASCII | re.IGNORECASE)


def read_position(game: Game, text: Any, notation: Notation | None = None) -> int:
    """The state that a text stands for in a ``game``, whose ``notation`` is made if it is not at hand; also that of a
    board held as a list, nested or not, or as an array. Raises `PositionError` with the reason where it is neither a
    position as the game or others write it nor moves that can be played from its start.

    >>> from analysis.games.families import load_game
    >>> game = load_game("tictactoe")
    >>> [game.format_position(read_position(game, text)) for text in ("XO? ??? ???", "01", "a1 b1", "from1:1 b1")]
    ['XO???????', 'XO???????', 'XO???????', 'XO???????']
    >>> boards = ("x,o,b,b,b,b,b,b,b", [[1, -1, 0], [0, 0, 0], [0, 0, 0]])
    >>> [game.format_position(read_position(game, board)) for board in boards]
    ['XO???????', 'XO???????']
    """
    if not isinstance(text, str):
        return read_held(game, kept_rules(game).start, text)
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
    """What ``parse`` reads or else, by ``reached``, the state that moves lead to, or else a board."""
    if len(text) > LONGEST:
        raise PositionError(f"a position of {len(text):,} characters, {text[:SHOWN]}..., is none")
    kind, first, asked = _asked(text)
    if kind == "moves":
        return reached(_play_counted(asked, notation or kept_notation(game), first))
    try:
        return parse(asked)
    except PositionError as error:
        refused = error
    unplayed = None
    if kind != "board" and text.strip():
        if _lacks_side(game, text, parse):
            raise refused
        notation = notation or kept_notation(game)
        try:
            return reached(play_moves(text, notation))
        except NoSuchMoveError as error:
            unplayed = error if error.meant else None
    board = _other_board(game, asked)
    if board is None:
        if unplayed and notation:
            raise _from_one(text, notation, unplayed)
        raise PositionError(f"position {text!r}: {_no_board(game, asked)}") if _ELSEWHERE.search(asked) else refused
    try:
        return parse(board)
    except PositionError as error:
        impossible = refused if _bare(board) == _bare(asked) else error  # which quotes what was typed
    raise PositionError(f"neither moves nor a board: {unplayed}; {impossible}") if unplayed else impossible


def _bare(board: str) -> str:
    """A board without what parts its rows and cells."""
    return re.sub(r"[\s/|,;]", "", board).upper()


def _asked(text: str) -> tuple[str, int | None, str]:
    """What a text says of itself, in front: ``moves``, ``board`` or nothing; from what it counts; and what is left.
    Raises `PositionError` where it says that it counts from anything but 0 and 1.
    """
    kind, first = "", None
    while (found := _PREFIX.match(text)) is not None:
        if found[2] is None and kind in ("", "moves"):
            kind = found[1].lower()
        elif found[2] in ("0", "1") and kind != "board" and first is None:
            first = int(found[2])
        elif found[2] is not None and first is None and kind != "board":
            raise PositionError(f"{found[0].strip()} counts from what nobody does; write from0: or from1:")
        else:
            break
        text = text[found.end() :]
    return kind or ("" if first is None else "moves"), first, text


def _play_counted(text: str, notation: Notation, first: int | None) -> int:
    """The state after the moves of a text that counts from ``first``, or as everything does here."""
    if first:
        try:
            notation.refuse_counting()
        except OptionError as error:
            raise PositionError(str(error)) from None
    with counting_from(first_number() if first is None else first):
        return play_moves(text, notation)


def _from_one(text: str, notation: Notation, error: NoSuchMoveError) -> PositionError:
    """A refusal of moves; where they are digits that could be played if they counted from 1, it says so."""
    if _DIGITS.fullmatch(text.strip()) and not first_number() and not notation.own_numbers:
        with contextlib.suppress(PositionError):
            _play_counted(text, notation, 1)
            return PositionError(f"{error}; counted from 1 they can be played: from1:{text.strip()}")
    return error


def _other_board(game: Game, board: Any) -> str | None:
    """A board that others write or hold, as the game writes it; None where it is none."""
    boards = board_text(game)
    return None if boards is None else boards.read(board)


def read_held(game: Game, start: int, held: Any) -> int:
    """The state of what is no text: moves from ``start``, codes or texts, or a board with a symbol for each cell, as a
    list, nested or not, or as an array. What could be both is moves. Raises `PositionError`.

    >>> from analysis.games.families import load_game
    >>> game = load_game("tictactoe")
    >>> start = game.rules().start
    >>> [game.format_position(read_held(game, start, held)) for held in ((0, 4), ["X", "", "O", *" " * 6])]
    ['X???O????', 'X?O??????']
    """
    held = held.tolist() if hasattr(held, "tolist") else held
    if not isinstance(held, Sequence) or isinstance(held, (bytes, bytearray)):
        raise UnreadableError(
            f"a position is a text such as {game.format_position(start)!r}, a sequence of moves such as (0, 1) or a "
            f"board, not {type(held).__name__}"
        )
    refused: PositionError | None = None
    if not any(isinstance(each, (list, tuple)) or getattr(each, "ndim", 0) for each in held):
        try:
            return play_on(game, start, held)
        except PositionError as error:
            refused = error
    board = None if len(held) > LONGEST else _other_board(game, held)
    if board is None:
        raise refused or PositionError(_no_board(game, held))
    return game.parse_position(board)


def _no_board(game: Game, given: Any) -> str:
    """What a board of a game has to be, and how many cells the one that is ``given`` has instead."""
    boards = board_text(game)
    if boards is None:
        return (
            f"{game.spec} has no boards that a list could hold; its start is {game.format_position(game.rules().start)}"
        )
    marks = ", ".join(map(repr, filter(str.strip, boards.symbols)))
    numbers = " or of the numbers 1, 2 or -1, and 0" if "2" in boards.numbers else ""
    there = boards.cells_of(given)
    cells = f"this board has {there} cells, and one" if there not in (None, boards.cells) else "a board"
    return f"{cells} of {game.spec} has {boards.rows} rows of {boards.cols}, of {marks} and ' '{numbers}"


def how_read(game: Game, text: str) -> str | None:
    """How plain digits are read, and how they would be read otherwise; likewise of any text that could be moves and a
    board. None where there is nothing to say.

    >>> from analysis.games.families import load_game
    >>> how_read(load_game("connect"), "4453")
    'columns 4 4 5 3, counted from 0; from1:4453 counts from 1'
    >>> how_read(load_game("tictactoe"), "001020000")
    'a board, ??X?O????; moves:001020000 would be moves'
    """
    kind, first, asked = _asked(text)
    digits, notation = _DIGITS.fullmatch(asked.strip()), kept_notation(game)
    with contextlib.suppress(PositionError):
        if kind != "moves":
            state = game.parse_position(asked)
            other = not kind and digits and _playable(asked, notation)
            return f"position {game.format_position(state)}; moves:{asked.strip()} would be moves" if other else None
    board = None
    with contextlib.suppress(PositionError):
        board = None if kind == "moves" else _other_board(game, asked)
        board = board and game.format_position(game.parse_position(board))
    with contextlib.suppress(PositionError), counting_from(first_number() if first is None else first):
        if kind != "board" and (digits or board) and play_moves(asked, notation) >= 0:
            return "; ".join(_moves_read(asked, notation, first, board))
    return f"a board, {board}; moves:{asked.strip()} would be moves" if board and digits and kind != "board" else None


def _playable(text: str, notation: Notation) -> bool:
    """Whether a text can be played as moves from the start."""
    with contextlib.suppress(PositionError):
        play_moves(text, notation)
        return True
    return False


def _moves_read(text: str, notation: Notation, first: int | None, board: str | None) -> list[str]:
    """How a text is read as moves, and how it would be read otherwise."""
    here, shown = first_number(), text.strip() if len(text.strip()) <= SHOWN else "..."
    typed = [str(move + here) if isinstance(move, int) else move for move in split_moves(text, notation)]
    said = f"{notation.kind}{'s' * (len(typed) > 1)} {' '.join(typed[:SHOWN])}{' ...' * (len(typed) > SHOWN)}"
    if not notation.own_numbers:
        said += f", counted from {here}"
    other = first is None and not notation.own_numbers
    otherwise = [f"from{1 - here}:{shown} counts from {1 - here}"] * other
    return [said, *otherwise, *([f"board:{shown} is the board {board}"] if board else [])]


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

    def __init__(self, message: str, meant: bool = False) -> None:
        super().__init__(message)
        self.meant = meant
        """Whether the text was meant as moves: all of it looks like moves of the game."""


def play_moves(text: str, notation: Notation) -> int:
    """The state after the moves of a text, from the start of the game. Raises `NoSuchMoveError` for the first that is
    no legal move.
    """
    typed = split_moves(text, notation)
    shown = text.strip() if len(text.strip()) <= SHOWN else text.strip()[:SHOWN] + "..."

    def meant() -> bool:
        return all(isinstance(each, int) or _MOVE.fullmatch(each) or notation.knows(each) for each in typed)

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
    return operator.index(move)


def split_moves(text: str, notation: Notation) -> Sequence[int | str]:
    """The moves of a text one by one: codes of a backtracker as integers, others as texts for `Notation.read`; numbers
    count as they do here.

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
    word, apart = words[0], joined(notation.rules.largest_code)
    if not apart and word.isascii() and word.isdecimal():
        return [int(digit) - first_number() for digit in word]
    if (apart or "-" in word) and _CODES.fullmatch(word):
        return [int(code) - first_number() for code in word.split("-")]
    return [word] if notation.own_numbers else _apart(word, notation)


def recorded_moves(text: str, notation: Notation) -> Sequence[int | str]:
    """The moves of a text that is moves, as `split_moves` has them, whatever it says in front that it counts from.
    Raises `PositionError`.

    >>> from analysis.games.families import load_game
    >>> notation = Notation(load_game("wild"))
    >>> recorded_moves("from1:1-12-6", notation), recorded_moves("from1:X1, 4, o b2", notation)
    ([0, 11, 5], ['X0', 3, 'ob2'])
    """
    kind, first, moves = _asked(text)
    here = first_number()
    if kind != "moves" or first in (None, here):
        return split_moves(moves if kind == "moves" else text, notation)
    with counting_from(first or 0):
        found = split_moves(moves, notation)
    return [_recounted(move, notation, first or 0, here) if isinstance(move, str) else move for move in found]


def _recounted(word: str, notation: Notation, first: int, here: int) -> int | str:
    """A move that counts from ``first``, as it is read ``here``."""
    if word.isdecimal() and not notation.own_numbers:
        return int(word) - first
    mark, number = word[:1], word[1:].strip()
    marked = mark.upper() in notation.marks and number.isdecimal()
    return f"{mark}{int(number) - first + here}" if marked and int(number) >= first else word


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
    return (
        list(word)
        if not joined(notation.rules.largest_code) or (word.isalpha() and all(map(notation.knows, word)))
        else [word]
    )
