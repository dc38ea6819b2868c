"""Define boards of marks and heaps of tokens: parameters, symmetries, texts, names of moves, and shared rules."""

from __future__ import annotations

import abc
import functools
import itertools
import math
import re
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any, ClassVar

from ..errors import PositionError, SpecError
from .game import Game, Permutation, Rules, popcount
from .picture import column_name, row_name
from .symmetry import preserves

EMPTY_MARKS = "?._-"  # how an empty cell may be typed; the first is how it is written

LONGEST_HEAP = 60  # limit on the tokens of a heap that is drawn


# Parameters -----------------------------------------------------------------------------------------------------------


def check_range(least: int, most: int | None = None, /, **values: int) -> None:
    """Raise `SpecError` for the first parameter below ``least`` or above ``most``."""
    bounds = f"at least {least}" if most is None else f"from {least} to {most}"
    for name, value in values.items():
        if value < least or (most is not None and value > most):
            raise SpecError(f"{name}={value} is too {'small' if value < least else 'large'}; {name} must be {bounds}")


def check_size(rows: int, cols: int, most_cells: int, least_rows: int = 1) -> None:
    """Raise `SpecError` unless the board has a column, ``least_rows``, and at most ``most_cells``."""
    check_range(least_rows, rows=rows)
    check_range(1, cols=cols)
    if rows * cols > most_cells:
        raise SpecError(f"a {rows} x {cols} board has {rows * cols} cells; at most {most_cells} fit in a state")


def choose(game: Game, name: str, words: Collection[str]) -> None:
    """Set a parameter that is one of the ``words`` words, in any case. Raises `SpecError` for another word."""
    typed = getattr(game, name)
    spelling = next((word for word in words if word.lower() == typed.lower()), None)
    if spelling is None:
        raise SpecError(f"{name}={typed!r} is unknown; it is one of {', '.join(words)}")
    object.__setattr__(game, name, spelling)


# Cells and text -------------------------------------------------------------------------------------------------------


def geometric_symmetries(rows: int, cols: int, lines: Iterable[Sequence[int]]) -> tuple[Permutation, ...]:
    """Return the rotations and reflections of a ``rows`` x ``cols`` board that preserve its lines.

    >>> len(geometric_symmetries(3, 3, [(0, 4, 8)]))  # one diagonal: identity, half turn, two reflections
    4
    >>> len(geometric_symmetries(1, 3, [(0, 1)]))
    1
    """
    line_set = {frozenset(line) for line in lines}
    symmetries = []
    for transposed, down, across in itertools.product((False, True), repeat=3):
        if transposed and rows != cols:
            continue
        permutation = []
        for r, c in itertools.product(range(rows), range(cols)):
            r, c = (rows - 1 - r if down else r), (cols - 1 - c if across else c)
            permutation.append(c * cols + r if transposed else r * cols + c)
        if preserves(permutation, line_set):
            symmetries.append(tuple(permutation))
    return tuple(dict.fromkeys(symmetries))  # on a 1 x n board two reflections are the same permutation


def typed_marks(text: str, marks: str) -> str:
    """Return all marks of a text, ``?`` for empty cells. Raises `PositionError` for an unknown mark."""
    cells = "".join(text.split()).replace("/", "")
    unknown = next((mark for mark in cells if mark.upper() not in {*marks, *EMPTY_MARKS}), None)
    if unknown is not None:
        raise PositionError(
            f"position {text!r}: {unknown!r} is not a mark; write {', '.join(marks)}, and ? for an empty cell"
        )
    return "".join("?" if mark in EMPTY_MARKS else mark for mark in cells.upper())


def parse_marks(text: str, rows: int, cols: int, marks: str) -> str:
    """Return the marks of a board cell by cell, ``?`` for empty ones, optionally split into rows. Raises
    `PositionError`.
    """
    cells = typed_marks(text, marks)
    if len(cells) != rows * cols:
        raise PositionError(
            f"position {text!r} has {len(cells)} cells; this board has {rows} rows of {cols}, so {rows * cols}"
        )
    return cells


def cells_with(mark: str, marks: str) -> int:
    """Return the cells that hold ``mark``, as bits."""
    return sum(1 << cell for cell, other in enumerate(marks) if other == mark)


def rows_of(marks: Sequence[str], cols: int) -> list[list[str]]:
    """Split the marks of a board, cell by cell, into rows."""
    return [[*marks[first : first + cols]] for first in range(0, len(marks), cols)]


def format_rows(grid: list[list[str]], between: str = "/") -> str:
    """Join the rows of a board on one line, with ``?`` for a blank."""
    return between.join("".join("?" if mark == " " else mark for mark in row) for row in grid)


def read_heaps(text: str, example: str) -> tuple[list[int], int]:
    """Return the numbers and the side to move (+1 X, -1 O) in text such as ``3-4-5 X`` or with other separators.
    Raises `PositionError`.
    """
    words = re.sub(r"[-/,]", " ", text).split()
    *numbers, mover = words or [""]
    invalid = next((word for word in numbers if not re.fullmatch(r"[0-9]{1,99}", word)), None)
    if invalid is not None:
        raise PositionError(f"position {text!r}: {invalid!r} is not a number; write it like {example}")
    if mover.upper() not in ("X", "O"):
        raise PositionError(f"position {text!r} does not end in X or O, the side to move; write it like {example}")
    return [int(number) for number in numbers], 1 if mover.upper() == "X" else -1


def write_heaps(sizes: Iterable[int], second_moves: bool) -> str:
    """Format heaps as `read_heaps` reads them; ``0`` for no heap at all."""
    return ("-".join(map(str, sizes)) or "0") + (" O" if second_moves else " X")


def draw_heaps(sizes: Sequence[int], names: Sequence[str]) -> str:
    """Draw heaps as rows of tokens with their sizes; tokens that do not fit on a line are left out."""
    drawn = ["o" * size if size <= LONGEST_HEAP else "" for size in sizes]
    width, name_width = max(map(len, drawn)), max(map(len, names))
    rows = zip(names, drawn, sizes, strict=True)
    return "\n".join(f"{name:<{name_width}}  {tokens:<{width}}  {size}" for name, tokens, size in rows)


# Games ----------------------------------------------------------------------------------------------------------------


class NamedMoves(Game):
    """A family of games whose moves have the same names in every position."""

    move_form: ClassVar[str]  # how a move is written, for error messages; ``{0}`` stands for the game

    @abc.abstractmethod
    def move_names(self) -> Iterable[tuple[int, str]]:
        """Return the codes of moves with their names: the first of each code is written, others may be typed."""

    @functools.cached_property
    def _written(self) -> dict[int, str]:
        return dict(reversed([*self.move_names()]))

    @functools.cached_property
    def _typed(self) -> dict[str, int]:
        return {_as_typed(name): code for code, name in self.move_names()}

    def parse_move(self, text: str) -> int:
        """Return the code of a move by one of its names; case, spaces and separators of squares do not matter."""
        code = self._typed.get(_as_typed(text))
        if code is None:
            raise PositionError(f"move {text!r} is not a move of {self.family}; write {self.move_form.format(self)}")
        return code

    def format_move(self, move: int) -> str:
        """Return the name of a move."""
        return self._written[move]


def _as_typed(name: str) -> str:
    """Return the name of a move without its optional characters.

    >>> _as_typed(" A1 - b2"), _as_typed("b1xC2"), _as_typed("10 = 01+9")
    ('a1b2', 'b1c2', '10=1+9')
    """
    joined = re.sub(r"(?<=[0-9])\s*[-x]?\s*(?=[a-z])", "", name.strip().lower())
    joined = re.sub(r"\s*([^\sa-z0-9])\s*", r"\1", joined)
    return re.sub(r"(?<![0-9])0+(?=[0-9])", "", joined)


class BoardGame(Game):
    """A family of games on a board of marks. A state holds a plane of bits for each of `marks`, the first lowest."""

    marks: ClassVar[str] = "XO"  # the marks, two or one
    between: ClassVar[str] = "/"  # separates the rows in the text of a position

    @property
    def shape(self) -> tuple[int, int]:
        """The numbers of rows and columns, from the parameters ``rows`` and ``cols`` or from one for both."""
        size = getattr(self, "n", 0)
        return getattr(self, "rows", size), getattr(self, "cols", size)

    @property
    def cells(self) -> int:
        """Number of cells of the board."""
        return math.prod(self.shape)

    def cells_of(self, state: int) -> tuple[int, int]:
        """Return the cells of the first mark and of the second, as bits; ignore bits above the board."""
        return state, state >> self.cells if len(self.marks) == 2 else 0

    def pack(self, x: int, o: int) -> int:
        """Return the state with these cells of the first and the second mark."""
        return x | o << self.cells

    def read(self, text: str) -> tuple[int, int]:
        """Return the cells of both marks in the text of a board, as bits. Raises `PositionError` for invalid text."""
        marks = parse_marks(text, *self.shape, self.marks)
        return cells_with(self.marks[0], marks), cells_with(self.marks[1:] or " ", marks)

    def square(self, cell: int) -> str:
        """Return the name of a cell as a square."""
        rows, cols = self.shape
        return column_name(cell % cols) + row_name(cell // cols, rows, from_bottom=True)

    def last_mover(self, text: str, x: int, o: int) -> str:
        """Return who has just moved, X or O, if X begins and each move adds one mark. Raises `PositionError` for
        numbers of marks that cannot occur.
        """
        extra = x.bit_count() - o.bit_count()
        if extra not in (0, 1):
            raise PositionError(
                f"position {text!r} has {x.bit_count()} X and {o.bit_count()} O; X begins, so X has as many or one more"
            )
        return "X" if extra else "O"

    def format_position(self, state: int) -> str:
        """Return the board row by row."""
        return format_rows(self.grid(state), self.between)

    def grid(self, state: int) -> list[list[str]]:
        """Return the board as rows of marks and blanks."""
        x, o = self.cells_of(state)
        first, second = self.marks[0], self.marks[-1]
        marks = [first if x >> c & 1 else second if o >> c & 1 else " " for c in range(self.cells)]
        return rows_of(marks, self.shape[1])


class PlacingGame(BoardGame):
    """A family of games in which X and O in turn, X first, put a mark on the board, where it stays."""

    def parse_position(self, text: str) -> int:
        """Return the state written row by row as ``X``, ``O`` and ``?`` (also ``.``, ``_``, ``-``), with rows
        optionally separated by spaces or ``/``. Raises `PositionError` if it is unreachable, as far as is easy to tell.
        """
        x, o = self.read(text)
        self.refuse_moves_after_end(text, x, o, self.last_mover(text, x, o))
        return self.pack(x, o)

    def parse_either_side(self, text: str) -> int:
        """Return the state written as `parse_position` reads it, but with any number of marks of each side. Raises
        `PositionError` if no sequence of moves by either side reaches it.
        """
        x, o = self.read(text)
        self.refuse_moves_after_end(text, x, o, "XO")
        return self.pack(x, o)

    @abc.abstractmethod
    def refuse_moves_after_end(self, text: str, x: int, o: int, lasts: str) -> None:
        """Raise `PositionError` if play was over before the last move, by one of the sides ``lasts``."""


class PieceGame(BoardGame):
    """A family of games whose marks do not tell the side to move: `turn_bit` is set for O, and texts end in X or O."""

    @property
    def turn_bit(self) -> int:
        """The number of the bit for the side to move, above the planes."""
        return 2 * self.cells

    def parse_position(self, text: str) -> int:
        """Return the state written row by row as ``X``, ``O`` and ``?`` (also ``.``, ``_``, ``-``), with optional
        spaces and ``/``, and then who is to move. Raises `PositionError` if it is unreachable, as far as is easy to
        tell.
        """
        marks, cells, (rows, cols) = typed_marks(text, self.marks), self.cells, self.shape
        if len(marks) != cells + 1 or marks[-1] == "?":
            raise PositionError(f"position {text!r}: write {rows} rows of {cols} marks and then X or O, who is to move")
        x, o = cells_with("X", marks[:-1]), cells_with("O", marks[:-1])
        self.refuse_impossible(text, x, o, marks[-1])
        return self.pack(x, o) | (marks[-1] == "O") << self.turn_bit

    def most_pieces(self) -> int:
        """Return how many pieces each side has at most."""
        return self.cells

    def refuse_impossible(self, text: str, x: int, o: int, mover: str) -> None:
        """Raise `PositionError` if these cells of X and O are impossible with this player, X or O, to move."""
        if max(x.bit_count(), o.bit_count()) > self.most_pieces():
            raise PositionError(f"position {text!r} has more than {self.most_pieces()} pieces of a side")

    def format_position(self, state: int) -> str:
        """Return the board row by row, and who is to move."""
        return f"{super().format_position(state)} {'XO'[state >> self.turn_bit]}"


# Rules, to be compiled ------------------------------------------------------------------------------------------------


def write_cells(cells: int, out: Any) -> int:
    """Write the numbers of the bits that are set, ascending; return their count."""
    count = 0
    while cells:
        out[count] = popcount((cells & -cells) - 1)
        cells &= cells - 1
        count += 1
    return count


def write_steps(movers: tuple[int, ...], ways: int, first: int, out: Any) -> int:
    """Write ``way + ways * cell`` for every cell and way in which its piece can go, ascending; return their count.
    ``movers`` are the cells whose pieces can go each way, as bits, with ways counted from ``first``.
    """
    pieces = 0
    for mask in movers:
        pieces |= mask
    count = 0
    while pieces:
        piece = pieces & -pieces
        pieces ^= piece
        code = ways * popcount(piece - 1) + first
        for mask in movers:
            if mask & piece:
                out[count] = code
                count += 1
            code += 1
    return count


def steps_made(start: int, still: Iterable[tuple[int, int]]) -> Callable[[int], int]:
    """Make ``tier(state)``, to be compiled: how far the total of steps ahead of all pieces has fallen since the start.
    ``still`` holds numbers of steps, each with the bits of the pieces that have this many ahead.
    """
    steps, pieces = zip(*still, strict=True)
    kinds = len(steps)

    def steps_left(state: int) -> int:
        total = 0
        for i in range(kinds):
            total += steps[i] * popcount(state & pieces[i])
        return total

    most = steps_left(start)

    def tier(state: int) -> int:
        return most - steps_left(state)

    return tier


def turn_at(bit: int) -> Callable[[int], int]:
    """Make ``to_move(state)`` for states whose topmost bit is set if the second player moves."""

    def to_move(state: int) -> int:
        return 1 - 2 * (state >> bit)

    return to_move


def turn_by_marks(state: int) -> int:
    """Return 1 or -1, who moves, for states that begin with no bit set and gain one bit with every move."""
    return 1 - 2 * (popcount(state) & 1)


def play_for_side(cells: int) -> Callable[[int, int], int]:
    """Make ``play(state, move)`` for moves of 2 x cell, + 1 if the mark goes to the second plane of ``cells`` bits."""

    def play(state: int, move: int) -> int:
        return state | 1 << ((move >> 1) + cells * (move & 1))

    return play


def each_twice(moves_of_one: Callable[[int, Any], int]) -> Callable[[int, Any], int]:
    """Make ``legal_moves(state, out)`` that writes every move m of another such function as 2 m and 2 m + 1."""

    def legal_moves(state: int, out: Any) -> int:
        count = moves_of_one(state, out)
        for i in range(count - 1, -1, -1):  # backwards, so that none is overwritten before it is read
            out[2 * i + 1] = 2 * out[i] + 1
            out[2 * i] = 2 * out[i]
        return 2 * count

    return legal_moves


def placing_rules(cells: int, outcome: Callable[[int], int], *, planes: int = 2, **others: Any) -> Rules:
    """Return the rules of a game in which players in turn put a mark on an empty cell: each on his own plane of bits,
    or both on a single one. ``others`` are further fields of `Rules`.
    """
    board, second = (1 << cells) - 1, cells * (planes - 1)

    def legal_moves(state: int, out: Any) -> int:
        return write_cells(~(state | state >> cells) & board, out)

    def play(state: int, move: int) -> int:
        return state | 1 << (move + second * (popcount(state) & 1))

    return Rules(
        start=0,
        max_moves=cells,
        legal_moves=legal_moves,
        play=play,
        outcome=outcome,
        to_move=turn_by_marks,
        largest_code=cells - 1,
        cells=cells,
        planes=planes,
        max_plies=cells,
        **others,
    )
