"""SSS* and DUAL*: best-first search over solution trees, with a list of open nodes.

Stockman: "A minimax algorithm better than alpha-beta?", Artificial Intelligence 12 (1979), operator Gamma. Each node on
the list carries an upper bound of the value of every solution tree through it; the greatest comes first, the leftmost
of equals. A node counts when it is first taken from the list.
"""

from __future__ import annotations

from ...engine.kernels.raw import memory
from ...engine.kernels.types import helper, int64, kernel
from ..kernels import layout
from ..kernels.steps import Expand, child, enter, leave, moves_of, payoff
from ..workspace import Workspace

STATE, PARENT, PLY, PLACE, MOVES, BOUND, SOLVED, PREFIX, WORDS = range(9)
"""Words of a node: PLACE is its index among its siblings, MOVES the number of its children, SOLVED 1 once its value is
known, PREFIX the places on the way to it, as many as fit in seven bytes.
"""

PREFIX_PLIES = 7


@helper
def node(lab, i):
    """Return the words of node ``i``."""
    return memory(memory(lab)[layout.POOL] + 8 * WORDS * i)


@helper
def before(lab, a, b):
    """Return whether node ``a`` comes first: by bound, then leftmost in the tree."""
    if node(lab, a)[BOUND] != node(lab, b)[BOUND]:
        return node(lab, a)[BOUND] > node(lab, b)[BOUND]
    if node(lab, a)[PREFIX] != node(lab, b)[PREFIX]:
        return node(lab, a)[PREFIX] < node(lab, b)[PREFIX]
    left, right = a, b
    while node(lab, left)[PLY] > node(lab, right)[PLY]:
        left = node(lab, left)[PARENT]
    while node(lab, right)[PLY] > node(lab, left)[PLY]:
        right = node(lab, right)[PARENT]
    while node(lab, left)[PARENT] != node(lab, right)[PARENT]:
        left, right = node(lab, left)[PARENT], node(lab, right)[PARENT]
    return node(lab, left)[PLACE] < node(lab, right)[PLACE]


@helper
def push(lab, size, i):
    """Put a node on the list; return the new size."""
    heap = memory(memory(lab)[layout.HEAP])
    at = size
    while at > 0 and before(lab, i, heap[(at - 1) >> 1]):
        heap[at] = heap[(at - 1) >> 1]
        at = (at - 1) >> 1
    heap[at] = i
    return size + 1


@helper
def pop(lab, size):
    """Take the first node off a list of this size."""
    heap = memory(memory(lab)[layout.HEAP])
    first, last = heap[0], heap[size - 1]
    at, below = 0, 1
    while below < size - 1:
        if below + 1 < size - 1 and before(lab, heap[below + 1], heap[below]):
            below += 1
        if not before(lab, heap[below], last):
            break
        heap[at] = heap[below]
        at, below = below, 2 * below + 1
    heap[at] = last
    return first


@helper
def new(lab, state, parent, place, bound):
    """Create a live node."""
    i = memory(lab)[layout.POOL_COUNT]
    if i == memory(lab)[layout.POOL_CAPACITY]:
        raise layout.RoomSpentError
    memory(lab)[layout.POOL_COUNT] = i + 1
    words = node(lab, i)
    words[STATE], words[PARENT], words[PLACE], words[BOUND], words[SOLVED] = state, parent, place, bound, 0
    words[PLY] = node(lab, parent)[PLY] + 1 if parent >= 0 else 0
    words[PREFIX] = node(lab, parent)[PREFIX] if parent >= 0 else 0
    if memory(lab)[layout.MOST] <= 256 and 0 < words[PLY] <= PREFIX_PLIES:
        words[PREFIX] |= place << (8 * (PREFIX_PLIES - words[PLY]))
    return i


@helper
def purged(lab, i):
    """Return whether a node above this one is solved, which makes this one irrelevant."""
    i = node(lab, i)[PARENT]
    while i >= 0:
        if node(lab, i)[SOLVED]:
            return True
        i = node(lab, i)[PARENT]
    return False


@kernel(int64(Expand, int64, int64, int64))
def best_first(expand, lab, root, side):
    """Return the root's value for the first player (``side`` 1); with -1 the roles change, and so does the sign."""
    size = push(lab, 0, new(lab, root, -1, 0, layout.INFINITY))
    while True:
        i = pop(lab, size)
        size -= 1
        if purged(lab, i):
            if memory(lab)[layout.MOST_NODES] < 0:  # interrupted
                raise layout.BudgetSpentError
            continue
        state, parent, ply, bound = node(lab, i)[STATE], node(lab, i)[PARENT], node(lab, i)[PLY], node(lab, i)[BOUND]
        if not node(lab, i)[SOLVED]:
            place = enter(lab, state, ply, -layout.INFINITY, layout.INFINITY)
            moves = side * moves_of(expand, lab, state, ply, 0, 0)
            node(lab, i)[MOVES] = moves
            if moves == 0:  # a leaf: solved
                node(lab, i)[BOUND] = min(bound, side * leave(lab, place, payoff(lab, state, ply)))
                node(lab, i)[SOLVED] = 1
                size = push(lab, size, i)
            else:  # all children of a max node, the first of a min node
                for place_of_child in range(moves if moves > 0 else 1):
                    size = push(lab, size, new(lab, child(lab, ply, place_of_child), i, place_of_child, bound))
            continue
        if parent < 0:
            return side * bound
        following = node(lab, i)[PLACE] + 1
        if node(lab, parent)[MOVES] < 0 and following < -node(lab, parent)[MOVES]:  # its next sibling
            moves_of(expand, lab, node(lab, parent)[STATE], ply - 1, 0, 0)
            size = push(lab, size, new(lab, child(lab, ply - 1, following), parent, following, bound))
        else:  # its parent is solved too, and the rest below it is purged
            node(lab, parent)[BOUND] = bound
            node(lab, parent)[SOLVED] = 1
            size = push(lab, size, parent)


def sss(workspace: Workspace) -> int:
    """Return the value of the root."""
    return best_first(workspace.expand, workspace.address, workspace.root, 1)


def dual(workspace: Workspace) -> int:
    """Return the value of the root, with the players' roles exchanged.

    Marsland, Reinefeld, Schaeffer: "Low overhead alternatives to SSS*", Artificial Intelligence 31 (1987).
    """
    return best_first(workspace.expand, workspace.address, workspace.root, -1)
