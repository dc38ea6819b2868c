"""A user's search at work: ``file.py:name``, run by `search_host` in a confined process."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from analysis.errors import OptionError, RulesError
from analysis.machine.confined import Closing, Host, MisbehaviourError, ProcessLimits, SilenceError
from analysis.machine.endings import cleanup
from analysis.search.own import search_host
from analysis.search.own.graph import SearchGraph

SECONDS = 30.0
"""Time of computing for one search unless another is given."""

START_SECONDS = 20.0
"""Time for a file to be loaded."""

LIMITS = ProcessLimits(memory=2 << 30, output=1 << 28)


class Case(NamedTuple):
    """A graph and the plies that it is searched to."""

    graph: SearchGraph
    depth: int


@dataclasses.dataclass(frozen=True)
class OwnAnswer:
    """What a search returned and did."""

    value: float | None = None
    """The first player's; None of an agent, which returns an action only."""
    move: int | None = None
    """The node that the chosen move leads to, if it says."""
    nodes: Sequence[int] = ()
    """The nodes in the order of their visits."""
    parents: Sequence[int] = ()
    """For each visit the number of the one that it is made from (-1: none)."""
    made: Sequence[int] = ()
    """The successors that an agent made, in order, each once."""
    changed: bool = False
    """Whether it changed a list that ``children(node)`` returned."""
    printed: int = 0
    """Lines that it printed."""
    seconds: float = 0.0
    error: str | None = None
    """What went wrong, in one line; then all else is empty."""
    fault: str = "error"
    """The name of what went wrong."""


class OwnSearch(Closing):
    """A search in a Python file, named as ``file.py:name``, or ``file.py`` if the file has just one. Use it in a
    ``with``, or call `close`. Raises `OptionError` where there is no such search, `RulesError` where the file fails.
    """

    def __init__(self, text: str, seconds: float = SECONDS, *, alone: bool = False) -> None:
        path, _, name = text.rpartition(":") if ".py:" in text else (text, "", "")
        file = Path(path).absolute()
        if not file.is_file():
            raise OptionError(f"own search {text}: there is no file {path}; write file.py:function or file.py:Class")
        self.file, self.seconds = file, seconds
        self._ends = contextlib.ExitStack()
        self._folder = Path(tempfile.mkdtemp(prefix="gametree-search-"))
        self._ends.enter_context(cleanup(lambda: shutil.rmtree(self._folder, ignore_errors=True)))
        readable = [file if alone else file.parent, self._folder]
        self._host = Host(search_host.__file__, (str(file), name), readable, seconds, LIMITS)
        try:
            told = self._begin()
        except BaseException:
            self.close()
            raise
        self.name: str = told["name"]
        self.agent: bool = told["agent"]
        """Whether it is a class with ``getAction``, which returns an action, not a value."""
        self.signature: str = told["signature"]
        self.roles: list[str] = told["roles"]
        """What its parameters are given."""
        self.tried: tuple[list[Case], list[OwnAnswer]] | None = None
        """Small trees, and its answers to them, kept for several comparisons."""

    def close(self) -> None:
        """End its process."""
        self._host.close()
        self._ends.close()

    def _begin(self) -> dict[str, Any]:
        """Start the process; return what it recognised."""
        try:
            told: dict[str, Any] = self._host.ask("", START_SECONDS)
        except MisbehaviourError as error:
            raise RulesError(f"own search {self.file.name}: {error}") from None
        if "error" in told:
            wrong = OptionError if told["fault"] == "search" else RulesError
            raise wrong(f"own search {self.file.name}: {told['error']}")
        return told

    def search(self, cases: Sequence[Case], *, copies: bool = False) -> list[OwnAnswer]:
        """Search some graphs one after the other, all within its time; where one goes wrong, later ones are left out
        after a few. With ``copies``, ``children(node)`` returns a new list each time.
        """
        asked = [graph.told(depth) | {"copies": copies} for graph, depth in cases]
        file = self._folder / "graphs.json"
        file.write_text(json.dumps(asked), encoding="utf-8")
        try:
            found = self._host.ask(str(file))
        except MisbehaviourError as error:
            found = {"error": str(error), "fault": "endless" if isinstance(error, SilenceError) else "error"}
        return [OwnAnswer(**each) for each in (found if isinstance(found, list) else [found])]
