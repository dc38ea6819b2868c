"""Run a user's search as it is: what it returns, whether that is right, and how many calls it takes."""

from __future__ import annotations

import dataclasses
import functools
import inspect
import math
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..common.programs import LateError, Program, ProgramError
from ..common.wording import signed
from ..errors import OptionError, WrongSearchError
from . import own_host
from .catalogue import ALGORITHMS, Settings, Task
from .problem import SearchProblem
from .workspace import Workspace

SECONDS = 120.0
"""Time for a search in a file, wall clock."""

MOST_NODES = 200_000
"""The most positions of a graph that a search is given."""

DEEP = 1000
"""The depth if the longest line of play is unknown."""

Search = str | Callable[..., Any]
"""``FILE.py:FUNCTION,FUNCTION...``, the first of which is called, or a function."""


@dataclasses.dataclass(frozen=True)
class OwnResult:
    """What a user's search returned and did."""

    name: str
    """Its functions, joined by a plus."""
    signature: str
    start: str
    """Where it began: ``graph``, ``the tree``, a name in the program, or an expression."""
    value: float | None
    """The number that it returned, alone or beside a move, if any."""
    move: str | None
    """The move that it returned, if any."""
    right: bool | None
    """Whether the value is that of the position, or without a value, the move among the best; None if unknown."""
    calls: dict[str, int]
    """The calls of each function, recursion included."""
    seconds: float

    def verdict(self, value: float | None) -> str:
        """Say what it returned, and whether that is right if the position is worth ``value`` (None: unknown)."""
        results = [] if self.value is None else [f"value {signed(self.value)}"]
        results += [] if self.move is None else [f"move {self.move}"]
        wrong = "" if value is None else f"wrong: the value is {signed(value)}"
        wrong = wrong if self.value is not None or self.move is None else "wrong: others are better"
        judged = {None: "unknown whether it is right", True: "right", False: wrong}[self.right]
        return f"{', '.join(results) or 'neither value nor move'}; {judged}"


def run_own(problem: SearchProblem, own: Search, start: Any = None, *, placed: bool = False) -> dict[str, Any]:
    """Run a search and return what `own_host.call` returns. ``start`` is where it begins: an expression in its file,
    or for a function the start itself; ``placed`` says that the problem does not begin where its game does. Raises
    `OptionError` if there is no such search, and `WrongSearchError` if it fails or does not end.
    """
    depth = next((plies for plies in (problem.depth, problem.longest) if plies is not None), DEEP)
    request: dict[str, Any] = {
        "placed": placed, "depth": depth, "limited": problem.depth is not None,
        "maximizing": not problem.moves(problem.root) or problem.side(problem.root) > 0,
        "recursion": 1000 + 20 * depth,
    }  # fmt: skip
    if not isinstance(own, str):
        if not hasattr(inspect.unwrap(own), "__code__"):
            raise OptionError(f"own is {own!r}; give a function, or FILE.py:FUNCTION")
        request |= {"names": [own.__name__]} | ({} if start is None else {"given": start})
        call = functools.partial(own_host.call, own, getattr(own, "__globals__", {}))
        return _answered(problem, call, request, own.__name__)
    path, _, functions = own.rpartition(":")
    game = problem.name.partition(":")[0]
    path = game if not path and game.endswith(".py") else path
    if not Path(path).is_file():
        raise OptionError(f"own search {own}: there is no file {path or own}; write FILE.py:FUNCTION")
    request |= {"names": [name.strip() for name in functions.split(",") if name.strip()], "expression": start}
    title = f"{functions} of {path}"
    with Program(own_host.__file__, str(Path(path).absolute())) as program:
        try:
            return _answered(problem, lambda request: program.ask(request, SECONDS), request, title)
        except LateError:
            raise WrongSearchError(f"own search {title} does not end: it was stopped after {SECONDS:g} s") from None
        except ProgramError as error:
            raise WrongSearchError(f"own search {title}: {error}") from None


def _answered(
    problem: SearchProblem, ask: Callable[[dict[str, Any]], dict[str, Any]], request: dict[str, Any], title: str
) -> dict[str, Any]:
    """Return the answer of `own_host`, giving it the graph on request. Raises `OptionError` for what is missing."""
    try:
        reply = ask(request)
        reply = ask(request | {"graph": graph_of(problem)}) if reply.get("graph") else reply
    except own_host.MissingError as error:
        reply = {"missing": str(error)}
    if "missing" in reply:
        raise OptionError(f"own search {title}: {reply['missing']}")
    return reply


def graph_of(problem: SearchProblem) -> tuple[list[str], list[list[int]], list[Any], list[bool]]:
    """Return the names of the nodes, the root first, their children, the first player's values and whether he moves, as
    `own_host.GivenGraph` takes them. Raises `OptionError` for too many nodes.
    """
    numbers, states, children = {problem.root: 0}, [problem.root], list[list[int]]()
    for state in states:  # grows as it goes
        children.append([])
        for _, child in problem.moves(state):
            if child not in numbers:
                numbers[child] = len(states)
                states.append(child)
            children[-1].append(numbers[child])
        if len(states) > MOST_NODES:
            raise OptionError(
                f"a search that takes a graph is given at most {MOST_NODES:,} positions, and {problem.name} has more; "
                "begin at a later position"
            )
    texts = [str(problem.label(state)) for state in states]
    used = Counter(texts)
    names = [text if used[text] == 1 else f"{text}#{number}" for number, text in enumerate(texts)]
    first = [not below or problem.side(state) > 0 for state, below in zip(states, children, strict=True)]
    return names, children, [_number(problem.estimate(state)) for state in states], first


def _number(value: Any) -> float:
    return value if isinstance(value, int) else float(value)


# What it returned -----------------------------------------------------------------------------------------------------


def judge(problem: SearchProblem, value: float | None, reply: dict[str, Any]) -> OwnResult:
    """Compare what a search did with the ``value`` of the position, if known. A number is a value; a pair has a value
    first or last, or is the row and the column of a move on a board that has rows.
    """
    returned = reply["returned"]
    pair = returned if isinstance(returned, list) and len(returned) == 2 else []
    readings: list[tuple[float | None, Any]] = [(None, returned)]
    if isinstance(returned, (int, float)):
        readings = [(returned, None)]
    elif pair and not (reply["rows"] and _child(problem, pair) is not None):
        orders = ((pair[0], pair[1]), (pair[1], pair[0]))
        readings = [(one, other) for one, other in orders if isinstance(one, (int, float))] or readings
    judged = []
    for number, move in readings:
        mine = None if number is None else reply["sign"] * number
        legal = move is None or _child(problem, move) is not None
        judged.append((legal, _is_right(problem, value, mine, move), mine, None if move is None else _text(move)))
    _, right, mine, name = max(judged, key=lambda reading: (reading[0], bool(reading[1])))  # the first of equals
    return OwnResult(
        "+".join(reply["calls"]), reply["signature"], reply["start"], mine, name, right, reply["calls"],
        round(reply["seconds"], 6),
    )  # fmt: skip


def _is_right(problem: SearchProblem, value: float | None, mine: float | None, move: Any) -> bool | None:
    """Return whether a value is right (in a game that is won or lost, its sign); without a value, whether a move is."""
    if value is None:
        return None
    if mine is not None:
        signs = problem.game is not None and problem.evaluation is None and {*problem.payoffs} <= {-1, 0, 1}
        return (mine > 0) - (mine < 0) == value if signs else math.isclose(mine, value)
    child = None if move is None else _child(problem, move)
    if child is None:
        return False if move is None else None
    depth = None if problem.depth is None else problem.depth - 1
    below, task = dataclasses.replace(problem, root=child, depth=depth), Task(ALGORITHMS["alphabeta_table"])
    number, _ = Workspace(below, task, Settings()).run(task.algorithm.load())
    return None if number is None else bool(problem.shown(number) == value)


def _child(problem: SearchProblem, move: Any) -> int | None:
    """Return the state that a move leads to: by its code, its name, its row and column, or the name of the state."""
    game, cell = problem.game, None
    grid = None if game is None else game.grid(problem.root)
    if grid and isinstance(move, list) and len(move) == 2 and len(grid) * len(grid[0]) == problem.codes:
        row, column = move
        if row in range(len(grid)) and column in range(len(grid[0])):
            cell = row * len(grid[0]) + column
    for code, child in problem.moves(problem.root):
        names = {str(code), str(problem.label(child)), "" if game is None else game.format_move(code)}
        if code == cell or _text(move) in names:
            return child
    return None


def _text(move: Any) -> str:
    """Return a move as Python writes it."""
    if isinstance(move, list):
        return f"({', '.join(map(_text, move))})"
    return str(move["text"] if isinstance(move, dict) else move)
