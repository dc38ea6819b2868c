"""Boards as other programs and people write them, put into the text of a game.

A board is what has one symbol for each cell of `Game.grid`, row by row from the top, once separators are dropped:
brackets, quotation marks, commas, bars, rules such as ``---+---``, ends of lines, and spaces unless they are free
cells. Its symbols are of one of three kinds:

- marks as the game has them, in large or small letters, and for a free cell ``?``, ``.``, ``_``, ``-``, ``*``, ``b``,
  None, null, a space or nothing at all;
- numbers: 1 for the first player, 2 or else -1 for the second, and 0 for a free cell;
- marks, and for a free cell its own number, counted from 0 or from 1.

A text that can be read in two of these ways is refused.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from analysis.errors import GametreeError, PositionError
from analysis.rules.game import ONGOING, Game, kept_rules

FREE = frozenset(("", " ", "?", ".", "_", "-", "*", "·", "B", "NONE", "NULL"))
"""How a free cell may be written beside marks."""

PLIES = 6
"""Of play that a game's way to write boards is learned from, twice."""

_PARTS = " \t/|,;"
"""What parts the cells in a game's own text."""
_WRAPPED = re.compile(r"\s*(?:(?:np|numpy)\.)?array\((.*?)(?:,\s*dtype=[^)]*)?\)\s*", re.DOTALL)
_ITEM = re.compile(r"""'([^']*)'|"([^"]*)"|([^\s,\[\]()]+)""")
_RULE = re.compile(r"[-+=\s|]*[-=][-+=\s|]*")
_ENDS = re.compile(r"\r?\n|[/;]")
_WHOLE = re.compile(r"([-+]?[0-9]{1,3})(?:\.0*)?", re.ASCII)


@dataclasses.dataclass(frozen=True)
class BoardText:
    """How one game writes its boards."""

    rows: int
    cols: int
    before: tuple[str, ...]
    """What stands before each cell."""
    symbols: Mapping[str, str]
    """The symbol of each mark of `Game.grid`, of a free cell too."""
    numbers: Mapping[str, str]
    """The marks that ``1``, ``2`` and ``-1`` stand for."""
    sides: tuple[str, ...]
    """What may stand after a board, to say who is to move; nothing where the board says it."""

    @property
    def cells(self) -> int:
        """How many cells there are."""
        return self.rows * self.cols

    def read(self, board: Any) -> str | None:
        """A board, written as text or held as a list, nested or not, as the game writes it; None where it is none.
        Raises `PositionError` where it can be read in two ways.

        >>> from analysis.games.families import load_game
        >>> boards = board_text(load_game("tictactoe"))
        >>> [boards.read(board) for board in ("x,b,o,b,x,b,b,b,b", "X| |O", [[1, 0, 0], [0, -1, 0], [0, 0, 0]], "1X3")]
        ['X?O?X????', None, 'X???O????', None]
        """
        text, side = self._apart(board) if isinstance(board, str) else (board, "")
        lists = _lists(text, self.cells, self.cols) if isinstance(text, str) else [symbols_of(text, self.cells)]
        fitting = dict.fromkeys(tuple(symbols) for symbols in lists if len(symbols) == self.cells)
        found = dict.fromkeys(each for symbols in fitting for each in self._readings(symbols))
        if len(found) > 1:
            one, other, *_ = found
            raise PositionError(f"{_quoted(board)} is two boards, {one} or {other}; write the one that is meant")
        return next((f"{each} {side}".strip() if side else each for each in found), None)

    def cells_of(self, board: Any) -> int | None:
        """How many cells a board has that is held as a list, or written with commas between cells; else None.

        >>> from analysis.games.families import load_game
        >>> boards = board_text(load_game("tictactoe"))
        >>> [boards.cells_of(board) for board in ("x,o,b,b,x,b,b,b", [[1, 0, 0], [0, -1, 0]], "XO")]
        [8, 6, None]
        """
        if not isinstance(board, str):
            return len(symbols_of(board, self.cells)) or None
        rows = re.split(r"\n|[\])]\s*,\s*[\[(]", board.strip("[]()\n "))
        return sum(len(row.strip(", ").split(",")) for row in rows) if "," in board else None

    def _apart(self, text: str) -> tuple[str, str]:
        """A board, and who is to move if that is said after it."""
        before, _, last = text.rstrip().rpartition(" ")
        return (before, last) if self.sides and last.lower() in map(str.lower, self.sides) else (text, "")

    def _readings(self, symbols: Sequence[str]) -> Iterator[str]:
        """The texts that these symbols, one a cell, can stand for."""
        own = {mark.upper(): mark for mark in self.symbols if mark.strip()}
        upper = [symbol.strip().upper() for symbol in symbols]
        if all(symbol in own or symbol in FREE for symbol in upper):
            yield self._written(own.get(symbol, " ") for symbol in upper)
        numbers = {*upper} - (FREE - {"-"} if "0" not in upper else set())
        if numbers <= {"0", *self.numbers} and not {"2", "-1"} <= numbers:
            yield self._written(self.numbers.get(symbol, " ") for symbol in upper)
        for first in (0, 1):
            free = [str(cell + first) for cell in range(len(upper))]
            if all(symbol in own or symbol == number for symbol, number in zip(upper, free, strict=True)):
                yield self._written(own.get(symbol, " ") for symbol in upper)

    def _written(self, marks: Iterator[str]) -> str:
        pairs = zip(self.before, marks, strict=True)
        return "".join(before + self.symbols[mark if mark in self.symbols else " "] for before, mark in pairs)


def symbols_of(board: Any, cells: int) -> list[str]:
    """The symbols of a board that is held as a list, nested or not, or as an array; each row may be one text. Raises
    `PositionError` for anything else.
    """
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
    """One item of a list; beside marks, 0 is nothing."""
    if item is None or (words and type(item) is int and item == 0):
        return ""
    if isinstance(item, str):
        return item
    if isinstance(item, (int, float)) and not isinstance(item, bool) and item in (-1, 0, 1, 2):
        return str(int(item))
    raise PositionError(f"{_quoted(item)} is no mark of a board")


def _lists(text: str, cells: int, cols: int) -> Iterator[list[str]]:
    """The symbols of a text, in every way in which it may be parted."""
    if (wrapped := _WRAPPED.fullmatch(text)) is not None:
        text = wrapped[1]
    if re.search(r"[\[\]()'\"]", text):
        items = [one or two or three for one, two, three in _ITEM.findall(text)]
        yield [_number(item) for item in items]
        yield list("".join(items))
        text = re.sub(r"[\[\]()'\"]", "", text)
    lines = _ENDS.split(text)
    ruled = [line for line in lines if not _RULE.fullmatch(line)]
    for kept in [lines] if len(ruled) == len(lines) else [lines, ruled]:
        for each in (kept, [line for line in kept if line.strip()]):
            yield list("".join(each))
            yield list("".join(each).replace("|", ""))
        yield [cell.strip() for line in kept if line.strip() for cell in _between_bars(line, cols)]
        yield [cell.strip() for line in kept if line.strip() for cell in re.split("[,\t]", line.strip("\r"))]
        words = re.findall(r"[^\s,|]+", "\n".join(kept))
        yield [_number(word) for word in words]
        yield list("".join(words))


def _between_bars(line: str, cols: int) -> list[str]:
    cells = line.split("|")
    return cells[1:-1] if len(cells) == cols + 2 and not cells[0].strip() and not cells[-1].strip() else cells


def _number(symbol: str) -> str:
    """A whole number without a fraction, as arrays of floats show it: ``-1.`` is -1."""
    found = _WHOLE.fullmatch(symbol)
    return str(int(found[1])) if found else symbol


def _quoted(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:60] + "..."


# How a game writes its boards -----------------------------------------------------------------------------------------


def board_text(game: Game) -> BoardText | None:
    """How a game writes its boards, learned from a few positions and proved with them; None where its text is not its
    grid, cell by cell.
    """
    try:
        hash(game)
    except TypeError:
        return _learned(game)
    return _learned(game) if "rules" in vars(game) else _kept(game)


@functools.lru_cache(16)
def _kept(game: Game) -> BoardText | None:
    return _learned(game)


def _learned(game: Game) -> BoardText | None:
    try:
        return _learn(game)
    except (GametreeError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError):  # an author's code
        return None


def _learn(game: Game) -> BoardText | None:
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
        written, marks = game.format_position(state), [mark for row in game.grid(state) or [] for mark in row]
        for place, mark in zip(places, marks, strict=True):
            if symbols.setdefault(mark, written[place]) != written[place]:
                return None
    if " " not in symbols or len({*symbols.values()}) != len(symbols):
        return None
    before = tuple(text[start + 1 : place] for start, place in zip((-1, *places), places, strict=False))
    tail = text[places[-1] + 1 :].split()
    sides = ("X", "O", *game.players, *tail) if tail else ()
    found = BoardText(rows, cols, before, symbols, _numbers(game, states, symbols), tuple(dict.fromkeys(sides)))
    return found if all(_same(game, found, state, places[-1] + 1) for state in states) else None


def _sample(game: Game) -> list[int]:
    """The start, and positions of play that always takes the first move, or the last."""
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
    """Where the cells stand in the text of a position."""
    if len(text) == cells:
        return list(range(cells))
    places = [place for place, symbol in enumerate(text) if symbol not in _PARTS]
    return places[:cells] if len(places) >= cells else None


def _numbers(game: Game, states: Sequence[int], symbols: Mapping[str, str]) -> dict[str, str]:
    """Which marks 1, 2 and -1 stand for: X and O where these are the marks, else what the first two moves make."""
    marks = [mark for mark in symbols if mark.strip()]
    if {*marks} == {"X", "O"}:
        return {"1": "X", "2": "O", "-1": "O"}
    if len(marks) == 1:
        return {"1": marks[0]}
    made = [_made(game, before, after) for before, after in itertools.pairwise(states[:3])]
    if len(marks) != 2 or len(made) < 2 or None in made or made[0] == made[1]:
        return {}
    one, two = map(str, made)
    return {"1": one, "2": two, "-1": two}


def _made(game: Game, before: int, after: int) -> str | None:
    """The mark that a move has put on a free cell."""
    old, new = ([mark for row in game.grid(state) or [] for mark in row] for state in (before, after))
    made = {mark for was, mark in zip(old, new, strict=True) if was != mark and not was.strip()}
    return made.pop() if len(made) == 1 else None


def _same(game: Game, found: BoardText, state: int, end: int) -> bool:
    """Whether a state is read again as boards are written."""
    marks = [mark for row in game.grid(state) or [] for mark in row]
    return game.parse_position(found._written(iter(marks)) + game.format_position(state)[end:]) == state
