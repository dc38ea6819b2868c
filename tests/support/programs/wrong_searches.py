"""Searches with one fault each, as people make them; the name of the fault is in the line above each."""

import math

from game import Agent

inf = math.inf


# depth-early
def stops_early(graph, node, depth, maximizing):
    if depth <= 1 or graph.is_terminal(node):
        return graph.evaluate(node)
    values = [stops_early(graph, child, depth - 1, not maximizing) for child in graph.children(node)]
    return max(values) if maximizing else min(values)


# depth-late
def stops_late(graph, node, depth, alpha, beta, maximizing):
    if depth < 0 or graph.is_terminal(node):
        return graph.evaluate(node)
    best = -inf if maximizing else inf
    for child in graph.children(node):
        value = stops_late(graph, child, depth - 1, alpha, beta, not maximizing)
        if maximizing:
            best = max(best, value)
            alpha = max(alpha, best)
        else:
            best = min(best, value)
            beta = min(beta, best)
        if alpha >= beta:
            break
    return best


# depth-of-max
def counts_rounds(graph, node, depth, maximizing):
    if depth == 0 or graph.is_terminal(node):
        return graph.evaluate(node)
    if maximizing:
        return max(counts_rounds(graph, child, depth - 1, False) for child in graph.children(node))
    return min(counts_rounds(graph, child, depth, True) for child in graph.children(node))


# always-max
def forgets_to_turn(graph, node, depth, maximizing):
    if depth == 0 or graph.is_terminal(node):
        return graph.evaluate(node)
    return max(forgets_to_turn(graph, child, depth - 1, True) for child in graph.children(node))


# goes-on-at-equal
def goes_on(graph, node, alpha=-inf, beta=inf):
    if graph.is_terminal(node):
        return graph.evaluate(node)
    best = None
    for child in graph.children(node):
        value = goes_on(graph, child, alpha, beta)
        if graph.is_max(node):
            best = value if best is None else max(best, value)
            alpha = max(alpha, best)
        else:
            best = value if best is None else min(best, value)
            beta = min(beta, best)
        if alpha > beta:
            break
    return best


# cuts-at-equal
def cuts_at_equal(graph, node, depth, alpha, beta, maximizing):
    if depth == 0 or graph.is_terminal(node):
        return graph.evaluate(node)
    v = -inf if maximizing else inf
    for child in graph.children(node):
        w = cuts_at_equal(graph, child, depth - 1, alpha, beta, not maximizing)
        if maximizing:
            v = max(v, w)
            if v >= beta:
                return v
            alpha = max(alpha, v)
        else:
            v = min(v, w)
            if v <= alpha:
                return v
            beta = min(beta, v)
    return v


# cut-never
def all_children_first(graph, node, depth, alpha, beta, maximizing):
    if depth == 0 or graph.is_terminal(node):
        return graph.evaluate(node)
    values = [all_children_first(graph, c, depth - 1, alpha, beta, not maximizing) for c in graph.children(node)]
    best = -inf if maximizing else inf
    for value in values:
        if maximizing:
            best = max(best, value)
            alpha = max(alpha, best)
        else:
            best = min(best, value)
            beta = min(beta, best)
        if alpha >= beta:
            break
    return best


# no-minus
def forgets_the_minus(graph, node, depth, alpha, beta, color):
    if depth == 0 or graph.is_terminal(node):
        return color * graph.evaluate(node)
    best = -inf
    for child in graph.children(node):
        best = max(best, forgets_the_minus(graph, child, depth - 1, -beta, -alpha, -color))
    return best


# sign-flipped
def negates_leaves(graph, node, depth, maximizing):
    if depth == 0 or graph.is_terminal(node):
        return -graph.evaluate(node)
    values = [negates_leaves(graph, child, depth - 1, not maximizing) for child in graph.children(node)]
    return max(values) if maximizing else min(values)


# value-of-mover
def leaves_of_the_mover(graph, node, depth, maximizing):
    if depth == 0 or graph.is_terminal(node):
        return graph.evaluate(node) if maximizing else -graph.evaluate(node)
    values = [leaves_of_the_mover(graph, child, depth - 1, not maximizing) for child in graph.children(node)]
    return max(values) if maximizing else min(values)


# start-zero-at-min
def begins_with_zero(graph, node, depth, maximizing):
    if depth == 0 or graph.is_terminal(node):
        return graph.evaluate(node)
    best = -inf if maximizing else 0
    for child in graph.children(node):
        value = begins_with_zero(graph, child, depth - 1, not maximizing)
        best = max(best, value) if maximizing else min(best, value)
    return best


# skips-last
def misses_one(graph, node, depth, maximizing):
    if depth == 0 or graph.is_terminal(node):
        return graph.evaluate(node)
    children, values = graph.children(node), []
    for i in range(max(1, len(children) - 1)):
        values.append(misses_one(graph, children[i], depth - 1, not maximizing))
    return max(values) if maximizing else min(values)


# last-value
def returns_the_last(graph, node, depth, maximizing):
    if depth == 0 or graph.is_terminal(node):
        return graph.evaluate(node)
    for child in graph.children(node):
        value = returns_the_last(graph, child, depth - 1, not maximizing)
    return value


# only-first
def returns_in_the_loop(graph, node, depth, maximizing):
    if depth == 0 or graph.is_terminal(node):
        return graph.evaluate(node)
    best = -inf if maximizing else inf
    for child in graph.children(node):
        value = returns_in_the_loop(graph, child, depth - 1, not maximizing)
        best = max(best, value) if maximizing else min(best, value)
        return best


# beta-not-lowered
def forgets_beta(graph, node, depth, alpha, beta, maximizing):
    if depth == 0 or graph.is_terminal(node):
        return graph.evaluate(node)
    best = -inf if maximizing else inf
    for child in graph.children(node):
        value = forgets_beta(graph, child, depth - 1, alpha, beta, not maximizing)
        if maximizing:
            best = max(best, value)
            if best >= beta:
                break
            alpha = max(alpha, best)
        else:
            best = min(best, value)
            if best <= alpha:
                break
    return best


# cut-at-max-only
def cuts_at_max(graph, node, depth, alpha, beta, maximizing):
    if depth == 0 or graph.is_terminal(node):
        return graph.evaluate(node)
    best = -inf if maximizing else inf
    for child in graph.children(node):
        value = cuts_at_max(graph, child, depth - 1, alpha, beta, not maximizing)
        if maximizing:
            best = max(best, value)
            alpha = max(alpha, best)
            if alpha >= beta:
                break
        else:
            best = min(best, value)
            beta = min(beta, best)
    return best


# cut-wrong-way
def cuts_the_wrong_way(graph, node, depth, alpha, beta, maximizing):
    if depth == 0 or graph.is_terminal(node):
        return graph.evaluate(node)
    best = -inf if maximizing else inf
    for child in graph.children(node):
        value = cuts_the_wrong_way(graph, child, depth - 1, alpha, beta, not maximizing)
        if maximizing:
            best = max(best, value)
            alpha = max(alpha, best)
        else:
            best = min(best, value)
            beta = min(beta, best)
        if alpha <= beta:
            break
    return best


# bounds-remembered
def remembers_bounds(graph, node, depth, alpha, beta, maximizing, known=None):
    known = {} if known is None else known
    if node in known:
        return known[node]
    if depth == 0 or graph.is_terminal(node):
        return graph.evaluate(node)
    best = -inf if maximizing else inf
    for child in graph.children(node):
        value = remembers_bounds(graph, child, depth - 1, alpha, beta, not maximizing, known)
        if maximizing:
            best = max(best, value)
            alpha = max(alpha, best)
        else:
            best = min(best, value)
            beta = min(beta, best)
        if alpha >= beta:
            break
    known[node] = best
    return best


# state-not-copied
def takes_children_away(graph, node, depth, maximizing):
    if depth == 0 or graph.is_terminal(node):
        return graph.evaluate(node)
    children = graph.children(node)
    best = -inf if maximizing else inf
    while children:
        value = takes_children_away(graph, children.pop(0), depth - 1, not maximizing)
        best = max(best, value) if maximizing else min(best, value)
    return best


# move-of-bound
def takes_the_last_of_equals(graph, node, depth, alpha, beta, maximizing):
    if depth == 0 or graph.is_terminal(node):
        return graph.evaluate(node), None
    best, choice = (-inf if maximizing else inf), None
    for child in graph.children(node):
        value, _ = takes_the_last_of_equals(graph, child, depth - 1, alpha, beta, not maximizing)
        if (value >= best) if maximizing else (value <= best):
            best, choice = value, child
        if maximizing:
            alpha = max(alpha, best)
        else:
            beta = min(beta, best)
        if alpha >= beta:
            break
    return best, choice


# wrong-type
def returns_nothing(graph, node, depth, maximizing):
    if depth == 0 or graph.is_terminal(node):
        return graph.evaluate(node)
    values = [returns_nothing(graph, child, depth - 1, not maximizing) for child in graph.children(node)]
    best = max(values) if maximizing else min(values)


# endless
def never_returns(graph, node, depth, maximizing):
    while not graph.is_terminal(node):
        print(node)
    return graph.evaluate(node)


# endless
def calls_itself_without_end(graph, node, depth, maximizing):
    return max(calls_itself_without_end(graph, node, depth - 1, maximizing) for _ in graph.children(node))


# error
def divides_by_zero(graph, node, depth, maximizing):
    if graph.is_terminal(node):
        return graph.evaluate(node)
    return sum(divides_by_zero(graph, child, depth - 1, maximizing) for child in graph.children(node)) / 0


class SearchAgent(Agent):
    def __init__(self, depth="2"):
        self.depth = int(depth)
        self.evaluationFunction = lambda state: state.getScore()

    def getAction(self, gameState):
        pairs = []
        for action in gameState.getLegalActions(0):
            pairs.append((self.value(gameState.generateSuccessor(0, action), 1, self.depth), action))
        return max(pairs, key=lambda pair: pair[0])[1]

    def over(self, state, depth):
        return depth == 0 or state.isWin() or state.isLose()


# makes-all-first
class AlphaBetaMakesAllFirst(SearchAgent):
    def getAction(self, gameState):
        return self.value(gameState, 0, self.depth, -inf, inf)[1]

    def value(self, state, agent, depth, alpha, beta):
        if self.over(state, depth):
            return self.evaluationFunction(state), None
        actions = state.getLegalActions(agent)
        after = [state.generateSuccessor(agent, action) for action in actions]
        best, choice = (-inf if agent == 0 else inf), None
        for action, child in zip(actions, after):
            v, _ = self.value(child, 1 - agent, depth - agent, alpha, beta)
            if v > best if agent == 0 else v < best:
                best, choice = v, action
            if agent == 0:
                alpha = max(alpha, best)
            else:
                beta = min(beta, best)
            if alpha > beta:
                break
        return best, choice


# state-not-copied
class ReplacesItsState(SearchAgent):
    def value(self, state, agent, depth):
        if self.over(state, depth):
            return self.evaluationFunction(state)
        values = []
        for action in state.getLegalActions(agent):
            state = state.generateSuccessor(agent, action)
            values.append(self.value(state, 1 - agent, depth - agent))
        return max(values) if agent == 0 else min(values)


# always-max
class GhostsHelp(SearchAgent):
    def value(self, state, agent, depth):
        if self.over(state, depth):
            return self.evaluationFunction(state)
        after = (state.generateSuccessor(agent, action) for action in state.getLegalActions(agent))
        return max(self.value(each, 1 - agent, depth - agent) for each in after)


# wrong-agent
class OnlyPacmanMoves(SearchAgent):
    def value(self, state, agent, depth):
        if self.over(state, depth):
            return self.evaluationFunction(state)
        after = [state.generateSuccessor(0, action) for action in state.getLegalActions(0)]
        return max(self.value(each, 0, depth - 1) for each in after)


# ply-for-round
class CountsPlies(SearchAgent):
    def value(self, state, agent, depth):
        if self.over(state, depth):
            return self.evaluationFunction(state)
        after = (state.generateSuccessor(agent, action) for action in state.getLegalActions(agent))
        return (min if agent else max)(self.value(each, 1 - agent, depth - 1) for each in after)

    def getAction(self, gameState):
        return max(
            gameState.getLegalActions(0),
            key=lambda action: self.value(gameState.generateSuccessor(0, action), 1, self.depth - 1),
        )


# depth-two-early
class StopsARoundEarly(SearchAgent):
    def value(self, state, agent, depth):
        if (depth <= 1 and agent == 0) or state.isWin() or state.isLose():
            return self.evaluationFunction(state)
        values = [
            self.value(state.generateSuccessor(agent, action), 1 - agent, depth - agent)
            for action in state.getLegalActions(agent)
        ]
        return max(values) if agent == 0 else min(values)
