"""Forward pass: find the canonical states of every tier that play can reach from the start, and count histories.

A tier is expanded chunk by chunk. Each chunk's children are sorted (see `radix_sort`) and freed of duplicates by
comparing neighbours, which gives sorted runs. The runs are then merged range by range: the same range of keys is cut
out of every run, joined, sorted again and freed of duplicates. Every range is its own task, so both steps use all
threads, and nothing depends on how many there are.

A key carries its place through both sorts, in bits that it does not need. So each move gets the row of its child
without a search: histories are added up where the keys are merged, and links are kept for the backward pass.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from ...common.workers import tell_progress
from ...errors import RulesError
from ..columns import GREATEST
from ..engine import Engine
from ..kernels import varints
from ..kernels.hash_table import Links, PackedLinks
from ..kernels.radix_sort import sorted_by_bits, sorted_keys
from ..kernels.states import ChunkMoves, drop_repeats, note_places, renumber, take_places
from ..plan import FINDING, LIMB, LINK, STATE, Plan, refuse_too_long
from .histories import Histories, HistoriesByPly, pass_on, spread

SAMPLE = 256
"""States of a tier that are looked for in the tiers before it."""

EXACT = 1 << 20
"""In a game of up to this many states, all are looked for."""

RANGE = 1 << 18
"""The approximate keys that one merge task sorts: 2 MB, which stays in the cache."""

KEY_BITS = 63
"""Bits of a key and its place together."""

KEEP_SHARE = 0.25
"""The share of the memory budget for links kept from the forward to the backward pass, which then need not expand all
states and look up all children again.
"""


@dataclasses.dataclass
class Reached:
    """The result of the forward pass: every tier that play can reach. In a game by plies, tier ``i`` has number
    ``i``.
    """

    numbers: list[int]  # ascending
    states: list[np.ndarray]  # per tier int64[n], sorted
    leads: list[list[int]]
    """The tiers that each tier's moves lead to."""
    links: list[PackedLinks | None]
    """The links of each tier; None if there was no room to keep them."""
    histories: Histories | None = None

    @property
    def sizes(self) -> list[int]:
        """The number of states in each tier."""
        return [len(tier) for tier in self.states]


def forward_by_ply(engine: Engine, plan: Plan, *, keep: bool = False, greatest: int = GREATEST) -> Reached:
    """Find all tiers of a game by plies, each a sorted array int64[n] of canonical states; tier 0 is the start. Links
    are kept as far as there is room if ``keep``, and histories are counted if the plan has fields.

    Raises `TooLargeError` as soon as the solve is known not to fit: before it starts if the game gives its number of
    positions, otherwise from the states found so far. Raises `RulesError` if a state is found to occur at two plies,
    and `CountOverflowError`, naming the tier, for more than ``greatest`` histories.
    """
    positions = engine.game.expected_positions() if engine.start == engine.rules.start else None
    expected = None if positions is None else [number / engine.group.order for number in positions]
    if expected is not None:
        total = f"{float(f'{sum(expected):.1e}'):,.0f}"  # two significant digits, since it is an estimate
        plan.budget.require(plan.backward(expected), f"{engine.game.spec} has about {total} classes: a solution")
    tiers = [np.array([engine.canonical(engine.start)], dtype=np.int64)]
    histories = HistoriesByPly(engine.rules.max_moves, greatest) if plan.fields else None
    links = KeptLinks(plan) if keep else None
    while len(tiers[-1]):
        plan.budget.require(plan.backward([len(tier) for tier in tiers]), f"a solution of {engine.game.spec}")
        tiers.append(next_tier(engine, plan, tiers, None if expected is None else sum(expected), links, histories))
        _refuse_repetition(engine, tiers)
        refuse_too_long(engine, len(tiers) - 1)
    count = sum(map(len, tiers))
    tell_progress(FINDING, count, count)
    tiers.pop()
    if count <= EXACT:
        refuse_any_repetition(engine, tiers)
    leads = [[ply + 1] for ply in range(len(tiers) - 1)] + [[]]
    kept: list[PackedLinks | None] = [None] * len(tiers) if links is None else links.of_tiers
    return Reached(list(range(len(tiers))), tiers, leads, kept, None if histories is None else histories.result())


class KeptLinks:
    """The links of all tiers, as far as there is room; those of the first tiers, which are solved last, give way."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self.of_tiers: list[PackedLinks | None] = []
        self.bytes = 0

    def room(self, sizes: list[int]) -> float:
        """Return the bytes that all links may take when tiers of these sizes are found. Without counts the peak is no
        more than it would be if all children were looked up.
        """
        plan = self._plan
        room = min(KEEP_SHARE * plan.budget.limit, plan.budget.limit - plan.backward(sizes))
        return room if plan.fields else min(room, plan.looking_up(sizes) - plan.waiting() * sum(sizes))

    def add(self, links: PackedLinks | None, sizes: list[int]) -> None:
        """Keep the links of the next tier, which are those of all but the last of the ``sizes``, as there is room."""
        self.of_tiers.append(links)
        self.bytes += 0 if links is None else links.nbytes
        room = self.room(sizes)
        for number, kept in enumerate(self.of_tiers):
            if self.bytes <= room:
                break
            self.bytes -= 0 if kept is None else kept.nbytes
            self.of_tiers[number] = None


def _refuse_repetition(engine: Engine, tiers: list[np.ndarray]) -> None:
    """Refuse rules by which states recur at another ply, as far as some states of the last tier show it."""
    last = tiers[-1][:: max(1, len(tiers[-1]) // SAMPLE)]
    for ply, tier in enumerate(tiers[:-1]):
        again = last[tier[np.minimum(np.searchsorted(tier, last), len(tier) - 1)] == last]
        if len(again):
            raise repetition(engine, again[0], [ply, len(tiers) - 1])


class Run(NamedTuple):
    """The distinct children of a chunk of states, or of several."""

    states: np.ndarray  # int64[n], sorted
    ranks: np.ndarray | None = None  # uint32[moves], the row of each child
    reached: np.ndarray | None = None  # uint64[n, limbs], histories that pass through the chunk
    total: int = 0  # their sum
    ended: int = 0  # games that end in the chunk


def run_of(moves: ChunkMoves, histories: np.ndarray | None, limbs: int, *, keep: bool = False) -> Run:
    """Return the distinct children of a chunk of states, with the row of each child to ``keep``; and their histories in
    so many limbs, if those of the chunk's states are given, uint64[n, limbs]. The children are overwritten.
    """
    if histories is None and not keep:
        return Run(sorted_distinct(moves.children))
    n, ranks = ranked(moves.children)
    children, kept = moves.children[:n].copy(), ranks if keep else None
    if histories is None:
        return Run(children, kept)
    return Run(children, kept, *pass_on(histories, moves.branching, ranks, n, limbs))


def next_tier(
    engine: Engine,
    plan: Plan,
    tiers: list[np.ndarray],
    expected: float | None,
    links: KeptLinks | None = None,
    histories: HistoriesByPly | None = None,
) -> np.ndarray:
    """Return the sorted canonical children of the last of the tiers; add its links and the histories of its children to
    those of all tiers.
    """
    states, sizes = tiers[-1], [len(tier) for tier in tiers]
    count, chunks = sum(sizes), engine.chunks(len(states))
    moved = len(states) * (4 + LINK * engine.rules.max_moves)  # bytes of the links, at most
    keep = links is not None and moved <= links.room(sizes)
    own = Links.of_no_moves(len(states)) if keep else None
    held = count * STATE + engine.scratch_bytes(len(states)) + (links.bytes if links else 0) + moved * keep
    limbs = 0 if histories is None else histories.limbs()
    if histories is not None:
        held += histories.bytes

    def expand(rows: slice) -> Run:
        moves = engine.expand(states[rows])
        if own is not None:
            own.branching[rows], own.movers[rows], own.payoffs[rows] = moves[:3]
        reaching = None if histories is None else histories.last[rows]
        return run_of(moves, reaching, limbs, keep=own is not None)

    runs: list[Run] = []
    keys = 0
    copies = 1 if len(chunks) == 1 else 2  # the runs, and what they are merged into
    a_key = copies * (STATE + LIMB * limbs) + LINK * keep
    for run in engine.workers.map(expand, chunks):
        runs.append(run)
        keys += len(run.states)
        expanded = min(len(runs) * engine.chunk, len(states))
        tell_progress(FINDING, count - len(states) + expanded, expected)
        plan.ahead(count)
        likely = keys * len(chunks) / len(runs)  # in all runs, if the rest of the tier resembles its beginning
        plan.budget.require(held + a_key * likely, f"expanding a tier of {len(states):,} states")
    joined = join(engine, runs)
    following = joined.states
    if len(following) and following[0] < 0:
        rows, codes, children = engine.expand_moves(states)
        refuse_negative(engine, states[rows], codes, children)
    if links is not None:
        kept = None if own is None or joined.ranks is None else _packed(engine, own._replace(rows=joined.ranks))
        links.add(kept, [*sizes, len(following)])
    if histories is not None:
        assert joined.reached is not None
        histories.add(joined.reached, joined.total, joined.ended)
    return following


def _packed(engine: Engine, links: Links) -> PackedLinks:
    """Return the links of a tier in fewer bytes."""
    chunks = engine.chunks(len(links.branching))
    ends = np.cumsum([0, *(links.branching[rows].sum(dtype=np.int64) for rows in chunks)])

    def pack(number: int) -> np.ndarray:
        rows = links.rows[ends[number] : ends[number + 1]]
        out = engine.workers.scratch("children", len(rows), np.int64).view(np.uint8)  # more than they can take
        return out[: varints.write_rows(links.branching[chunks[number]], rows, out)].copy()

    return PackedLinks(*links[:3], list(engine.workers.map(pack, range(len(chunks)))))


def refuse_any_repetition(engine: Engine, tiers: list[np.ndarray]) -> None:
    """Refuse rules of a small game in which any state recurs at another ply."""
    states = sorted_keys(np.concatenate(tiers))
    again = np.flatnonzero(np.diff(states) == 0)
    if len(again):
        raise repetition(engine, states[again[0]], [p for p, tier in enumerate(tiers) if states[again[0]] in tier])


def repetition(engine: Engine, state: int, plies: list[int]) -> RulesError:
    """Return the error for a state that occurs at two plies."""
    position = engine.game.format_position(int(state))
    return RulesError(
        f"position {position} occurs after {plies[0]} and after {plies[1]} plies; such rules need a tier(state) that "
        "rises with every move, or loopy=True where play can return to a position"
    )


def refuse(engine: Engine, wrong: np.ndarray, states: np.ndarray, say: Callable[[int], str]) -> None:
    """Raise `RulesError` at the first of the states that is ``wrong``, with the words of ``say`` about its row."""
    rows = np.flatnonzero(wrong)
    if len(rows):
        position = engine.game.format_position(int(states[rows[0]]))
        raise RulesError(f"position {position}{say(int(rows[0]))}")


def refuse_negative(engine: Engine, parents: np.ndarray, codes: np.ndarray, children: np.ndarray) -> None:
    """Raise `RulesError`, naming the position and the move, if a child is no state."""

    def say(row: int) -> str:
        move = engine.game.format_move(int(codes[row]))
        return f", move {move}: play() gives {children[row]}; a state is from 0 to 2**63 - 1"

    refuse(engine, children < 0, parents, say)


def join(engine: Engine, runs: list[Run]) -> Run:
    """Return several runs as one."""
    one = runs[0]
    if len(runs) == 1:
        return one
    keys = sum(len(run.states) for run in runs)
    ranges = 1 + keys // RANGE
    sample = sorted_keys(np.concatenate([run.states[:: max(1, RANGE // 256)] for run in runs]))
    splitters = sample[np.linspace(0, len(sample), ranges, endpoint=False).astype(np.int64)[1:]]
    cuts = np.array([[0, *np.searchsorted(run.states, splitters), len(run.states)] for run in runs])
    ends = cuts.sum(axis=0)  # of each range among all keys
    states = np.empty(keys, np.int64)
    reached = None if one.reached is None else np.empty((keys, one.reached.shape[1]), np.uint64)
    numbers = [np.empty(len(run.states) if one.ranks is not None else 0, np.uint32) for run in runs]

    def merge_range(r: int) -> int:
        within = [slice(cut[r], cut[r + 1]) for cut in cuts]
        own = states[ends[r] : ends[r + 1]]
        np.concatenate([run.states[rows] for run, rows in zip(runs, within, strict=True)], out=own)
        if one.ranks is None and reached is None:
            ordered = sorted_keys(own)
            n = drop_repeats(ordered)
            if ordered is not own:
                own[:n] = ordered[:n]
            return n
        n, ranks = ranked(own)
        if one.ranks is not None:
            begin = 0
            for of_run, rows in zip(numbers, within, strict=True):
                of_run[rows] = ranks[begin : (begin := begin + rows.stop - rows.start)]
        if reached is not None:
            sums = reached[ends[r] : ends[r] + n]
            sums[:] = 0
            amounts = [run.reached[rows] for run, rows in zip(runs, within, strict=True)]  # type: ignore[index]
            spread(np.concatenate(amounts), np.ones(len(own), np.uint8), ranks, sums)
        return n

    sizes = list(engine.workers.map(merge_range, range(ranges)))
    begins = np.cumsum([0, *sizes[:-1]]).astype(np.uint32)
    rows = None
    if one.ranks is not None:
        moves = np.cumsum([0, *(len(run.ranks) for run in runs)])  # type: ignore[arg-type]
        rows = np.empty(moves[-1], np.uint32)

        def renumber_run(i: int) -> None:
            numbers[i] += np.repeat(begins, np.diff(cuts[i]))
            renumber(runs[i].ranks, numbers[i], rows[moves[i] : moves[i + 1]])

        engine.workers.run(renumber_run, range(len(runs)))
    for array in (states, reached):
        if array is not None:
            _close_gaps(array, ends, sizes)
    return Run(states, rows, reached, sum(run.total for run in runs), sum(run.ended for run in runs))


def _close_gaps(array: np.ndarray, begins: np.ndarray, sizes: Sequence[int]) -> None:
    """Move pieces of an array, of so many rows from each of ``begins`` on, together, and give back the rest of it."""
    end = 0
    for begin, size in zip(begins.tolist(), sizes, strict=False):
        array[end : end + size] = array[begin : begin + size]
        end += size
    array.resize((end, *array.shape[1:]), refcheck=False)


def sorted_distinct(keys: np.ndarray) -> np.ndarray:
    """Return the distinct keys, sorted; what ``keys`` then holds is not defined."""
    keys = sorted_keys(keys)
    return keys[: drop_repeats(keys)].copy()  # a copy, to give back the rest of the buffer


def ranked(keys: np.ndarray) -> tuple[int, np.ndarray]:
    """Move the distinct keys to the front, sorted. Returns how many there are, and the rank of each key among them,
    uint32[n].
    """
    ranks = np.empty(len(keys), np.uint32)
    if len(keys) == 0:
        return 0, ranks
    least, bits = int(keys.min()), len(keys).bit_length()
    high = (int(keys.max()) - least).bit_length() + bits
    if high <= KEY_BITS:
        note_places(keys, least, bits)
        return take_places(sorted_by_bits(keys, bits, high), least, bits, ranks, keys), ranks
    order = places_in_order(keys, bits)
    ordered = keys[order]
    new = np.concatenate(([True], ordered[1:] != ordered[:-1]))
    distinct = ordered[new]
    keys[: len(distinct)], ranks[order] = distinct, np.cumsum(new) - 1
    return len(distinct), ranks


def places_in_order(keys: np.ndarray, bits: int) -> np.ndarray:
    """Return the places of keys that leave no room for them, of so many ``bits``, in the order of the keys: sorted by
    their lower half first, then by their upper one.
    """
    place, half, above = np.arange(len(keys)), np.uint64(KEY_BITS - bits), (keys - keys.min()).view(np.uint64)
    parts = (above & ((np.uint64(1) << half) - np.uint64(1))).view(np.int64), (above >> half).view(np.int64)
    lower = sorted_by_bits(parts[0] << bits | place, bits, KEY_BITS) & ((1 << bits) - 1)
    upper = sorted_by_bits(parts[1][lower] << bits | place, bits, KEY_BITS) & ((1 << bits) - 1)
    return lower[upper]


def check_movers(engine: Engine, states: np.ndarray, movers: np.ndarray) -> None:
    """Raise `RulesError` if neither player is to move."""
    wanted = "it is +1 or -1, also at the end"
    refuse(engine, np.abs(movers) != 1, states, lambda row: f": to_move() gives {movers[row]}; {wanted}")


def check_payoffs(engine: Engine, states: np.ndarray, branching: np.ndarray, payoffs: np.ndarray) -> None:
    """Raise `RulesError` if a game ends with a payoff outside the bounds that its rules give."""
    least, greatest = engine.rules.payoffs
    if len(payoffs) == 0 or (least <= payoffs.min() and payoffs.max() <= greatest):
        return

    def say(row: int) -> str:
        payoff = engine.rules.outcome(int(states[row]))
        return f" has the payoff {payoff}, outside the bounds {least} to {greatest} in its rules (payoffs=)"

    refuse(engine, (branching == 0) & ((payoffs < least) | (payoffs > greatest)), states, say)
