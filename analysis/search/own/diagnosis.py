"""Compare a user's search with the built-in ones, and name what differs.

The search is run on the target and on many small trees. It is right if some right `Variant` returns the same value and
visits the same nodes in the same order on all of them. Otherwise it is compared with variants that have one fault, then
two: one that does the same everywhere names what is wrong, and the smallest tree on which it differs from the right one
shows it. What no variant does is described by the first difference.
"""

from __future__ import annotations

import dataclasses
import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from analysis.errors import OptionError
from analysis.machine.workers import tell_progress
from analysis.search.own.graph import SearchGraph, few_transpositions, small_trees
from analysis.search.own.program import Case, OwnAnswer, OwnSearch
from analysis.search.own.variants import (
    CUT_OF_RULE,
    OtherVisitError,
    SearchFault,
    Trace,
    Variant,
    finite_start,
    right_variants,
    run_variant,
    wrong_variants,
)
from analysis.search.problem import SearchProblem
from analysis.wording import listed, signed, some

PRUNES = re.compile(r"alpha_?beta|prun|(^|_)ab($|_)", re.IGNORECASE)
"""Names of searches that are to cut."""

MOST_SHOWN = 40
"""Nodes of an example that are listed."""

POSITIONS = 40
"""Positions of one height that are tried to find a small example."""

SHALLOW = 4
"""Every so many trees are also searched to smaller depths, and beyond their end."""

TRUTH = Variant(memory="call")
"""A search that finds the value fast."""

FEW = 24
"""Cases with which variants are compared first."""


@dataclasses.dataclass(frozen=True)
class Example:
    """The smallest tree or position found that shows a difference."""

    text: str
    """The tree as ``gametree prune`` takes it, or the position."""
    depth: int
    """Plies that were searched."""
    own: dict[str, Any]
    """What the search did: ``value``, ``move``, ``visited`` nodes in order, or ``error``."""
    expected: dict[str, Any]
    """The same of the right search."""
    estimates: dict[str, float]
    """Values of inner nodes, where the search may stop at some."""


@dataclasses.dataclass(frozen=True)
class SearchVerdict:
    """How a user's search compares with the built-in ones."""

    name: str
    signature: str
    """What was recognised."""
    agent: bool
    """Whether it chooses an action, and returns no value."""
    rule: str | None
    """Where it cuts: ``textbook`` where alpha >= beta, ``cs188`` where alpha > beta; None if it does not cut."""
    right: bool
    equals: str | None
    """The built-in search that it equals, or should equal; None if it is right in a way of its own."""
    order: str
    """Of children: ``natural``, ``reverse`` or ``own``."""
    faults: tuple[SearchFault, ...]
    """What is wrong, by name and in words."""
    example: Example | None
    notes: tuple[str, ...]
    """What else there is to say."""
    values_right: bool
    """Whether all values, and the moves of an agent, are right."""
    cases: int
    """Small trees on which it was tried."""
    target: Case
    answer: OwnAnswer
    """What it returned and did on the target."""
    remembers: bool = False
    """Whether it visits fewer nodes than the search that it equals, since it remembers some."""

    @property
    def counts(self) -> Counter[str]:
        """The numbers of its row: ``nodes``, ``leaves``, ``cutoffs_effective``, ``passes``, and the ``deepest`` ply."""
        graph, nodes, below = self.target.graph, self.answer.nodes, Counter(self.answer.parents)
        plies: list[int] = []
        for parent in self.answer.parents:
            plies.append(plies[parent] + 1 if parent >= 0 else 0)
        ends = [not graph.children[node] or ply == self.target.depth for node, ply in zip(nodes, plies, strict=True)]
        inner = [number for number, end in enumerate(ends) if not end]
        cut = sum(0 < below[number] < len(graph.children[nodes[number]]) for number in inner)
        deepest = max(plies, default=0)
        return Counter(nodes=len(nodes), leaves=sum(ends), cutoffs_effective=cut, passes=1, deepest=deepest)

    def to_json(self) -> dict[str, Any]:
        """Return the object that ``gametree prune --format json`` prints."""
        fields = ("name", "signature", "rule", "right", "equals", "order")
        return {
            **{field: getattr(self, field) for field in fields},
            "faults": [{"name": fault.name, "words": fault.words} for fault in self.faults],
            "example": self.example and dataclasses.asdict(self.example),
            "notes": list(self.notes),
            "small_trees": self.cases,
            "error": self.answer.error,
        }


class SearchEvidence:
    """What a search did in some cases."""

    def __init__(self, own: OwnSearch, cases: Sequence[Case], answers: Sequence[OwnAnswer]) -> None:
        self.own, self.answers, self.pairs = own, answers, list(zip(cases, answers, strict=False))
        inner = any(case.graph.children[node] for case, answer in self.pairs for node in answer.nodes[1:])
        self.calls_itself = inner or not any(case.graph.height > 1 for case, _ in self.pairs)
        """Whether it is seen to visit inner nodes; otherwise only leaves are compared."""

    def agrees(self, case: Case, answer: OwnAnswer, how: Variant) -> bool:
        """Whether the search did what a variant does."""
        compared = self.calls_itself and not self.own.agent
        trace = None if answer.error is not None else trace_of(case, how, answer.nodes if compared else None)
        if trace is None:
            return False
        if self.own.agent:
            return [*answer.made] == trace.made and answer.move in (trace.move, trace.last)
        if not same_value(answer.value, trace.value):
            return False
        if compared:
            return len(answer.nodes) == len(trace.visits)
        children = case.graph.children
        return [n for n in answer.nodes if not children[n]] == [n for n in trace.nodes if not children[n]]

    def differing(self, how: Variant) -> Iterator[tuple[Case, OwnAnswer]]:
        """Yield the cases in which the search and a variant differ, the smallest first."""
        return (pair for pair in self.pairs if not self.agrees(*pair, how))

    def value_is_right(self, case: Case, answer: OwnAnswer) -> bool:
        """Whether the value is that of minimax, or the action of an agent is one of the best."""
        if answer.error is not None:
            return False
        truth = trace_of(case, TRUTH)
        if truth is None or self.own.agent:
            return truth is None or move_is_best(case, answer.move)
        return same_value(answer.value, truth.value)


def trace_of(case: Case, how: Variant, expected: Sequence[int] | None = None) -> Trace | None:
    """Return what a variant does, or None if it visits another node than ``expected``, or too many."""
    try:
        return run_variant(case.graph, case.depth, how, expected=expected)
    except (OtherVisitError, RecursionError):
        return None


def same_value(own: float | None, right: float | None) -> bool:
    """Whether two values are equal, but for rounding."""
    return own is not None and right is not None and (own == right or math.isclose(own, right, rel_tol=1e-9))


def move_is_best(case: Case, move: int | None) -> bool:
    """Whether a child of the root is worth as much as the root."""
    truth = trace_of(case, TRUTH)
    if truth is None or move is None:
        return True
    below = trace_of(Case(case.graph.below(move), case.depth - 1), TRUTH)
    return below is None or same_value(below.value, truth.value)


def judge_with(own: OwnSearch, problem: SearchProblem, graph: SearchGraph, rule: str | None = None) -> SearchVerdict:
    """Run a search on small trees, and on a problem with its graph; compare it with the built-in ones by a rule of
    cutting (None: the one that it follows). Raises `OptionError`.
    """
    target = Case(graph, _depth_of(problem, graph, own))
    if own.tried is None:
        tell_progress(f"{own.name}: small trees", 0, None)
        trees = [*_tree_cases(own)]
        own.tried = trees, own.search(trees)
    evidence = SearchEvidence(own, *own.tried)
    endless = next((answer for answer in evidence.answers if answer.fault == "endless"), None)
    tell_progress(f"{own.name}: searching", 0, None)
    answer = endless or own.search([target])[0]
    return _Judge(own, target, answer, evidence, rule).verdict()


def _depth_of(problem: SearchProblem, graph: SearchGraph, own: OwnSearch) -> int:
    """Return the plies that a search is asked for: all rounds of an agent are whole. Raises `OptionError`."""
    if not own.agent:
        return graph.height if problem.depth is None else problem.depth
    if not graph.rounds or not graph.children[0]:
        why = "the sides do not take turns in rounds" if graph.children[0] else "the game is over"
        raise OptionError(f"{own.signature} cannot search {problem.name}: {why}")
    if problem.depth is None:
        return -(-graph.height // graph.rounds) * graph.rounds
    if problem.depth % graph.rounds:
        raise OptionError(
            f"{own.signature} counts its depth in rounds of {graph.rounds} plies, so --depth {problem.depth} is wrong; "
            f"give a multiple of {graph.rounds}"
        )
    return problem.depth


def _tree_cases(own: OwnSearch) -> Iterator[Case]:
    """Yield small trees with the depths to which they are searched; agents count rounds of all players."""
    step = 2 if own.agent else 1
    for number, tree in enumerate(small_trees()):
        if own.agent and not tree.maximizing[0]:
            continue  # an agent is always the one who moves at the root
        whole = -(-tree.height // step) * step
        yield Case(tree, whole)
        if ("depth" in own.roles or own.agent) and number % SHALLOW == 0:
            for depth in (*range(step, whole, step), whole + step):
                yield Case(tree, depth)


class _Judge:
    """One comparison."""

    def __init__(
        self, own: OwnSearch, target: Case, answer: OwnAnswer, trees: SearchEvidence, rule: str | None
    ) -> None:
        self.own, self.target, self.answer, self.trees, self.rule = own, target, answer, trees, rule
        self.notes: list[str] = []
        self.found: tuple[SearchFault, ...] = ()
        if answer.printed:
            self.notes.append(f"it prints {some(answer.printed, 'line')}, which are not shown")
        self._begin_with_first()
        cuts = any(
            len(a.nodes) < len(t.nodes)
            for case, a in self.trees.pairs
            if a.error is None and (t := trace_of(case, Variant()))
        )
        declared = "alpha" in own.roles or PRUNES.search(own.name) is not None
        self.prunes = True if declared else None if cuts and not own.agent else False

    def _begin_with_first(self) -> None:
        """Leave out trees where the second player begins, if the search is not told who does and takes it for the
        first.
        """
        if {"maximizing", "color"} & {*self.own.roles} or self.own.agent or not self.target.graph.maximizing[0]:
            return
        wrong = [case for case, answer in self.trees.pairs if not self.trees.value_is_right(case, answer)]
        if wrong and not any(case.graph.maximizing[0] for case in wrong):
            self.notes.append("it takes it that the first player moves at the root")
            self.trees.pairs = [pair for pair in self.trees.pairs if pair[0].graph.maximizing[0]]

    def verdict(self) -> SearchVerdict:
        """Judge."""
        failed = next((pair for pair in self.trees.pairs if pair[1].error is not None), None)
        if failed is None and self.answer.error is None:
            return self._of_moves(self._right() or self._own_order() or self._wrong())
        case, answer = failed or (self.target, self.answer)
        fault = SearchFault(answer.fault, answer.error or "")
        if failed is not None and self.answer.error is not None and self.answer.fault == "endless":
            case, answer, fault = self.target, self.answer, SearchFault("endless", self.answer.error)
        return self._make(False, self._meant(), (fault,), self._example(case, answer, self._usual()))

    # Right ------------------------------------------------------------------------------------------------------------

    def _right(self) -> SearchVerdict | None:
        """Return the verdict about a search that equals a built-in one on all small trees."""
        found = [
            (name, how)
            for name, how in right_variants(self.rule, self.prunes)
            if next(self.trees.differing(how), None) is None
        ]
        if not found:
            return None
        graphs = [] if self.own.agent else [Case(graph, graph.height) for graph in few_transpositions()]
        evidence = SearchEvidence(self.own, [*graphs, self.target], [*self.own.search(graphs), self.answer])
        evidence.calls_itself = self.trees.calls_itself
        for name, how in found:
            if next(evidence.differing(how), None) is None:
                return self._make(True, name, (), None, how)
        name, how = found[0]
        wrong = [pair for pair in evidence.pairs if not evidence.value_is_right(*pair)]
        if not wrong:
            self.notes.append("it remembers nodes that it has searched")
            return dataclasses.replace(self._make(True, name, (), None, how), remembers=True)
        self.trees.pairs += evidence.pairs
        return self._copies(wrong, name, how)

    def _copies(self, wrong: Sequence[tuple[Case, OwnAnswer]], name: str, how: Variant) -> SearchVerdict | None:
        """Return the verdict about a search that is right if each list of children is a new one."""
        if not any(answer.changed for _, answer in wrong):
            return None
        cases = [case for case, _ in wrong]
        again = SearchEvidence(self.own, cases, self.own.search(cases, copies=True))
        if not all(again.value_is_right(*pair) for pair in again.pairs):
            return None
        words = "it changes the list that children(node) returns, not a copy: a node reached again has other children"
        return self._make(False, name, (SearchFault("state-not-copied", words),), self._example(*wrong[0], how), how)

    def _own_order(self) -> SearchVerdict | None:
        """Return the verdict about a search with the right values that visits children in an order of its own, or nodes
        several times.
        """
        pairs = [*self.trees.pairs, (self.target, self.answer)]
        if self.own.agent or not all(self.trees.value_is_right(*pair) for pair in pairs):
            return None
        if any(_repeats(case.graph, answer) for case, answer in self.trees.pairs):
            self.notes.append("it searches nodes several times")
            return self._make(True, None, (), None, order="own")
        for name, how in right_variants(self.rule, self.prunes):
            if how.memory or how.reverse:
                continue  # the search's own order takes the place of both
            if all(_follows(case, answer, how) for case, answer in self.trees.pairs):
                return self._make(True, name, (), None, how, order="own")
        return None

    # Wrong ------------------------------------------------------------------------------------------------------------

    def _wrong(self) -> SearchVerdict:
        """Return the verdict about a search that is wrong somewhere."""
        pairs = [*self.trees.pairs, (self.target, self.answer)]
        wrong = [pair for pair in pairs if not self.trees.value_is_right(*pair)]
        usual = self._usual()
        different = wrong or [*self.trees.differing(usual)]
        first = [*different[:: max(1, len(different) // FEW)], *self.trees.pairs[:FEW]]
        for faults, name, right, how in self._wrong_variants():
            if all(self.trees.agrees(*pair, how) for pair in (*first, *self.trees.pairs)):
                self.found = faults
                return self._make(False, name, faults, self._smallest(right), right)
        if wrong and not self.own.agent:
            for faults, name, right, how in self._wrong_variants(most=1):
                if all(self._same_value(*pair, how) for pair in (*first, *self.trees.pairs)):
                    self.found = faults
                    self.notes.append("the nodes that it visits are not explained by that alone")
                    return self._make(False, name, faults, self._smallest(right), right)
        if len(wrong) == 1 and wrong[0][0] is self.target:
            pair = self._position()
        else:
            pair = (wrong or different or [(self.target, self.answer)])[0]
        return self._make(False, self._meant(), (_difference(*pair, usual),), self._example(*pair, usual))

    def _wrong_variants(self, most: int = 2) -> Iterator[tuple[tuple[SearchFault, ...], str, Variant, Variant]]:
        """Yield searches whose best value begins with the number that this one returned for too small or too great a
        value, then the others with up to ``most`` faults.
        """
        begins = [-math.inf, math.inf]
        for (graph, _), answer in self.trees.pairs:
            if len(graph.names) == 2 and answer.value is not None:
                first = graph.maximizing[0]
                if answer.value > graph.values[1] if first else answer.value < graph.values[1]:
                    begins[not first] = answer.value
        if any(each and math.isfinite(each) for each in begins):
            fault = finite_start(*begins)
            for name, right in right_variants(self.rule, self.prunes):
                if not right.memory:
                    yield (fault,), name, right, fault.of(right)
        yield from wrong_variants(self.rule, self.prunes, most)

    @staticmethod
    def _same_value(case: Case, answer: OwnAnswer, how: Variant) -> bool:
        trace = trace_of(case, how)
        return trace is not None and same_value(answer.value, trace.value)

    def _usual(self) -> Variant:
        """The right search that this one is to be."""
        return next(how for name, how in right_variants(self.rule, self.prunes is True) if not how.memory)

    def _meant(self) -> str:
        return "alphabeta" if self.prunes else "minimax"

    def _smallest(self, right: Variant) -> Example | None:
        """The smallest case in which the search differs from the right one, in its value if there is such a case."""
        pairs = [pair for pair in self.trees.pairs if not self.trees.value_is_right(*pair)]
        pair = next(iter(pairs), None) or next(self.trees.differing(right), None)
        return None if pair is None else self._example(*pair, right)

    def _position(self) -> tuple[Case, OwnAnswer]:
        """The smallest position found below the target for which the value is wrong."""
        graph, depth = self.target
        by_height: dict[int, list[int]] = {}
        for node in sorted(range(1, len(graph.names)), key=lambda node: -graph.levels[node]):
            if graph.children[node]:
                by_height.setdefault(graph.levels[node], []).append(node)
        for level, nodes in by_height.items():
            cases = [Case(graph.below(node), depth - level) for node in nodes[:POSITIONS] if depth > level]
            found = SearchEvidence(self.own, cases, self.own.search(cases))
            for pair in found.pairs:
                if not found.value_is_right(*pair):
                    return pair
        return self.target, self.answer

    # What is told -----------------------------------------------------------------------------------------------------

    def _of_moves(self, verdict: SearchVerdict) -> SearchVerdict:
        """Look at the chosen moves of a search whose values are right."""
        pairs = [*self.trees.pairs, (self.target, self.answer)]
        chosen = [(case, answer) for case, answer in pairs if answer.move is not None]
        if not verdict.right or not chosen:
            return verdict
        wrong = next(((case, answer) for case, answer in chosen if not move_is_best(case, answer.move)), None)
        right = self._usual()
        if wrong is None:
            later = any((t := trace_of(case, right)) and t.move != answer.move for case, answer in chosen[:200])
            said = ["of equal moves it does not take the first"] * (later and verdict.order == "natural")
            return dataclasses.replace(verdict, notes=(*verdict.notes, *said))
        trace = trace_of(wrong[0], right)
        bound = trace is not None and wrong[1].move == trace.last
        words = (
            "it chooses the last of moves with equal values, but after a cut a value is only a bound"
            if bound
            else "the chosen move is not one of the best"
        )
        fault = SearchFault("move-of-bound" if bound else "move-not-best", words)
        return dataclasses.replace(verdict, right=False, faults=(fault,), example=self._example(*wrong, right))

    def _make(
        self,
        right: bool,
        equals: str | None,
        faults: tuple[SearchFault, ...],
        example: Example | None,
        how: Variant | None = None,
        order: str | None = None,
    ) -> SearchVerdict:
        if not self.trees.calls_itself:
            self.notes.append("it does not call itself, so only the leaves that it evaluates are compared")
        if "color" in self.own.roles:
            words = "evaluate() is the first player's value and is not multiplied by color"
            faults = tuple(dataclasses.replace(f, words=words) if f.name == "value-of-mover" else f for f in faults)
        return SearchVerdict(
            self.own.name, self.own.signature, self.own.agent, self._rule_of(how), right, equals,
            order or ("reverse" if how is not None and how.reverse else "natural"),
            faults, example, tuple(self.notes), self._values_right(), len(self.trees.pairs), self.target, self.answer,
        )  # fmt: skip

    def _values_right(self) -> bool:
        return all(self.trees.value_is_right(*pair) for pair in (*self.trees.pairs, (self.target, self.answer)))

    def _rule_of(self, how: Variant | None) -> str | None:
        return self.rule if how is None else next((rule for rule, cut in CUT_OF_RULE.items() if cut == how.cut), None)

    def _example(self, case: Case, answer: OwnAnswer, right: Variant) -> Example:
        graph, trace = case.graph, trace_of(case, right)
        nodes: Sequence[int] = () if trace is None else trace.made if self.own.agent else trace.nodes
        expected = {} if trace is None else told(graph, None if self.own.agent else trace.value, trace.move, nodes)
        if answer.move is None:
            expected.pop("move", None)
        inner = [node for node, children in enumerate(graph.children) if node and children]
        stops = bool(graph.text) and (case.depth < graph.height or any(f.name.startswith("depth") for f in self.found))
        estimates = {graph.names[node]: graph.values[node] for node in inner} if stops else {}
        own = {"error": answer.error}
        if answer.error is None:
            own = told(graph, answer.value, answer.move, answer.made if self.own.agent else answer.nodes)
        return Example(graph.text or graph.names[0], case.depth, own, expected, estimates)


def told(graph: SearchGraph, value: float | None, move: int | None, nodes: Sequence[int]) -> dict[str, Any]:
    """Return what a search did, by the names of nodes."""
    visited = [graph.names[node] for node in nodes[:MOST_SHOWN]]
    chosen = {} if move is None else {"move": graph.names[move]}
    return {"value": value, **chosen, "visits": len(nodes), "visited": visited}


def _repeats(graph: SearchGraph, answer: OwnAnswer) -> bool:
    """Whether a node of a tree was visited twice."""
    return len({*answer.nodes}) < len(answer.nodes)


def _follows(case: Case, answer: OwnAnswer, how: Variant) -> bool:
    """Whether a variant that takes children in the order of a search visits the same nodes."""
    below: dict[int, list[int]] = {}
    for node, parent in zip(answer.nodes, answer.parents, strict=True):
        if parent >= 0:
            below.setdefault(answer.nodes[parent], []).append(node)

    def order(path: tuple[int, ...]) -> list[int]:
        seen = below.get(path[-1], [])
        return [*seen, *(child for child in case.graph.children[path[-1]] if child not in seen)]

    try:
        trace = run_variant(case.graph, case.depth, how, order, answer.nodes)
    except OtherVisitError:
        return False
    return len(trace.visits) == len(answer.nodes)


def _difference(case: Case, answer: OwnAnswer, right: Variant) -> SearchFault:
    """Describe the first difference of a search from the right one."""
    graph, trace = case.graph, trace_of(case, right)
    assert trace is not None
    if answer.move is not None and answer.value is None and answer.move != trace.move:
        chosen, best = graph.names[answer.move], graph.names[trace.move or 0]
        return SearchFault("move-differs", f"it chooses {chosen}, where the best move is {best}")
    if answer.value is not None and not same_value(answer.value, trace.value):
        return SearchFault("value-differs", f"its value is {signed(answer.value)}, not {signed(trace.value or 0)}")
    own = answer.made if answer.value is None else answer.nodes
    expected = trace.made if answer.value is None else trace.nodes
    more = [graph.names[n] for n in own if n not in {*expected}]
    less = [graph.names[n] for n in expected if n not in {*own}]
    if more:
        return SearchFault("visits-more", f"it visits {listed(more[:5], 'and')}, which can be left out")
    if less:
        return SearchFault("visits-less", f"it does not visit {listed(less[:5], 'and')}")
    return SearchFault("order-differs", "it visits the nodes in an order that no built-in search has")
