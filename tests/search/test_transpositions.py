"""The table of the searches against a dictionary, and searches of graphs where several paths lead to a node."""

import random
from collections.abc import Iterable, Iterator

import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.engine.kernels.raw import memory
from analysis.errors import TooLargeError
from analysis.search.catalogue import ALGORITHMS, Settings, Task
from analysis.search.kernels import layout
from analysis.search.kernels.layout import SLOT_HIGH, SLOT_KEY, SLOT_LOW, RoomSpentError
from analysis.search.kernels.transpositions import best_move, find, remember, scatter, usable
from analysis.search.targets import tree_problem
from analysis.search.workspace import Workspace
from tests.support.tree_oracle import graph_of

SMALLEST = 1 << layout.SMALLEST_BITS
SLOT_BYTES = 8 * layout.SLOT

Entry = tuple[int, int, int, int, int]
"""A state, its ply, its bounds and its best move."""


@numba.njit
def remember_all(lab, entries):
    for i in range(len(entries)):
        remember(lab, entries[i, 0], entries[i, 1], entries[i, 2], entries[i, 3], entries[i, 4], 0)


@numba.njit
def find_all(lab, names, found):
    """For each state: whether it is there, the state in its slot, its bounds and its best move."""
    for i in range(len(names)):
        slot = find(lab, names[i])
        found[i, 0] = slot != 0
        if slot != 0:
            words = memory(slot)
            found[i, 1], found[i, 2], found[i, 3] = words[SLOT_KEY] - 1, words[SLOT_LOW], words[SLOT_HIGH]
            found[i, 4] = best_move(slot)


@numba.njit
def names_that_begin_at(places, bits, first, count):
    """So many states, from ``first`` on, whose slot of ``2**bits`` would be one of the last ``places``."""
    found = np.empty(count, dtype=np.int64)
    total, name = 0, first
    while total < count:
        if scatter(name, 0) & ((1 << bits) - 1) >= (1 << bits) - places:
            found[total] = name
            total += 1
        name += 1
    return found


class Table:
    """The table of a workspace of its own."""

    def __init__(self, entries: int | None = None, budget: int = 1 << 28, depth: int | None = None, **more) -> None:
        problem = tree_problem(graph_of([[0], 0]), (), depth=depth)
        settings = Settings(table_entries=entries, max_memory=budget, **more)
        self.workspace = Workspace(problem, Task(ALGORITHMS["alphabeta_table"]), settings)

    @property
    def lab(self) -> int:
        return self.workspace.address

    def __len__(self) -> int:
        return self.workspace[layout.ENTRIES]

    def remember(self, entries: Iterable[Entry]) -> None:
        remember_all(self.lab, np.array(list(entries), dtype=np.int64).reshape(-1, 5))

    def find(self, names: Iterable[int]) -> dict[int, tuple[int, int, int]]:
        """The bounds and best moves of those that are there."""
        names = np.array(list(names), dtype=np.int64)
        found = np.zeros((len(names), 5), dtype=np.int64)
        find_all(self.lab, names, found)
        there = found[:, 0] == 1
        assert (found[there, 1] == names[there]).all()
        return {
            name: (low, high, move)
            for name, (_, _, low, high, move) in zip(names[there].tolist(), found[there].tolist(), strict=True)
        }


def entries_for(names: Iterable[int], seed: int = 0) -> Iterator[Entry]:
    """Random contents for these states."""
    rng = random.Random(seed)
    for name in names:
        low, high = sorted((rng.randint(-layout.INFINITY, layout.INFINITY), rng.randint(-9, 9)))
        yield name, rng.randint(0, 40), low, high, rng.randint(-1, 200)


def contents(entries: Iterable[Entry]) -> dict[int, tuple[int, int, int]]:
    return {name: (low, high, move) for name, _, low, high, move in entries}


# Unlimited ------------------------------------------------------------------------------------------------------------

COUNT = 30_000
ODD = np.random.default_rng(1)
NAMES = {
    "consecutive": range(COUNT),
    "close to the greatest": range(layout.INFINITY - COUNT, layout.INFINITY),
    "random": ODD.integers(0, layout.INFINITY, COUNT).tolist(),
    "all at the end of the smallest table": names_that_begin_at(3, layout.SMALLEST_BITS, 0, 2500).tolist(),
}


@pytest.mark.parametrize(
    "names",
    [
        pytest.param(names, marks=pytest.mark.slow if i != 3 else [], id=text)
        for i, (text, names) in enumerate(NAMES.items())
    ],
)
def test_an_unlimited_table_is_a_dictionary(names):
    table, model = Table(), {}
    entries = list(entries_for(names))
    others = [*range(50), *(name ^ 1 << 45 for name in names)]
    begun = 0
    for end in (1, 613, 614, 615, 616, 1228, 1229, 1230, 2457, 2458, 5000, COUNT):  # a table of 1,024 holds 615
        chunk, begun = entries[begun:end], end
        table.remember(chunk)
        model |= contents(chunk)
        assert len(table) == len(model)
        assert 5 * len(model) <= 3 * (1 << table.workspace[layout.TABLE_BITS]) + 5
        assert table.find(model) == model
        assert table.find(others) == {name: model[name] for name in others if name in model}


def test_a_table_that_may_not_grow_keeps_what_it_has():
    table = Table(budget=SMALLEST * SLOT_BYTES)
    entries = list(entries_for(range(2000)))
    with pytest.raises(RoomSpentError):
        table.remember(entries)
    assert SMALLEST // 2 < len(table) < SMALLEST
    assert table.find(range(2000)) == contents(entries[: len(table)])


def test_less_room_than_the_smallest_table_is_refused():
    with pytest.raises(TooLargeError, match="memory"):
        Table(budget=SMALLEST * SLOT_BYTES - 1)
    with pytest.raises(TooLargeError, match="memory"):
        Table(1000, budget=1000 * SLOT_BYTES - 1)
    assert len(Table(1000, budget=1000 * SLOT_BYTES)) == 0


def test_bounds_of_a_limited_depth_hold_at_their_ply_only():
    table = Table(depth=2)
    table.remember([(5, 1, 0, 0, -1)])
    assert [bool(usable(table.lab, find(table.lab, 5), ply)) for ply in (0, 1, 2)] == [False, True, False]
    assert not usable(table.lab, find(table.lab, 6), 1)
    table.workspace.set_depth(1)
    assert not usable(table.lab, find(table.lab, 5), 1)
    unlimited = Table()
    unlimited.remember([(5, 1, 0, 0, -1)])
    assert all(usable(unlimited.lab, find(unlimited.lab, 5), ply) for ply in (0, 1, 2))


# Limited --------------------------------------------------------------------------------------------------------------

writes = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 6)), min_size=1, max_size=60)


def numbered(pairs: list[tuple[int, int]]) -> list[Entry]:
    """States and plies, each write with contents of its own."""
    return [(name, ply, -number, number, number % 7 - 1) for number, (name, ply) in enumerate(pairs)]


@given(writes)
@settings(deadline=None, max_examples=50)
def test_replacement_where_all_states_collide(pairs):
    """``deep`` of Breuker, Uiterwijk and van den Herik 1994, where all states share one place."""
    table, kept = Table(1), None
    for entry in numbered(pairs):
        table.remember([entry])
        if kept is None or entry[0] == kept[0] or entry[1] <= kept[1]:
            kept = entry
        assert table.find(range(32)) == contents([kept])


@given(writes, st.integers(2, 8))
@settings(deadline=None, max_examples=50)
def test_a_limited_table_never_answers_for_another_state(pairs, slots):
    table, last, before, least = Table(slots), {}, {}, 99
    for entry in numbered(pairs):
        name, ply = entry[:2]
        table.remember([entry])
        last |= contents([entry])
        found = table.find(range(32))
        assert len(table) == len(found) <= slots
        if ply <= least:
            assert name in found
        assert set(found) <= {name, *before}
        assert found == {name: last[name] for name in found}
        before, least = found, min(least, ply)


@pytest.mark.parametrize("slots", [7, 1000])
def test_a_limited_table_uses_all_its_slots(slots):
    table = Table(slots)
    entries = list(entries_for(range(50_000)))
    table.remember(entries)
    assert len(table) == slots
    found, written = table.find(range(50_000)), contents(entries)
    assert len(found) == len(table)
    assert found == {name: written[name] for name in found}


@pytest.mark.parametrize("budget", [1 << 18, 1 << 22])
def test_a_growing_table_keeps_what_it_doubles(budget):
    table, entries, slots = Table(budget=budget, growing=True), list(entries_for(range(50_000))), budget // 32
    for first in range(0, len(entries), 500):
        table.remember(entries[first : first + 500])
        found, written = table.find(range(50_000)), contents(entries[: first + 500])
        assert len(found) == len(table) <= slots
        assert found == {name: written[name] for name in found}
    assert len(table) > min(len(entries), slots) * 0.8
