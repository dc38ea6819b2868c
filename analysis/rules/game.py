"""Define a game for the engine: a frozen dataclass of parameters, and plain functions over plain integers.

A position is packed into one non-negative ``int64``, side to move included; signed, because Numba turns
``uint64 + 1`` into a float, while with ``int64`` an author's ``state >> 3 & 7`` just works.
"""

from __future__ import annotations

import abc
import dataclasses
import hashlib
import inspect
import itertools
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar, Protocol, TypeAlias, TypeVar

import numpy as np

from ..errors import PositionError, RulesError
from .board_arrays import BoardArrays
from .keeping import kept_rules

T = TypeVar("T")

Permutation = tuple[int, ...]
"""Cell ``i`` goes to cell ``permutation[i]``."""

ONGOING = 32767
"""The result of ``outcome`` while the game goes on; payoffs are the int16 numbers below it."""


ANY_CODE, LARGEST_CODE = 254, 65_535
"""The largest move code of rules that do not set one, and the largest that rules can set; codes up to the first take a
byte, others two.
"""


def popcount(x: int) -> int:
    """Return the number of bits set in ``x``; in compiled rules a single instruction.

    >>> popcount(0b1011)
    3
    """
    return int(x).bit_count()


def first_player(state: int) -> int:
    """Return 1: who moves in a puzzle."""
    return 1


LOOKS = {
    "squares": "marks in squares",
    "columns": "discs in a frame; a click anywhere in a column drops one",
    "discs": "black discs of the first player and white ones on green squares",
    "hexagons": "discs on hexagons, each row half a cell further right",
    "hex": "the same, with the upper and lower edges in the first player's colour and the others in the second's",
    "points": "men on points, with lines between those that `joined` names",
    "pawns": "pawns on a chequered board, with arrows for moves named by two squares, such as a2-a3",
    "cars": "the same with cars; a move such as c2-off leaves the board",
    "coins": "numbers as coins, other marks as men",
    "dominoes": "dominoes; a move names one cell, of the domino down for a player V and to the right for others, "
    "a square with - or | after it, or two squares",
    "chocolate": "a bar of chocolate: # is left, a blank is eaten, another mark is the poisoned square",
    "dots": "dots in every other row and column, and edges between them, named by two dots, such as a1-b1",
    "pins": "one row of pins; a move names one, counted from 1, or two neighbours, such as 3+4",
    "heaps": "tokens, without a grid: the numbers in a position's text are the heaps, and a move is named 2:3, which "
    "takes 3 from heap 2, or 7=3+4, which splits a heap of 7",
}
"""The looks of boards, and how each of them interprets names of moves."""


@dataclasses.dataclass(frozen=True)
class Evaluation:
    """An estimate of a position's value to the first player.

    Attributes:
        function: ``function(state)``: a plain function as in `Rules`; it also evaluates finished positions.
        bounds: The least and the greatest value of the function.
    """

    function: Callable[[int], int]
    bounds: tuple[int, int]


@dataclasses.dataclass(frozen=True)
class Rules:
    """The rules of one game with its parameters filled in, as the engine uses them.

    The functions take and return plain integers and are compiled by the engine; they may call other plain functions
    and `popcount`, and read integers and tuples of integers.

    The symmetry fields describe a board of ``cells`` cells, with ``planes`` bit planes of ``cells`` bits each at the
    bottom of a state, so that cell ``i`` owns the bits ``i``, ``i + cells``, ``i + 2 * cells`` and so on. Symmetries
    leave the bits above the planes alone. Omit all of them for a game without symmetries.

    Attributes:
        start: The first state.
        max_moves: An upper bound on the number of moves in any state, at most 255.
        legal_moves: ``legal_moves(state, out) -> n``: writes the move codes (from 0 on, ascending) into ``out``,
            returns their count.
        play: ``play(state, move) -> state``: the state after the move.
        outcome: ``outcome(state)``: the first player's payoff if the game is over, else `ONGOING`.
        to_move: ``to_move(state)``: +1 if the first player moves, -1 if the second does. Without it the game is a
            puzzle: the first player always moves.
        largest_code: The largest move code that ever occurs, at most 65,535; if it exceeds 9, the codes of a path are
            joined by ``-``.
        tier: ``tier(state)``: a number from 0 that every move raises, by any amount; in a loopy game, that no move
            lowers. By default every move leads to the next tier, the ply, so that a state can occur at one ply only; a
            loopy game is then a single tier.
        loopy: Whether moves can return to an earlier position. Payoffs are then -1, 0 and 1.
        impartial: Whether both players always have the same moves and who cannot move loses; positions then have
            nimbers.
        cells: Cells of the board, at most 63.
        planes: Bits that each cell owns.
        symmetries: Cell permutations that preserve the game: a whole group, the identity included.
        exchange: Whether the game is also preserved, with the same player to move, if the lowest two planes are
            exchanged, so that first and second marks trade places.
        lines: Sets of cells that define the game completely; their automorphisms are symmetries too.
        canonical: An alternative to cells and symmetries: ``canonical(state)``: one state of the orbit, the same for
            all of its states. The symmetries must not move the start.
        orbit_size: ``orbit_size(state)``: the number of states with the same canonical state; given with ``canonical``.
        payoffs: The least and the greatest payoff.
        max_plies: An upper bound on the plies of a game, if known.
        most_positions: An upper bound on the positions that can occur, if known: what a solve will take is predicted
            within it, and a solve that finds more refuses the rules.
        evaluations: Static evaluations for searches of limited depth, by name.
        heuristic: The evaluation used by default.
    """

    start: int
    max_moves: int
    legal_moves: Callable[[int, Any], int]
    play: Callable[[int, int], int]
    outcome: Callable[[int], int]
    to_move: Callable[[int], int] = dataclasses.field(default_factory=lambda: first_player)
    largest_code: int = ANY_CODE
    tier: Callable[[int], int] | None = None
    loopy: bool = False
    impartial: bool = False
    cells: int = 0
    planes: int = 2
    symmetries: tuple[Permutation, ...] = ()
    exchange: bool = False
    lines: tuple[tuple[int, ...], ...] = ()
    canonical: Callable[[int], int] | None = None
    orbit_size: Callable[[int], int] | None = None
    payoffs: tuple[int, int] = (-1, 1)
    max_plies: int | None = None
    most_positions: int | None = None
    evaluations: Mapping[str, Evaluation] = dataclasses.field(default_factory=dict)
    heuristic: str | None = None

    @property
    def code_kind(self) -> type[np.unsignedinteger[Any]]:
        """The type of move codes in tables."""
        return np.uint8 if self.largest_code <= ANY_CODE else np.uint16

    @property
    def most_code(self) -> int:
        """The greatest move code that tables hold."""
        return ANY_CODE if self.largest_code <= ANY_CODE else LARGEST_CODE

    def __post_init__(self) -> None:
        if (self.canonical is None) != (self.orbit_size is None):
            raise RulesError("rules must have both canonical() and orbit_size(), or neither")
        if self.canonical is not None and (self.symmetries or self.lines or self.exchange):
            raise RulesError("rules may have canonical() and orbit_size(), or cells with symmetries, but not both")
        if self.loopy and self.impartial:
            raise RulesError("an impartial game with loops has no nimbers; leave out impartial=True or loopy=True")
        if self.loopy and (self.payoffs[0] < -1 or self.payoffs[1] > 1):
            raise RulesError(f"payoffs of a loopy game must be -1, 0 and 1, not {self.payoffs[0]} to {self.payoffs[1]}")

    # One state at a time, in plain Python -----------------------------------------------------------------------------

    def moves(self, state: int) -> list[tuple[int, int]]:
        """Return every legal move of a reachable state with the state after it, ascending by move; none if the game is
        over. Raises `RulesError` if the author's functions fail.
        """
        return self._answer(self._moves, state)

    def payoff(self, state: int) -> int:
        """Return the first player's payoff if the game is over, else `ONGOING`. Raises `RulesError` on failure."""
        return self._answer(self.outcome, state)

    def mover(self, state: int) -> int:
        """Return +1 if the first player moves in a state, -1 if the second does. Raises `RulesError` on failure."""
        return self._answer(self.to_move, state)

    def guess(self, state: int) -> int:
        """Return the default evaluation of a state or, without one, its payoff, 0 while the game goes on. Raises
        `RulesError` if the author's functions fail.
        """
        name = self.default_evaluation
        if name is not None:
            worth, (least, greatest) = (
                self._answer(self.evaluations[name].function, state),
                self.evaluations[name].bounds,
            )
            if not least <= worth <= greatest:
                raise RulesError(
                    f"state {state}: the evaluation {name!r} gives {worth}; its bounds are {least} and {greatest}"
                )
            return worth
        payoff = self.payoff(state)
        return 0 if payoff == ONGOING else payoff

    def _moves(self, state: int) -> list[tuple[int, int]]:
        if self.outcome(state) != ONGOING:
            return []
        codes = [0] * self.max_moves
        count = self.legal_moves(state, codes)
        if not 0 <= count <= self.max_moves:
            raise ValueError(f"legal_moves() returns {count}; it must be a number from 0 to max_moves={self.max_moves}")
        return [(code, self.play(state, code)) for code in codes[:count]]

    def _answer(self, function: Callable[[int], T], state: int) -> T:
        try:
            return function(state)
        except (ArithmeticError, LookupError, TypeError, ValueError) as error:
            raise RulesError(f"the rules fail at state {state}: {type(error).__name__}: {error}") from error

    @property
    def puzzle(self) -> bool:
        """Whether only the first player moves, to an end worth 1, the goal; others are dead ends."""
        return self.to_move is first_player and self.payoffs[1] == 1

    @property
    def default_evaluation(self) -> str | None:
        """The evaluation that levels of play search with: the heuristic or else the first one."""
        return self.heuristic or next(iter(self.evaluations), None)


@dataclasses.dataclass(frozen=True)
class Residual:
    """What is left to play, as a game of its own: positions with the same continuations are one residual state."""

    of: Callable[[int], int]
    """``of(state)``: what is left to play in an ordinary state, an int64 from 0; a plain function as in `Rules`."""
    rules: Rules
    """The rules over residual states, with the outcome and the mover of the ordinary states. The states after their
    moves are what is left after the ordinary moves, equally often. ``legal_moves`` writes the same code for each of
    several moves to one residual state, consecutively; it is played once. Codes need not ascend.
    """
    text: Callable[[int], str] = str
    """A residual state as text on one line: it is not a position, and nothing reads it."""


class HasGame(Protocol):
    """Something that has a `Game`: a solution of any kind."""

    @property
    def game(self) -> Game:
        """The game that was solved."""


GameLike: TypeAlias = "str | Path | Game | HasGame | type[Any] | ModuleType | object"
"""A game as functions take it: its specification; a `Game`; a solution; a class or module of a game in plain Python, or
an object of one or of a frozen dataclass with a method ``rules()``, which have no type in common. Functions that look
for solutions (GAME_OR_DIR) also take the directory of one.
"""


class Game(BoardArrays, abc.ABC):
    """A family of games: a frozen dataclass whose fields are its parameters. Subclass it and write `rules`.

    Text codecs come in symmetric pairs: ``parse_position(format_position(s)) == s`` for every reachable state, and
    ``parse_move(format_move(m)) == m`` for every code. Without them positions and moves are written as numbers.

    Attributes:
        family: The name in specifications and folder names.
        description: One line for the list of games.
        title: The displayed name, such as ``Connect Four, {rows} x {cols}``, with parameters in braces (see
            `headline`).
        goal: One sentence of rules, with braces like those of `title`; by default `description`.
        example: A specification to try first.
        files: The format of the files that parameters name.
        sizes: What fits in a state, and what can be solved.
        known: Known results, with their source.
        rules_version: For built-in families: incremented when any positions, moves, outcomes or symmetries change.
        moves_may_repeat: Whether codes of moves need not ascend, as in what is left to play (see `Residual`).
        players: Names of the first player and the second.
        notation: How moves are written and what they mean, in a sentence or two for players.
        typed_moves: How people type moves other than by names, coordinates and numbers: ``columns`` if a code is the
            column that a stone falls into, ``marks`` if a name is a mark and a cell counted from 0, such as ``X4``.
        worths: The numbers that payoffs stand for, in the same order and with the same signs; None for the payoffs.
        origin: ``path/to/file.py:Name`` for a user game, empty for a built-in one.
        origin_file: The absolute path of the file of a user game.
        rows_from_bottom: Whether the game's own names of squares, such as ``a1``, count rows of `grid` from the bottom,
            as in chess.
        look: How pages and pictures draw `grid`: a name of `LOOKS`.
        joined: On a board of ``points``: pairs of cells that a line joins.
        in_row: How many equal marks in a row decide the game, so that pages mark them at its end; 0 if rows mean
            nothing.
    """

    family: ClassVar[str]
    description: ClassVar[str] = ""
    title: ClassVar[str] = ""
    goal: ClassVar[str] = ""
    example: ClassVar[str] = ""
    files: ClassVar[str] = ""
    sizes: ClassVar[str] = ""
    known: ClassVar[str] = ""
    rules_version: ClassVar[int] = 1
    moves_may_repeat: ClassVar[bool] = False
    players: ClassVar[tuple[str, str]] = ("X", "O")
    notation: ClassVar[str] = ""
    typed_moves: ClassVar[str] = ""
    worths: Mapping[int, Any] | None = None
    origin: ClassVar[str] = ""
    origin_file: ClassVar[str] = ""

    @abc.abstractmethod
    def rules(self) -> Rules:
        """Return the game as plain functions over integers. May raise `RulesError` for impossible parameters."""

    def parse_position(self, text: str) -> int:
        """Return the state written as ``text``, as `format_position` writes it or in any other form that the game
        reads. Raises `PositionError` with the reason if it is not a position, or known to be unreachable.
        """
        if not re.fullmatch("0|[1-9][0-9]{0,18}", text.strip(), re.ASCII) or int(text) >= 1 << 63:
            raise PositionError(f"position {text!r} is not a state; {self.spec} writes positions as numbers from 0")
        return int(text)

    def format_position(self, state: int) -> str:
        """Return a reachable state as text on one line."""
        return str(state)

    def parse_move(self, text: str) -> int:
        """Return the code of a move written as ``text``, legal or not. Raises `PositionError` if it is not a move."""
        if not text.strip().isdecimal() or int(text) > LARGEST_CODE:
            raise PositionError(f"move {text!r} is not a move code; write a number from 0 to {LARGEST_CODE}")
        return int(text)

    def format_move(self, move: int) -> str:
        """Return a move, given by its code, as people write it."""
        return str(move)

    def format_positions(self, states: np.ndarray) -> Sequence[str]:
        """Return the texts of an int64 array of ``states``; override it if all at once is faster."""
        return [self.format_position(int(state)) for state in states]

    def grid(self, state: int) -> list[list[str]] | None:
        """Return a board as equally long rows of short marks, blanks for empty cells, or None if there is no board."""
        return None

    rows_from_bottom: ClassVar[bool] = False
    look: ClassVar[str] = "squares"
    joined: ClassVar[Sequence[tuple[int, int]]] = ()
    in_row: ClassVar[int] = 0

    @property
    def puzzle(self) -> bool:
        """Whether only the first player moves, and values are 1, where the goal can be reached, and less."""
        return kept_rules(self).puzzle

    @property
    def rows_slant(self) -> bool:
        """Whether each row of `grid` is half a cell to the right of the one above, as on a board of hexagons."""
        return self.look in ("hexagons", "hex")

    @property
    def headline(self) -> tuple[str, str]:
        """The `title` (default: family and parameters) and the `goal` with parameters filled in; ``{wins}`` becomes
        ``loses`` if ``misere`` is set.
        """
        values = self.parameters()
        words = {**values, "wins": "loses" if values.get("misere") else "wins"}
        shown = ", ".join(f"{name} {value}" for name, value in values.items())
        texts = [self.title or self.family.replace("_", " ").capitalize() + (f", {shown}" if shown else "")]
        for text in (*texts, self.goal or self.description):
            for name, value in words.items():
                text = text.replace(f"{{{name}}}", str(value))
            texts.append(text)
        return texts[1], texts[2]

    def picture(self, state: int) -> str | None:
        """Return a drawing of a state on several lines, or None if `grid` or else the text will do."""
        return None

    def caption(self, state: int) -> str:
        """Return what a drawing does not show, such as a score; it may be empty. By default the text of user games."""
        text = self.format_position(state) if self.origin else ""
        return "" if text.isdecimal() else text

    def cell_of(self, state: int, move: int) -> int | None:
        """Return the cell of `grid`, row by row from 0, for a legal ``move`` in a state: the one that it fills or, if
        it fills none or several, the one whose mark changes. None if that is not a single cell, or the board changes
        its shape.
        """
        before, after = self.grid(state), self.grid(kept_rules(self).play(state, move))
        if before is None or after is None or [*map(len, before)] != [*map(len, after)]:
            return None
        old_marks, new_marks = (itertools.chain.from_iterable(grid) for grid in (before, after))
        pairs = list(zip(old_marks, new_marks, strict=True))
        filled = [cell for cell, (old, new) in enumerate(pairs) if not old.strip() and new.strip()]
        changed = [cell for cell, (old, new) in enumerate(pairs) if old != new and new.strip()]
        for cells in (filled, changed):
            if len(cells) == 1:
                return cells[0]
        return None

    def expected_positions(self) -> list[float] | None:
        """Return the estimated number of positions at each ply, or None if there is no cheap way to tell."""
        return None

    def plies_left(self, state: int, value: int) -> int | None:
        """Return how many plies the games from a ``state`` with the payoff ``value`` still last if all last equally
        long, else None. Searches use it for the remoteness of what they prove.
        """
        return None

    def either_side(self) -> Rules | None:
        """Return the rules of this game with neither side to move, in which either may be given any move, as in bidding
        games; None if the game has no such form. Move codes are twice those of `rules`, plus 1 for the second player's
        moves; ``to_move`` is always 1; symmetries must keep the sides apart.
        """
        return None

    def residual(self) -> Residual | None:
        """Return what is left to play in each position, so that positions with the same game ahead are solved once;
        None if the game has no such form. May raise `SymmetryError` if it does not fit in a state; any other error is a
        fault, which ``gametree check`` reports.
        """
        return None

    def own_symmetries(self, start: int) -> SymmetryCounts | None:
        """Return the symmetries except the identity by which the rules' own canonical() merges positions after
        ``start``, which they must not move. They are grouped by how many complete games they fix: each number of them
        comes with one, as a function of a state. None if unknown; users' games are not asked.
        """
        return None

    def worth(self, value: int) -> Any:
        """Return the number that a value of the tables stands for."""
        return value if self.worths is None else self.worths.get(value, value)

    def value_for(self, worth: Any) -> int:
        """Return the value of the tables that stands for a number, see `worth`."""
        return worth if self.worths is None else next(value for value, number in self.worths.items() if number == worth)

    def parse_either_side(self, text: str) -> int:
        """Return the state of `either_side` written as ``text``; `format_position` writes these states too. Override it
        if `parse_position` refuses positions that only taking turns excludes. Raises `PositionError` for an invalid
        text, and if the game has no such form.
        """
        if self.either_side() is None:
            raise PositionError(f"{self.spec} has no form in which either side may be given the move")
        return self.parse_position(text)

    def expected_either_side(self) -> list[float] | None:
        """Estimate the number of states of `either_side` at each ply, or None if there is no cheap way to tell."""
        return None

    def parameters(self) -> dict[str, Any]:
        """Return the parameters that a specification may set, by name, in field order."""
        return {f.name: getattr(self, f.name) for f in self.parameter_fields()}

    @classmethod
    def parameter_fields(cls) -> list[dataclasses.Field[Any]]:
        """Return the dataclass fields behind `parameters`; a fixed field (``init=False``) is not one."""
        return [f for f in dataclasses.fields(cls) if f.init]  # type: ignore[arg-type]

    @property
    def spec(self) -> str:
        """The specification that makes this game again, with all parameters except flags that are off by default, empty
        texts, and texts that no specification can hold.
        """
        values = [(f, getattr(self, f.name)) for f in self.parameter_fields()]
        shown = [
            f"{f.name}={spell(value)}"
            for f, value in values
            if value != f.default or not (value is False or value == "" or (self.origin and not _typed(value)))
        ]
        return (self.origin or self.family) + (":" + ",".join(shown) if shown else "")

    @property
    def lasting_spec(self) -> str:
        """The specification, with the absolute path of a user game's file: the name in a stored solution."""
        return self.origin_file + self.spec[len(self.origin.rpartition(":")[0]) :] if self.origin else self.spec

    @property
    def slug(self) -> str:
        """The folder name: the family and the parameters that differ from the default, in field order."""
        parts = [self.family]
        for f in self.parameter_fields():
            value = getattr(self, f.name)
            if value != f.default:
                parts.append(f.name if value is True else f"{f.name}{spell(value)}")
        return re.sub(r"[^\w.+-]+", "_", "-".join(parts))

    def rules_hash(self) -> str:
        """Return a SHA-256, in hexadecimal digits, that identifies the rules of a stored solution.

        It covers the specification and, for a built-in family, its `rules_version`; for others the source, with all
        files of its package that it takes functions or classes from.
        """
        if type(self).__module__.startswith("gametree."):
            return hashlib.sha256(f"{self.spec} {self.rules_version}".encode()).hexdigest()
        sources = [Path(inspect.getfile(sys.modules[name])).read_bytes() for name in _modules(type(self).__module__)]
        return hashlib.sha256(b"\0".join([self.spec.encode(), *sources])).hexdigest()


SymmetryCounts = Sequence[tuple[int, Callable[[int], int]]]
"""Numbers of symmetries, each with one of them; see `Game.own_symmetries`."""


def own_order(game: Game, start: int) -> int | None:
    """Return the order of the group by which the rules' own canonical() merges positions after ``start``, the identity
    included; None if unknown.
    """
    counts = None if is_users(game) else game.own_symmetries(start)
    return None if counts is None else 1 + sum(number for number, _ in counts)


def is_users(game: Game) -> bool:
    """Return whether a user wrote the game or its base game."""
    if not type(game).__module__.startswith("gametree."):
        return True
    return not type(getattr(game, "base", game)).__module__.startswith("gametree.")


def _modules(name: str) -> list[str]:
    """Return a module and those of its package that it takes functions or classes from."""
    package, names, queue = name.rpartition(".")[0] + ".", {name}, [name]
    while queue:
        homes = {getattr(value, "__module__", None) for value in vars(sys.modules[queue.pop()]).values()}
        new = {home for home in homes if isinstance(home, str) and home.startswith(package)} - names
        names |= new
        queue += new
    return sorted(names)


def _typed(value: object) -> bool:
    """Return whether a specification can hold a value."""
    return not isinstance(value, str) or ("," not in value and value == value.strip())


def spell(value: object) -> str:
    """Return the value of a parameter as specifications write it."""
    return str(value).lower() if isinstance(value, bool) else str(value)
