"""Backward pass over a tier in which play may return: retrograde analysis by exact lists of parents.

The method is that of Thompson ("Retrograde analysis of certain endgames", ICCA Journal 9(3), 1986). *Map* expands
ranges of parents and cuts their moves into slices by the range of the child; *reduce* makes the lists of the parents of
each range of children; *waves* spread what is decided, by remoteness, see `kernels.loops`. Ties and draws are told
apart by a second pass of waves.
"""

from __future__ import annotations

import abc
import bisect
import dataclasses
import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from ...common.memory import trim_memory
from ...common.workers import Stage, tell_progress
from ...errors import TooLargeError
from ..census import labels_of
from ..engine import Engine
from ..kernels import BLOCK, MISSING, NEVER
from ..kernels import loops as kernels
from ..kernels.loops import KINDS, LEVEL, O_LOSES, O_WINS, X_LOSES, X_WINS
from ..kernels.radix_sort import sorted_by_bits
from ..kernels.states import ExpandedChunk, of_tier
from ..tiers import Tier
from .children import not_found
from .forward_by_ply import KEY_BITS, check_movers, check_payoffs, places_in_order, ranked

TIER_BYTES = 6
"""Bytes of a state while its tier is solved, besides its labels: moves left, bits, and what is known of it at first."""
RANGE, RANGES = 1 << 18, 256
"""The least rows of a range of children, a multiple of `BLOCK`, and the most ranges of a tier in memory."""
GROUP, GREATEST_GROUP = 8, 1 << 16
"""Chunks of parents whose moves are sorted together, and the most parents, which two bytes number."""
LEAST_PAIR = 3
"""The least bytes of a pair of child and parent in a slice."""
PAIRS = 1 << 24
"""The most pairs that are sorted together for one range of children, unless one block has more."""
WIN_KINDS = {1: ((X_WINS, False), (O_LOSES, True)), -1: ((O_WINS, False), (X_LOSES, True)), 0: ((LEVEL, False),)}
"""By winner, what decides a state besides the moves within its tier, and whether that only takes one from what is left.
"""


NO_STATES, NO_PARENTS, NO_BYTES = (np.empty(0, kind) for kind in (np.int64, np.uint16, np.uint8))


class Lists(NamedTuple):
    """The lists of the parents of consecutive states, beginning with block ``first``; those of its block ``b`` begin at
    ``data[offsets[b]]``.
    """

    first: int
    data: np.ndarray  # uint8[bytes]
    offsets: np.ndarray  # int64[blocks + 1]


class Notes(abc.ABC):
    """What is known of states without the moves within their tier, by place: ``KINDS * wave + kind``."""

    def __init__(self, places: Iterable[int]) -> None:
        self._noted = sorted(places)

    @abc.abstractmethod
    def rows(self, wave: int, kind: int) -> np.ndarray:
        """Return the rows of this kind, uint32[n]."""

    def next_wave(self, wave: int, kinds: Sequence[int]) -> int | None:
        """Return the next wave from this one on at which there are any of these kinds; None if there is none."""
        for place in itertools.islice(self._noted, bisect.bisect(self._noted, KINDS * wave), None):
            following, kind = divmod(place - 1, KINDS)
            if kind + 1 in kinds:
                return following
        return None


def ranges(n: int) -> list[slice]:
    """Return the ranges of the rows of a tier."""
    step = max(RANGE, -(-n // RANGES // BLOCK) * BLOCK)
    return [slice(low, min(low + step, n)) for low in range(0, n, step)]


def groups(engine: Engine, n: int, most: int = GREATEST_GROUP) -> list[slice]:
    """Return the rows whose moves are sorted together, at most so many."""
    step = max(1, min(most, GROUP * engine.chunk))
    return [slice(low, min(low + step, n)) for low in range(0, n, step)]


# Map ------------------------------------------------------------------------------------------------------------------


def moves_of(
    engine: Engine, part: Tier, left: np.ndarray, solved: Mapping[int, Tier], leads: Sequence[int]
) -> tuple[np.ndarray, np.ndarray]:
    """Survey a group of states of a tier: fill in mover, branching, and ``left``, put what else is known into value and
    remoteness (see `kernels.loops.survey`), and return the child and the parent of each move within the tier, sorted,
    int64[moves] and uint16[moves], parents by their row in the group. ``leads`` are the later tiers that moves lead to.
    """
    to, parents, outcome = [], [], engine.compiled.alone(engine.rules.outcome)
    for rows in engine.chunks(len(part)):
        chunk = part.chunk(rows)
        expanded = engine.expand_tiers(chunk.states)
        check_payoffs(engine, chunk.states, expanded.branching, expanded.payoffs)
        check_movers(engine, chunk.states, expanded.movers)
        chunk.to_move[:], chunk.branching[:] = expanded.movers, expanded.branching
        inside, later = expanded.tiers == part.number, _worths(engine, expanded, solved, leads)
        moves = int(np.count_nonzero(inside))
        children, movers = np.empty(moves, np.int64), np.empty(moves, np.uint16)
        pairs = kernels.survey(
            outcome, rows.start, labels_of(chunk), expanded.payoffs, inside.view(np.uint8),
            expanded.children, *later, left[rows], children, movers,
        )  # fmt: skip
        to.append(children[:pairs])
        parents.append(movers[:pairs])
    return _sorted(np.concatenate(to), np.concatenate(parents), left)


def _worths(
    engine: Engine, expanded: ExpandedChunk, solved: Mapping[int, Tier], leads: Sequence[int]
) -> tuple[np.ndarray, np.ndarray]:
    """Return value and remoteness of the children in later tiers, int16[moves] and uint16[moves], anything of others.
    Sorted children are found in order, which takes no table and little more time.
    """
    moves = len(expanded.children)
    values, remoteness = np.empty(moves, np.int16), np.empty(moves, np.uint16)
    for lead in leads:
        children, places, tier = np.empty(moves, np.int64), np.empty(moves, np.uint32), solved[lead]
        children = children[: of_tier(expanded.tiers, lead, expanded.children, children, places)]
        distinct, ranks = ranked(children)
        rows = children[:distinct]
        if kernels.find_rows(rows, tier.states, NO_PARENTS, 0) == MISSING:
            raise not_found(engine)
        kernels.note_worths(tier.value, tier.remoteness, rows, ranks, places, values, remoteness)
    return values, remoteness


def _sorted(to: np.ndarray, parents: np.ndarray, left: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return pairs of child and parent sorted, each once; repeated ones are taken from what is ``left``."""
    if len(to):
        least, bits = int(to.min()), max(1, (len(left) - 1).bit_length())
        high = (int(to.max()) - least).bit_length() + bits
        if high <= KEY_BITS:
            kernels.pack(to, parents, least, bits)
            kept = kernels.unpack(sorted_by_bits(to, bits, high), to, parents, least, bits, left)
        else:
            order = places_in_order(to, len(to).bit_length())
            to, parents = to[order], parents[order]
            kept = kernels.drop_repeated(to, parents, left)
        to, parents = to[:kept], parents[:kept]
    return to, parents


def sliced(to: np.ndarray, parents: np.ndarray, firsts: np.ndarray) -> list[np.ndarray]:
    """Return sorted pairs of child and parent as slices for the ranges of children whose least ones are ``firsts``,
    uint8[bytes] each.
    """
    ends = np.zeros(len(firsts), np.int64)
    widest = int(to[-1] - min(to[0], firsts[0])) if len(to) else 0
    out = np.empty((2 + max(1, -(-widest.bit_length() // 7))) * len(to), np.uint8)
    kernels.write_slices(to, parents, firsts, out, ends)
    return [out[begin:end].copy() for begin, end in zip([0, *ends[:-1].tolist()], ends.tolist(), strict=True)]


# Reduce ---------------------------------------------------------------------------------------------------------------


def lists_of(
    engine: Engine,
    first: int,
    rows: int,
    states: np.ndarray,
    size: int,
    slices: Callable[[], Iterable[tuple[int, np.ndarray]]],
    most: int,
) -> list[Lists]:
    """Return the lists of the parents of consecutive states, ``rows`` from row ``first`` on, from the ``slices`` of all
    moves to them, ``size`` bytes in all, each with the row that its parents are numbered from. The ``states`` are empty
    if slices give children by row. At most so many pairs are sorted at once.
    """

    def read(low: int, high: int, pairs: np.ndarray) -> int:
        """Read the moves to some rows into ``pairs``, if these are not empty; return their number."""
        total = 0
        for begin, data in slices():
            total = kernels.read_slice(data, states, low, high, begin, pairs, total)
            if total == MISSING:
                raise not_found(engine)
        return total

    found, todo = [], [(0, rows)]
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
        pairs = sorted_by_bits(pairs[: read(low, high, pairs)], 32, 32 + rows.bit_length())
        found.append(written(pairs, first, slice(low, high)))
    return found


def written(pairs: np.ndarray, first: int, rows: slice) -> Lists:
    """Return the lists of the parents of these rows, counted from row ``first``, from sorted pairs."""
    data = np.empty(5 * (len(pairs) + rows.stop - rows.start), np.uint8)
    offsets = np.empty(-(-(rows.stop - rows.start) // BLOCK) + 1, np.int64)
    size = kernels.write_lists(pairs, rows.start, rows.stop, data, offsets)
    return Lists((first + rows.start) // BLOCK, data[:size].copy(), offsets)


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
                if len(rows := notes.rows(wave.number, kind)):
                    reached += kernels.decide(rows, loses, left, bits)
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


def sorted_notes(tier: Tier) -> tuple[dict[int, int], np.ndarray]:
    """Sort what `moves_of` has put into value and remoteness of a tier, or of a part: return how many there are in each
    place (see `Notes`), ascending, and all rows, uint32[n].
    """
    most = int(tier.remoteness.max(initial=0, where=tier.value != 0))
    ends, rows = np.zeros(KINDS * (most + 1) + 2, np.int64), np.empty(int(np.count_nonzero(tier.value)), np.uint32)
    kernels.sort_notes(tier.value, tier.remoteness, ends, rows)
    sizes = np.diff(ends[:-1], prepend=0)
    return {place: int(sizes[place]) for place in np.flatnonzero(sizes).tolist()}, rows


class HeldNotes(Notes):
    """Notes in memory, made from what `moves_of` puts into value and remoteness of a tier."""

    def __init__(self, tier: Tier) -> None:
        sizes, self._rows = sorted_notes(tier)
        ends = dict(zip(sizes, itertools.accumulate(sizes.values()), strict=True))
        self._slices = {place: slice(ends[place] - size, ends[place]) for place, size in sizes.items()}
        super().__init__(sizes)

    def rows(self, wave: int, kind: int) -> np.ndarray:
        """See `Notes`."""
        return self._rows[self._slices.get(KINDS * wave + kind, slice(0))]


def held_lists(
    engine: Engine,
    tier: Tier,
    left: np.ndarray,
    solved: Mapping[int, Tier],
    leads: Sequence[int],
    require: Callable[[int], None],
) -> list[Lists]:
    """Survey a tier (see `moves_of`) and return the lists of the parents of all its states. ``require`` is told the
    bytes of moves that are held from time to time.
    """
    n, own = len(tier), ranges(len(tier))
    firsts = np.array([rows.start for rows in own])

    def look(rows: slice) -> list[np.ndarray]:
        """Return the moves of a group as slices, or if there is one range, as an array of pairs."""
        to, parents = moves_of(engine, tier.chunk(rows), left[rows], solved, leads)
        paired = parents if len(own) == 1 else NO_PARENTS
        if kernels.find_rows(to, tier.states, paired, rows.start) == MISSING:
            raise not_found(engine)
        return [to] if len(own) == 1 else sliced(to, parents, firsts)

    parents = groups(engine, n)
    moves, held = [], 0
    for rows, slices in zip(parents, engine.workers.map(look, parents), strict=True):
        moves.append(slices)
        held += sum(each.nbytes for each in slices)
        require(held)
        tell_progress(Stage("expanding", tier.number), rows.stop, n)
    if len(own) == 1:
        pairs = np.concatenate([each for (each,) in moves])
        return [written(sorted_by_bits(pairs, 32, 32 + n.bit_length()) if len(moves) > 1 else pairs, 0, own[0])]

    def reduce(number: int) -> list[Lists]:
        rows, slices = own[number], [(part.start, each[number]) for part, each in zip(parents, moves, strict=True)]
        size = sum(len(data) for _, data in slices)
        found = lists_of(engine, rows.start, rows.stop - rows.start, NO_STATES, size, lambda: slices, PAIRS)
        for each in moves:
            each[number] = NO_BYTES
        return found

    lists = []
    for found in engine.workers.map(reduce, range(len(own))):
        lists += found
        trim_memory()
    return lists


def label_tier(
    engine: Engine, tier: Tier, solved: Mapping[int, Tier], leads: Sequence[int], require: Callable[[int], None]
) -> None:
    """Fill in mover, branching, value and remoteness of a tier; ``leads`` are the tiers that its moves lead to, of
    which ``solved`` holds the later ones. ``require`` is told the bytes that are held from time to time.
    """
    n, later = len(tier), [lead for lead in leads if lead != tier.number]
    left = np.empty(n, np.uint8)
    lists = held_lists(engine, tier, left, solved, later, lambda held: require(TIER_BYTES * n + held))
    notes = HeldNotes(tier)
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
