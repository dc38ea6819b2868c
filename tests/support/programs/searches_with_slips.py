"""Searches that do not do what they are to do."""

tree = [[3, 12, 8], [2, 4, 6]]


def always_max(node):
    """Which forgets whose turn it is."""
    return node if isinstance(node, int) else max(always_max(child) for child in node)


def forgets_to_return(node):
    if isinstance(node, int):
        return node
    max(forgets_to_return(child) for child in node)


def never_ends(node, depth):
    while depth:
        depth = depth + 1


def calls_itself(node):
    return calls_itself(node)


def divides(node):
    return sum(node) / 0 if isinstance(node[0], int) else divides(node[0])


def asks(node):
    return input("depth? ")


def leaves(node):
    raise SystemExit(3)


def wants_more(node, colour_of_the_sky):
    return node
