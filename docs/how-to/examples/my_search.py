"""Alpha-beta as a student may hand it in, with one mistake."""


def my_alphabeta(graph, node, depth, alpha, beta, maximizing):
    if depth == 0 or graph.is_terminal(node):
        return graph.evaluate(node)
    best = float("-inf") if maximizing else 0
    for child in graph.children(node):
        value = my_alphabeta(graph, child, depth - 1, alpha, beta, not maximizing)
        if maximizing:
            best = max(best, value)
            alpha = max(alpha, best)
        else:
            best = min(best, value)
            beta = min(beta, best)
        if alpha >= beta:
            break
    return best
