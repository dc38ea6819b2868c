"""Grundy's game: split a heap into two unequal ones (Grundy 1939).

Two players in turn split one heap; the player who cannot move, since every heap has one token or two, loses. A state
holds the heaps as one row of tokens, the largest heap first: bit ``i`` is set where a heap ends with token ``i``. With
ten tokens::

    heaps 5-3-2    . . . . X . . X . X     bits 4, 7 and 9: 0b1010010000

A move is a number for a heap's size and the smaller part; equal heaps share their moves. The largest heap has the
lowest codes, and within a size the smaller part ascends, so with ten tokens 0 is ``10=1+9`` and 4 is ``9=1+8``. Each
move adds one heap, so the ply and the side to move follow from the number of heaps.
"""

from __future__ import annotations

import dataclasses
import itertools
import re
from collections.abc import Iterable
from typing import Any

from ..errors import PositionError
from ..rules.boards import NamedMoves, check_range, draw_heaps
from ..rules.game import ONGOING, Rules, popcount

LARGEST_HEAP = 32  # 33 tokens would need 256 codes


@dataclasses.dataclass(frozen=True)
class Grundy(NamedMoves):
    """Grundy's game with one ``heap`` of tokens."""

    family = "grundy"
    title = "Grundy's game, {heap} tokens"
    goal = "Split a heap into two that are not equal; whoever cannot move loses."
    look = "heaps"
    notation = "10=3+7 splits a heap of 10 into heaps of 3 and 7."
    description = "split a heap into two unequal ones; the player who cannot move loses"
    example = "grundy:heap=10"
    sizes = "up to 32 tokens, each in a second"
    known = "nimbers of heaps: OEIS A002188; up to 32 the first player loses with 1, 2, 4, 7, 10, 20"

    move_form = "a heap of up to {0.heap} and its two unequal parts, such as 7=3+4"

    heap: int = 10

    def __post_init__(self) -> None:
        check_range(0, LARGEST_HEAP, heap=self.heap)

    def _choices(self) -> list[tuple[int, int]]:
        """Return for each code the size of the heap and its smaller part."""
        return [(size, part) for size in range(self.heap, 2, -1) for part in range(1, (size + 1) // 2)]

    def rules(self) -> Rules:
        """Return the rules as plain functions."""
        choices = self._choices() or [(3, 1)]  # heaps of one token or two have no move; tuples must not be empty
        size_of, part_of = (tuple(column) for column in zip(*choices, strict=True))
        first_code = tuple(sum(1 for larger, _ in choices if larger > size) for size in range(self.heap + 1))

        start = 1 << self.heap >> 1  # no heap without a token
        heaps_at_start = popcount(start)

        def to_move(state: int) -> int:
            return 1 - 2 * (popcount(state) - heaps_at_start & 1)

        def outcome(state: int) -> int:
            return ONGOING if first_heap(state) > 2 else -to_move(state)

        def legal_moves(state: int, out: Any) -> int:
            count, last, size = 0, 0, first_heap(state)
            while size > 2:
                if size != last:
                    for i in range((size - 1) // 2):
                        out[count] = first_code[size] + i
                        count += 1
                last, state = size, state >> size
                size = first_heap(state)
            return count

        def play(state: int, move: int) -> int:
            size, part = size_of[move], part_of[move]
            heaps, begin = state, 0  # the heaps from token `begin` on
            length = first_heap(heaps)
            while length != size:
                heaps, begin = heaps >> length, begin + length
                length = first_heap(heaps)
            return state & ((1 << begin) - 1) | insert(heaps >> size, size - part, part) << begin

        return Rules(
            start=start,
            max_moves=max(1, (self.heap - 1) // 2),  # heaps of all sizes together have this many
            legal_moves=legal_moves,
            play=play,
            outcome=outcome,
            to_move=to_move,
            largest_code=len(choices) - 1,
            impartial=True,
            max_plies=max(0, self.heap - 2),
        )

    def parse_position(self, text: str) -> int:
        """Return the state written as its heaps, in any order, separated by ``-``, spaces, commas or ``/``."""
        words = re.sub(r"[-/,]", " ", text).split()
        if not self.heap and words == ["0"]:
            return 0
        invalid = next((word for word in words if not re.fullmatch(r"0*[1-9][0-9]{0,8}", word, re.ASCII)), None)
        if invalid is not None:
            raise PositionError(f"position {text!r}: {invalid!r} is not a heap; write the heaps like 5-3-2")
        heaps = sorted(map(int, words), reverse=True)
        if sum(heaps) != self.heap:
            raise PositionError(
                f"position {text!r} has {sum(heaps)} tokens; {self.spec} has {self.heap}, and no "
                f"move takes any: write {self.family}:heap={sum(heaps)}"
            )
        return sum(1 << (end - 1) for end in itertools.accumulate(heaps))

    def format_position(self, state: int) -> str:
        """Return the heaps, largest first."""
        heaps = []
        while state:
            heaps.append(first_heap(state))
            state >>= heaps[-1]
        return "-".join(map(str, heaps)) or "0"

    def picture(self, state: int) -> str:
        """Draw the heaps, one below the other."""
        sizes = [int(size) for size in self.format_position(state).split("-")]
        return draw_heaps(sizes, ["heap"] * len(sizes))

    def move_names(self) -> Iterable[tuple[int, str]]:
        """Yield each heap with its parts, in either order."""
        for code, (size, part) in enumerate(self._choices()):
            yield from ((code, f"{size}={part}+{size - part}"), (code, f"{size}={size - part}+{part}"))


def first_heap(heaps: int) -> int:
    """Return the size of the first heap, 1 if there is none."""
    return popcount((heaps & -heaps) - 1) + 1 if heaps else 1


def insert(heaps: int, larger: int, smaller: int) -> int:
    """Insert two more heaps, in order."""
    done, begin = 0, 0
    while larger:
        size = first_heap(heaps)
        if size > larger:
            heaps >>= size
        else:
            size, larger, smaller = larger, smaller, 0
        begin += size
        done |= 1 << (begin - 1)
    return done | heaps << begin
