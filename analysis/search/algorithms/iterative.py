"""Iterative deepening: alpha-beta with a table to depth 1, 2, 3 ..., each time the last best move first.

Slate, Atkin: "Chess 4.5", 1977. Bounds hold for one depth; best moves are used at any.
"""

from __future__ import annotations

from analysis.search.algorithms.alphabeta_table import alphabeta_table
from analysis.search.workspace import Workspace


def run(workspace: Workspace) -> int:
    """The value of the root at the depth asked for, or where no leaf is short of the end."""
    value = 0
    for depth in range(min(1, workspace.plies), workspace.plies + 1):
        workspace.set_depth(depth)
        value = workspace.search_pass(alphabeta_table)
        if workspace.horizon == 0:
            break
    return value
