"""Minimax over a list of lists, as courses begin."""

import math


def max_value(node, alpha, beta):
    if isinstance(node, int):
        return node
    value = -math.inf
    for child in node:
        value = max(value, min_value(child, alpha, beta))
        if value >= beta:
            return value
        alpha = max(alpha, value)
    return value


def min_value(node, alpha, beta):
    if isinstance(node, int):
        return node
    value = math.inf
    for child in node:
        value = min(value, max_value(child, alpha, beta))
        if value <= alpha:
            return value
        beta = min(beta, value)
    return value
