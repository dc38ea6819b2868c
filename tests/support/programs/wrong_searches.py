"""Searches with one fault each, as people make them; the name of the fault is in the line above each. More are in
`tests/support/faulty_searches.py`.
"""

import math

from game import Agent

inf = math.inf


# no-minus
def forgets_the_minus(graph, node, depth, alpha, beta, color):
    if depth == 0 or graph.is_terminal(node):
        return color * graph.evaluate(node)
    best = -inf
    for child in graph.children(node):
        best = max(best, forgets_the_minus(graph, child, depth - 1, -beta, -alpha, -color))
    return best


# value-of-mover
def forgets_the_color(graph, node, depth, alpha, beta, color):
    if depth == 0 or graph.is_terminal(node):
        return graph.evaluate(node)
    best = -inf
    for child in graph.children(node):
        best = max(best, -forgets_the_color(graph, child, depth - 1, -beta, -alpha, -color))
        alpha = max(alpha, best)
        if alpha >= beta:
            break
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
