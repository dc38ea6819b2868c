"""What a game is to the engine: a frozen dataclass of parameters, and plain functions over plain integers.

A position is packed into one non-negative ``int64``, side to move included; signed, because Numba turns
``uint64 + 1`` into a float, while with ``int64`` an author's ``state >> 3 & 7`` just works.
"""

from __future__ import annotations

import abc
import dataclasses
import functools
import hashlib
import inspect
import itertools
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Protocol, TypeVar

import numpy as np

from analysis.errors import PositionError, RulesError

T = TypeVar("T")

Permutation = tuple[int, ...]
"""Cell ``i`` goes to cell ``permutation[i]``."""

ONGOING = 32767
"""What ``outcome`` returns while the game goes on; payoffs are the int16 numbers below it."""


def popcount(x: int) -> int:
    """How many bits of ``x`` are set. Compiled to one instruction where the rules are compiled.

    >>> popcount(0b1011)
    3
    """
    return int(x).bit_count()


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
"""How boards may look, and what each takes names of moves to mean."""


@dataclasses.dataclass(frozen=True)
class Evaluation:
    """A guess at what a position is worth to the first player."""

    function: Callable[[int], int]
    """``function(state)``: a plain function like those of `Rules`; it also values positions where the game is over."""
    bounds: tuple[int, int]
    """The least and the greatest that the function returns."""


@dataclasses.dataclass(frozen=True)
class Rules:
    """The rules of one game with its parameters filled in, as the engine uses them.

    The functions take and return plain integers and are compiled by the engine; they may call other plain functions
    and `popcount`, and read integers and tuples of integers.

    The symmetry fields describe a board: ``cells`` cells, and ``planes`` bit planes of ``cells`` bits each at the
    bottom of a state, so that cell ``i`` owns the bits ``i``, ``i + cells``, ``i + 2 * cells`` and so on. Bits above
    the planes are left alone by symmetries. Leave all of them out for a game without symmetries.
    """

    start: int
    """The first state."""
    max_moves: int
    """An upper bound on the number of moves in any state, at most 255."""
    legal_moves: Callable[[int, Any], int]
    """``legal_moves(state, out) -> n``: writes the move codes (0..254, ascending) into ``out``."""
    play: Callable[[int, int], int]
    """``play(state, move) -> state``: the state after the move."""
    outcome: Callable[[int], int]
    """``outcome(state)``: the first player's payoff where the game is over, else `ONGOING`."""
    to_move: Callable[[int], int]
    """``to_move(state)``: +1 where the first player moves, -1 where the second does."""
    largest_code: int = 254
    """The largest move code that ever occurs: where it exceeds 9, the codes of a path are joined by ``-``."""
    tier: Callable[[int], int] | None = None
    """``tier(state)``: a number from 0 on that rises with every move, by any amount; in a loopy game one that no move
    lowers. Left out, every move leads to the next tier, the ply, so that a state can occur at one ply only; a loopy
    game is then one single tier.
    """
    loopy: bool = False
    """Whether moves can return to an earlier position. Payoffs are then -1, 0 and 1."""
    impartial: bool = False
    """Whether both players have the same moves in every position and a player who cannot move loses: positions then
    have nimbers.
    """
    cells: int = 0
    """Cells of the board, at most 63."""
    planes: int = 2
    """Bits that each cell owns."""
    symmetries: tuple[Permutation, ...] = ()
    """Cell permutations that leave the game as it is: a whole group, the identity included."""
    exchange: bool = False
    """Whether the game also stays as it is, with the same player to move, where the lowest two planes change places: in
    every cell the first mark becomes the second, and the second the first.
    """
    lines: tuple[tuple[int, ...], ...] = ()
    """Sets of cells that define the game completely; their automorphisms are symmetries too."""
    canonical: Callable[[int], int] | None = None
    """Instead of cells and symmetries: ``canonical(state)``, the same for every state of an orbit and one of them. The
    symmetries must leave the start alone.
    """
    orbit_size: Callable[[int], int] | None = None
    """``orbit_size(state)``: how many states share its canonical state; always together with ``canonical``."""
    payoffs: tuple[int, int] = (-1, 1)
    """The least and the greatest payoff."""
    max_plies: int | None = None
    """An upper bound on the plies of a game, if there is one."""
    evaluations: Mapping[str, Evaluation] = dataclasses.field(default_factory=dict)
    """Static evaluations for searches of limited depth, by name."""
    heuristic: str | None = None
    """The one of them that is used unless another is named."""

    def __post_init__(self) -> None:
        if (self.canonical is None) != (self.orbit_size is None):
            raise RulesError("rules have canonical() and orbit_size() together, or neither")
        if self.canonical is not None and (self.symmetries or self.lines or self.exchange):
            raise RulesError("rules have canonical() and orbit_size(), or cells with symmetries, not both")
        if self.loopy and self.impartial:
            raise RulesError("an impartial game with loops has no nimbers; leave out impartial=True or loopy=True")
        if self.loopy and (self.payoffs[0] < -1 or self.payoffs[1] > 1):
            raise RulesError(f"payoffs of a loopy game are -1, 0 and 1, not {self.payoffs[0]} to {self.payoffs[1]}")

    # One state at a time, in plain Python -----------------------------------------------------------------------------

    def moves(self, state: int) -> list[tuple[int, int]]:
        """Every legal move of a state that the game can reach, and the state after it, ascending by move; none where
        the game is over. Raises `RulesError` where the author's functions fail.
        """
        return self._answer(self._moves, state)

    def payoff(self, state: int) -> int:
        """The first player's payoff in a state where the game is over, else `ONGOING`. Raises `RulesError` where the
        author's function fails.
        """
        return self._answer(self.outcome, state)

    def mover(self, state: int) -> int:
        """+1 where the first player moves in a state, -1 where the second does. Raises `RulesError` where the author's
        function fails.
        """
        return self._answer(self.to_move, state)

    def guess(self, state: int) -> int:
        """What a state counts for who looks no further: what the default evaluation says of it or, without one, the
        payoff, 0 while the game goes on. Raises `RulesError` where the author's functions fail.
        """
        name = self.default_evaluation
        if name is not None:
            return self._answer(self.evaluations[name].function, state)
        payoff = self.payoff(state)
        return 0 if payoff == ONGOING else payoff

    def _moves(self, state: int) -> list[tuple[int, int]]:
        if self.outcome(state) != ONGOING:
            return []
        codes = [0] * self.max_moves
        count = self.legal_moves(state, codes)
        if not 0 <= count <= self.max_moves:
            raise ValueError(f"legal_moves() returns {count}; it is a number from 0 to max_moves={self.max_moves}")
        return [(code, self.play(state, code)) for code in codes[:count]]

    def _answer(self, function: Callable[[int], T], state: int) -> T:
        try:
            return function(state)
        except (ArithmeticError, LookupError, TypeError, ValueError) as error:
            raise RulesError(f"the rules fail at state {state}: {type(error).__name__}: {error}") from error

    @property
    def default_evaluation(self) -> str | None:
        """What levels of play search with: the heuristic or, without one, the first of the evaluations."""
        return self.heuristic or next(iter(self.evaluations), None)


@dataclasses.dataclass(frozen=True)
class Residual:
    """What is left to play, as a game of its own: positions from which play goes on in the same way are one residual
    state, whatever they look like.
    """

    of: Callable[[int], int]
    """``of(state)``: what is left to play in an ordinary state, an int64 from 0 on; a plain function like those of
    `Rules`.
    """
    rules: Rules
    """The rules over residual states. They have the outcome and the mover of the ordinary states; and the states after
    their moves are, as often as each comes, what is left after the ordinary moves. ``legal_moves`` writes a code once
    for each of several moves that lead to one residual state, one after the other: they are played once. Codes need not
    ascend.
    """
    text: Callable[[int], str] = str
    """A residual state as text on one line: it is no position, and nothing reads it again."""


class HasRules(Protocol):
    """A game as somebody may write it: a frozen dataclass with this method, of which `load_game` makes a `Game`."""

    def rules(self) -> Rules:
        """See `Game.rules`."""


class Game(abc.ABC):
    """A family of games: a frozen dataclass whose fields are its parameters. Subclass it and write `rules`.

    Text codecs come in symmetric pairs: ``parse_position(format_position(s)) == s`` for every reachable state, and
    ``parse_move(format_move(m)) == m`` for every code. Without them positions and moves are written as numbers.
    """

    family: ClassVar[str]
    """The name in specifications and folder names."""
    description: ClassVar[str] = ""
    """One line for the list of games."""
    title: ClassVar[str] = ""
    """The name for people, such as ``Connect Four, {rows} x {cols}``: braces stand for parameters, see `headline`."""
    goal: ClassVar[str] = ""
    """One sentence of rules, with braces like those of `title`; by default `description`."""
    example: ClassVar[str] = ""
    """A specification that someone would try first."""
    files: ClassVar[str] = ""
    """How the files are written that parameters name."""
    sizes: ClassVar[str] = ""
    """What fits a state, and what can be solved."""
    known: ClassVar[str] = ""
    """What is known of the game, with its source."""
    rules_version: ClassVar[int] = 1
    """Of a built-in family: raised when any of its positions, moves, outcomes or symmetries becomes another."""
    moves_may_repeat: ClassVar[bool] = False
    """Whether codes of moves need not ascend: those of what is left to play, see `Residual`."""
    players: ClassVar[tuple[str, str]] = ("X", "O")
    """What the first player and the second are called."""
    notation: ClassVar[str] = ""
    """How moves are written and what they mean, in a sentence or two for people who play."""
    typed_moves: ClassVar[str] = ""
    """How people type moves beside names, and the coordinates and numbers of cells: ``columns`` where a code is the
    column that a stone falls into, ``marks`` where a name is a mark and a cell counted from 0, such as ``X4``.
    """
    origin: ClassVar[str] = ""
    """``path/to/file.py:Name`` for a user game, nothing for a built-in one."""
    origin_file: ClassVar[str] = ""
    """The absolute path of the file of a user game."""

    @abc.abstractmethod
    def rules(self) -> Rules:
        """The game as plain functions over integers. May raise `RulesError` where these parameters give none that the
        engine can use.
        """

    def parse_position(self, text: str) -> int:
        """The state written as ``text``, as `format_position` writes it or in any other way that the game reads. Raises
        `PositionError` with the reason where it is no position, or one of which it can be told that no line of play
        reaches it.
        """
        if not re.fullmatch("0|[1-9][0-9]{0,18}", text.strip(), re.ASCII) or int(text) >= 1 << 63:
            raise PositionError(f"position {text!r} is no state; {self.spec} writes positions as numbers from 0 on")
        return int(text)

    def format_position(self, state: int) -> str:
        """A state that the game can reach, as text on one line."""
        return str(state)

    def parse_move(self, text: str) -> int:
        """The code of a move written as ``text``, whether or not it is legal anywhere. Raises `PositionError` where it
        is no move of the game.
        """
        if not text.strip().isdecimal() or int(text) > 254:
            raise PositionError(f"move {text!r} is no move code; write a number from 0 to 254")
        return int(text)

    def format_move(self, move: int) -> str:
        """A move, given by its code, as people write it."""
        return str(move)

    def format_positions(self, states: np.ndarray) -> Sequence[str]:
        """The text of every one of ``states``, an int64 array, in its order, as `format_position` writes it; override
        it where all at once is faster.
        """
        return [self.format_position(int(state)) for state in states]

    def grid(self, state: int) -> list[list[str]] | None:
        """The board of a state as rows of short marks, all rows of one length, a blank where a cell is empty; None if
        the game has no such board.
        """
        return None

    rows_from_bottom: ClassVar[bool] = False
    """Whether the game's own names of squares, such as ``a1``, count rows of `grid` from the bottom, as in chess."""
    look: ClassVar[str] = "squares"
    """How pages and pictures draw `grid`: a name of `LOOKS`."""
    joined: ClassVar[Sequence[tuple[int, int]]] = ()
    """On a board of ``points``: pairs of cells that a line joins."""
    in_row: ClassVar[int] = 0
    """How many equal marks in a row decide the game, so that pages mark them at its end; 0 where rows mean nothing."""

    @property
    def rows_slant(self) -> bool:
        """Whether each row of `grid` is half a cell to the right of the one above, as on a board of hexagons."""
        return self.look in ("hexagons", "hex")

    @property
    def headline(self) -> tuple[str, str]:
        """The `title` and the `goal` with their parameters filled in; ``{wins}`` becomes ``loses`` where ``misere`` is
        set. Without a title it is the family and the parameters.
        """
        values = self.parameters()
        words = {**values, "wins": "loses" if values.get("misere") else "wins"}
        shown = ", ".join(f"{name} {value}" for name, value in values.items())
        found = [self.title or self.family.replace("_", " ").capitalize() + (f", {shown}" if shown else "")]
        for text in (*found, self.goal or self.description):
            for name, value in words.items():
                text = text.replace(f"{{{name}}}", str(value))
            found.append(text)
        return found[1], found[2]

    def picture(self, state: int) -> str | None:
        """A state drawn on as many lines as it takes, or None if `grid` or, without one, the text will do."""
        return None

    def caption(self, state: int) -> str:
        """What the drawing of a state does not show, such as a score, or nothing; by default its text in user games."""
        text = self.format_position(state) if self.origin else ""
        return "" if text.isdecimal() else text

    def cell_of(self, state: int, move: int) -> int | None:
        """The cell of `grid`, row by row from 0, that a legal ``move`` in a state is made in: the one that it fills or,
        where it fills none or several, the one that gets another mark. None where that is no single cell, or the board
        gets another shape.
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
        """About how many positions each ply has, from the start on, or None if there is no cheap way to tell."""
        return None

    def plies_left(self, state: int, value: int) -> int | None:
        """How many plies the games from a ``state`` on that pay ``value`` still last, where all of them last as long;
        None where they do not, or it is not known. Searches tell by it how far the end is of what they have proven.
        """
        return None

    def either_side(self) -> Rules | None:
        """The rules of this game where no side is to move, and either may be given any move, as in bidding
        games; None if the game has no such form. Move codes are twice those of `rules`, plus 1 where the second player
        makes the move; ``to_move`` is 1 throughout; symmetries must keep the sides apart.
        """
        return None

    def residual(self) -> Residual | None:
        """What is left to play in each position, so that those with the same game before them are solved once; None,
        which no other method returns, if the game has no such form. May raise `SymmetryError` where it does not fit a
        state; whatever else is raised is a fault, which `gametree check` names.
        """
        return None

    def parse_either_side(self, text: str) -> int:
        """The state of `either_side` written as ``text``; `format_position` writes these states too. Override it where
        `parse_position` refuses what only turns exclude. Raises `PositionError` where the text is no such state, and
        where the game has no such form.
        """
        if self.either_side() is None:
            raise PositionError(f"{self.spec} has no form in which either side may be given the move")
        return self.parse_position(text)

    def expected_either_side(self) -> list[float] | None:
        """About how many states of `either_side` each ply has, from the start on, or None if there is no cheap way to
        tell.
        """
        return None

    def parameters(self) -> dict[str, Any]:
        """The parameters that a specification may set, by name, in field order."""
        return {f.name: getattr(self, f.name) for f in self.parameter_fields()}

    @classmethod
    def parameter_fields(cls) -> list[dataclasses.Field[Any]]:
        """The dataclass fields behind `parameters`; a fixed field (``init=False``) is none."""
        return [f for f in dataclasses.fields(cls) if f.init]  # type: ignore[arg-type]

    @property
    def spec(self) -> str:
        """The specification that makes this game again, with all parameters but defaults that are flags which are off,
        empty texts, and texts that no specification can hold.
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
        """The specification, with the file of a user game by its absolute path: what a stored solution is called."""
        return self.origin_file + self.spec[len(self.origin.rpartition(":")[0]) :] if self.origin else self.spec

    @property
    def slug(self) -> str:
        """The folder name: the family and the parameters that are not the default, in field order."""
        parts = [self.family]
        for f in self.parameter_fields():
            value = getattr(self, f.name)
            if value != f.default:
                parts.append(f.name if value is True else f"{f.name}{spell(value)}")
        return re.sub(r"[^\w.+-]+", "_", "-".join(parts))

    def rules_hash(self) -> str:
        """Return a SHA-256, in hexadecimal digits, by which a stored solution is known to be of these rules.

        It covers the specification and, of a built-in family, its `rules_version`; of others their source, with all
        files of its package that it takes functions or classes from.
        """
        if type(self).__module__.startswith("analysis."):
            return hashlib.sha256(f"{self.spec} {self.rules_version}".encode()).hexdigest()
        sources = [Path(inspect.getfile(sys.modules[name])).read_bytes() for name in _modules(type(self).__module__)]
        return hashlib.sha256(b"\0".join([self.spec.encode(), *sources])).hexdigest()


def is_users(game: Game) -> bool:
    """Whether somebody wrote the game, or the one that it is made of; the others are built in."""
    if not type(game).__module__.startswith("analysis."):
        return True
    return not type(getattr(game, "base", game)).__module__.startswith("analysis.")


def kept(make: Callable[[Game], T]) -> Callable[[Game], T]:
    """A function of a game whose answers are kept for many questions, unless the game has no hash, or rules that its
    parameters do not tell.
    """
    remembered = functools.lru_cache(16)(make)

    @functools.wraps(make)
    def answer(game: Game) -> T:
        try:
            hash(game)
        except TypeError:
            return make(game)
        return make(game) if "rules" in vars(game) else remembered(game)

    return answer


@kept
def kept_rules(game: Game) -> Rules:
    """The rules of a game, made once."""
    return game.rules()


def _modules(name: str) -> list[str]:
    """A module, and those of its package that it takes functions or classes from."""
    package, found, left = name.rpartition(".")[0] + ".", {name}, [name]
    while left:
        homes = {getattr(value, "__module__", None) for value in vars(sys.modules[left.pop()]).values()}
        new = {home for home in homes if isinstance(home, str) and home.startswith(package)} - found
        found |= new
        left += new
    return sorted(found)


def _typed(value: object) -> bool:
    """Whether a specification can hold a value."""
    return not isinstance(value, str) or ("," not in value and value == value.strip())


def spell(value: object) -> str:
    """The value of a parameter as specifications write it."""
    return str(value).lower() if isinstance(value, bool) else str(value)
