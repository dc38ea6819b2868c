"""Searches that are given a graph."""

import functools
import math


def minimax(graph, node, depth, maximizing):
    if depth == 0 or graph.is_terminal(node):
        return graph.evaluate(node)
    best = max if maximizing else min
    return best(minimax(graph, child, depth - 1, not maximizing) for child in graph.children(node))


def alphabeta(graph, node, depth, alpha=-math.inf, beta=math.inf, maximizingPlayer=True):
    """Which returns the child, too."""
    if depth == 0 or graph.is_terminal(node):
        return graph.evaluate(node), None
    best = None
    for child in graph.neighbors(node):
        value, _ = alphabeta(graph, child, depth - 1, alpha, beta, not maximizingPlayer)
        if best is None or (value > best[0] if maximizingPlayer else value < best[0]):
            best = value, child
        if maximizingPlayer:
            alpha = max(alpha, value)
        else:
            beta = min(beta, value)
        if alpha >= beta:
            break
    return best


def negamax(graph, node, depth, color):
    if graph.is_terminal(node):
        return color * graph.evaluate(node)
    return max(-negamax(graph, child, depth - 1, -color) for child in graph.children(node))


@functools.cache
def cached(graph, node):
    if graph.is_terminal(node):
        return graph.evaluate(node)
    return (max if graph.is_max(node) else min)(cached(graph, child) for child in graph.children(node))


def alpha_beta_search(graph, state):
    """As in Russell and Norvig: the choice, by functions inside."""

    def max_value(state, alpha, beta):
        if graph.is_terminal(state):
            return graph.evaluate(state), None
        v, move = -math.inf, None
        for child in graph.children(state):
            v2, _ = min_value(child, alpha, beta)
            if v2 > v:
                v, move = v2, child
                alpha = max(alpha, v)
            if v >= beta:
                return v, move
        return v, move

    def min_value(state, alpha, beta):
        if graph.is_terminal(state):
            return graph.evaluate(state), None
        v, move = math.inf, None
        for child in graph.children(state):
            v2, _ = max_value(child, alpha, beta)
            if v2 < v:
                v, move = v2, child
                beta = min(beta, v)
            if v <= alpha:
                return v, move
        return v, move

    return max_value(state, -math.inf, math.inf)[1]
