"""Compare the searches of one position, or their growth with the board and the depth, as ``gametree prune`` does."""

from __future__ import annotations

import dataclasses
import itertools
import re
from collections.abc import Collection, Sequence
from typing import Any

from ..common.memory import readable
from ..common.results import Printable
from ..common.wording import at_prompt, described, in_words, signed, with_count
from ..errors import ArgumentError, OptionError
from ..games.trees.tree_graph import log_reading
from ..rules.game import GameLike
from ..rules.positions import Place
from ..solving.find import named_game
from . import catalogue
from .catalogue import MOST_MEMORY, Algorithm, Settings, Task, Window
from .kernels.layout import GREATEST_PAYOFF
from .laboratory import Laboratory, Row, Size, check_traceable
from .own import OwnResult, Search, judge, run_own
from .problem import SearchProblem, game_problem
from .targets import Target, find_problem, is_tree
from .visits import Visit

MOST_TRACED = 100_000
"""The maximum number of visits in a trace."""

GREATEST_DEPTH = 1000

MOST_SHOWN = 8
"""The number of searches shown at the prompt."""

COUNTS = """\
A node is a call of the search, the root, the leaves and calls that a table answers included; in sss and dual a node
when it is first taken from the list, in pns when it is created. A cutoff is every time that alpha {cuts} beta after a
child, an effective one skips a child. All are fail-soft but alphabeta_failhard. Natural order is by ascending code,
best and worst by exact values, least so that the fewest nodes are visited; killer and history order moves only where
a search cuts. The full window is (-inf, +inf), value (least, greatest payoff). mtdf searches null windows, starting
at guess 0; iterative searches to depth 1, 2, 3 ..., until each leaf it comes to ends the game; pns and dfpn find the
value by bisection of those from {low} to {high}, asking whether it is at least the upper middle one. Tables {tables},
with both bounds, keyed by the position or its class under the symmetry. b is the effective branching factor; /
minimax and / least are the nodes relative to the whole tree and to the least without a table. Each search may visit
{most:,} nodes and use {memory}; a stopped one shows its counts so far, and minimax, which does not start on a larger
tree, those of the tree."""

SETTINGS = ("order", "window", "table", "symmetry")
"""What distinguishes searches, besides the algorithm."""


@dataclasses.dataclass(frozen=True)
class SearchRequest:
    """The searches to run; the defaults are those of ``gametree prune``."""

    algorithms: Sequence[str] | None = None
    """Names from `catalogue.ALGORITHMS`, or ``all``; None for those that need neither a depth nor a budget; beside a
    search of the user's only minimax and alpha-beta, and for a trace only alpha-beta.
    """
    orders: Sequence[str] = ("natural",)
    """Move orders, as `catalogue.parse_order` reads them."""
    windows: Sequence[str] = ("full",)
    """Windows at the root, as `catalogue.parse_window` reads them."""
    symmetries: Sequence[str] = ("none",)
    """Classes that tables are keyed by: ``none``, ``geometric`` or ``full``."""
    strict: bool = False
    """Cut where alpha > beta instead of alpha >= beta."""
    table_entries: int | None = None
    """Positions per table; None for no limit."""
    max_nodes: int = catalogue.MOST_NODES
    """Nodes that each search may visit."""
    trace: bool = False
    """Whether to list every visit."""
    plot: bool = False
    """Whether the tree, the counts or the growth will be drawn."""
    own: Search | None = None
    """A search of the user's to run beside them: a function, or ``FILE.py:FUNCTION,FUNCTION...``."""
    own_start: Any = None
    """Where it begins, if its program does not say: for a function the start itself, for a file an expression in it."""

    def settings(self) -> Settings:
        """Return the settings common to all searches. Raises `OptionError`."""
        if self.table_entries is not None and not 1 <= self.table_entries < 2**31:
            raise OptionError(f"a table cannot have {self.table_entries} entries; give 1 to 2147483647")
        if not 1 <= self.max_nodes <= GREATEST_PAYOFF:
            raise OptionError(f"max_nodes {self.max_nodes} is not valid; give at least 1 and less than 2**62")
        if self.own_start is not None and self.own is None:
            raise OptionError("--own-start is where a search of your own begins; give --own, too")
        return Settings(self.strict, self.table_entries, max_nodes=self.max_nodes)

    def tasks(self, laboratory: Laboratory) -> list[Task]:
        """Return the searches. Raises `OptionError`."""
        return laboratory.tasks(
            self.find_algorithms(),
            [catalogue.parse_order(name, laboratory.problem) for name in self.orders],
            [catalogue.parse_window(name, laboratory.problem) for name in self.windows],
            self.symmetries,
        )

    def find_algorithms(self) -> list[Algorithm]:
        """Return the algorithms, with the usual ones where none are named."""
        usual = ["alphabeta"] if self.trace else ["minimax", "alphabeta"] if self.own is not None else None
        return catalogue.find_algorithms(usual if self.algorithms is None else self.algorithms)


@dataclasses.dataclass(frozen=True)
class Comparison(Printable):
    """The results of the searches of one request."""

    problem: SearchProblem
    request: SearchRequest
    tree: Size | None
    least: dict[str, Size | None]
    """The least size for each window of a search without a table."""
    value: float | None
    rows: list[Row]
    traces: dict[str, list[Visit]]
    drawn: tuple[str, list[Visit]] | None
    """The search whose tree is to be drawn, with its visits, if requested; else counts are drawn."""
    own: OwnResult | None = None
    """What the user's search did; its row is the last one."""
    unsolved: str | None = None
    """Why the value and the least sizes are unknown, if they are."""

    def __repr__(self) -> str:
        problem, least = self.problem, self.least.get("full")
        lines = [f"Comparison of {problem.name} from {problem.describe(problem.root)}"]
        if self.value is not None:
            lines[0] += f": value {signed(self.value)}"
            if least is not None:
                lines.append(f"least, full window, no table: {least.nodes:,} nodes")
        shown = [name for name in SETTINGS if len({getattr(row, name) for row in self.rows}) > 1]
        for row in self.rows[:MOST_SHOWN]:
            label = ", ".join(str(getattr(row, name)) for name in ("algorithm", *shown))
            lines.append(f"{label}: {with_count(row.nodes, 'node')}" + f" (stopped: {row.stopped})" * bool(row.stopped))
        more = len(self.rows) - MOST_SHOWN
        lines += [f"and {more} more: .to_pandas() has all"] * (more > 0)
        if self.own is not None:
            lines.append(f"{self.own.signature}: {self.own.verdict(self.value)}")
        return at_prompt(lines)

    columns = tuple(field.name for field in dataclasses.fields(Row))

    def to_json(self) -> dict[str, Any]:
        """Return the object that ``gametree prune --format json`` prints."""
        least = {window: size and dataclasses.asdict(size) for window, size in self.least.items()}
        data: dict[str, Any] = {
            "game": self.problem.name,
            "start": str(self.problem.label(self.problem.root)),
            "depth": self.problem.depth,
            "evaluation": self.problem.evaluation,
            "strict": self.request.strict,
            "value": self.value,
            "minimax": self.tree and dataclasses.asdict(self.tree),
            "least": least.get("full"),
            "least_by_window": least,
            "protocol": self.protocol(),
            "rows": [dataclasses.asdict(row) for row in self.rows],
        }
        if self.own is not None:
            data["own"] = dataclasses.asdict(self.own)
        if self.request.trace:
            data["trace"] = {name: [_visit_json(visit) for visit in visits] for name, visits in self.traces.items()}
        return data

    def csv_rows(self) -> list[dict[str, Any]]:
        """Return the rows as dictionaries."""
        return [dataclasses.asdict(row) for row in self.rows]

    def protocol(self) -> str:
        """Explain, in one paragraph, what the counts mean."""
        request, problem = self.request, self.problem
        depth, tables, own_note = "to the end of the game", "keep every position", ""
        if problem.depth is not None:
            worth = "0" if problem.evaluation is None else f"what {problem.evaluation} says"
            depth = f"to depth {problem.depth}, where a position counts {worth}"
        if request.table_entries is not None:
            tables = f"hold {request.table_entries:,} positions, where one searched as deep replaces another"
        if self.own is not None:
            own_note = f" (own): a node is a call of {in_words([*self.own.calls])}."
        low, high = map(problem.shown, problem.payoffs)
        counts = COUNTS.replace("\n", " ").format(
            cuts=">" if request.strict else ">=", low=low, high=high, tables=tables, most=request.max_nodes,
            memory=readable(MOST_MEMORY),
        )  # fmt: skip
        return f"Searched {depth}. {counts}{own_note}"


def compare(
    game: Target,
    algorithms: Sequence[str] | SearchRequest | None = None,
    *,
    start: Any = None,
    depth: int | None = None,
    evaluation: str | None = None,
    **more: Any,
) -> Comparison:
    """Compare how many nodes searches of a game or an explicit tree visit with the least that any of them could.

    Args:
        game: A game (a specification, the directory of a solution, or the game itself), a solution, or a tree (a file,
            ``-`` for standard input, the tree written out, or a `networkx.DiGraph`).
        algorithms: Names such as ``alphabeta`` (None: the usual ones), or a `SearchRequest`.
        start: Where searches begin: a text of the game, or a node of the tree (default: its start or root).
        depth: Where they end, in plies below it (default: at the end of the game). A position there counts 0, or its
        evaluation: value by the game's evaluation of this name.
        more: Other fields of a `SearchRequest`: ``orders`` of moves and ``windows``, with each of which each algorithm
            is run; ``own``, a search of your own: a function, which is called here, or
            ``FILE.py:FUNCTION,FUNCTION...``, run in a process of its own.

    ``gametree prune --explain`` says what is counted. Raises `SpecError`, `StoreError` and `RulesError` for a game that
    cannot be loaded or used, `PositionError` for an invalid position, `TreeError` for a tree that cannot be searched,
    `SymmetryError` for a symmetry that the game does not have, `WrongSearchError` for a search of yours that fails or
    does not end, and `OptionError` for any other invalid request.

    >>> found = compare("tictactoe", ["minimax", "alphabeta"])
    >>> found.value, [row.nodes for row in found.rows], found.least["full"].nodes
    (0, [549946, 18297], 1452)
    >>> found
    <Comparison of tictactoe from ?????????: value 0
     least, full window, no table: 1,452 nodes
     minimax: 549,946 nodes
     alphabeta: 18,297 nodes>
    """
    if isinstance(algorithms, SearchRequest) and more:
        raise OptionError(f"{in_words([*more], 'and')} belong in the SearchRequest, not beside it")
    request = algorithms if isinstance(algorithms, SearchRequest) else SearchRequest(algorithms, **more)
    settings, chosen = request.settings(), request.find_algorithms()
    problem = find_problem(game, start, depth=depth, evaluate=evaluation)
    drawn = request.plot and (problem.tree is not None or request.trace)
    if problem.tree is not None and set(request.symmetries) != {"none"}:
        raise OptionError("an explicit tree has no symmetries; leave out --symmetry")
    for algorithm in chosen if request.trace else ():
        check_traceable(algorithm)
    laboratory = Laboratory(problem, settings)
    tasks = request.tasks(laboratory)
    ran = None
    if request.own is not None:
        ran = run_own(laboratory.problem, request.own, request.own_start, placed=start is not None)
    if problem.tree is not None:
        log_reading(problem.name, problem.notes)
    rows, solved = list(laboratory.rows(tasks)), laboratory.solved
    value = None if solved is None else problem.shown(solved.value)
    judged = None if ran is None else judge(problem, value, ran)
    if judged is not None:
        rows.append(laboratory.row_of(f"{judged.name} (own)", sum(judged.calls.values()), judged.value, judged.seconds))
    used = {task.window.name: task.window for task in tasks} | {"full": Window()}
    return Comparison(
        problem,
        request,
        tree=None if solved is None else solved.tree,
        value=value,
        rows=rows,
        traces={task.title: laboratory.visits(task, MOST_TRACED) for task in tasks} if request.trace else {},
        drawn=_drawn(laboratory, tasks) if drawn else None,
        own=judged,
        unsolved=laboratory.unsolved,
        least={name: None if solved is None else solved.least(window) for name, window in used.items()},
    )


def _drawn(laboratory: Laboratory, tasks: Sequence[Task]) -> tuple[str, list[Visit]]:
    """Return the search whose tree is drawn: the first that cuts, else the first that is depth-first."""
    cutting = [task for task in tasks if task.algorithm.cuts]
    shown = next(iter([*cutting, *(task for task in tasks if task.algorithm.depth_first)]), None)
    if shown is None:
        raise OptionError(f"none of {', '.join(task.algorithm.name for task in tasks)} can be drawn; add alphabeta")
    return shown.title, laboratory.visits(shown, MOST_TRACED)


def _visit_json(visit: Visit) -> dict[str, Any]:
    row = dataclasses.asdict(visit)
    for end in ("alpha", "beta"):
        row[end] = None if abs(row[end]) == float("inf") else row[end]
    return row


# Growth ---------------------------------------------------------------------------------------------------------------


def compare_growth(
    games: Collection[GameLike],
    request: SearchRequest = SearchRequest(),
    *,
    start: Place | None = None,
    depths: Sequence[int | None] = (None,),
    evaluation: str | None = None,
) -> list[dict[str, Any]]:
    """Tabulate the searches of a ``request`` over ``games`` and ``depths``.

    A row has ``game``, ``depth`` and ``outcome`` (``X``, ``O`` or ``tie`` under optimal play; ``undecided`` if the
    depth does not show it; None if stopped), and the fields of a `Row`. Other arguments and errors are those of
    `compare`.
    """
    if isinstance(games, str) or not isinstance(games, Collection):
        raise ArgumentError(f"games must be a list of games, not {described(games)}")
    if not games:
        raise OptionError("name a game, such as tictactoe")
    choices = (request.orders, request.windows, request.symmetries)
    trees = any(is_tree(game) for game in games if isinstance(game, str))
    if trees or request.own is not None or request.trace or max(map(len, choices)) > 1:
        words = "takes games, one order, one window and one symmetry, and neither --trace nor --own"
        raise OptionError(f"a table of growth {words}; leave out the rest, or search one game to one --depth")
    request.find_algorithms()  # refuses unknown ones before anything is solved
    settings, rows = request.settings(), list[dict[str, Any]]()
    for game, depth in itertools.product([*map(named_game, games)], depths):
        problem = game_problem(game, start, depth=depth, evaluation=evaluation)
        laboratory = Laboratory(problem, settings)
        for row in laboratory.rows(request.tasks(laboratory)):
            decided = depth is None or laboratory.horizon == 0
            outcome = _outcome(row.value, row.bound, decided, evaluation)
            rows.append({"game": problem.name, "depth": depth, "outcome": outcome} | dataclasses.asdict(row))
    return rows


def _outcome(value: float | None, bound: str | None, decided: bool, evaluation: str | None) -> str | None:
    if value is None:
        return None
    certain = bound == "exact" or (bound == "lower" and value > 0) or (bound == "upper" and value < 0)
    if evaluation is not None or not certain or (value == 0 and not decided):
        return "undecided"
    return "X" if value > 0 else "O" if value < 0 else "tie"


def parse_depths(text: str | None) -> list[int | None]:
    """Parse depths such as ``8``, ``2,4,6`` or ``1..8``; None gives [None]. Raises `OptionError`.

    >>> parse_depths("1..3,6")
    [1, 2, 3, 6]
    """
    if text is None:
        return [None]
    depths: list[int | None] = []
    for part in text.split(","):
        match = re.fullmatch(r"\s*([0-9]{1,6})(?:\.\.([0-9]{1,6}))?\s*", part)
        ends = [int(end) for end in match.groups() if end] if match else []
        if not ends or ends[-1] < ends[0] or len(range(ends[0], ends[-1] + 1)) > GREATEST_DEPTH:
            raise OptionError(
                f"depth {text!r} is not a number of plies up to 999999, or at most {GREATEST_DEPTH} of them; write 8, "
                "2,4,6 or 1..8"
            )
        depths += range(ends[0], ends[-1] + 1)
    return list(dict.fromkeys(depths))
