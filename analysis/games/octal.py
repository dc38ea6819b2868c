"""Octal games: take tokens from a heap, and leave it in at most two (Guy and Smith 1956).

The code 0.d1d2d3... says which numbers of tokens may be taken: the digit for k tokens is the sum of 1 if they may be
the whole heap, 2 if what is left may be one heap, 4 if it may be two. Kayles is 0.77 and Dawson's Kayles 0.07. After
``4.`` instead of ``0.``, a heap may also be split in two without taking anything. Whoever cannot move loses.

These games are solved as sums only, heap by heap: a position is a tuple of heaps, and a part is a number of tokens.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator

from analysis.errors import PositionError, SpecError
from analysis.games.shared.boards import check_range
from analysis.games.shared.only_sums import OnlySums
from analysis.rules.game import Parts

MOST_TOKENS = 100_000
Heaps = tuple[int, ...]


@dataclasses.dataclass(frozen=True)
class Octal(OnlySums):
    """The octal game with this ``code`` and one heap of ``tokens``.

    >>> split = Octal("0.77", 5).parts()
    >>> sorted(split.moves(5))
    [(1, 2), (1, 3), (2, 2), (3,), (4,)]
    """

    family = "octal"
    description = "an octal game such as 0.77: take tokens from a heap, and leave at most two heaps"
    title = "{code}, {tokens} tokens"
    example = "octal:code=0.77,tokens=50"
    sizes = "up to 100,000 tokens; a thousand take seconds"
    known = "nimbers of 0.77, which is kayles: OEIS A002186, with the period 12 from 71 on; of 0.137: A002187"

    code: str = "0.77"
    tokens: int = 50

    def __post_init__(self) -> None:
        check_range(0, MOST_TOKENS, tokens=self.tokens)
        if not re.fullmatch(r"[04]?\.[0-7]{1,999}", self.code, re.ASCII):
            raise SpecError(f"code={self.code!r} is not an octal code; write 0. or 4. and digits up to 7, such as 0.77")

    def parts(self) -> Parts:
        """Return the heaps."""
        first, _, rest = self.code.partition(".")
        digits = [(taken, int(digit)) for taken, digit in enumerate((first or "0") + rest)]

        def moves(position: Heaps | int) -> Iterator[Heaps]:
            heaps = (position,) if isinstance(position, int) else position
            for i, heap in enumerate(heaps):
                for left in _left(heap, digits):
                    yield tuple(sorted((*heaps[:i], *left, *heaps[i + 1 :])))

        def split(position: Heaps | int) -> Heaps:
            return (position,) if isinstance(position, int) else position

        series = [(heap - self.offset, (heap,) if heap else ()) for heap in range(self.offset, self.heap + 1)]
        return Parts(split, moves, (self.heap,) if self.heap else (), series, size=int)

    offset = 0
    """By how much a heap is larger than the number that stands for it."""

    @property
    def heap(self) -> int:
        """The heap at the start."""
        return self.tokens

    def parse_position(self, text: str) -> Heaps:  # type: ignore[override] # positions of sums are not states
        """Return the heaps written as ``5-3-1``, in any order. Raises `PositionError` for anything else."""
        words = re.sub(r"[-/,]", " ", text).split()
        if not words or not all(re.fullmatch("[0-9]{1,6}", word, re.ASCII) for word in words):
            raise PositionError(f"position {text!r} is not a list of heaps; write it like 5-3-1")
        heaps = [int(word) + self.offset for word in words if int(word)]
        if sum(heaps) > max(self.heap, 1):
            raise PositionError(f"position {text!r} has more than {self.spec} begins with")
        return tuple(sorted(heaps))

    def format_position(self, state: Heaps | int) -> str:  # type: ignore[override]
        """Return the heaps, largest first."""
        heaps = (state,) if isinstance(state, int) else state
        return "-".join(str(heap - self.offset) for heap in sorted(heaps, reverse=True) if heap > self.offset) or "0"


def _left(heap: int, digits: list[tuple[int, int]]) -> Iterator[Heaps]:
    """Yield what a move may leave of a heap."""
    for taken, digit in digits:
        left = heap - taken
        if left == 0 and digit & 1:
            yield ()
        if left > 0 and digit & 2 and taken:
            yield (left,)
        if digit & 4:
            for smaller in range(1, left // 2 + 1):
                yield smaller, left - smaller


@dataclasses.dataclass(frozen=True)
class Dawson(Octal):
    """Dawson's Kayles, the octal game 0.07: knock over two neighbours of a row of ``pins``."""

    family = "dawson"
    description = "Dawson's Kayles: knock over two neighbours in a row of pins"
    title = "Dawson's Kayles, {pins} pins"
    example = "dawson:pins=50"
    sizes = "up to 100,000 pins; a thousand take seconds"
    known = "nimbers have the period 34 from 53 on (Guy and Smith 1956)"

    code: str = dataclasses.field(default="0.07", init=False)
    tokens: int = dataclasses.field(default=0, init=False)
    pins: int = 50

    def __post_init__(self) -> None:
        check_range(0, MOST_TOKENS, pins=self.pins)

    @property
    def heap(self) -> int:
        """The row at the start."""
        return self.pins


@dataclasses.dataclass(frozen=True)
class Treblecross(Octal):
    """Treblecross: whoever first has three X in a row wins, and both write X in a row of ``cells``.

    An X beside another, or one cell from it, lets the other player win at once. Nobody writes one there willingly, so
    that whoever has no other cell loses: n free cells, none of them near an X, are a heap of n + 2 in the game 0.007.
    """

    family = "treblecross"
    description = "Treblecross: both players write X in a row of cells, and the first three neighbours win"
    title = "Treblecross, {cells} cells"
    example = "treblecross:cells=50"
    sizes = "up to 100,000 cells; a thousand take seconds"
    known = ""
    offset = 2

    code: str = dataclasses.field(default="0.007", init=False)
    tokens: int = dataclasses.field(default=0, init=False)
    cells: int = 50

    def __post_init__(self) -> None:
        check_range(0, MOST_TOKENS, cells=self.cells)

    @property
    def heap(self) -> int:
        """The heap that stands for the row at the start."""
        return self.cells + 2
