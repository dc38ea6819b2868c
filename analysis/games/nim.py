"""Nim, and its relatives in which only certain numbers of tokens may be taken.

Two players in turn take tokens from one heap: any number, or with ``take`` one of the numbers that it lists (a
subtraction game). The player who cannot move loses (``misere``: wins), even if tokens are left that neither can take.
If no heap holds enough tokens, the game is over at the start.

A state holds every heap in a field just wide enough for its tokens at the start, the first heap lowest, and above them
the side to move (1: the second player). For ``heaps=3-4-5``::

    bits   8    7 6 5   4 3 2   1 0
          side  third  second  first        so 3-4-0 with O to move is 0b1_000_100_11

A move is a number for a heap and an amount: first the amounts that the first heap allows, ascending, then those of the
second, and so on. As text it is ``2:3``, three tokens from the second heap. The state includes the side because the
number of moves does not follow from the heaps; the tier is the number of tokens taken.

Heaps that start with equally many tokens are interchangeable: the canonical state sorts them.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
import re
from collections.abc import Callable, Iterable
from typing import Any

from ..errors import PositionError, SpecError
from ..rules.boards import NamedMoves, draw_heaps, read_heaps, turn_at, write_heaps
from ..rules.game import ONGOING, Rules, SymmetryCounts

MOST_BITS = 62  # for the heaps; the side to move makes it 63
MOST_CODES = 255  # codes are 0..254
MOST_TOKENS = 65_534  # plies of a game; remoteness is a uint16 whose greatest number means "never"
MOST_IMAGES = 65_535  # orbit sizes are uint16


@dataclasses.dataclass(frozen=True)
class Nim(NamedMoves):
    """The game with these ``heaps``; ``take`` is ``any`` or a list of numbers such as ``1-2-3``."""

    family = "nim"
    title = "Nim, heaps of {heaps}"
    goal = "Take tokens from one heap, {take} at a time; whoever takes the last one {wins}."
    look = "heaps"
    notation = "2:4 takes 4 tokens from heap 2."
    description = "take tokens from one heap; take=1-2-3: only that many at once; misere: the last loses"
    example = "nim:heaps=3-4-5"
    sizes = "255 tokens together, more if take is short; solved whole, 31-31-31-31 takes seconds (without counts)"
    known = "take=any, not misere: the mover loses exactly where the xor of the heaps is 0 (Bouton 1901)"

    move_form = "heap:tokens, such as 1:2 for two tokens from the first heap"

    heaps: str = "3-4-5"
    take: str = "any"
    misere: bool = False

    def __post_init__(self) -> None:
        starts = _numbers("heaps", self.heaps)
        if self.take != "any":
            _numbers("take", self.take, least=1)
        if sum(starts) > MOST_TOKENS:
            raise SpecError(f"heaps={self.heaps} has {sum(starts)} tokens; at most {MOST_TOKENS} can be counted")
        bits = sum(size.bit_length() for size in starts)
        if bits > MOST_BITS:
            raise SpecError(f"heaps={self.heaps} needs {bits} bits; at most {MOST_BITS} fit a state")
        codes = len(self._choices())
        if codes > MOST_CODES:
            raise SpecError(
                f"heaps={self.heaps},take={self.take} has {codes} different moves; at most {MOST_CODES} have a code"
            )

    def _starts(self) -> tuple[int, ...]:
        return tuple(_numbers("heaps", self.heaps))

    def _amounts(self) -> tuple[int, ...]:
        """Return the numbers that may be taken, ascending, up to the largest heap."""
        most = max(self._starts())
        if self.take == "any":
            return tuple(range(1, most + 1))
        return tuple(amount for amount in sorted(set(_numbers("take", self.take, least=1))) if amount <= most)

    def _choices(self) -> list[tuple[int, int]]:
        """Return for each code the heap, counted from 0, and the number of tokens."""
        amounts = self._amounts()
        return [(heap, n) for heap, size in enumerate(self._starts()) for n in amounts if n <= size]

    def _fields(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Return the shifts of the heaps and, last, of the side to move; and the masks of the heaps' fields."""
        widths = [size.bit_length() for size in self._starts()]
        shifts = itertools.accumulate(widths, initial=0)
        return tuple(shifts), tuple((1 << width) - 1 for width in widths)

    def rules(self) -> Rules:
        """Return the rules as plain functions."""
        starts, choices = self._starts(), self._choices() or [(0, 1)]  # tuples must not be empty
        heaps, codes, tokens = len(starts), len(choices), sum(starts)
        least = min(self._amounts(), default=tokens + 1)
        shifts, masks = self._fields()
        side = shifts[-1]
        heap_of, amount_of = (tuple(column) for column in zip(*choices, strict=True))
        first_code = (*(sum(1 for heap, _ in choices if heap < h) for h in range(heaps)), codes)
        cannot_move = 1 if self.misere else -1

        to_move = turn_at(side)

        def outcome(state: int) -> int:
            for heap in range(heaps):
                if state >> shifts[heap] & masks[heap] >= least:
                    return ONGOING
            return cannot_move * to_move(state)

        def legal_moves(state: int, out: Any) -> int:
            count = 0
            for heap in range(heaps):
                size = state >> shifts[heap] & masks[heap]
                for code in range(first_code[heap], first_code[heap + 1]):
                    if amount_of[code] > size:
                        break
                    out[count] = code
                    count += 1
            return count

        def play(state: int, move: int) -> int:
            return (state ^ 1 << side) - (amount_of[move] << shifts[heap_of[move]])

        def tier(state: int) -> int:
            remaining = 0
            for heap in range(heaps):
                remaining += state >> shifts[heap] & masks[heap]
            return tokens - remaining

        canonical, orbit_size = self._interchange()
        return Rules(
            start=self._pack(starts, 1),
            max_moves=codes,
            legal_moves=legal_moves,
            play=play,
            outcome=outcome,
            to_move=to_move,
            largest_code=codes - 1,
            tier=tier,
            impartial=not self.misere,
            canonical=canonical,
            orbit_size=orbit_size,
            max_plies=sum(size // least for size in starts),
        )

    def _interchange(self) -> tuple[Callable[[int], int] | None, Callable[[int], int] | None]:
        """Make ``canonical`` and ``orbit_size`` for heaps that start equal, if any, and if orbit sizes fit."""
        shifts, masks = self._fields()
        starts = self._starts()
        groups = [[heap for heap, size in enumerate(starts) if size == start] for start in dict.fromkeys(starts)]
        if len(groups) == len(masks):
            return None, None
        pairs = [(group[i], group[i + 1]) for group in groups for n in range(len(group), 1, -1) for i in range(n - 1)]
        lower = tuple(shifts[a] for a, _ in pairs)
        upper = tuple(shifts[b] for _, b in pairs)
        widest = tuple(masks[a] for a, _ in pairs)
        members = tuple(shifts[heap] for group in groups for heap in group)
        fields = tuple(masks[heap] for group in groups for heap in group)
        places = tuple(place for group in groups for place in range(1, len(group) + 1))

        def canonical(state: int) -> int:
            for i in range(len(lower)):  # bubble sort
                a, b = state >> lower[i] & widest[i], state >> upper[i] & widest[i]
                if a > b:
                    state ^= (a ^ b) << lower[i] | (a ^ b) << upper[i]
            return state

        def orbit_size(state: int) -> int:
            """Multiply the multinomial coefficients of the groups, heap by heap."""
            ordered, size, equal, last = canonical(state), 1, 0, -1
            for i in range(len(members)):
                heap = ordered >> members[i] & fields[i]
                equal = equal + 1 if places[i] > 1 and heap == last else 1
                size = size * places[i] // equal
                last = heap
            return size

        spread = [starts[:heap].count(size) % (size + 1) for heap, size in enumerate(starts)]
        largest = orbit_size(self._pack(spread, 1))  # every number of tokens equally often
        return (canonical, orbit_size) if largest <= MOST_IMAGES else (None, None)

    def own_symmetries(self, start: int) -> SymmetryCounts | None:
        """Return the permutations of heaps that start equal, without heaps from which nothing can be taken.

        Only the identity fixes a complete game, since tokens are taken from each of these heaps, and the first ones
        taken from a moved heap make it differ from the others.
        """
        if self._interchange()[0] is None:
            return None
        shifts, masks = self._fields()
        groups: dict[int, list[int]] = {}
        for heap, (begins, size) in enumerate(zip(self._starts(), self._sizes(start), strict=True)):
            if size >= min(self._amounts(), default=size + 1):
                groups.setdefault(begins, []).append(heap)
        order = math.prod(math.factorial(len(heaps)) for heaps in groups.values())
        first, second = next((heaps[:2] for heaps in groups.values() if len(heaps) > 1), (0, 0))

        def exchanged(state: int) -> int:
            change = (state >> shifts[first] ^ state >> shifts[second]) & masks[first]
            return state ^ (change << shifts[first] | change << shifts[second])

        return [(order - 1, exchanged)] if order > 1 else []

    def _pack(self, sizes: Iterable[int], mover: int) -> int:
        *shifts, side = self._fields()[0]
        return sum(size << shift for size, shift in zip(sizes, shifts, strict=True)) | (mover < 0) << side

    def parse_position(self, text: str) -> int:
        """Return the state written as its heaps and the side to move. Raises `PositionError` for other heaps."""
        starts = self._starts()
        sizes, mover = read_heaps(text, f"{self.heaps} X")
        if len(sizes) != len(starts):
            raise PositionError(f"position {text!r} has {len(sizes)} heaps; {self.spec} has {len(starts)}")
        for heap, (size, start) in enumerate(zip(sizes, starts, strict=True)):
            if size > start:
                raise PositionError(f"position {text!r}: heap {heap + 1} has {size} tokens; it begins with {start}")
        return self._pack(sizes, mover)

    def format_position(self, state: int) -> str:
        """Return the heaps in order and the side to move."""
        return write_heaps(self._sizes(state), bool(state >> self._fields()[0][-1]))

    def picture(self, state: int) -> str:
        """Draw the heaps, one below the other."""
        sizes = self._sizes(state)
        return draw_heaps(sizes, [f"heap {heap + 1}" for heap in range(len(sizes))])

    def _sizes(self, state: int) -> list[int]:
        """Return the number of tokens in each heap."""
        return [state >> shift & mask for shift, mask in zip(*self._fields(), strict=False)]

    def move_names(self) -> Iterable[tuple[int, str]]:
        """Yield heap and tokens, with heaps counted from 1."""
        return ((code, f"{heap + 1}:{amount}") for code, (heap, amount) in enumerate(self._choices()))


def _numbers(name: str, text: str, least: int = 0) -> list[int]:
    """Return the numbers of a parameter. Raises `SpecError` for anything else, or a number below ``least``."""
    numbers = [int(number) for number in text.split("-")] if re.fullmatch(r"[0-9]{1,99}(-[0-9]{1,99})*", text) else [-1]
    if min(numbers) < least:
        choice = "any, or " if name == "take" else ""
        raise SpecError(f"{name}={text!r} is wrong; write {choice}numbers from {least} on joined by -, such as 1-2-3")
    return numbers
