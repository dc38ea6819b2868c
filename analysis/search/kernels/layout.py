"""The memory that a search works in: one row of int64 fields, and blocks that they point to.

Kernels get its address (``lab``) and read field ``F`` as ``memory(lab)[F]``. `workspace.Workspace` makes it.
"""

from __future__ import annotations

INFINITY = 1 << 62
"""Beyond every payoff."""

GREATEST_PAYOFF = INFINITY - 2
"""The largest payoff, either way, that leaves room for windows around it."""

NEVER = INFINITY // 2
"""The proof number of what cannot be proved. The sum of two still fits; other sums end one below it."""

UNKNOWN = INFINITY + 1
"""The value of a visit that has not returned."""

_fields = iter(range(64))

# What is counted
NODES = next(_fields)
"""Calls of the search, the root and leaves included."""
LEAVES = next(_fields)
"""Nodes where the game is over or the depth is spent."""
HORIZON = next(_fields)
"""Leaves where the game is not over."""
CUTOFFS = next(_fields)
"""Times that alpha >= beta held after a child."""
EFFECTIVE = next(_fields)
"""Those of them that skipped a child."""
HITS = next(_fields)
"""Nodes answered by the table."""
PASSES = next(_fields)
"""Searches from the root."""
DEEPEST = next(_fields)
"""The greatest ply reached."""

FAULT = next(_fields)
"""A state plus one that is neither over nor has a move, where one was met."""
OUTSIDE = next(_fields)
"""A state plus one whose payoff lies outside the bounds that are said to hold, where one was met."""

# What is asked for
MOST_NODES = next(_fields)
"""`enter` raises `BudgetSpentError` beyond this many nodes."""
STRICT = next(_fields)
"""1: cut where alpha > beta only."""
LIMIT = next(_fields)
"""Nodes at this ply are leaves."""
DRAFTED = next(_fields)
"""1: entries of the table hold for one remaining depth only."""
ALPHA = next(_fields)
"""The window at the root."""
BETA = next(_fields)
INSIDE = next(_fields)
"""1: the root's value is known to lie inside it, so both of its bounds have to be shown."""

LEAST_PAYOFF = next(_fields)
MOST_PAYOFF = next(_fields)
"""Between which the payoffs of leaves are said to lie."""

# The rows of moves, `ROWS` of them for each ply
STACK = next(_fields)
MOST = next(_fields)
"""Room for so many moves in each row."""
TREE = next(_fields)
"""The records of an explicit tree."""

# The order of moves
ORDER = next(_fields)
RANKS = next(_fields)
"""A rank for each move code."""
SEED = next(_fields)
KILLERS = next(_fields)
"""Two move codes for each ply, plus one; 0 where there is none."""
HISTORY = next(_fields)
"""A score for each of `CODES` move codes of the first player, then of the second."""
CODES = next(_fields)
SOLVED = next(_fields)
"""A hash table from states to rows of `SOLVED_ROWS`: ``2**SOLVED_BITS`` slots of state plus one, and row."""
SOLVED_BITS = next(_fields)
SOLVED_ROWS = next(_fields)
"""What is known of the solved states, `KNOWN` words each."""

# Symmetry
KEYED = next(_fields)
"""1: the table is keyed by canonical states, 0: by states as they are."""
GROUP = next(_fields)
GROUP_ORDER = next(_fields)
GROUP_CHUNKS = next(_fields)
CELLS = next(_fields)
PLANES = next(_fields)

# The transposition table
TABLE = next(_fields)
TABLE_BITS = next(_fields)
"""The slots in use are ``2**TABLE_BITS``, where the table may grow."""
TABLE_SLOTS = next(_fields)
"""Slots that there is room for."""
ENTRIES = next(_fields)
POLICY = next(_fields)

# The record of visits
VISITS = next(_fields)
VISIT_COUNT = next(_fields)
VISIT_CAPACITY = next(_fields)
VISIT_PLIES = next(_fields)
"""Nodes further from the root are not recorded."""

# Nodes of best-first searches
POOL = next(_fields)
POOL_COUNT = next(_fields)
POOL_CAPACITY = next(_fields)
HEAP = next(_fields)

FIELDS = next(_fields)
"""How many fields there are."""

CHILDREN, MOVES, KEYS, PROOF, DISPROOF, ROWS = range(6)
"""The rows of one ply: states, move codes, what they are sorted by, and two numbers for each child."""

NATURAL, RANKED, RANDOM, KILLER, BY_HISTORY, BEST, WORST, LEAST = range(8)
"""Orders of moves."""

UNLIMITED, NEW, OLD, DEEP, TWO_DEEP = range(5)
"""Replacement policies."""

SLOT_KEY, SLOT_LOW, SLOT_HIGH, SLOT_NOTES, SLOT = range(5)
"""Words of a slot: state plus one (0 where empty), bounds of its value, and `NOTES_*`."""

SMALLEST_BITS = 10
"""An unlimited table begins with ``2**SMALLEST_BITS`` slots."""

NOTES_DRAFT, NOTES_PLY = 40, 20
"""Shifts in the notes of a slot: plies left to the horizon, ply, and the best move plus one in the lowest bits."""

NOTES_SHORT = 1 << 61
"""The bit in the notes that says that leaves below were not the ends of games."""

VALUE, TREE_NODES, LOWER_NODES, UPPER_NODES, BOTH_NODES, TREE_LEAVES, LOWER_LEAVES, UPPER_LEAVES, BOTH_LEAVES, KNOWN = (
    range(10)
)
"""Words of a solved state: its value; the nodes of its tree, and of the smallest proofs of a lower bound, an upper
bound and both; the same in leaves.
"""

VISIT_PLY, VISIT_STATE, VISIT_ALPHA, VISIT_BETA, VISIT_VALUE, VISIT_MOVES, VISIT_SIDE, VISIT = range(8)
"""Words of a visit; the last two are how many children there are, if any was visited, and which side moves."""


class BudgetSpentError(Exception):
    """A search has visited as many nodes as it may."""


class UnknownStateError(Exception):
    """A search has met a state that solving did not."""


class RoomSpentError(Exception):
    """A search has filled the memory that it may take."""
