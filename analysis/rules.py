"""What a game is to the engine: a frozen dataclass of parameters, and plain functions over plain integers.

A position is packed into one non-negative ``int64``, side to move included; signed, because Numba turns
``uint64 + 1`` into a float, while with ``int64`` an author's ``state >> 3 & 7`` just works.
"""

from __future__ import annotations

import abc
import dataclasses
import hashlib
import inspect
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from analysis.automorphisms import Permutation

ONGOING = 32767
"""What ``outcome`` returns while the game goes on; payoffs are the int16 numbers below it."""


def popcount(x: int) -> int:
    """How many bits of ``x`` are set. Compiled to one instruction where the rules are compiled.

    >>> popcount(0b1011)
    3
    """
    return int(x).bit_count()


@dataclasses.dataclass(frozen=True)
class Evaluation:
    """A guess at what a position is worth to the first player, and the least and the greatest it can be."""

    function: Callable[[int], int]
    """``function(state)``: a plain function like those of `Rules`; it also values positions where the game is over."""
    bounds: tuple[int, int]


@dataclasses.dataclass(frozen=True)
class Rules:
    """The rules of one game with its parameters filled in, as the engine uses them.

    The four functions take and return plain integers and are compiled by the engine; they may call other plain
    functions and `popcount`. Every move leads to the next ply.

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
    cells: int = 0
    planes: int = 2
    symmetries: tuple[Permutation, ...] = ()
    """Cell permutations that leave the game as it is: a whole group, the identity included."""
    lines: tuple[tuple[int, ...], ...] = ()
    """Sets of cells that define the game completely; their automorphisms are symmetries too."""
    payoffs: tuple[int, int] = (-1, 1)
    """The least and the greatest payoff."""
    max_plies: int | None = None
    """An upper bound on the plies of a game, if there is one."""
    evaluations: Mapping[str, Evaluation] = dataclasses.field(default_factory=dict)
    """Static evaluations for searches of limited depth, by name."""

    def moves(self, state: int) -> list[tuple[int, int]]:
        """Every legal move and the state after it, ascending by move; none where the game is over. Plain Python, for
        one state at a time.
        """
        if self.outcome(state) != ONGOING:
            return []
        codes = [0] * self.max_moves
        count = self.legal_moves(state, codes)
        return [(code, self.play(state, code)) for code in codes[:count]]


class Game(abc.ABC):
    """A family of games: a frozen dataclass whose fields are its parameters. Subclass it and write `rules`
    and the text codecs, a symmetric pair: ``parse_position(format_position(s)) == s`` for every reachable state.
    """

    family: ClassVar[str]
    """The name in specifications and folder names."""
    description: ClassVar[str] = ""
    """One line for the list of games."""
    example: ClassVar[str] = ""
    """A specification that someone would try first."""

    @abc.abstractmethod
    def rules(self) -> Rules:
        """The game as plain functions over integers."""

    @abc.abstractmethod
    def parse_position(self, text: str) -> int:
        """The state written as ``text``. Raises `PositionError` with the reason where it is no reachable position."""

    @abc.abstractmethod
    def format_position(self, state: int) -> str:
        """The state as text on one line."""

    def format_positions(self, states: np.ndarray) -> Sequence[str]:
        """`format_position` of every state of an int64 array; override it where that can be done faster."""
        return [self.format_position(int(state)) for state in states]

    def grid(self, state: int) -> list[list[str]] | None:
        """The board as rows of one-character marks (blank where empty), or None if it is no grid."""
        return None

    def expected_positions(self) -> list[float] | None:
        """About how many positions each ply has, cheaply, or None if nobody can say before solving."""
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
        """The specification that makes this game again, flags that are off left out."""
        shown = [f"{name}={_spell(value)}" for name, value in self.parameters().items() if value is not False]
        return self.family + (":" + ",".join(shown) if shown else "")

    @property
    def slug(self) -> str:
        """The folder name: the family and the parameters that are not the default, in field order."""
        parts = [self.family]
        for f in self.parameter_fields():
            value = getattr(self, f.name)
            if value != f.default:
                parts.append(f.name if value is True else f"{f.name}{_spell(value)}")
        return "-".join(parts)

    def rules_hash(self) -> str:
        """SHA-256 over the specification and the source file of the family: other rules, other hash."""
        source = Path(inspect.getfile(type(self))).read_bytes()
        return hashlib.sha256(self.spec.encode() + b"\0" + source).hexdigest()


def _spell(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
