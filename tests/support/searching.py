"""Searches that may visit few nodes."""

import functools

import pytest

from analysis.search.comparison import SearchRequest


def limit_nodes(monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    """Let commands visit so many nodes with each search."""
    limited = functools.partialmethod(SearchRequest.__init__, max_nodes=most)
    monkeypatch.setattr(SearchRequest, "__init__", limited)
