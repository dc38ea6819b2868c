"""MTD(f): null windows only, each where the last one pointed, and the table remembers the rest.

Plaat, Schaeffer, Pijls, de Bruin: "Best-first fixed-depth minimax algorithms", Artificial Intelligence 87 (1996).
Begun at +infinity it visits what SSS* visits, at -infinity what DUAL* does.
"""

from __future__ import annotations

from analysis.search.algorithms.alphabeta_table import alphabeta_table
from analysis.search.kernels.layout import INFINITY
from analysis.search.workspace import Workspace


def run(workspace: Workspace) -> int:
    """The value of the root, from the first guess."""
    value, low, high = workspace.guess, -INFINITY, INFINITY
    while low < high:
        beta = value + 1 if value == low else value
        value = workspace.search_pass(alphabeta_table, (beta - 1, beta))
        if value < beta:
            high = value
        else:
            low = value
    return value
