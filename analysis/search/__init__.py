"""The pruning laboratory: searches of games and explicit trees, and how many nodes each visits.

>>> from analysis.search import alphabeta
>>> alphabeta("tictactoe").nodes
18297
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

_HOMES = {
    "minimax": "analysis.search.api",
    "alphabeta": "analysis.search.api",
    "SearchResult": "analysis.search.api",
    "Visit": "analysis.search.visits",
    "Laboratory": "analysis.search.laboratory",
    "Settings": "analysis.search.options",
    "read_tree": "analysis.search.tree_files",
    "parse_tree": "analysis.search.tree_files",
}

if TYPE_CHECKING:
    from analysis.search.api import SearchResult, alphabeta, minimax
    from analysis.search.laboratory import Laboratory
    from analysis.search.options import Settings
    from analysis.search.tree_files import parse_tree, read_tree
    from analysis.search.visits import Visit

__all__ = [
    "Laboratory",
    "SearchResult",
    "Settings",
    "Visit",
    "alphabeta",
    "minimax",
    "parse_tree",
    "read_tree",
]


def __getattr__(name: str) -> Any:
    """Import what is asked for, when it is."""
    if name not in _HOMES:
        raise AttributeError(f"module 'analysis.search' has no attribute {name!r}")
    import importlib

    value = getattr(importlib.import_module(_HOMES[name]), name)
    globals()[name] = value
    return value
