"""What ``gametree prune`` asks for: searches of one position compared, or their growth with the board and the depth."""

from __future__ import annotations

import dataclasses
import itertools
import re
from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from analysis.errors import OptionError
from analysis.machine.memory import bytes_of, readable
from analysis.rules.counting import recounted
from analysis.search import catalogue
from analysis.search.catalogue import ALGORITHMS, SCHEMES, Algorithm, Settings, TablePolicy, Task, Window
from analysis.search.kernels.layout import GREATEST_PAYOFF
from analysis.search.laboratory import Laboratory, Row, Size, check_traceable
from analysis.search.problem import SearchProblem, find_game, game_problem
from analysis.search.targets import Target, find_problem, is_tree
from analysis.search.visits import Visit
from analysis.wording import at_prompt, listed, signed, some

if TYPE_CHECKING:
    import pandas as pd

MOST_TRACED = 100_000
"""Visits of a search that is traced, at most."""

MOST_SAMPLES = 1_000_000

GREATEST_DEPTH = 1000

LEAST_MEMORY = 2_000_000
"""Bytes that a search needs for its table or nodes, at least."""

MOST_SHOWN = 8
"""Searches that stand for all of them at the prompt."""

SETTINGS = ("order", "window", "table", "symmetry")
"""What a search is asked, besides its algorithm."""


@dataclasses.dataclass(frozen=True)
class SearchRequest:
    """What is asked of the laboratory; the defaults are those of ``gametree prune``."""

    algorithms: Sequence[str] | None = None
    """Names of `catalogue.ALGORITHMS`, or ``all``; None for those that need neither a depth nor a budget."""
    orders: Sequence[str] = ("natural",)
    """Orders of moves, as `catalogue.parse_order` reads them."""
    windows: Sequence[str] = ("full",)
    """Windows at the root, as `catalogue.parse_window` reads them."""
    symmetries: Sequence[str] = ("none",)
    """Classes that tables are keyed by: ``none``, ``geometric`` or ``full``."""
    strict: bool = False
    """Cut where alpha > beta, not where alpha >= beta."""
    random_orders: str | None = None
    """``N`` or ``N:SEED``: the distribution over N random orders, from this seed on (0)."""
    table_entries: int | None = None
    """Positions that a table holds; None for all of them."""
    replacement: str = "deep"
    """What a full table keeps, one of `catalogue.SCHEMES`."""
    guess: float = 0
    """The value that mtdf begins at."""
    max_nodes: int = catalogue.MOST_NODES
    """Nodes that each search may visit."""
    memory: int | str = catalogue.MOST_MEMORY
    """What each search's table or nodes may take: bytes, or a text such as ``4GB``."""
    trace: bool = False
    """Whether every visit is listed."""
    plot: bool = False
    """Whether the tree, the counts or the growth will be drawn."""

    def settings(self) -> Settings:
        """What all searches have in common. Raises `OptionError`."""
        if self.replacement not in SCHEMES:
            raise OptionError(f"replacement {self.replacement!r} is unknown; it is one of {', '.join(SCHEMES)}")
        least = 2 if self.replacement == "two-deep" else 1
        if self.table_entries is not None and not least <= self.table_entries < 2**31:
            raise OptionError(f"a table of {self.table_entries} entries is not possible; it has {least} to 2147483647")
        if not 1 <= self.max_nodes <= GREATEST_PAYOFF:
            raise OptionError(f"max-nodes {self.max_nodes} makes no sense; it is at least 1 and below 2**62")
        memory = bytes_of(self.memory)
        if memory < LEAST_MEMORY:
            raise OptionError(
                f"{readable(memory)} of memory are too few; a search gets {readable(LEAST_MEMORY)} or more"
            )
        if not abs(self.guess) <= GREATEST_PAYOFF:
            raise OptionError(f"guess {self.guess} is beyond every payoff")
        table = TablePolicy(self.table_entries, self.replacement)
        return Settings(self.strict, table, self.guess, self.max_nodes, memory)

    def tasks(self, laboratory: Laboratory) -> list[Task]:
        """The searches. Raises `OptionError`."""
        return laboratory.tasks(
            self.find_algorithms(),
            [catalogue.parse_order(name, laboratory.problem) for name in self.orders],
            [catalogue.parse_window(name, laboratory.problem) for name in self.windows],
            self.symmetries,
        )

    def find_algorithms(self) -> list[Algorithm]:
        """The algorithms: those named; alpha-beta to trace or to draw a tree; else the usual ones."""
        if self.algorithms is None and self.trace:
            return [ALGORITHMS["alphabeta"]]
        return catalogue.find_algorithms(self.algorithms)


@dataclasses.dataclass(frozen=True)
class Comparison:
    """What the searches of one request found."""

    problem: SearchProblem
    request: SearchRequest
    tree: Size | None
    least: dict[str, Size | None]
    """The least possible for each window."""
    value: float | None
    rows: list[Row]
    distribution: list[dict[str, Any]]
    traces: dict[str, list[Visit]]
    drawn: tuple[str, list[Visit]] | None
    """The search whose tree is to be drawn and its visits, where that was asked for; else counts are drawn."""
    unsolved: str | None = None
    """Why the value and the least possible are not known, where they are not."""

    def __repr__(self) -> str:
        problem, least = self.problem, self.least.get("full")
        lines = [f"Comparison of {problem.name} from {problem.describe(problem.root)}"]
        if self.value is not None:
            lines[0] += f": value {signed(self.value)}" + ("" if least is None else f", at least {least.nodes:,} nodes")
        shown = [name for name in SETTINGS if len({getattr(row, name) for row in self.rows}) > 1]
        for row in self.rows[:MOST_SHOWN]:
            named = ", ".join(str(getattr(row, name)) for name in ("algorithm", *shown))
            lines.append(f"{named}: {some(row.nodes, 'node')}" + f" (stopped: {row.stopped})" * bool(row.stopped))
        more = len(self.rows) - MOST_SHOWN
        lines += [f"and {more} more: .to_pandas() has all"] * (more > 0)
        lines += [f"{some(len(self.distribution), 'distribution')} over random orders"] * bool(self.distribution)
        return at_prompt(lines)

    def to_pandas(self) -> pd.DataFrame:
        """The rows, or the distribution, as a data frame; numbers are exact, and columns may hold nulls."""
        import pandas as pd

        columns = None if self.distribution else [field.name for field in dataclasses.fields(Row)]
        return pd.DataFrame(self.csv_rows(), columns=columns, dtype=object).convert_dtypes()

    def to_json(self) -> dict[str, Any]:
        """As ``gametree prune --format json`` prints it."""
        least = {window: size and dataclasses.asdict(size) for window, size in self.least.items()}
        found: dict[str, Any] = {
            "game": self.problem.name,
            "position": str(self.problem.label(self.problem.root)),
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
        if self.request.random_orders is not None:
            found["distribution"] = self.distribution
        if self.request.trace:
            found["trace"] = {name: [_visit_json(visit) for visit in visits] for name, visits in self.traces.items()}
        return found

    def csv_rows(self) -> list[dict[str, Any]]:
        """The rows, or the distribution, as dictionaries."""
        return self.distribution or [dataclasses.asdict(row) for row in self.rows]

    def protocol(self) -> str:
        """What the counts of the searches that were run mean, in one paragraph."""
        request, problem = self.request, self.problem
        ran = {row.algorithm for row in self.rows} | {row["algorithm"] for row in self.distribution}
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
                "Fail-soft."
                if not hard
                else "Fail-hard."
                if len(cut) == 1
                else "Fail-soft, but for alphabeta_failhard."
            )
            said.append(
                f"Cut where alpha {'>' if request.strict else '>='} beta: a cutoff is each time that holds after a "
                f"child, an effective one skips a child. {softness}"
            )
        if any(ALGORITHMS[name].windows or ALGORITHMS[name].null_windows for name in ran):
            window = {"full": "(-inf, +inf)", "value": "(least, greatest payoff)"}
            said.append(f"Window {', '.join(window.get(name, name) for name in request.windows)}.")
        if "mtdf" in ran:
            said.append(f"mtdf asks with null windows, from guess {request.guess} on.")
        if tables:
            kept = "keep every position"
            if request.table_entries is not None:
                kept = f"hold {request.table_entries:,} positions, replaced by scheme {request.replacement!r}"
            kinds = dict.fromkeys(request.symmetries)
            keys = ["the position itself" if kind == "none" else f"{kind} class" for kind in kinds]
            said.append(f"Tables {kept} with both bounds, by {', '.join(keys)}.")
        said.append(
            "b is the effective branching factor; / minimax and / least are nodes as multiples of the whole tree's and "
            "of the least possible."
        )
        said.append(f"Each search may visit {request.max_nodes:,} nodes and take {readable(bytes_of(request.memory))}.")
        stopped = [row for row in self.rows if row.stopped]
        said += ["One that was stopped shows its counts up to there."] * bool(stopped)
        if any(row.algorithm == "minimax" and row.nodes > request.max_nodes for row in stopped):
            said.append("Minimax was not run: so many nodes the whole tree has.")
        return " ".join(said)


def _nodes(ran: Collection[str], tables: bool) -> list[str]:
    """What counts as a node in the searches that were run."""
    said, best_first = [], [name for name in ("sss", "dual") if name in ran]
    if {*ran} - {"sss", "dual", "pns"}:
        answered = ", and calls that a table answers" if tables else ""
        said.append(f"A node is every call of the search, the root and leaves included{answered}.")
    if best_first:
        said.append(f"In {listed(best_first, 'and')} a node is one taken from the list for the first time.")
    return [*said, *["In pns a node is one that is made."] * ("pns" in ran)]


def _orders(request: SearchRequest, cut: Collection[str]) -> str:
    """The orders of moves, and which searches have them."""
    if request.random_orders is not None:
        return f"random:{request.random_orders} order"
    names = [name.replace("natural", "natural (ascending)") for name in request.orders]
    learnt = [name for name in request.orders if name in ("killer", "history")]
    only = f"; {listed(learnt, 'and')} only where a search cuts" if learnt and cut else ""
    return f"{listed(names, 'and')} order{only}"


def compare(
    target: Target,
    request: SearchRequest = SearchRequest(),
    *,
    position: Any = None,
    depth: int | None = None,
    evaluation: str | None = None,
) -> Comparison:
    """Run searches on a game or an explicit tree and compare how many nodes each visits, with the least possible.

    ``target`` is a game (a specification, the directory of a solution, or the game itself) or a tree (a file, ``-`` for
    standard input, the tree written out, a `TreeFile` or a `networkx.DiGraph`); ``request`` says which searches, how,
    and what is recorded of them. They begin at ``position``, a text of the game or a node of the tree (default: its
    start or root), and end ``depth`` plies below it (default: at the end of the game), where a position counts 0 or
    what the game's ``evaluation`` of this name says.

    Raises `SpecError`, `StoreError` and `RulesError` for a game that cannot be loaded or used, `PositionError` for a
    text that is no position, `TreeError` for a tree that cannot be searched, `SymmetryError` for a symmetry that the
    game has not, and `OptionError` for anything else that makes no sense here.

    >>> found = compare("tictactoe", SearchRequest(algorithms=["minimax", "alphabeta"]))
    >>> found.value, [row.nodes for row in found.rows], found.least["full"].nodes
    (0, [549946, 18297], 1452)
    >>> found
    <Comparison of tictactoe from ?????????: value 0, at least 1,452 nodes
     minimax: 549,946 nodes
     alphabeta: 18,297 nodes>
    """
    if request.random_orders is not None and (tuple(request.orders) != ("natural",) or request.trace or request.plot):
        raise OptionError("--random-orders shuffles the moves itself; leave out --order, --trace and --plot")
    settings, algorithms = request.settings(), request.find_algorithms()
    random_orders = _random_orders(request.random_orders)
    problem = find_problem(target, position, depth=depth, evaluate=evaluation)
    drawn = request.plot and (problem.tree is not None or request.trace)
    if problem.tree is not None and set(request.symmetries) != {"none"}:
        raise OptionError("an explicit tree has no symmetries; leave out --symmetry")
    for algorithm in algorithms if request.trace else ():
        check_traceable(algorithm)
    laboratory = Laboratory(problem, settings)
    tasks = request.tasks(laboratory)
    solved, used = laboratory.solved, {task.window.name: task.window for task in tasks} | {"full": Window()}
    return Comparison(
        problem,
        request,
        tree=None if solved is None else solved.tree,
        value=None if solved is None else problem.shown(solved.value),
        rows=list(laboratory.rows(tasks)) if random_orders is None else [],
        distribution=[laboratory.distribution(task, *random_orders) for task in tasks] if random_orders else [],
        traces={task.title: laboratory.visits(task, MOST_TRACED) for task in tasks} if request.trace else {},
        drawn=_drawn(laboratory, tasks) if drawn else None,
        unsolved=laboratory.unsolved,
        least={name: None if solved is None else solved.least(window) for name, window in used.items()},
    )


def _random_orders(text: str | None) -> tuple[int, int] | None:
    """How many orders, and the first seed."""
    if text is None:
        return None
    match = re.fullmatch(r"([0-9]{1,7})(?::([0-9]{1,17}))?", text)
    if match is None or not 1 <= int(match.group(1)) <= MOST_SAMPLES:
        raise OptionError(f"random orders {text!r} are not N, from 1 to {MOST_SAMPLES:,}, or N:SEED")
    return int(match.group(1)), int(match.group(2) or 0)


def _drawn(laboratory: Laboratory, tasks: Sequence[Task]) -> tuple[str, list[Visit]]:
    """The search whose tree is drawn: the first that cuts or else goes depth first."""
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


def prune_targets(
    targets: Sequence[str],
    boards: Sequence[str] | None,
    request: SearchRequest = SearchRequest(),
    *,
    position: str | None = None,
    depths: str | None = None,
    evaluation: str | None = None,
) -> Comparison | list[dict[str, Any]]:
    """What ``gametree prune`` was asked for: one comparison of one target, or a table of growth over ``boards`` (as
    `parse_boards` reads them; ``targets`` are then more of them) or ``depths`` (as `parse_depths` reads them). A row of
    it has ``board``, ``game``, ``depth`` and ``winner`` (``X``, ``O`` or ``tie`` under optimal play; ``undecided``
    where the depth does not show it; None if stopped), and the fields of a `Row`. The other arguments, and what is
    raised, are those of `compare`.
    """
    several = parse_depths(depths)
    if boards is None and len(several) == 1:
        if len(targets) != 1:
            raise OptionError("name one game or tree, such as tictactoe, or give --boards 3,3,3 3,4,3")
        options: dict[str, Any] = {"position": position, "depth": several[0], "evaluation": evaluation}
        return compare(targets[0], request, **options)
    if boards is not None:
        pairs = parse_boards([*boards, *targets])
    elif not targets:
        raise OptionError("name a game, such as tictactoe, or give --boards 3,3,3 3,4,3")
    elif any(is_tree(target) for target in targets):
        raise OptionError("a table of growth is of games; a tree is searched to one --depth at a time")
    else:
        pairs = [(game.spec, game.spec) for game in map(find_game, targets)]
    choices = (request.orders, request.windows, request.symmetries)
    if request.trace or request.random_orders or max(map(len, choices)) > 1:
        raise OptionError(
            "a table of growth has one order, one window and one symmetry, no --random-orders and no --trace"
        )
    request.find_algorithms()  # refuses what there is not before anything is solved
    settings, found = request.settings(), list[dict[str, Any]]()
    for (board, spec), depth in itertools.product(pairs, several):
        problem = game_problem(spec, position, depth=depth, evaluation=evaluation)
        laboratory = Laboratory(problem, settings)
        for row in laboratory.rows(request.tasks(laboratory)):
            decided = depth is None or laboratory.horizon == 0
            winner = _winner(row.value, row.bound, decided, evaluation)
            told = {"board": board, "game": spec, "depth": depth, "winner": winner}
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
    """Boards as ``rows,cols,k`` or ``rowsxcolsxk``, one or several in a text: each with its game. Raises `OptionError`.

    >>> parse_boards(["4,4,3"]) == parse_boards(["4x4x3"])
    True
    >>> parse_boards(["3,3,3,3,4,3"])
    [('3,3,3', 'mnk:rows=3,cols=3,k=3'), ('3,4,3', 'mnk:rows=3,cols=4,k=3')]
    """
    found = []
    for text in texts:
        if re.fullmatch(r"[0-9]{1,4}([,x][0-9]{1,4}){2}(,[0-9]{1,4}([,x][0-9]{1,4}){2})*", text) is None:
            raise OptionError(f"board {text!r} is not rows,cols,k, such as 3,4,3")
        numbers = [int(number) for number in re.split("[,x]", text)]
        for rows, cols, k in zip(*[iter(numbers)] * 3, strict=True):
            found.append((f"{rows},{cols},{k}", f"mnk:rows={rows},cols={cols},k={k}"))
    return found


def parse_depths(text: str | None) -> list[int | None]:
    """Depths as ``8``, ``2,4,6`` or ``1..8``; None where none is given. Raises `OptionError`.

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
            raise OptionError(f"depth {text!r} is no number of plies; write 8, 2,4,6 or 1..8")
        found += range(ends[0], ends[-1] + 1)
    return list(dict.fromkeys(found))
