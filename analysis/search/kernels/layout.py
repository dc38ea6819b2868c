"""The memory of a search: a row of int64 fields, and the blocks they point to.

Kernels get its address (``lab``) and read field ``F`` as ``memory(lab)[F]``. `workspace.Workspace` creates it.
"""

from __future__ import annotations

INFINITY = 1 << 62
"""Beyond every payoff."""

GREATEST_PAYOFF = INFINITY - 2
"""The largest payoff, in either direction, that leaves room for windows around it."""

NEVER = INFINITY // 2
"""The proof number of what cannot be proved. The sum of two still fits; other sums saturate one below it."""

UNKNOWN = INFINITY + 1
"""The value of a visit that has not returned."""

NODES, LEAVES, HORIZON, CUTOFFS, EFFECTIVE, HITS, PASSES, DEEPEST, FAULT, OUTSIDE = range(10)
"""Counts. NODES: calls of the search, the root and leaves included. LEAVES: nodes where the game is over or the depth
limit is reached; HORIZON: those where the game is not over. CUTOFFS: times that alpha >= beta held after a child;
EFFECTIVE: those that skipped a child. HITS: nodes answered by the table. PASSES: searches from the root. DEEPEST: the
greatest ply reached. And states plus one: FAULT, where the rules failed or gave invalid moves; OUTSIDE, with a payoff
outside the declared bounds.
"""

(
    MOST_NODES, STRICT, LIMIT, DRAFTED, DEEPENING, ALPHA, BETA, INSIDE, LEAST_PAYOFF, MOST_PAYOFF,
) = range(10, 20)  # fmt: skip
"""The request. MOST_NODES: beyond these `enter` raises `BudgetSpentError`. STRICT: 1 to cut where alpha > beta only.
LIMIT: nodes at this ply are leaves. DRAFTED: 1 if entries of the table hold for one remaining depth only. DEEPENING: 1
if the search is repeated to greater depths, the best moves of the last one first; 2 if unfinished positions count 0
besides, so that values beyond 0 are forced. ALPHA, BETA: the window at the root; INSIDE: 1 if the root's value is known
to lie inside it, so that both of its bounds have to be shown. LEAST_PAYOFF, MOST_PAYOFF: the declared bounds on payoffs
of leaves.
"""

STACK, MOST, TREE = range(20, 23)
"""STACK: the rows of moves, `ROWS` per ply, with room for MOST moves each. TREE: the records of an explicit tree."""

ORDER, RANKS, SEED, KILLERS, HISTORY, CODES, SOLVED, SOLVED_BITS, SOLVED_ROWS = range(23, 32)
"""The order of moves. RANKS: a rank for each move code. KILLERS: two move codes plus one for each ply, or 0 for none.
HISTORY: a score for each of CODES move codes of the first player, then of the second. SOLVED: a hash table from states
to rows of SOLVED_ROWS, ``2**SOLVED_BITS`` slots of state plus one, and row; a row has `KNOWN` words about a solved
state.
"""

KEYED, GROUP, GROUP_ORDER, GROUP_CHUNKS, GROUP_BITS = range(32, 37)
"""Symmetry. KEYED: 1 if the table is keyed by canonical states, 0 if by the states themselves. GROUP_ORDER: 0 if the
rules' own canonical() makes states canonical.
"""

REDUCE = 2
"""A ``stop`` at which a game's `steps.Expand` returns the canonical state, by the rules' own canonical()."""

TABLE, TABLE_BITS, TABLE_SLOTS, ENTRIES, POLICY = range(38, 43)
"""The transposition table. TABLE_SLOTS: slots reserved; if the table may grow, ``2**TABLE_BITS`` of them are in use."""

VISITS, VISIT_COUNT, VISIT_CAPACITY, VISIT_PLIES = range(43, 47)
"""The record of visits, of nodes up to VISIT_PLIES from the root."""

POOL, POOL_COUNT, POOL_CAPACITY, HEAP, FIELDS = range(47, 52)
"""Nodes of best-first searches; and last, the number of fields."""

CHILDREN, MOVES, KEYS, PROOF, DISPROOF, ROWS = range(6)
"""The rows of one ply: states, move codes, sort keys, and two numbers for each child."""

NATURAL, RANKED, RANDOM, KILLER, BY_HISTORY, BEST, WORST, LEAST = range(8)
"""Orders of moves; from BEST on they need the solved game."""

UNLIMITED, DEEP, GROWING = range(3)
"""Replacement policies; a GROWING table doubles while there is room, and then has two slots for each hash."""

SLOT_KEY, SLOT_LOW, SLOT_HIGH, SLOT_NOTES, SLOT = range(5)
"""Words of a slot: state plus one (0 where empty), bounds of its value, and `NOTES_*`."""

SMALLEST_BITS = 10
"""An unlimited table begins with ``2**SMALLEST_BITS`` slots."""

NOTES_DRAFT, NOTES_PLY = 40, 20
"""Shifts in the notes of a slot: plies left to the horizon, ply, and the best move plus one in the lowest bits."""

SHORT_LOW, SHORT_HIGH = 1 << 61, 1 << 62
"""Bits in the notes that mark bounds which rest on leaves that were not the ends of games."""

VALUE, TREE_NODES, LOWER_NODES, UPPER_NODES, BOTH_NODES, TREE_LEAVES, LOWER_LEAVES, UPPER_LEAVES, BOTH_LEAVES, KNOWN = (
    range(10)
)
"""Words of a solved state: its value; nodes of its tree and of the smallest proofs of each bound and both; leaves
likewise.
"""

VISIT_PLY, VISIT_STATE, VISIT_ALPHA, VISIT_BETA, VISIT_VALUE, VISIT_MOVES, VISIT = range(7)
"""Words of a visit; the last is the number of children, if any was visited."""


class BudgetSpentError(Exception):
    """A search has reached its node limit."""


class UnknownStateError(Exception):
    """A search has reached a state that solving did not reach."""


class RoomSpentError(Exception):
    """A search has filled its memory."""
