"""Textbook searches of a small graph, right or with one of the faults that people make, for comparison with a user's.

A fault is a change of fields of a right `Variant`. Sources of the right ones: Knuth and Moore, "An analysis of
alpha-beta pruning", Artificial Intelligence 6 (1975); Berkeley's CS 188, project 2, never cuts where alpha = beta.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from analysis.search.own.graph import SearchGraph
from analysis.wording import listed, signed

MOST_VISITS = 1_000_000
"""Visits of a variant, beyond which it is like no search that returned."""


class OtherVisitError(Exception):
    """A variant visits another node than expected, or too many."""


@dataclasses.dataclass(frozen=True)
class Variant:
    """How a search goes about it; by default minimax as it should be."""

    cut: str = "never"
    """``never``, ``equal`` (alpha >= beta), ``beyond`` (alpha > beta) or ``wrong`` (alpha <= beta)."""
    hard: bool = False
    """Whether nodes return alpha or beta, not the best value (fail-hard)."""
    memory: str = ""
    """``call``: a node that was searched before is called again, and answers at once; ``skip``: it is not called."""
    reverse: bool = False
    """Whether children are searched from the last on."""
    depth: int = 0
    """Plies by which it is off; 99 if the depth is ignored."""
    least: int = 0
    """Plies that it searches at least."""
    counted: str = "all"
    """What the depth counts: ``all`` moves, those of ``max`` or ``min``, or each ply as a round (``rounds``)."""
    sides: str = "given"
    """Who moves: as ``given``, always ``max``, always ``min``, ``swapped``, or in turns (``alternate``)."""
    sign: str = "given"
    """Values of leaves: as ``given``, ``flipped``, seen by the ``mover``, or flipped only at the depth ``limit``."""
    result: str = "given"
    """The value of the root: as ``given``, or seen by the ``mover``."""
    start: str = "infinite"
    """What a node's best value is at first: ``infinite``; ``zero`` everywhere, at ``max-zero`` or ``min-zero`` nodes;
    ``minus`` or ``plus`` infinity for both sides.
    """
    begins: tuple[float, float] = (-math.inf, math.inf)
    """What is ``infinite`` for the first and for the second player."""
    tried: str = "all"
    """The children that are searched: ``all``, only the ``first``, or all but one. An only child is searched with
    ``not-first`` and ``not-last``, not with ``never-first`` and ``never-last``.
    """
    combined: str = "best"
    """``best``, ``last`` or ``mean`` (at the second player's nodes)."""
    ends: bool = True
    """Whether it notices that the game is over before the depth is spent."""
    cuts_at: str = "both"
    """``both``, ``max`` or ``min``: the nodes where it cuts."""
    late: str = ""
    """``max`` or ``min``: nodes that cut only where alpha > beta, unlike the others."""
    narrows: str = "both"
    """``both``, ``alpha``, ``beta`` or ``none``: the ends of the window that it moves."""
    passes: str = "window"
    """What children get: the ``window``, a ``full`` one, or a ``swapped`` one."""
    makes_all: bool = False
    """Whether all successors are made before the first is searched."""


@dataclasses.dataclass
class Trace:
    """What a search returned and did."""

    value: float | None
    move: int | None
    """The first of the root's best children."""
    last: int | None
    """The last of them, where each is worth what its search returned, even if that is only a bound."""
    visits: list[tuple[int, int]]
    """The node of each visit, and the number of the visit that it is made from (-1: none)."""
    made: list[int]
    """The successors that were made, in order, each once."""

    @property
    def nodes(self) -> list[int]:
        """The nodes in the order of their visits."""
        return [node for node, _ in self.visits]


Orders = Callable[[tuple[int, ...]], Sequence[int]]
"""The order of the children that are searched, by the path of nodes from the root."""


def run_variant(
    graph: SearchGraph, depth: int, how: Variant, orders: Orders | None = None, expected: Sequence[int] | None = None
) -> Trace:
    """Search a graph from its root. Raises `OtherVisitError` at the first visit that is not the ``expected`` one."""
    return _Run(graph, how, orders, expected).trace(depth)


class _Run:
    """One search."""

    def __init__(self, graph: SearchGraph, how: Variant, orders: Orders | None, expected: Sequence[int] | None) -> None:
        self.graph, self.how, self.orders, self.expected = graph, how, orders, expected
        self.visits: list[tuple[int, int]] = []
        self.made: dict[int, None] = {}
        self.known: dict[tuple[int, int], float] = {}
        self.move: int | None = None
        self.last: int | None = None

    def trace(self, depth: int) -> Trace:
        """Search from the root."""
        how, first = self.how, self.graph.maximizing[0]
        asked = depth // (self.graph.rounds or 1) if how.counted == "rounds" else depth + how.depth
        value = self.value((0,), -1, max(asked, how.least), (-math.inf, math.inf), first)
        if how.result == "mover" and not first:
            value = -value
        return Trace(value, self.move, self.last, self.visits, [*self.made])

    def side(self, node: int, turn: bool) -> bool:
        """Whether the search maximizes at a node."""
        given = self.graph.maximizing[node]
        return {"given": given, "max": True, "min": False, "swapped": not given, "alternate": turn}[self.how.sides]

    def leaf(self, node: int) -> float:
        """The value of a node where the search stops."""
        value, sign = self.graph.values[node], self.how.sign
        flips = sign == "flipped" or (sign == "mover" and not self.graph.maximizing[node])
        return -value if flips or (sign == "limit" and self.graph.children[node]) else value

    def value(self, path: tuple[int, ...], parent: int, depth: int, window: tuple[float, float], turn: bool) -> float:
        """Visit the last node of a path."""
        how, node, number = self.how, path[-1], len(self.visits)
        self.visits.append((node, parent))
        expected = self.expected
        if number >= MOST_VISITS or (expected is not None and (number >= len(expected) or expected[number] != node)):
            raise OtherVisitError
        if how.memory and (node, depth) in self.known:
            return self.known[node, depth]
        children = self.graph.children[node]
        if depth == 0 or (not children and how.ends):
            return self.leaf(node)
        maximizing = self.side(node, turn)
        found = self.best(path, number, depth - self.counts(node), window, maximizing, turn)
        self.known[node, depth] = found
        return found

    def counts(self, node: int) -> bool:
        """Whether the depth counts the moves of a node."""
        counted, first = self.how.counted, self.graph.maximizing[node]
        return counted in ("all", "rounds") or (counted == "max") == first

    def children(self, path: tuple[int, ...]) -> Sequence[int]:
        """The children that are searched, in order."""
        found: Sequence[int] = self.graph.children[path[-1]]
        if self.orders is not None:
            found = self.orders(path)
        found = found[::-1] if self.how.reverse else found
        tried = {
            "all": found, "first": found[:1], "not-first": found[1:] or found, "not-last": found[:-1] or found,
            "never-first": found[1:], "never-last": found[:-1],
        }  # fmt: skip
        return tried[self.how.tried]

    def start(self, maximizing: bool) -> float:
        """The best value at first."""
        start, side = self.how.start, "max" if maximizing else "min"
        if start in ("zero", f"{side}-zero"):
            return 0
        if start == "infinite":
            return self.how.begins[not maximizing]
        return -math.inf if start == "minus" or (start != "plus" and maximizing) else math.inf

    def best(
        self, path: tuple[int, ...], number: int, depth: int, window: tuple[float, float], maximizing: bool, turn: bool
    ) -> float:
        """Search the children of a node, whose visit has this number."""
        how, (alpha, beta), best, values = self.how, window, self.start(maximizing), list[float]()
        children, chosen = self.children(path), -math.inf
        if how.makes_all:
            self.made |= dict.fromkeys(children)
        for child in children:
            self.made[child] = None
            if how.memory == "skip" and (child, depth) in self.known:
                value = self.known[child, depth]
            else:
                passed = {"window": (alpha, beta), "full": (-math.inf, math.inf), "swapped": (beta, alpha)}[how.passes]
                value = self.value((*path, child), number, depth, passed, not turn)
            values.append(value)
            best = max(best, value) if maximizing else min(best, value)
            good = value if maximizing else -value
            if number == 0 and good >= chosen:
                self.last = child
                self.move, chosen = (child, good) if good > chosen else (self.move, chosen)
            low, high = (max(alpha, best), beta) if maximizing else (alpha, min(beta, best))
            if self.cuts(low, high, maximizing):
                if how.hard:
                    alpha, beta = low, high
                break
            alpha = low if how.narrows in ("both", "alpha") else alpha
            beta = high if how.narrows in ("both", "beta") else beta
        if how.combined == "last" and values:
            return values[-1]
        if how.combined == "mean" and values and not maximizing:
            return sum(values) / len(values)
        return (alpha if maximizing else beta) if how.hard else best

    def cuts(self, alpha: float, beta: float, maximizing: bool) -> bool:
        """Whether the other children are skipped."""
        if self.how.cuts_at not in ("both", "max" if maximizing else "min"):
            return False
        cut = "beyond" if self.how.late == ("max" if maximizing else "min") else self.how.cut
        if cut == "wrong":
            return alpha <= beta
        return (cut == "equal" and alpha >= beta) or (cut == "beyond" and alpha > beta)


# Right and wrong ------------------------------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class SearchFault:
    """A fault by name, what it is in words, and the fields of a variant that it changes."""

    name: str
    words: str
    changes: tuple[tuple[str, Any], ...] = ()

    def of(self, right: Variant) -> Variant:
        """Return a right variant with this fault."""
        return dataclasses.replace(right, **dict(self.changes))


def _fault(name: str, words: str, **changes: Any) -> SearchFault:
    return SearchFault(name, words, tuple(changes.items()))


FAULTS = (
    _fault("depth-early", "depth off by one: it stops a ply too early", depth=-1),
    _fault("depth-late", "depth off by one: it stops a ply too late", depth=1),
    _fault("ply-for-round", "it counts each ply as a round of both sides", counted="rounds"),
    _fault("depth-two-early", "depth off by one round: it stops two plies too early", depth=-2),
    _fault("depth-two-early", "depth off by one round: it stops two plies too early", depth=-2, least=1),
    _fault("depth-two-early", "depth off by one round: it stops two plies too early", depth=-2, least=2),
    _fault("depth-early", "depth off by one: it stops a ply too early", depth=-1, least=1),
    _fault("depth-two-late", "depth off by one round: it stops two plies too late", depth=2),
    _fault("depth-ignored", "it ignores the depth and searches to the end", depth=99),
    _fault("depth-of-max", "the depth counts only the first player's moves", counted="max"),
    _fault("depth-of-min", "the depth counts only the second player's moves", counted="min"),
    _fault("always-max", "it plays only one side's turns: every node takes the greatest value", sides="max"),
    _fault("always-min", "it plays only one side's turns: every node takes the least value", sides="min"),
    _fault("sides-swapped", "the sides are exchanged: the first player takes the least value", sides="swapped"),
    _fault("sides-alternate", "it lets the sides take turns where is_max says otherwise", sides="alternate"),
    _fault("sign-flipped", "wrong sign: the values of leaves are negated", sign="flipped"),
    _fault("sign-at-limit", "wrong sign: the values at the depth limit are negated", sign="limit"),
    _fault("value-of-mover", "value from the wrong player: leaves count as the side to move sees them", sign="mover"),
    _fault("no-minus", "wrong sign: the value of a child is not negated", sides="max", sign="mover", result="mover"),
    _fault("result-of-mover", "value from the wrong player: the result is seen by the side to move", result="mover"),
    _fault("start-zero", "the best value begins with 0, not with an infinity", start="zero"),
    _fault("start-zero-at-max", "the best value of the first player begins with 0, not -inf", start="max-zero"),
    _fault("start-zero-at-min", "the best value of the second player begins with 0, not inf", start="min-zero"),
    _fault("start-minus", "the best value begins with -inf where the second player moves", start="minus"),
    _fault("start-plus", "the best value begins with inf where the first player moves", start="plus"),
    _fault("skips-first", "it leaves out the first child", tried="not-first"),
    _fault("skips-last", "it leaves out the last child", tried="not-last"),
    _fault("skips-first", "it leaves out the first child", tried="never-first"),
    _fault("skips-last", "it leaves out the last child", tried="never-last"),
    _fault("only-first", "it returns after the first child", tried="first"),
    _fault("last-value", "it returns the value of the last child, not the best", combined="last"),
    _fault("mean-at-min", "the second player's nodes take the mean, not the least value", combined="mean"),
    _fault("no-end", "it does not stop where the game is over before the depth is spent", ends=False),
)
"""Faults of any search."""

CUT_FAULTS = (
    _fault("cut-never", "it never cuts", cut="never"),
    _fault("cut-at-max-only", "it cuts only where the first player moves", cuts_at="max"),
    _fault("cut-at-min-only", "it cuts only where the second player moves", cuts_at="min"),
    _fault("cut-wrong-way", "it cuts on the wrong side: where alpha <= beta", cut="wrong"),
    _fault("window-not-passed", "children do not get alpha and beta: each begins with a full window", passes="full"),
    _fault("window-not-narrowed", "neither alpha nor beta moves", narrows="none"),
    _fault("alpha-not-raised", "alpha is not raised where the first player moves", narrows="beta"),
    _fault("beta-not-lowered", "beta is not lowered where the second player moves", narrows="alpha"),
    _fault("window-swapped", "alpha and beta are exchanged where they are passed on", passes="swapped"),
    _fault("makes-all-first", "it expands all children before it searches the first", makes_all=True),
    _fault("goes-on-at-equal", "where the first player moves it goes on where alpha = beta", late="max"),
    _fault("goes-on-at-equal", "where the second player moves it goes on where alpha = beta", late="min"),
    _fault("bounds-remembered", "it remembers bounds, found after cuts, as if they were values", memory="call"),
    _fault("bounds-remembered", "it remembers bounds, found after cuts, as if they were values", memory="skip"),
)
"""Faults of alpha-beta."""

CUT_OF_RULE = {"textbook": "equal", "cs188": "beyond"}
"""Where alpha-beta cuts, by rule."""

EQUAL_FAULTS = {
    "textbook": _fault("goes-on-at-equal", "it goes on where alpha = beta, and cuts only beyond", cut="beyond"),
    "cs188": _fault("cuts-at-equal", "it cuts where alpha = beta", cut="equal"),
}
"""By rule, the fault of a search that follows the other one."""


def finite_start(low: float, high: float) -> SearchFault:
    """Return the fault of a search whose best value begins with these numbers."""
    numbers = listed([signed(each) for each in (low, high) if math.isfinite(each)], "and")
    words = f"the best value begins with {numbers}, which a value can pass, not with an infinity"
    return _fault("start-finite", words, begins=(low, high))


def right_variants(rule: str | None, prunes: bool | None) -> Iterator[tuple[str, Variant]]:
    """Yield the searches that are right by a rule (None: by any), each with the name of the built-in one: those that
    prune, those that do not, or (None) both.
    """
    memories, reverses = ("", "call", "skip"), (False, True)
    if not prunes:
        for memory, reverse in itertools.product(memories, reverses):
            yield "minimax_memo" if memory else "minimax", Variant(memory=memory, reverse=reverse)
    if prunes is not False:
        cuts = CUT_OF_RULE.values() if rule is None else [CUT_OF_RULE[rule]]
        for cut, hard, reverse in itertools.product(cuts, (False, True), reverses):
            yield "alphabeta_failhard" if hard else "alphabeta", Variant(cut=cut, hard=hard, reverse=reverse)


def wrong_variants(
    rule: str | None, prunes: bool | None, most: int = 2
) -> Iterator[tuple[tuple[SearchFault, ...], str, Variant, Variant]]:
    """Yield searches with one fault, then two, up to ``most``: the faults, the name of the right search, it, and the
    wrong one.
    """
    for count in range(1, most + 1):
        for name, right in right_variants(rule, prunes):
            if right.memory:
                continue
            kinds = FAULTS if right.cut == "never" else (*CUT_FAULTS, *FAULTS)
            if rule is not None and right.cut != "never":
                kinds = (EQUAL_FAULTS[rule], *kinds)
            for faults in itertools.combinations(kinds, count):
                changed = [field for fault in faults for field, _ in fault.changes]
                pointless = right.cut == "beyond" and "late" in changed
                if len({*changed}) == len(changed) and not pointless:
                    yield faults, name, right, _with(right, faults)


def _with(right: Variant, faults: Sequence[SearchFault]) -> Variant:
    for fault in faults:
        right = fault.of(right)
    return right
