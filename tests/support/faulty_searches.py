"""Searches with one fault each: right ones, in each of which lines are changed as people get them wrong."""

import re

from tests.support.program import ROOT

MINIMAX = """
def NAME(graph, node, depth, maximizing):
    if depth == 0 or graph.is_terminal(node):
        return graph.evaluate(node)
    best = -inf if maximizing else inf
    for child in graph.children(node):
        value = NAME(graph, child, depth - 1, not maximizing)
        best = max(best, value) if maximizing else min(best, value)
    return best
"""
ALPHABETA = """
def NAME(graph, node, depth, alpha, beta, maximizing):
    if depth == 0 or graph.is_terminal(node):
        return graph.evaluate(node)
    best = -inf if maximizing else inf
    for child in graph.children(node):
        value = NAME(graph, child, depth - 1, alpha, beta, not maximizing)
        if maximizing:
            best = max(best, value)
            alpha = max(alpha, best)
        else:
            best = min(best, value)
            beta = min(beta, best)
        if alpha >= beta:
            break
    return best
"""
AGENT = """
class NAME(SearchAgent):
    def value(self, state, agent, depth):
        if self.over(state, depth):
            return self.evaluationFunction(state)
        values = []
        for action in state.getLegalActions(agent):
            after = state.generateSuccessor(agent, action)
            values.append(self.value(after, 1 - agent, depth - agent))
        return max(values) if agent == 0 else min(values)
"""
LEAF, LOOP, CHOICE = (
    "return graph.evaluate(node)",
    "for child in graph.children(node):",
    "max(values) if agent == 0 else min(values)",
)
CHANGED = {
    "stops_early": ("depth-early", MINIMAX, ("depth == 0", "depth <= 1")),
    "stops_late": ("depth-late", ALPHABETA, ("depth == 0", "depth < 0")),
    "counts_rounds": ("depth-of-max", MINIMAX, ("depth - 1", "depth - maximizing")),
    "forgets_to_turn": (
        "always-max", MINIMAX, ("not maximizing", "True"), ("-inf if maximizing else inf", "-inf"),
        (" if maximizing else min(best, value)", ""),
    ),
    "goes_on": ("goes-on-at-equal", ALPHABETA, ("alpha >= beta", "alpha > beta")),
    "cuts_at_equal": ("cuts-at-equal", ALPHABETA),
    "all_children_first": (
        "cut-never", ALPHABETA, (f"{LOOP}\n        value = ", "values = ["),
        ("not maximizing)", f"not maximizing) {LOOP[:-1]}]\n    for value in values:"),
    ),
    "negates_leaves": ("sign-flipped", MINIMAX, (LEAF, "return -graph.evaluate(node)")),
    "leaves_of_the_mover": ("value-of-mover", MINIMAX, (LEAF, f"{LEAF} if maximizing else -graph.evaluate(node)")),
    "begins_with_zero": ("start-zero-at-min", MINIMAX, ("else inf", "else 0")),
    "misses_one": ("skips-last", MINIMAX, (LOOP, f"{LOOP[:-1]}[: max(1, len(graph.children(node)) - 1)]:")),
    "returns_the_last": ("last-value", MINIMAX, ("return best", "return value")),
    "returns_in_the_loop": ("only-first", MINIMAX, ("    return best", "        return best")),
    "forgets_beta": (
        "beta-not-lowered", ALPHABETA, ("beta = min(beta, best)", "if best <= alpha:\n                break"),
    ),
    "cuts_at_max": ("cut-at-max-only", ALPHABETA, ("if alpha >= beta", "if maximizing and alpha >= beta")),
    "cuts_the_wrong_way": ("cut-wrong-way", ALPHABETA, ("alpha >= beta", "alpha <= beta")),
    "remembers_bounds": (
        "bounds-remembered", ALPHABETA,
        ("maximizing):\n", "maximizing, known=None):\n    known = {} if known is None else known\n"),
        ("    if depth", "    if node in known:\n        return known[node]\n    if depth"),
        ("not maximizing)", "not maximizing, known)"), ("return best", "known[node] = best\n    return best"),
    ),
    "takes_children_away": (
        "state-not-copied", MINIMAX, (LOOP, "children = graph.children(node)\n    while children:"),
        ("child,", "children.pop(0),"),
    ),
    "returns_nothing": ("wrong-type", MINIMAX, ("    return best", "")),
    "ReplacesItsState": ("state-not-copied", AGENT, ("after", "state")),
    "GhostsHelp": ("always-max", AGENT, (CHOICE, "max(values)")),
    "OnlyPacmanMoves": (
        "wrong-agent", AGENT, ("(agent", "(0"), ("1 - agent, depth - agent", "0, depth - 1"), (CHOICE, "max(values)"),
    ),
    "CountsPlies": ("ply-for-round", AGENT, ("depth - agent", "depth - 1"), ("(state, depth)", "(state, depth - 1)")),
    "StopsARoundEarly": ("depth-two-early", AGENT, ("if self", "if (depth <= 1 and agent == 0) or self")),
}  # fmt: skip
"""The name of each fault, the search, and what became what in it."""


def written(name: str) -> str:
    """The text of a search with a fault."""
    _, text, *changes = CHANGED[name]
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return text.replace("NAME", name)


BY_HAND = (ROOT / "tests" / "support" / "programs" / "wrong_searches.py").read_text()
WRONG = "\n".join([BY_HAND, *map(written, CHANGED)])
"""All of them in one file."""

FAULTS = {name: fault for fault, name in re.findall(r"^# ([\w-]+)\n(?:def|class) (\w+)", BY_HAND, re.MULTILINE)}
FAULTS |= {name: fault for name, (fault, *_) in CHANGED.items()}
