"""Searches as people write them, all of them right."""

import functools
import math

from game import Agent, Directions  # noqa: F401 - as in Berkeley's files

inf = float("inf")


def textbook(graph, node, depth, alpha, beta, maximizing):
    if depth == 0 or graph.is_terminal(node):
        return graph.evaluate(node)
    if maximizing:
        value = -math.inf
        for child in graph.children(node):
            value = max(value, textbook(graph, child, depth - 1, alpha, beta, False))
            alpha = max(alpha, value)
            if beta <= alpha:
                break
        return value
    value = math.inf
    for child in graph.children(node):
        value = min(value, textbook(graph, child, depth - 1, alpha, beta, True))
        beta = min(beta, value)
        if beta <= alpha:
            break
    return value


def plain_minimax(graph, node, depth, maximizingPlayer):
    if depth == 0 or graph.is_terminal(node):
        return graph.evaluate(node)
    pick = max if maximizingPlayer else min
    return pick(plain_minimax(graph, child, depth - 1, not maximizingPlayer) for child in graph.children(node))


def fail_hard(tree, n, a=-inf, b=inf):
    if tree.is_terminal(n):
        return tree.evaluate(n)
    for child in tree.children(n):
        score = fail_hard(tree, child, a, b)
        if tree.is_max(n):
            a = max(a, score)
        else:
            b = min(b, score)
        if a >= b:
            break
    return a if tree.is_max(n) else b


def alpha_beta_search(graph, state, depth):
    """As in Russell and Norvig, with functions inside."""

    def max_value(state, alpha, beta, depth):
        if depth == 0 or graph.is_terminal(state):
            return graph.evaluate(state), None
        v, move = -inf, None
        for child in graph.children(state):
            v2, _ = min_value(child, alpha, beta, depth - 1)
            if v2 > v:
                v, move = v2, child
                alpha = max(alpha, v)
            if v >= beta:
                return v, move
        return v, move

    def min_value(state, alpha, beta, depth):
        if depth == 0 or graph.is_terminal(state):
            return graph.evaluate(state), None
        v, move = inf, None
        for child in graph.children(state):
            v2, _ = max_value(child, alpha, beta, depth - 1)
            if v2 < v:
                v, move = v2, child
                beta = min(beta, v)
            if v <= alpha:
                return v, move
        return v, move

    return (max_value if graph.is_max(state) else min_value)(state, -inf, inf, depth)


def negamax(graph, node, depth, alpha, beta, color):
    if depth == 0 or graph.is_terminal(node):
        return color * graph.evaluate(node)
    value = -inf
    for child in graph.children(node):
        value = max(value, -negamax(graph, child, depth - 1, -beta, -alpha, -color))
        alpha = max(alpha, value)
        if alpha >= beta:
            break
    return value


def leaves_at_their_parent(graph, node, maximizing):
    """Which never calls itself with a leaf."""
    best = None
    for child in graph.children(node):
        if graph.is_terminal(child):
            value = graph.evaluate(child)
        else:
            value = leaves_at_their_parent(graph, child, not maximizing)
        if best is None or (value > best if maximizing else value < best):
            best = value
    return best


def from_the_last(graph, node, depth, alpha, beta, maximizing):
    if depth == 0 or graph.is_terminal(node):
        return graph.evaluate(node)
    best = -inf if maximizing else inf
    for child in reversed(graph.children(node)):
        value = from_the_last(graph, child, depth - 1, alpha, beta, not maximizing)
        if maximizing:
            best = max(best, value)
            alpha = max(alpha, best)
        else:
            best = min(best, value)
            beta = min(beta, best)
        if alpha >= beta:
            break
    return best


def with_a_memory(graph, node):
    known = {}

    def value_of(node):
        if node not in known:
            if graph.is_terminal(node):
                known[node] = graph.evaluate(node)
            else:
                below = [value_of(child) for child in graph.children(node)]
                known[node] = max(below) if graph.is_max(node) else min(below)
        return known[node]

    return value_of(node)


def cached(graph, node, depth, is_max):
    @functools.cache
    def search(node, depth, is_max):
        if depth == 0 or graph.is_terminal(node):
            return graph.evaluate(node)
        values = [search(child, depth - 1, not is_max) for child in graph.children(node)]
        return max(values) if is_max else min(values)

    return search(node, depth, is_max)


def with_a_stack(graph, root):
    """Which does not call itself."""
    stack = [[root, iter(graph.children(root)), None]]
    result = None
    while stack:
        node, left, best = stack[-1]
        child = next(left, None)
        if child is None:
            stack.pop()
            if not stack:
                result = best
                break
            value = best
        elif graph.is_terminal(child):
            value = graph.evaluate(child)
        else:
            stack.append([child, iter(graph.children(child)), None])
            continue
        top = stack[-1]
        pick = max if graph.is_max(top[0]) else min
        top[2] = value if top[2] is None else pick(top[2], value)
    return result


def sorted_first(graph, node, depth, alpha, beta, maximizing):
    """Which searches first what looks best."""
    if depth == 0 or graph.is_terminal(node):
        return graph.evaluate(node)
    best = -inf if maximizing else inf
    for child in sorted(graph.children(node), key=graph.evaluate, reverse=maximizing):
        value = sorted_first(graph, child, depth - 1, alpha, beta, not maximizing)
        if maximizing:
            best, alpha = max(best, value), max(alpha, value)
        else:
            best, beta = min(best, value), min(beta, value)
        if alpha >= beta:
            break
    return best


def chooses(graph, node, depth, alpha, beta, maximizing):
    """Which prints, and returns a pair with the child in front."""
    print("searching", node)
    if depth == 0 or graph.is_terminal(node):
        return None, graph.evaluate(node)
    choice, best = None, -inf if maximizing else inf
    for child in graph.children(node):
        _, value = chooses(graph, child, depth - 1, alpha, beta, not maximizing)
        if (value > best) if maximizing else (value < best):
            choice, best = child, value
        if maximizing:
            alpha = max(alpha, best)
        else:
            beta = min(beta, best)
        if alpha >= beta:
            break
    return choice, best


def iterative_deepening(graph, node, depth):
    value = graph.evaluate(node)
    for limit in range(1, depth + 1):
        value = textbook(graph, node, limit, -inf, inf, graph.is_max(node))
    return value


def never_at_equality(graph, node, depth, alpha, beta, maximizing):
    """Which is right by Berkeley's rule only."""
    if depth == 0 or graph.is_terminal(node):
        return graph.evaluate(node)
    v = -inf if maximizing else inf
    for child in graph.children(node):
        w = never_at_equality(graph, child, depth - 1, alpha, beta, not maximizing)
        if maximizing:
            v = max(v, w)
            if v > beta:
                return v
            alpha = max(alpha, v)
        else:
            v = min(v, w)
            if v < alpha:
                return v
            beta = min(beta, v)
    return v


class MultiAgentSearchAgent(Agent):
    def __init__(self, evalFn="scoreEvaluationFunction", depth="2"):
        self.index = 0
        self.depth = int(depth)

    def evaluationFunction(self, state):
        return state.getScore()


class MinimaxAgent(MultiAgentSearchAgent):
    def getAction(self, gameState):
        return self.value(gameState, 0, 0)[1]

    def value(self, state, agent, depth):
        if agent == state.getNumAgents():
            agent, depth = 0, depth + 1
        if depth == self.depth or state.isWin() or state.isLose():
            return self.evaluationFunction(state), None
        found = []
        for action in state.getLegalActions(agent):
            found.append((self.value(state.generateSuccessor(agent, action), agent + 1, depth)[0], action))
        pick = max if agent == 0 else min
        return pick(found, key=lambda pair: pair[0])


class AlphaBetaAgent(MultiAgentSearchAgent):
    def getAction(self, gameState):
        best, choice, alpha = -inf, None, -inf
        for action in gameState.getLegalActions(0):
            value = self.min_value(gameState.generateSuccessor(0, action), 1, self.depth, alpha, inf)
            if value > best:
                best, choice = value, action
            alpha = max(alpha, best)
        return choice

    def over(self, state, depth):
        return depth == 0 or state.isWin() or state.isLose()

    def max_value(self, state, depth, alpha, beta):
        if self.over(state, depth):
            return self.evaluationFunction(state)
        v = -inf
        for action in state.getLegalActions(0):
            v = max(v, self.min_value(state.generateSuccessor(0, action), 1, depth, alpha, beta))
            if v > beta:
                return v
            alpha = max(alpha, v)
        return v

    def min_value(self, state, agent, depth, alpha, beta):
        if self.over(state, depth):
            return self.evaluationFunction(state)
        v = inf
        for action in state.getLegalActions(agent):
            after = state.generateSuccessor(agent, action)
            if agent == state.getNumAgents() - 1:
                v = min(v, self.max_value(after, depth - 1, alpha, beta))
            else:
                v = min(v, self.min_value(after, agent + 1, depth, alpha, beta))
            if v < alpha:
                return v
            beta = min(beta, v)
        return v
