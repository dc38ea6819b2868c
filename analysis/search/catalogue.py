"""The algorithms of the laboratory, by name, and what each may be asked."""

from __future__ import annotations

import dataclasses
import difflib
import importlib
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from analysis.errors import OptionError
from analysis.search.options import CUTTING, Order, Window

if TYPE_CHECKING:
    from analysis.search.workspace import Workspace


@dataclasses.dataclass(frozen=True)
class Algorithm:
    """What a search takes into account; what it does not, its row leaves at its usual setting."""

    name: str
    windows: bool = False
    """It can be given a window."""
    null_windows: bool = False
    """It can be asked for a bound only."""
    table: bool = False
    guess: bool = False
    pool: bool = False
    """It keeps nodes of the tree in memory."""
    cuts: bool = False
    """It cuts where alpha >= beta, so it can learn from cutoffs."""
    depth_first: bool = True
    usual: bool = True
    """It needs neither a depth nor a budget, and is one of the default set."""

    def load(self) -> Callable[[Workspace], int]:
        """Its ``run``; the first time it is compiled."""
        module = importlib.import_module(f"analysis.search.algorithms.{self.name}")
        run: Callable[[Workspace], int] = module.run
        return run


ALGORITHMS = {
    algorithm.name: algorithm
    for algorithm in (
        Algorithm("minimax"),
        Algorithm("minimax_memo", table=True),
        Algorithm("alphabeta", windows=True, null_windows=True, cuts=True),
        Algorithm("alphabeta_failhard", windows=True, null_windows=True, cuts=True),
        Algorithm("alphabeta_table", windows=True, null_windows=True, table=True, cuts=True),
        Algorithm("negascout", windows=True, null_windows=True, cuts=True),
        Algorithm("mtdf", table=True, guess=True, cuts=True),
        Algorithm("sss", pool=True, depth_first=False),
        Algorithm("dual", pool=True, depth_first=False),
        Algorithm("iterative", windows=True, null_windows=True, table=True, cuts=True, usual=False),
        Algorithm("pns", null_windows=True, pool=True, depth_first=False, usual=False),
        Algorithm("dfpn", null_windows=True, table=True, usual=False),
    )
}


@dataclasses.dataclass(frozen=True)
class Task:
    """One search to be done: by default minimax, and everything as usual."""

    algorithm: Algorithm = ALGORITHMS["minimax"]
    order: Order = dataclasses.field(default_factory=Order)
    window: Window = dataclasses.field(default_factory=Window)
    symmetry: str = "none"
    """Classes of positions that the table is keyed by: ``none``, ``geometric`` or ``full``."""

    def effective(self) -> Task:
        """What is left of it where what the algorithm does not take into account has its usual setting."""
        algorithm = self.algorithm
        keeps_window = algorithm.windows or (algorithm.null_windows and self.window.null)
        return Task(
            algorithm,
            self.order if algorithm.cuts or self.order.kind not in CUTTING else Order(),
            self.window if keeps_window else Window(),
            self.symmetry if algorithm.table else "none",
        )

    @property
    def title(self) -> str:
        """Its name in traces and pictures."""
        symmetry = f", symmetry {self.symmetry}" if self.symmetry != "none" else ""
        return f"{self.algorithm.name}, order {self.order.name}, window {self.window.name}{symmetry}"


def find_algorithms(names: Iterable[str] | None) -> list[Algorithm]:
    """The algorithms of these names, each once: by default the usual ones, ``all`` for all. Raises `OptionError`."""
    if names is None:
        return [algorithm for algorithm in ALGORITHMS.values() if algorithm.usual]
    found: dict[str, Algorithm] = {}
    for name in names:
        if name == "all":
            found |= ALGORITHMS
        elif name in ALGORITHMS:
            found[name] = ALGORITHMS[name]
        else:
            close = difflib.get_close_matches(name, list(ALGORITHMS), n=1)
            hint = f"did you mean {close[0]!r}?" if close else f"there are {', '.join(ALGORITHMS)}, and all"
            raise OptionError(f"algorithm {name!r} is unknown; {hint}")
    if not found:
        raise OptionError(f"no algorithm is named; there are {', '.join(ALGORITHMS)}, and all")
    return list(found.values())
