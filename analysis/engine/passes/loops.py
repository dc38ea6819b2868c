"""Backward pass over a tier in which play may return: retrograde analysis by exact lists of parents.

The method is that of Thompson ("Retrograde analysis of certain endgames", ICCA Journal 9(3), 1986). *Map* expands
ranges of parents and cuts their moves into slices by the range of the child; *reduce* makes the lists of the parents of
each range of children; *waves* spread what is decided, by remoteness, see `kernels.loops`. Ties and draws are told
apart by a second pass of waves.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol

import numpy as np

from ...common.workers import Stage, tell_progress
from ...errors import TooLargeError
from ..census import labels_of
from ..engine import Engine
from ..kernels import BLOCK, MISSING, NEVER
from ..kernels import loops as kernels
from ..kernels.loops import KINDS, LEVEL, O_LOSES, O_WINS, X_LOSES, X_WINS
from ..kernels.radix_sort import sorted_by_bits
from ..kernels.states import ExpandedChunk
from ..tiers import Tier
from .children import not_found
from .forward_by_ply import check_movers, check_payoffs, ranked

TIER_BYTES = 6
"""Bytes of a state while its tier is solved, besides its labels: moves left, bits, and what is known of it at first."""
RANGE = 1 << 18
"""Rows of a range of children, a multiple of `BLOCK`."""
GROUP = 8
"""Chunks of parents whose moves are sorted together."""
LEAST_PAIR = 2
"""The least bytes of a pair of child and parent in a slice."""
PAIRS = 1 << 24
"""The most pairs that are sorted together for one range of children, unless one block has more."""
WIN_KINDS = {1: ((X_WINS, False), (O_LOSES, True)), -1: ((O_WINS, False), (X_LOSES, True)), 0: ((LEVEL, False),)}
"""By winner, what decides a state besides the moves within its tier, and whether that only takes one from what is left.
"""


class Slices(NamedTuple):
    """The moves within a tier of a range of parents, which are numbered from row ``begin``, by range of children."""

    begin: int
    slices: list[np.ndarray]  # uint8[bytes]

    @property
    def nbytes(self) -> int:
        """The size of all slices."""
        return sum(map(len, self.slices))


class Lists(NamedTuple):
    """The lists of the parents of consecutive states, beginning with block ``first``; those of its block ``b`` begin at
    ``data[offsets[b]]``.
    """

    first: int
    data: np.ndarray  # uint8[bytes]
    offsets: np.ndarray  # int64[blocks + 1]


class Notes(Protocol):
    """What is known of states without the moves within their tier, by wave."""

    def rows(self, wave: int, kind: int) -> np.ndarray:
        """Return the rows of this kind, uint32[n]."""

    def next_wave(self, wave: int, kinds: Sequence[int]) -> int | None:
        """Return the next wave from this one on at which there are any of these kinds; None if there is none."""


def ranges(n: int) -> list[slice]:
    """Return the ranges of the rows of a tier."""
    return [slice(low, min(low + RANGE, n)) for low in range(0, n, RANGE)]


def groups(engine: Engine, n: int) -> list[slice]:
    """Return the rows whose moves are sorted together."""
    step = GROUP * engine.chunk
    return [slice(low, min(low + step, n)) for low in range(0, n, step)]


# Map ------------------------------------------------------------------------------------------------------------------


def slices_of(
    engine: Engine,
    part: Tier,
    begin: int,
    left: np.ndarray,
    solved: Mapping[int, Tier],
    leads: Sequence[int],
    firsts: np.ndarray,
) -> Slices:
    """Survey some states of a tier, from its row ``begin`` on: fill in mover, branching, and ``left``, put what else is
    known into value and remoteness (see `kernels.loops.survey`), and return the moves to the ranges of the tier, whose
    least states are ``firsts``. ``leads`` are the later tiers that moves lead to.
    """
    to, parents = [], []
    for rows in engine.chunks(len(part)):
        chunk = part.chunk(rows)
        expanded = engine.expand_tiers(chunk.states)
        check_payoffs(engine, chunk.states, expanded.branching, expanded.payoffs)
        check_movers(engine, chunk.states, expanded.movers)
        chunk.to_move[:], chunk.branching[:] = expanded.movers, expanded.branching
        inside, later = expanded.tiers == part.number, _worths(engine, expanded, solved, leads)
        moves = int(np.count_nonzero(inside))
        children, movers = np.empty(moves, np.int64), np.empty(moves, np.uint32)
        pairs = kernels.survey(
            engine.compiled.outcome, rows.start, labels_of(chunk), expanded.payoffs, inside.view(np.uint8),
            expanded.children, *later, left[rows], children, movers,
        )  # fmt: skip
        to.append(children[:pairs])
        parents.append(movers[:pairs])
    return Slices(begin, _sliced(np.concatenate(to), np.concatenate(parents), left, firsts))


def _worths(
    engine: Engine, expanded: ExpandedChunk, solved: Mapping[int, Tier], leads: Sequence[int]
) -> tuple[np.ndarray, np.ndarray]:
    """Return value and remoteness of the children in later tiers, int16[moves] and uint16[moves], anything of others.
    Sorted children are found in order, which takes no table and little more time.
    """
    moves = len(expanded.children)
    values, remoteness = np.zeros(moves, np.int16), np.zeros(moves, np.uint16)
    for lead in leads:
        places, tier = np.flatnonzero(expanded.tiers == lead), solved[lead]
        children = expanded.children[places]
        distinct, ranks = ranked(children)
        rows = np.searchsorted(tier.states, children[:distinct])
        if (tier.states[np.minimum(rows, len(tier) - 1)] != children[:distinct]).any():
            raise not_found(engine)
        values[places], remoteness[places] = tier.value[rows][ranks], tier.remoteness[rows][ranks]
    return values, remoteness


def _sliced(to: np.ndarray, parents: np.ndarray, left: np.ndarray, firsts: np.ndarray) -> list[np.ndarray]:
    """Return pairs of child and parent as slices."""
    ends = np.zeros(len(firsts), np.int64)
    least, greatest = (int(to.min()), int(to.max())) if len(to) else (0, 0)
    spread, bits = (greatest - least).bit_length(), max(1, (len(left) - 1).bit_length())
    if spread + bits < 64:
        kernels.pack(to, parents, least, bits)
        kernels.unpack(sorted_by_bits(to, bits, bits + spread), to, parents, least, bits)
    else:  # too wide for one number
        order = np.lexsort((parents, to))
        to, parents = to[order], parents[order]
    a_pair = max(1, -(-spread // 7)) + -(-bits // 7)
    out = np.empty(a_pair * len(to) + 9 * len(firsts), np.uint8)  # the first of a slice may be farther from its range's
    kernels.write_slices(to, parents, firsts, left, out, ends)
    return [out[begin:end].copy() for begin, end in zip([0, *ends[:-1].tolist()], ends.tolist(), strict=True)]


# Reduce ---------------------------------------------------------------------------------------------------------------


def lists_of(
    engine: Engine,
    first: int,
    states: np.ndarray,
    size: int,
    slices: Callable[[], Iterable[tuple[int, np.ndarray]]],
    most: int,
) -> list[Lists]:
    """Return the lists of the parents of consecutive states, the first in row ``first``, from the ``slices`` of all
    moves to them, ``size`` bytes in all, each with the row that its parents are numbered from. At most so many pairs
    are sorted at once.
    """

    def read(low: int, high: int, pairs: np.ndarray) -> int:
        """Read the moves to some rows into ``pairs``, if these are not empty; return their number."""
        total = 0
        for begin, data in slices():
            total = kernels.read_slice(data, states, low, high, begin, pairs, total)
            if total == MISSING:
                raise not_found(engine)
        return total

    found, todo = [], [(0, len(states))]
    while todo:
        low, high = todo.pop()
        number = size // LEAST_PAIR
        if number > most:
            number = read(low, high, np.empty(0, np.int64))
        if number > most and high - low > BLOCK:
            middle = low + (high - low + BLOCK) // (2 * BLOCK) * BLOCK
            todo += [(middle, high), (low, middle)]
            continue
        pairs = np.empty(number, np.int64)
        pairs = sorted_by_bits(pairs[: read(low, high, pairs)], 32, 32 + len(states).bit_length())
        data = np.empty(5 * (len(pairs) + high - low), np.uint8)
        offsets = np.empty(-(-(high - low) // BLOCK) + 1, np.int64)
        written = kernels.write_lists(pairs, low, high, data, offsets)
        found.append(Lists((first + low) // BLOCK, data[:written].copy(), offsets))
    return found


# Waves ----------------------------------------------------------------------------------------------------------------


@dataclasses.dataclass
class Wave:
    """The states that are decided at some remoteness, as bits, by winner: 1 for X and -1 for O, or 0."""

    number: int
    bits: dict[int, np.ndarray]  # uint64[n / 64] each


def waves(
    engine: Engine,
    wave: Wave,
    notes: Notes,
    left: np.ndarray,
    spread: Callable[[np.ndarray, int, np.ndarray], int],
    rest: Callable[[Wave], None] = lambda wave: None,
) -> Iterator[Wave]:
    """Yield the waves of a pass, from a ``wave`` whose bits are those that moves within the tier decide.
    ``spread(bits, winner, after)`` takes what follows from the states of a wave into the next; ``rest`` is told of each
    wave while it is such as the first one was. Raises `TooLargeError`.
    """
    after = {winner: np.zeros_like(bits) for winner, bits in wave.bits.items()}
    kinds = [kind for winner in wave.bits for kind, _ in WIN_KINDS[winner]]
    reached = sum(int(bits.any()) for bits in wave.bits.values())
    while True:
        rest(wave)
        for winner, bits in wave.bits.items():
            for kind, loses in WIN_KINDS[winner]:
                reached += kernels.decide(notes.rows(wave.number, kind), loses, left, bits)
        if not reached:
            following = notes.next_wave(wave.number + 1, kinds)
            if following is None:
                return
            wave.number = following
            continue
        if wave.number > kernels.GREATEST:
            raise TooLargeError(
                f"{engine.game.spec}: a position is more than {kernels.GREATEST:,} plies from the end, too far for a "
                "table"
            )
        yield wave
        reached = 0
        for winner, bits in wave.bits.items():
            after[winner][:] = 0
            reached += spread(bits, winner, after[winner])
        wave.bits, after = after, wave.bits
        wave.number += 1


# In memory ------------------------------------------------------------------------------------------------------------


def sorted_notes(tier: Tier) -> tuple[np.ndarray, np.ndarray]:
    """Sort what `slices_of` has put into value and remoteness of a tier, or of a part: return where the rows of each
    wave and kind end, the kinds of wave ``w`` in places ``KINDS * w + kind``, and all rows, uint32[n].
    """
    most = int(tier.remoteness.max(initial=0, where=tier.value != 0))
    ends, rows = np.zeros(KINDS * (most + 1) + 2, np.int64), np.empty(int(np.count_nonzero(tier.value)), np.uint32)
    kernels.sort_notes(tier.value, tier.remoteness, ends, rows)
    return ends[:-1], rows


class HeldNotes:
    """Notes in memory, made from what `slices_of` puts into value and remoteness of a tier."""

    def __init__(self, tier: Tier) -> None:
        self._ends, self._rows = sorted_notes(tier)

    def rows(self, wave: int, kind: int) -> np.ndarray:
        """See `Notes`."""
        place = KINDS * wave + kind
        return self._rows[self._ends[place - 1] : self._ends[place]] if place < len(self._ends) else self._rows[:0]

    def next_wave(self, wave: int, kinds: Sequence[int]) -> int | None:
        """See `Notes`."""
        sizes = np.diff(self._ends).reshape(-1, KINDS)[wave:, [kind - 1 for kind in kinds]]
        following = np.flatnonzero(sizes.any(axis=1))
        return wave + int(following[0]) if len(following) else None


def label_tier(
    engine: Engine, tier: Tier, solved: Mapping[int, Tier], leads: Sequence[int], require: Callable[[int], None]
) -> None:
    """Fill in mover, branching, value and remoteness of a tier; ``leads`` are the tiers that its moves lead to, of
    which ``solved`` holds the later ones. ``require`` is told the bytes that are held from time to time.
    """
    n, later = len(tier), [lead for lead in leads if lead != tier.number]
    own, left = ranges(n), np.empty(n, np.uint8)
    firsts = tier.states[[rows.start for rows in own]]

    def look(rows: slice) -> Slices:
        return slices_of(engine, tier.chunk(rows), rows.start, left[rows], solved, later, firsts)

    moves, held = [], TIER_BYTES * n
    for done, slices in enumerate(engine.workers.map(look, groups(engine, n))):
        moves.append(slices)
        held += slices.nbytes
        require(held)
        tell_progress(Stage("expanding", tier.number), done * GROUP * engine.chunk, n)
    notes = HeldNotes(tier)

    def reduce(number: int) -> list[Lists]:
        rows, slices = own[number], [(each.begin, each.slices[number]) for each in moves]
        size = sum(len(data) for _, data in slices)
        found = lists_of(engine, rows.start, tier.states[rows], size, lambda: slices, PAIRS)
        for each in moves:
            each.slices[number] = each.slices[number][:0]
        return found

    lists = [each for found in engine.workers.map(reduce, range(len(own))) for each in found]
    tier.value[:], tier.remoteness[:] = 0, NEVER
    words = -(-n // BLOCK)
    movers = np.zeros(words, np.uint64)
    kernels.note_movers(tier.to_move, 0, movers)

    def spread(bits: np.ndarray, winner: int, after: np.ndarray) -> int:
        return sum(
            kernels.spread(each.data, each.offsets, each.first, bits, winner, movers, left, after) for each in lists
        )

    decided = 0
    for winners in ((1, -1), (0,)):
        begin = Wave(0, {winner: np.zeros(words, np.uint64) for winner in winners})
        for wave in waves(engine, begin, notes, left, spread):
            for winner, bits in wave.bits.items():
                decided += kernels.label(bits, winner, wave.number, tier.value, tier.remoteness)
            tell_progress(Stage("spreading values in", tier.number, on=f"wave {wave.number}"), decided, n)
