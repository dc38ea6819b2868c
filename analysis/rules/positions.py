"""Read positions as people write them: in the game's notation, as the moves from the start, or as a board.

Moves may be written in any form that is printed or typed anywhere:

- a backtracker, that is codes: ``0124``, or separated by ``-`` if a code may exceed 9: ``0-11-5``;
- moves separated by spaces or commas, each as `notation.Notation` reads it: ``a1 b2``, ``d, d, e``, ``X4 O0``;
- coordinates or columns without separators: ``a1b2``, ``dde``.

A board has one symbol for each cell of `Game.grid`, row by row from the top, once separators are dropped: brackets,
quotation marks, commas, bars, rules such as ``---+---``, line ends, and spaces unless they are free cells. Its symbols
are of one of two kinds, and a text that is ambiguous is refused:

- the game's marks, in upper or lower case, and for a free cell ``?``, ``.``, ``_``, ``-``, ``*``, ``b``, None, null, a
  space or nothing at all;
- numbers: 1 for the first player, 2 or -1 for the second, and 0 for a free cell.

A text that the game itself reads as a position is that position; otherwise it is moves, if they can be played;
otherwise it is a board. The prefixes ``moves:`` and ``board:`` exclude the rest. ``moves:`` alone is the start.
"""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
import operator
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from ..errors import GametreeError, PositionError, UnreadableError
from ..wording import described
from .backtracker import joined
from .game import ONGOING, Game, kept, kept_rules
from .notation import Notation, kept_notation

if TYPE_CHECKING:
    import numpy as np

LONGEST_POSITION = 4000
"""Limit on the characters of a position."""

SHOWN = 40
"""Characters of it that an error message quotes."""

_PREFIX = re.compile(r"\s*(moves|board)\s*:", re.ASCII | re.IGNORECASE)
_DIGITS = re.compile(r"[0-9]+(?:[-,\s]+[0-9]+)*", re.ASCII)
_ELSEWHERE = re.compile(r"[][(),;|'\"]")
"""Found in boards written by others."""
_CODES = re.compile(r"[0-9]{1,9}(?:-[0-9]{1,9})*", re.ASCII)
"""A backtracker whose codes are separated by ``-``."""
_CELL = re.compile(r"[a-z]{1,2}[0-9]{1,3}", re.ASCII | re.IGNORECASE)
_MOVE = re.compile(rf"{_CELL.pattern}|[0-9]+", re.ASCII | re.IGNORECASE)
"""Looks like a move of any game."""
_CELLS = re.compile(rf"(?:{_CELL.pattern}){{2,}}", re.ASCII | re.IGNORECASE)

_BRACKETED = re.compile(r"\([^()]*\)")
_COMMA = re.compile(r",(?![^()]*\))")
"""Parts moves, unless it is inside brackets."""

FREE = frozenset(("", " ", "?", ".", "_", "-", "*", "·", "B", "NONE", "NULL"))
"""How a free cell may be written among marks."""

PLIES = 6
"""Plies of play from which a game's way to write boards is learned, twice."""

_PARTS = " \t/|,;"
"""Separators of cells in a game's own text."""
_ITEM = re.compile(r"""'([^']*)'|"([^"]*)"|([^\s,\[\]()]+)""")
_RULE = re.compile(r"[-+=\s|]*[-=][-+=\s|]*")
_ENDS = re.compile(r"\r?\n|[/;]")


class HasPosition(Protocol):
    """Something with the text of a position, such as a `Position`."""

    @property
    def position(self) -> str:
        """The text."""


Place: TypeAlias = "str | Sequence[object] | np.ndarray[Any, Any] | HasPosition"
"""A position as people give it: its text; moves, as codes or texts; a board, as a nested list or an array; or an object
that has the text, such as a `Position` or a `Move`.
"""


def read_position(game: Game, text: Place, notation: Notation | None = None) -> int:
    """Return the state that a text stands for in a ``game``, with its ``notation`` if at hand; also that of moves or of
    a board in a list, nested or not, or an array, and of anything with its text as ``position``. Raises `PositionError`
    with the reason if it is neither a position in any notation nor moves that can be played from its start.

    >>> from analysis.games.families import load_game
    >>> game = load_game("tictactoe")
    >>> [game.format_position(read_position(game, text)) for text in ("XO? ??? ???", "01", "a1 b1")]
    ['XO???????', 'XO???????', 'XO???????']
    >>> boards = ("x,o,b,b,b,b,b,b,b", [[1, -1, 0], [0, 0, 0], [0, 0, 0]])
    >>> [game.format_position(read_position(game, board)) for board in boards]
    ['XO???????', 'XO???????']
    """
    text = getattr(text, "position", text)
    if not isinstance(text, str):
        return read_held(game, kept_rules(game).start, text)
    return _read(game, text, game.parse_position, notation=notation)


def common_position(games: Sequence[Game], text: str) -> str:
    """Return the position that a text stands for in the first of some ``games``, as that game writes it. Raises
    `PositionError` if it stands for none, or if another game does not have it.

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
            raise PositionError(f"{written} is a position of {first.spec} but not of {game.spec}: {refused}") from None
        if game.format_position(state) != written:
            raise PositionError(
                f"{written} is a position of {first.spec}, but {game.spec} reads it as {game.format_position(state)}"
            )
    return written


def read_either_side(game: Game, text: str) -> int:
    """Return the state of `Game.either_side` that a text stands for, as `read_position` reads it; moves alternate as
    without bids. Raises `PositionError`.
    """
    parse = game.parse_either_side
    return _read(game, text, parse, lambda state: parse(game.format_position(state)))


def _read(
    game: Game,
    text: str,
    parse: Callable[[str], int],
    reached: Callable[[int], int] = lambda state: state,
    notation: Notation | None = None,
) -> int:
    """Return what ``parse`` reads or else, through ``reached``, the state that moves lead to, or else a board."""
    if len(text) > LONGEST_POSITION:
        most = f"allowed {LONGEST_POSITION:,}"
        raise PositionError(f"position {text[:SHOWN]}... is too long: {len(text):,} characters, {most}")
    kind, asked = _asked(text)
    if kind == "moves":
        return reached(play_moves(asked, notation or kept_notation(game)))
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
    form = board_form(game)
    board = form.read(asked) if form else None
    if board is None:
        if unplayed:
            raise unplayed
        raise PositionError(f"position {text!r}: {_no_board(game, asked)}") if _ELSEWHERE.search(asked) else refused
    try:
        return parse(board)
    except PositionError as error:
        impossible = refused if _bare(board) == _bare(asked) else error  # quotes what was typed
    raise PositionError(f"neither moves nor a board: {unplayed}; {impossible}") if unplayed else impossible


def _bare(board: str) -> str:
    """Return a board without the separators of rows and cells."""
    return re.sub(r"[\s/|,;]", "", board).upper()


def _asked(text: str) -> tuple[str, str]:
    """Split off a text's prefix: ``moves``, ``board`` or nothing; and the rest."""
    found = _PREFIX.match(text)
    return (found[1].lower(), text[found.end() :]) if found else ("", text)


def read_held(game: Game, start: int, held: Any) -> int:
    """Return the state of a value that is not text: moves from ``start``, as codes or texts, or a board with a symbol
    for each cell, as a list, nested or not, or as an array. If it could be both, it is moves. Raises `PositionError`.

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
    form = None if len(held) > LONGEST_POSITION else board_form(game)
    try:
        board = form.read(held) if form else None
    except PositionError as error:
        codes = form is not None and len(held) != form.cells and not any(isinstance(each, str) for each in held)
        raise (refused if refused and codes else error) from None
    if board is None:
        raise refused or PositionError(_no_board(game, held))
    return game.parse_position(board)


def _no_board(game: Game, given: Any) -> str:
    """Describe what a board of a game must be, and how many cells the ``given`` one has instead."""
    form = board_form(game)
    if form is None:
        start = game.format_position(game.rules().start)
        return f"{game.spec} has no boards that a list can hold; write a text such as {start}"
    marks = ", ".join(map(repr, filter(str.strip, form.symbols)))
    numbers = " or the numbers 1, 2 or -1, and 0" if "2" in form.numbers else ""
    there = form.cells_of(given)
    cells = f"this board has {there} cells, but one" if there not in (None, form.cells) else "a board"
    return f"{cells} of {game.spec} has {form.rows} rows of {form.cols}, with {marks} and ' '{numbers}"


def how_read(game: Game, text: str) -> str | None:
    """Return how plain digits are read, and how else they could be read; likewise for a text that could be moves and a
    board. None if there is nothing to report.

    >>> from analysis.games.families import load_game
    >>> how_read(load_game("connect"), "4453")
    'columns 4 4 5 3, counted from 0'
    >>> how_read(load_game("tictactoe"), "001020000")
    'a board, ??X?O????; moves:001020000 would be moves'
    """
    kind, asked = _asked(text)
    digits, notation = _DIGITS.fullmatch(asked.strip()), kept_notation(game)
    with contextlib.suppress(PositionError):
        if kind != "moves":
            state = game.parse_position(asked)
            with contextlib.suppress(PositionError):
                if not kind and digits and play_moves(asked, notation) >= 0:
                    return f"position {game.format_position(state)}; moves:{asked.strip()} would be moves"
            return None
    board = None
    with contextlib.suppress(PositionError):
        form = None if kind == "moves" else board_form(game)
        board = form.read(asked) if form else None
        board = board and game.format_position(game.parse_position(board))
    with contextlib.suppress(PositionError):
        if kind != "board" and (digits or board) and play_moves(asked, notation) >= 0:
            return "; ".join(_moves_read(asked, notation, board))
    return f"a board, {board}; moves:{asked.strip()} would be moves" if board and digits and kind != "board" else None


def _moves_read(text: str, notation: Notation, board: str | None) -> list[str]:
    """Return how a text is read as moves, and how else it could be read."""
    shown = text.strip() if len(text.strip()) <= SHOWN else "..."
    typed = [str(move) for move in split_moves(text, notation)]
    said = f"{notation.kind}{'s' * (len(typed) > 1)} {' '.join(typed[:SHOWN])}{' ...' * (len(typed) > SHOWN)}"
    if not notation.own_numbers:
        said += ", counted from 0"
    return [said, *([f"board:{shown} is the board {board}"] if board else [])]


def _lacks_side(game: Game, text: str, parse: Callable[[str], int]) -> bool:
    """Return whether a text is a position without its last word, the side to move: heaps look like a backtracker."""
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
        """Whether the text was meant as moves, since all of it looks like moves of the game."""


def play_moves(text: str, notation: Notation) -> int:
    """Return the state after the moves of a text from the start. Raises `NoSuchMoveError` for the first illegal one."""
    typed = split_moves(text, notation)
    shown = text.strip() if len(text.strip()) <= SHOWN else text.strip()[:SHOWN] + "..."

    parts = {name.count(":") for name in notation.named} - {0}  # a move of several parts may be in brackets

    def meant() -> bool:
        return all(
            isinstance(each, int)
            or _MOVE.fullmatch(each)
            or notation.knows(each)
            or (_BRACKETED.fullmatch(each) and each.count(",") in parts)
            for each in typed
        )

    return _play(notation, notation.rules.start, typed, repr(shown), meant)


def play_on(game: Game, state: int, moves: Sequence[Any]) -> int:
    """Return the state after ``moves`` from a ``state``: codes, texts as `Notation.read` takes them, and what has a
    code as its ``move``. Raises `PositionError` for the first illegal one.

    >>> from analysis.games.families import load_game
    >>> game = load_game("tictactoe")
    >>> game.format_position(play_on(game, game.rules().start, (0, "b2")))
    'X???O????'
    """
    moves = [getattr(each, "move", each) for each in moves]
    shown = ", ".join(map(repr, moves[:SHOWN])) + ", ..." * (len(moves) > SHOWN) + "," * (len(moves) == 1)
    return _play(Notation(game), state, moves, f"({shown})", lambda: True)


def _play(notation: Notation, state: int, typed: Sequence[Any], shown: str, meant: Callable[[], bool]) -> int:
    """Return the state after the typed moves; errors quote ``shown`` and note whether moves were meant."""
    for number, move in enumerate(typed):
        moves = dict(notation.rules.moves(state))
        try:
            if isinstance(move, str):
                code = notation.read(move, state)
            elif isinstance(move, bool) or not hasattr(move, "__index__"):
                raise PositionError(f"{move!r} is neither a code nor a text")
            else:
                code = notation.legal_code(operator.index(move), state)
        except PositionError as error:
            over = not moves and f"the game was already over, in {notation.game.format_position(state)}"
            raise NoSuchMoveError(f"move {number + 1} of {shown}: {over or error}", meant()) from None
        state = moves[code]
    return state


def split_moves(text: str, notation: Notation) -> Sequence[int | str]:
    """Return the moves of a text one by one: codes of a backtracker as integers, others as texts for `Notation.read`.

    >>> from analysis.games.families import load_game
    >>> notation = Notation(load_game("wild"))
    >>> split_moves("0-11-5", notation), split_moves("X 4, o0", notation), split_moves("xa1 o B2", notation)
    ([0, 11, 5], ['X4', 'o0'], ['xa1', 'oB2'])
    """
    if notation.marks:
        text = re.sub(rf"([{''.join(notation.marks)}])\s+", r"\1", text, flags=re.IGNORECASE)
    text = _BRACKETED.sub(lambda found: "".join(found[0].split()), text)
    parts = [text.strip()] if "," in text and notation.knows(text) else _COMMA.split(text)
    parts = [" ".join(part.split()) for part in parts if part.strip()]
    words = [move for part in parts for move in _words(part, notation)]
    if len(parts) > 1 or len(words) != 1:
        return words
    word, apart = words[0], joined(notation.rules.largest_code)
    if not apart and word.isascii() and word.isdecimal():
        return [int(digit) for digit in word]
    if (apart or "-" in word) and _CODES.fullmatch(word):
        return [int(code) for code in word.split("-")]
    return [word] if notation.own_numbers else _apart(word, notation)


def recorded_moves(text: str, notation: Notation) -> Sequence[int | str]:
    """Return the moves of a text that consists of moves, as `split_moves` does, with or without a prefix."""
    kind, moves = _asked(text)
    return split_moves(moves if kind == "moves" else text, notation)


def _words(part: str, notation: Notation) -> list[str]:
    """Return the moves between two commas: the words, unless only the whole is a move."""
    words = part.split()
    if not all(map(notation.knows, words)) and notation.knows(part):
        return [part]
    return [move for word in words for move in (_apart(word, notation) if len(words) > 1 else [word])]


def _apart(word: str, notation: Notation) -> list[str]:
    """Return a word if it is a move, else the coordinates, columns or codes that it may consist of."""
    if notation.knows(word) or _CELL.fullmatch(word) or _BRACKETED.fullmatch(word) or word.isdecimal():
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


# Boards as others write them -----------------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class BoardForm:
    """How a game writes its boards."""

    rows: int
    cols: int
    before: tuple[str, ...]
    """What precedes each cell."""
    symbols: Mapping[str, str]
    """The symbol of each mark of `Game.grid`, and of a free cell."""
    numbers: Mapping[str, str]
    """The marks that ``1``, ``2`` and ``-1`` stand for."""
    sides: tuple[str, ...]
    """What may follow a board to say who is to move; empty if the board tells."""

    @property
    def cells(self) -> int:
        """Number of cells."""
        return self.rows * self.cols

    def read(self, board: Any) -> str | None:
        """Return a board, written as text or given as a list, nested or not, as the game writes it, or None if it is
        not a board. Raises `PositionError` if it is ambiguous.

        >>> from analysis.games.families import load_game
        >>> boards = board_form(load_game("tictactoe"))
        >>> [boards.read(board) for board in ("x,b,o,b,x,b,b,b,b", "X| |O", [[1, 0, 0], [0, -1, 0], [0, 0, 0]])]
        ['X?O?X????', None, 'X???O????']
        """
        side = ""
        if isinstance(board, str):
            text, _, last = board.rstrip().rpartition(" ")
            if self.sides and last.lower() in map(str.lower, self.sides):
                side = last
            lists = _lists(text if side else board, self.cols)
        else:
            lists = iter([symbols_of(board, self.cells)])
        fitting = dict.fromkeys(tuple(symbols) for symbols in lists if len(symbols) == self.cells)
        found = dict.fromkeys(each for symbols in fitting for each in self._readings(symbols))
        if len(found) > 1:
            one, other, *_ = found
            raise PositionError(f"{described(board)} could be two boards, {one} or {other}; write one of them")
        return next((f"{each} {side}".strip() if side else each for each in found), None)

    def cells_of(self, board: Any) -> int | None:
        """Return the number of cells of a board given as a list, or written with commas between cells; else None."""
        if not isinstance(board, str):
            return len(symbols_of(board, self.cells)) or None
        rows = re.split(r"\n|[\])]\s*,\s*[\[(]", board.strip("[]()\n "))
        return sum(len(row.strip(", ").split(",")) for row in rows) if "," in board else None

    def _readings(self, symbols: Sequence[str]) -> Iterator[str]:
        """Yield the texts that these symbols, one for each cell, can stand for."""
        own = {mark.upper(): mark for mark in self.symbols if mark.strip()}
        upper = [symbol.strip().upper() for symbol in symbols]
        if all(symbol in own or symbol in FREE for symbol in upper):
            yield self._written(own.get(symbol, " ") for symbol in upper)
        numbers = {*upper} - (FREE - {"-"} if "0" not in upper else set())
        if numbers <= {"0", *self.numbers} and not {"2", "-1"} <= numbers:
            yield self._written(self.numbers.get(symbol, " ") for symbol in upper)

    def _written(self, marks: Iterator[str]) -> str:
        pairs = zip(self.before, marks, strict=True)
        return "".join(before + self.symbols[mark if mark in self.symbols else " "] for before, mark in pairs)


def symbols_of(board: Any, cells: int) -> list[str]:
    """Return the symbols of a board given as a list or array; each row may be a text. Raises `PositionError`."""
    flat: list[Any] = []
    waiting = [board.tolist() if hasattr(board, "tolist") else board]
    while waiting:
        item = waiting.pop()
        if isinstance(item, (list, tuple)):
            waiting += [each.tolist() if hasattr(each, "tolist") else each for each in reversed(item)]
        else:
            flat.append(item)
        if len(flat) > 2 * cells:
            return []
    words = any(isinstance(item, str) and item.strip() for item in flat)
    symbols = [_symbol(item, words) for item in flat]
    return list("".join(symbols)) if len(symbols) != cells and all(isinstance(item, str) for item in flat) else symbols


def _symbol(item: Any, words: bool) -> str:
    """Return the symbol of one item of a list; among marks, 0 is empty."""
    if item is None or (words and type(item) is int and item == 0):
        return ""
    if isinstance(item, str):
        return item
    if isinstance(item, (int, float)) and not isinstance(item, bool) and item in (-1, 0, 1, 2):
        return str(int(item))
    raise PositionError(f"{described(item)} is not a mark of a board")


def _lists(text: str, cols: int) -> Iterator[list[str]]:
    """Yield the symbols of a text, in every way in which it may be split."""
    if re.search(r"[\[\]()'\"]", text):
        items = [one or two or three for one, two, three in _ITEM.findall(text)]
        yield items
        yield list("".join(items))
        text = re.sub(r"[\[\]()'\"]", "", text)
    lines = _ENDS.split(text)
    ruled = [line for line in lines if not _RULE.fullmatch(line)]
    for chosen in [lines] if len(ruled) == len(lines) else [lines, ruled]:
        for each in (chosen, [line for line in chosen if line.strip()]):
            yield list("".join(each))
            yield list("".join(each).replace("|", ""))
        yield [cell.strip() for line in chosen if line.strip() for cell in _between_bars(line, cols)]
        yield [cell.strip() for line in chosen if line.strip() for cell in re.split("[,\t]", line.strip("\r"))]
        words = re.findall(r"[^\s,|]+", "\n".join(chosen))
        yield words
        yield list("".join(words))


def _between_bars(line: str, cols: int) -> list[str]:
    cells = line.split("|")
    return cells[1:-1] if len(cells) == cols + 2 and not cells[0].strip() and not cells[-1].strip() else cells


# How a game writes its boards -----------------------------------------------------------------------------------------


@kept
def board_form(game: Game) -> BoardForm | None:
    """Learn from a few positions how a game writes its boards; None if its text is not its grid, cell by cell."""
    with contextlib.suppress(GametreeError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
        return _learn(game)  # this calls an author's code
    return None


def _learn(game: Game) -> BoardForm | None:
    states = _sample(game)
    grid, text = game.grid(states[0]), game.format_position(states[0])
    if not grid or not all(len(mark) == 1 for row in grid for mark in row):
        return None
    rows, cols = len(grid), len(grid[0])
    places = _places(text, rows * cols)
    if places is None:
        return None
    symbols: dict[str, str] = {}
    for state in states:
        written = game.format_position(state)
        for place, mark in zip(places, _marks(game, state), strict=True):
            if symbols.setdefault(mark, written[place]) != written[place]:
                return None
    if " " not in symbols or len({*symbols.values()}) != len(symbols):
        return None
    before = tuple(text[start + 1 : place] for start, place in zip((-1, *places), places, strict=False))
    tail = text[places[-1] + 1 :].split()
    sides = ("X", "O", *game.players, *tail) if tail else ()
    found = BoardForm(rows, cols, before, symbols, _numbers(game, states, symbols), tuple(dict.fromkeys(sides)))
    for state in states:  # check that boards written so can be read again
        after = game.format_position(state)[places[-1] + 1 :]
        if game.parse_position(found._written(iter(_marks(game, state))) + after) != state:
            return None
    return found


def _sample(game: Game) -> list[int]:
    """Return the start, and the positions of play that always takes the first move, or the last."""
    rules = kept_rules(game)
    states = [rules.start]
    for which in (0, -1):
        state = rules.start
        for _ in range(PLIES):
            if rules.payoff(state) != ONGOING or not (moves := rules.moves(state)):
                break
            state = moves[which][1]
            states.append(state)
    return states


def _places(text: str, cells: int) -> list[int] | None:
    """Return the places of the cells in the text of a position, or None."""
    if len(text) == cells:
        return list(range(cells))
    places = [place for place, symbol in enumerate(text) if symbol not in _PARTS]
    return places[:cells] if len(places) >= cells else None


def _numbers(game: Game, states: Sequence[int], symbols: Mapping[str, str]) -> dict[str, str]:
    """Return the marks that 1, 2 and -1 stand for: X and O if these are the marks, else the first two moves."""
    marks = [mark for mark in symbols if mark.strip()]
    if {*marks} == {"X", "O"}:
        return {"1": "X", "2": "O", "-1": "O"}
    if len(marks) == 1:
        return {"1": marks[0]}
    made = []  # the marks that each of the first two moves has put on free cells
    for before, after in itertools.pairwise([_marks(game, state) for state in states[:3]]):
        made.append({new for old, new in zip(before, after, strict=True) if old != new and not old.strip()})
    if len(marks) != 2 or [*map(len, made)] != [1, 1] or made[0] == made[1]:
        return {}
    (one,), (two,) = made
    return {"1": one, "2": two, "-1": two}


def _marks(game: Game, state: int) -> list[str]:
    """Return the marks of the board of a state."""
    return [mark for row in game.grid(state) or [] for mark in row]
