"""Compare the searches of one position, or their growth with the board and the depth, as ``gametree prune`` does."""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from analysis.errors import ArgumentError, OptionError
from analysis.machine.arguments import checked, described
from analysis.machine.memory import bytes_of, readable
from analysis.rules.counting import recounted
from analysis.rules.game import HasRules
from analysis.rules.positions import Place
from analysis.search import catalogue
from analysis.search.catalogue import ALGORITHMS, SCHEMES, Algorithm, Settings, TablePolicy, Task, Window
from analysis.search.kernels.layout import GREATEST_PAYOFF
from analysis.search.laboratory import Laboratory, Row, Size, check_traceable
from analysis.search.own.diagnosis import SearchVerdict, judge_with
from analysis.search.own.graph import graph_of
from analysis.search.own.program import SECONDS, OwnSearch
from analysis.search.own.variants import CUT_OF_RULE
from analysis.search.problem import SearchProblem, find_game, game_problem
from analysis.search.targets import Target, find_problem, is_tree
from analysis.search.visits import Visit
from analysis.wording import at_prompt, listed, signed, some

if TYPE_CHECKING:
    import pandas as pd

MOST_TRACED = 100_000
"""The maximum number of visits in a trace."""

MOST_SAMPLES = 1_000_000

GREATEST_DEPTH = 1000

LEAST_MEMORY = 2_000_000
"""The minimum memory of a search, in bytes."""

MOST_SHOWN = 8
"""The number of searches shown at the prompt."""

SETTINGS = ("order", "window", "table", "symmetry")
"""What distinguishes searches, besides the algorithm."""


@dataclasses.dataclass(frozen=True)
class SearchRequest:
    """The searches to run; the defaults are those of ``gametree prune``."""

    algorithms: Sequence[str] | None = None
    """Names from `catalogue.ALGORITHMS`, or ``all``; None for those that need neither a depth nor a budget."""
    orders: Sequence[str] = ("natural",)
    """Move orders, as `catalogue.parse_order` reads them."""
    windows: Sequence[str] = ("full",)
    """Windows at the root, as `catalogue.parse_window` reads them."""
    symmetries: Sequence[str] = ("none",)
    """Classes that tables are keyed by: ``none``, ``geometric`` or ``full``."""
    strict: bool = False
    """Cut where alpha > beta instead of alpha >= beta."""
    random_orders: str | None = None
    """``N`` or ``N:SEED``: sample N random orders, seeded from SEED (0) on."""
    table_entries: int | None = None
    """Positions per table; None for no limit."""
    replacement: str = "deep"
    """The replacement scheme of a full table, one of `catalogue.SCHEMES`."""
    guess: float = 0
    """The first guess of mtdf."""
    max_nodes: int = catalogue.MOST_NODES
    """Nodes that each search may visit."""
    memory: int | str = catalogue.MOST_MEMORY
    """Memory for each search's table or nodes: bytes, or a text such as ``4GB``."""
    trace: bool = False
    """Whether to list every visit."""
    plot: bool = False
    """Whether the tree, the counts or the growth will be drawn."""
    own: Sequence[str] = ()
    """Searches of the user's, ``file.py:name``, as `own.program.OwnSearch` takes them."""
    own_seconds: float = SECONDS
    """Time of computing for each of them."""
    rule: str | None = None
    """Where the user's searches are to cut: ``textbook`` where alpha >= beta, ``cs188`` where alpha > beta, as with
    ``strict``; None for either.
    """

    def settings(self) -> Settings:
        """Return the settings common to all searches. Raises `OptionError`."""
        if self.rule not in (None, *CUT_OF_RULE):
            raise OptionError(f"unknown rule {self.rule!r}; choose from {listed([*CUT_OF_RULE])}")
        if self.strict and self.rule == "textbook":
            raise OptionError("rule textbook cuts where alpha = beta; leave out --strict, or write --rule cs188")
        if not self.own_seconds > 0:
            raise OptionError(f"cannot search for {self.own_seconds} seconds; give more than 0")
        if self.replacement not in SCHEMES:
            raise OptionError(f"unknown replacement {self.replacement!r}; choose from {', '.join(SCHEMES)}")
        least = 2 if self.replacement == "two-deep" else 1
        if self.table_entries is not None and not least <= self.table_entries < 2**31:
            raise OptionError(f"a table cannot have {self.table_entries} entries; give {least} to 2147483647")
        if not 1 <= self.max_nodes <= GREATEST_PAYOFF:
            raise OptionError(f"max-nodes {self.max_nodes} is not valid; give at least 1 and less than 2**62")
        memory = bytes_of(self.memory)
        if memory < LEAST_MEMORY:
            raise OptionError(
                f"{readable(memory)} of memory is too little; a search needs {readable(LEAST_MEMORY)} or more"
            )
        if not abs(self.guess) <= GREATEST_PAYOFF:
            raise OptionError(f"guess {self.guess} is beyond every payoff")
        table = TablePolicy(self.table_entries, self.replacement)
        return Settings(self.cuts_late, table, self.guess, self.max_nodes, memory)

    def tasks(self, laboratory: Laboratory) -> list[Task]:
        """Return the searches. Raises `OptionError`."""
        return laboratory.tasks(
            self.find_algorithms(),
            [catalogue.parse_order(name, laboratory.problem) for name in self.orders],
            [catalogue.parse_window(name, laboratory.problem) for name in self.windows],
            self.symmetries,
        )

    @property
    def cuts_late(self) -> bool:
        """Whether to cut only where alpha > beta."""
        return self.strict or self.rule == "cs188"

    def find_algorithms(self) -> list[Algorithm]:
        """Return the algorithms: those named; alpha-beta for a trace; else the usual ones."""
        if self.algorithms is None and self.trace:
            return [ALGORITHMS["alphabeta"]]
        return catalogue.find_algorithms(self.algorithms)


SearchRequest.__init__ = checked(SearchRequest.__init__)  # type: ignore[method-assign]


@dataclasses.dataclass(frozen=True)
class Comparison:
    """The results of the searches of one request."""

    problem: SearchProblem
    request: SearchRequest
    tree: Size | None
    least: dict[str, Size | None]
    """The least possible size for each window, of a search without a table."""
    value: float | None
    rows: list[Row]
    distribution: list[dict[str, Any]]
    traces: dict[str, list[Visit]]
    drawn: tuple[str, list[Visit]] | None
    """The search whose tree is to be drawn, with its visits, if requested; else counts are drawn."""
    own: list[SearchVerdict] = dataclasses.field(default_factory=list)
    """How the user's searches compare; their rows are the last ones."""
    unsolved: str | None = None
    """Why the value and the least possible sizes are unknown, if they are."""

    def __repr__(self) -> str:
        problem, least = self.problem, self.least.get("full")
        lines = [f"Comparison of {problem.name} from {problem.describe(problem.root)}"]
        if self.value is not None:
            lines[0] += f": value {signed(self.value)}"
            if least is not None:
                lines.append(f"least possible, full window, no table: {least.nodes:,} nodes")
        shown = [name for name in SETTINGS if len({getattr(row, name) for row in self.rows}) > 1]
        for row in self.rows[:MOST_SHOWN]:
            named = ", ".join(str(getattr(row, name)) for name in ("algorithm", *shown))
            lines.append(f"{named}: {some(row.nodes, 'node')}" + f" (stopped: {row.stopped})" * bool(row.stopped))
        more = len(self.rows) - MOST_SHOWN
        lines += [f"and {more} more: .to_pandas() has all"] * (more > 0)
        lines += [f"{some(len(self.distribution), 'distribution')} over random orders"] * bool(self.distribution)
        return at_prompt(lines)

    def to_pandas(self) -> pd.DataFrame:
        """Return the rows, or the distribution, as a data frame; numbers are exact, and columns may hold nulls."""
        import pandas as pd

        columns = None if self.distribution else [field.name for field in dataclasses.fields(Row)]
        return pd.DataFrame(self.csv_rows(), columns=columns, dtype=object).convert_dtypes()

    def to_json(self) -> dict[str, Any]:
        """Return the object that ``gametree prune --format json`` prints."""
        least = {window: size and dataclasses.asdict(size) for window, size in self.least.items()}
        found: dict[str, Any] = {
            "game": self.problem.name,
            "position": str(self.problem.label(self.problem.root)),
            "depth": self.problem.depth,
            "evaluation": self.problem.evaluation,
            "strict": self.request.cuts_late,
            "value": self.value,
            "minimax": self.tree and dataclasses.asdict(self.tree),
            "least": least.get("full"),
            "least_by_window": least,
            "protocol": self.protocol(),
            "rows": [dataclasses.asdict(row) for row in self.rows],
        }
        if self.request.random_orders is not None:
            found["distribution"] = self.distribution
        if self.own:
            found["own"] = [verdict.to_json() for verdict in self.own]
        if self.request.trace:
            found["trace"] = {name: [_visit_json(visit) for visit in visits] for name, visits in self.traces.items()}
        return found

    def csv_rows(self) -> list[dict[str, Any]]:
        """Return the rows, or the distribution, as dictionaries."""
        return self.distribution or [dataclasses.asdict(row) for row in self.rows]

    def protocol(self) -> str:
        """Explain, in one paragraph, what the counts mean."""
        request, problem = self.request, self.problem
        ran = {row.algorithm for row in self.rows} | {row["algorithm"] for row in self.distribution}
        ran &= {*ALGORITHMS}
        cut = {name for name in ran if ALGORITHMS[name].cuts}
        tables = any(ALGORITHMS[name].table for name in ran)
        worth = "0" if problem.evaluation is None else f"what {problem.evaluation} says"
        depth = "to the end of the game"
        if problem.depth is not None:
            depth = f"to depth {problem.depth}, where a position counts {worth}"
        said = [f"Searched {depth}.", *_nodes(ran, tables), f"Moves in {_orders(request, cut)}."]
        if cut:
            hard = "alphabeta_failhard" in cut
            softness = (
                "Fail-soft." if not hard else "Fail-hard." if len(cut) == 1 else "Fail-soft, except alphabeta_failhard."
            )
            said.append(
                f"Cut where alpha {'>' if request.cuts_late else '>='} beta: every time this holds after a child is a "
                f"cutoff, and an effective one skips a child. {softness}"
            )
        if any(ALGORITHMS[name].windows or ALGORITHMS[name].null_windows for name in ran):
            window = {"full": "(-inf, +inf)", "value": "(least, greatest payoff)"}
            said.append(f"Window {', '.join(window.get(name, name) for name in request.windows)}.")
        if "mtdf" in ran:
            said.append(f"mtdf searches null windows, starting at guess {request.guess}.")
        if tables:
            kept = "keep every position,"
            if request.table_entries is not None:
                kept = f"hold {request.table_entries:,} positions, replaced by the scheme {request.replacement!r},"
            kinds = dict.fromkeys(request.symmetries)
            keys = ["the position itself" if kind == "none" else f"its {kind} class" for kind in kinds]
            said.append(f"Tables {kept} with both bounds, keyed by {', '.join(keys)}.")
        said.append(
            "b is the effective branching factor; / minimax and / least are the nodes relative to the "
            "whole tree and to the least possible without a table."
        )
        if self.own:
            said.append(
                "(own): a node is a call of the search with another node than its caller's, or a leaf that it "
                "evaluates without one."
            )
        said.append(f"Each search may visit {request.max_nodes:,} nodes and use {readable(bytes_of(request.memory))}.")
        stopped = [row for row in self.rows if row.stopped]
        said += ["A stopped search shows its counts so far."] * bool(stopped)
        if any(row.algorithm == "minimax" and row.nodes > request.max_nodes for row in stopped):
            said.append("Minimax was not run: its nodes are those of the whole tree.")
        return " ".join(said)


def _nodes(ran: Collection[str], tables: bool) -> list[str]:
    """Say what counts as a node in the searches that were run."""
    said, best_first = [], [name for name in ("sss", "dual") if name in ran]
    if {*ran} - {"sss", "dual", "pns"}:
        answered = ", and calls that a table answers" if tables else ""
        said.append(f"A node is a call of the search, the root and leaves included{answered}.")
    if best_first:
        said.append(f"In {listed(best_first, 'and')} a node counts when it is first taken from the list.")
    return [*said, *["In pns a node counts when it is created."] * ("pns" in ran)]


def _orders(request: SearchRequest, cut: Collection[str]) -> str:
    """Name the orders of moves, and say which searches use them."""
    if request.random_orders is not None:
        return f"random:{request.random_orders} order"
    names = [name.replace("natural", "natural (ascending)") for name in request.orders]
    learnt = [name for name in request.orders if name in ("killer", "history")]
    only = f"; {listed(learnt, 'and')} only where a search cuts" if learnt and cut else ""
    return f"{listed(names, 'and')} order{only}"


@checked
def compare(
    game: Target,
    algorithms: Sequence[str] | SearchRequest | None = None,
    *,
    orders: Sequence[str] | None = None,
    windows: Sequence[str] | None = None,
    position: Any = None,
    depth: int | None = None,
    evaluation: str | None = None,
) -> Comparison:
    """Compare how many nodes searches of a game or an explicit tree visit with the least that any of them could.

    Args:
        game: A game (a specification, the directory of a solution, or the game itself), a solution, or a tree (a file,
            ``-`` for standard input, the tree written out, a `TreeFile` or a `networkx.DiGraph`).
        algorithms: Names such as ``alphabeta`` (None: the usual ones). Or a `SearchRequest`, which also has the orders,
            the windows and all other options of searches; orders and windows beside it are refused.
        orders: Orders of moves (default: ``natural``); each algorithm is run with each of them,
        windows: and with each of these windows (default: ``full``).
        position: Where searches begin: a text of the game, or a node of the tree (default: its start or root).
        depth: Where they end, in plies below it (default: at the end of the game). A position there counts 0,
        evaluation: or its value by the game's evaluation of this name.

    docs/how-to/pruning.md says what is counted. Raises `SpecError`, `StoreError` and `RulesError` for a game that
    cannot be loaded or used, `PositionError` for an invalid position, `TreeError` for a tree that cannot be searched,
    `SymmetryError` for a symmetry that the game does not have, and `OptionError` for any other invalid request.

    >>> found = compare("tictactoe", ["minimax", "alphabeta"])
    >>> found.value, [row.nodes for row in found.rows], found.least["full"].nodes
    (0, [549946, 18297], 1452)
    >>> found
    <Comparison of tictactoe from ?????????: value 0
     least possible, full window, no table: 1,452 nodes
     minimax: 549,946 nodes
     alphabeta: 18,297 nodes>
    """
    given: dict[str, Any] = {"orders": orders, "windows": windows}
    given = {name: value for name, value in given.items() if value is not None}
    if isinstance(algorithms, SearchRequest) and given:
        raise OptionError(f"{listed([*given], 'and')} belong in the SearchRequest, not beside it")
    request = algorithms if isinstance(algorithms, SearchRequest) else SearchRequest(algorithms, **given)
    if request.random_orders is not None and (tuple(request.orders) != ("natural",) or request.trace or request.plot):
        raise OptionError("--random-orders cannot be combined with --order, --trace or --plot")
    if request.random_orders is not None and request.own:
        raise OptionError("--random-orders is for built-in searches; leave out --own")
    settings, chosen = request.settings(), request.find_algorithms()
    random_orders = _random_orders(request.random_orders)
    with contextlib.ExitStack() as stack:
        # those of the user first, since they may be refused
        searches = {text: stack.enter_context(OwnSearch(text, request.own_seconds)) for text in request.own}
        problem = find_problem(game, position, depth=depth, evaluate=evaluation)
        drawn = request.plot and (problem.tree is not None or request.trace)
        if problem.tree is not None and set(request.symmetries) != {"none"}:
            raise OptionError("an explicit tree has no symmetries; leave out --symmetry")
        for algorithm in chosen if request.trace else ():
            check_traceable(algorithm)
        laboratory = Laboratory(problem, settings)
        tasks = request.tasks(laboratory)
        verdicts = _verdicts(searches, problem, request.rule)
    rows = list(laboratory.rows(tasks)) if random_orders is None else []
    for verdict in verdicts:
        value, seconds, stopped = verdict.answer.value, verdict.answer.seconds, verdict.answer.error
        table = verdict.remembers or (verdict.equals is not None and ALGORITHMS[verdict.equals].table)
        row = laboratory.row_of(f"{verdict.name} (own)", verdict.counts, value, seconds, stopped)
        rows.append(dataclasses.replace(row, table="own") if table else row)
    solved, used = laboratory.solved, {task.window.name: task.window for task in tasks} | {"full": Window()}
    return Comparison(
        problem,
        request,
        tree=None if solved is None else solved.tree,
        value=None if solved is None else problem.shown(solved.value),
        rows=rows,
        distribution=[laboratory.distribution(task, *random_orders) for task in tasks] if random_orders else [],
        traces={task.title: laboratory.visits(task, MOST_TRACED) for task in tasks} if request.trace else {},
        drawn=_drawn(laboratory, tasks) if drawn else None,
        own=verdicts,
        unsolved=laboratory.unsolved,
        least={name: None if solved is None else solved.least(window) for name, window in used.items()},
    )


def _verdicts(searches: Mapping[str, OwnSearch], problem: SearchProblem, rule: str | None) -> list[SearchVerdict]:
    """Judge the user's searches, by what named them; those that are called alike are told apart by their files."""
    if not searches:
        return []
    graph = graph_of(problem)
    called = Counter(own.name for own in searches.values())
    found = []
    for text, own in searches.items():
        verdict = judge_with(own, problem, graph, rule)
        if called[own.name] > 1:
            name = f"{text.removesuffix(f':{own.name}')}:{own.name}"
            signature = name + own.signature.removeprefix(own.name)
            verdict = dataclasses.replace(verdict, name=name, signature=signature)
        found.append(verdict)
    return found


def _random_orders(text: str | None) -> tuple[int, int] | None:
    """Return the number of orders and the first seed."""
    if text is None:
        return None
    match = re.fullmatch(r"([0-9]{1,7})(?::([0-9]{1,17}))?", text)
    if match is None or not 1 <= int(match.group(1)) <= MOST_SAMPLES:
        raise OptionError(
            f"random orders {text!r} not understood; write N or N:SEED, with N from 1 to {MOST_SAMPLES:,}"
        )
    return int(match.group(1)), int(match.group(2) or 0)


def _drawn(laboratory: Laboratory, tasks: Sequence[Task]) -> tuple[str, list[Visit]]:
    """Return the search whose tree is drawn: the first that cuts, else the first that is depth-first."""
    cutting = [task for task in tasks if task.algorithm.cuts]
    shown = next(iter([*cutting, *(task for task in tasks if task.algorithm.depth_first)]), None)
    if shown is None:
        raise OptionError(f"none of {', '.join(task.algorithm.name for task in tasks)} can be drawn; add alphabeta")
    return shown.title, laboratory.visits(shown, MOST_TRACED)


def _visit_json(visit: Visit) -> dict[str, Any]:
    found = recounted(dataclasses.asdict(visit), "move")
    for end in ("alpha", "beta"):
        found[end] = None if abs(found[end]) == float("inf") else found[end]
    return found


# Growth ---------------------------------------------------------------------------------------------------------------


@checked
def compare_growth(
    games: Collection[str | HasRules],
    request: SearchRequest = SearchRequest(),
    *,
    boards: Sequence[str] | None = None,
    position: Place | None = None,
    depths: Sequence[int | None] = (None,),
    evaluation: str | None = None,
) -> list[dict[str, Any]]:
    """Tabulate the searches of a ``request`` over ``depths`` and over ``games`` or ``boards`` (as `parse_boards` reads
    them; games are then boards too).

    A row of the table has ``board``, ``game``, ``depth`` and ``winner`` (``X``, ``O`` or ``tie`` under optimal play;
    ``undecided`` if the depth does not show it; None if stopped), and the fields of a `Row`. Other arguments and errors
    are those of `compare`.
    """
    if isinstance(games, str) or not isinstance(games, Collection):
        raise ArgumentError(f"games must be a list of games, not {described(games)}")
    if boards is not None:
        pairs: list[tuple[str, Any]] = [*parse_boards([*boards, *map(str, games)])]
    elif not games:
        raise OptionError("name a game, such as tictactoe, or give --boards 3,3,3 3,4,3")
    elif any(is_tree(game) for game in games if isinstance(game, str)):
        raise OptionError("a table of growth needs games; search a tree to one --depth at a time")
    else:
        pairs = [(game.spec, game) for game in map(find_game, games)]
    if request.own:
        raise OptionError("--own compares searches of one position; leave out --boards, and give one --depth")
    choices = (request.orders, request.windows, request.symmetries)
    if request.trace or request.random_orders or max(map(len, choices)) > 1:
        raise OptionError(
            "a table of growth takes one order, one window and one symmetry, and neither --random-orders nor --trace"
        )
    request.find_algorithms()  # refuses unknown ones before anything is solved
    settings, found = request.settings(), list[dict[str, Any]]()
    for (board, game), depth in itertools.product(pairs, depths):
        problem = game_problem(game, position, depth=depth, evaluation=evaluation)
        laboratory = Laboratory(problem, settings)
        for row in laboratory.rows(request.tasks(laboratory)):
            decided = depth is None or laboratory.horizon == 0
            winner = _winner(row.value, row.bound, decided, evaluation)
            told = {"board": board, "game": problem.name, "depth": depth, "winner": winner}
            found.append(told | dataclasses.asdict(row))
    return found


def _winner(value: float | None, bound: str | None, decided: bool, evaluation: str | None) -> str | None:
    if value is None:
        return None
    known = bound == "exact" or (bound == "lower" and value > 0) or (bound == "upper" and value < 0)
    if evaluation is not None or not known or (value == 0 and not decided):
        return "undecided"
    return "X" if value > 0 else "O" if value < 0 else "tie"


def parse_boards(texts: Iterable[str]) -> list[tuple[str, str]]:
    """Parse boards ``rows,cols,k`` or ``rowsxcolsxk``, one or several to a text, each with its game. Raises
    `OptionError`.

    >>> parse_boards(["4,4,3"]) == parse_boards(["4x4x3"])
    True
    >>> parse_boards(["3,3,3,3,4,3"])
    [('3,3,3', 'mnk:rows=3,cols=3,k=3'), ('3,4,3', 'mnk:rows=3,cols=4,k=3')]
    """
    found = []
    for text in texts:
        if re.fullmatch(r"[0-9]{1,4}([,x][0-9]{1,4}){2}(,[0-9]{1,4}([,x][0-9]{1,4}){2})*", text) is None:
            raise OptionError(f"board {text!r} not understood; write rows,cols,k, such as 3,4,3")
        numbers = [int(number) for number in re.split("[,x]", text)]
        for rows, cols, k in zip(*[iter(numbers)] * 3, strict=True):
            found.append((f"{rows},{cols},{k}", f"mnk:rows={rows},cols={cols},k={k}"))
    return found


def parse_depths(text: str | None) -> list[int | None]:
    """Parse depths such as ``8``, ``2,4,6`` or ``1..8``; None gives [None]. Raises `OptionError`.

    >>> parse_depths("1..3,6")
    [1, 2, 3, 6]
    """
    if text is None:
        return [None]
    found: list[int | None] = []
    for part in text.split(","):
        match = re.fullmatch(r"\s*([0-9]{1,6})(?:\.\.([0-9]{1,6}))?\s*", part)
        ends = [int(end) for end in match.groups() if end] if match else []
        if not ends or ends[-1] < ends[0] or len(range(ends[0], ends[-1] + 1)) > GREATEST_DEPTH:
            raise OptionError(
                f"depth {text!r} is not a number of plies up to 999999, or at most {GREATEST_DEPTH} of them; write 8, "
                "2,4,6 or 1..8"
            )
        found += range(ends[0], ends[-1] + 1)
    return list(dict.fromkeys(found))
