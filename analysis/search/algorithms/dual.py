"""DUAL*: SSS* with the roles of the players exchanged.

Marsland, Reinefeld, Schaeffer: "Low overhead alternatives to SSS*", Artificial Intelligence 31 (1987).
"""

from __future__ import annotations

from analysis.search.algorithms.sss import best_first
from analysis.search.workspace import Workspace


def run(workspace: Workspace) -> int:
    """The value of the root."""
    return best_first(workspace.expand, workspace.address, workspace.root, -1)
