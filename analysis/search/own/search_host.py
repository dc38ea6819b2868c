"""Run a search of a user's file: a script in a process of its own, which knows nothing of the package.

It reads one request a line: the name of a file of JSON with graphs, where to begin, and how deep to search; and answers
each with one line: what the searches returned, the nodes that they visited, or what went wrong. An empty line asks what
it has found in the file. What a search prints is counted, not shown.

A visit is a call of the search with a node. Which functions are the search is seen from who calls whom: those that come
back to themselves, and the one that is called first. A function that passes its own node on makes no further visit, and
a leaf that is evaluated without a call of its own is one.
"""

from __future__ import annotations

import collections
import functools
import importlib.util
import inspect
import json
import math
import numbers
import os
import sys
import time
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

from analysis.machine.hosting import FaultError, StoppedError, compiled, guarded, run_module, take_streams

ROLES = {
    "graph": ("graph", "tree", "game", "problem", "g", "t"),
    "node": ("node", "state", "position", "pos", "vertex", "current", "root", "n", "s", "v"),
    "depth": ("depth", "d", "plies", "ply", "depthleft", "remaining", "limit", "maxdepth"),
    "alpha": ("alpha", "a"),
    "beta": ("beta", "b"),
    "maximizing": ("maximizing", "maximizingplayer", "maximising", "maximisingplayer", "ismax", "ismaximizing",
                   "ismaximising", "maximize", "m", "maxplayer", "ismaxplayer", "maxturn", "max", "player", "turn"),
    "color": ("color", "colour", "sign"),
}  # fmt: skip
"""Names of parameters, without case and underscores, by what they are given."""

HAS = "root, children(node), is_terminal(node), evaluate(node) and is_max(node)"
"""What a graph has."""
SHAPES = (
    "write def alphabeta(graph, node, depth, alpha, beta, maximizing), def minimax(graph, node, depth, maximizing), or "
    f"a class with getAction(self, gameState); the graph has {HAS}"
)

MOST_EVENTS = 3_000_000
"""Calls and evaluations that are recorded."""

LARGEST_EXACT = 1 << 53
"""Whole floats below this become integers."""

MOST_WRONG = 3
"""Searches that go wrong, after which no more are tried."""

VISIT, EVALUATION, SUCCESSOR = 0, 1, 2


class GivenNode(str):
    """A node: a text, so that it is no number."""

    number: int

    def __str__(self) -> str:
        return self


class NoInput:
    """The standard input of a search: there is none."""

    encoding = "utf-8"

    def __getattr__(self, name: str) -> Any:
        raise FaultError("input() waits for a person; a search is run without one", "input")

    def __iter__(self) -> Any:
        raise FaultError("standard input waits for a person; a search is run without one", "input")


class Functions:
    """The user's functions that take a node, by number, and which calls which, over all runs."""

    def __init__(self) -> None:
        self.numbers: dict[types.CodeType, int] = {}
        self.calls: dict[int, set[int]] = collections.defaultdict(set)
        self.called_with_leaves = False
        """Whether the search calls itself with leaves."""

    def number(self, code: types.CodeType) -> int:
        """The number of a function."""
        return self.numbers.setdefault(code, len(self.numbers))

    def reaches(self, code: int) -> bool:
        """Whether a function calls itself, directly or through others."""
        waiting, seen = [*self.calls[code]], set[int]()
        while waiting:
            each = waiting.pop()
            if each == code:
                return True
            if each not in seen:
                seen.add(each)
                waiting += self.calls[each]
        return False


class CallRecord:
    """What a search does: its calls and evaluations, in order, each with the call within which it happens."""

    def __init__(
        self, own: Callable[[types.CodeType], bool], kind: type[GivenNode] | type[GameState], functions: Functions
    ) -> None:
        self.events: list[tuple[int, int, int, int]] = []
        """Its kind, the number of the node, the number of the event of the innermost call (-1: none), and of a call the
        number of its function.
        """
        self.functions = functions
        self._own, self._kind = own, kind
        self._stack = [-1]

    def add(self, what: int, node: int, code: int = -1) -> int:
        """CallRecord an event; return its number."""
        events = self.events
        if len(events) >= MOST_EVENTS:
            raise StoppedError("it visits too many nodes; search a smaller position, or to a smaller --depth")
        events.append((what, node, self._stack[-1], code))
        return len(events) - 1

    def follower(self) -> Callable[[types.FrameType, str, Any], None]:
        """What follows calls of the functions in the user's files; for `sys.setprofile`."""
        known: dict[types.CodeType, tuple[str, ...] | None] = {}
        own, kind, stack, functions = self._own, self._kind, self._stack, self.functions

        def follow(frame: types.FrameType, event: str, arg: Any) -> None:
            if event != "call" and event != "return":
                return
            code = frame.f_code
            try:
                names = known[code]
            except KeyError:
                taken = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
                names = known[code] = taken if own(code) else None
            if names is None:
                return
            if event == "return":
                if len(stack) > 1:
                    stack.pop()
                return
            given = frame.f_locals if names else {}
            for name in names:
                node = given.get(name)
                if isinstance(node, kind):
                    stack.append(self.add(VISIT, node.number, functions.number(code)))
                    return
            stack.append(stack[-1])

        return follow


class GivenGraph:
    """What a search is given."""

    def __init__(self, told: dict[str, Any]) -> None:
        self._told, self._nodes = told, [GivenNode(name) for name in told["names"]]
        for number, node in enumerate(self._nodes):
            node.number = number
        self._numbers = {str(node): number for number, node in enumerate(self._nodes)}
        self._kept: dict[int, list[GivenNode]] = {}
        self._record: CallRecord | None = None
        self.root = self._nodes[told["root"]]

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"the graph has no {name}; it has {HAS}")

    def _find(self, node: Any) -> int:
        try:
            return self._numbers[node]
        except (KeyError, TypeError):
            said = f"{node!r}"[:60]
            raise ValueError(f"{said} is not a node; nodes are root and what children(node) gives") from None

    def children(self, node: Any) -> list[GivenNode]:
        """The children of a node, in order; always the same list, unless copies were asked for."""
        number = self._find(node)
        if number not in self._kept or self._told.get("copies"):
            self._kept[number] = [self._nodes[child] for child in self._told["children"][number]]
        return self._kept[number]

    def is_terminal(self, node: Any) -> bool:
        """Whether the game is over."""
        return not self._told["children"][self._find(node)]

    def evaluate(self, node: Any) -> Any:
        """The value of a node to the first player: of a leaf, or an estimate."""
        number = self._find(node)
        if self._record is not None:
            self._record.add(EVALUATION, number)
        return self._told["values"][number]

    def is_max(self, node: Any) -> bool:
        """Whether the first player moves."""
        return self._told["max"][self._find(node)]

    def changed(self) -> bool:
        """Whether a list of children was changed."""
        children = self._told["children"]
        return any([child.number for child in kept] != children[number] for number, kept in self._kept.items())


class GameState:
    """A state of Berkeley's Pacman projects, seen by the agent 0, who moves at the root."""

    __slots__ = ("_below", "_record", "_score", "_told", "number")

    def __init__(self, told: dict[str, Any], record: CallRecord, number: int) -> None:
        self._told, self._record, self.number = told, record, number
        self._below: list[int] = told["children"][number]
        self._score = told["first"] * told["values"][number]

    def __repr__(self) -> str:
        return str(self._told["names"][self.number])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, GameState) and other.number == self.number

    def __hash__(self) -> int:
        return hash(self.number)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(
            f"a gameState has no {name}; it has getLegalActions, generateSuccessor, isWin, isLose, getScore, "
            "getNumAgents"
        )

    def getLegalActions(self, agentIndex: int = 0) -> list[str]:
        """The actions: the names of the states that they lead to."""
        names = self._told["names"]
        return [names[child] for child in self._below]

    def generateSuccessor(self, agentIndex: int, action: Any) -> GameState:
        """The state after an action of an agent."""
        names, mover = self._told["names"], self._told["agents"][self.number]
        if agentIndex != mover and self._below:
            said = f"it lets agent {agentIndex!r:.20} move at {self}, where agent {mover} moves"
            raise FaultError(said, "wrong-agent")
        number = next((child for child in self._below if names[child] == action), None)
        if number is None:
            above = [n for n, below in enumerate(self._told["children"]) if self.number in below]
            siblings = {names[child] for n in above for child in self._told["children"][n]}
            if action in siblings:
                raise FaultError(
                    f"at {self} it plays {action!r:.40}, an action of the state before: "
                    "a successor takes the place of the state while its actions are tried",
                    "state-not-copied",
                )
            legal = ", ".join(names[child] for child in self._below)[:80] or "none"
            raise FaultError(f"at {self} it plays {action!r:.40}, illegal there; legal: {legal}", "illegal-action")
        self._record.add(SUCCESSOR, number)
        return GameState(self._told, self._record, number)

    def isWin(self) -> bool:
        """Whether play has ended with a positive score."""
        return not self._below and self._score > 0

    def isLose(self) -> bool:
        """Whether play has ended otherwise."""
        return not self._below and self._score <= 0

    def isTerminal(self) -> bool:
        """Whether play has ended."""
        return not self._below

    def getScore(self) -> Any:
        """The score, or an estimate."""
        self._record.add(EVALUATION, self.number)
        return self._score

    def getNumAgents(self) -> int:
        """How many agents take turns."""
        return self._told["rounds"]

    get_legal_actions, generate_successor, is_win, is_lose = getLegalActions, generateSuccessor, isWin, isLose
    get_score, get_num_agents, is_terminal, evaluate = getScore, getNumAgents, isTerminal, getScore


# The user's file ------------------------------------------------------------------------------------------------------


class Program:
    """A user's file, run anew for every search, so that nothing is kept between two."""

    def __init__(self, file: str, name: str) -> None:
        self.file, self.name, self.functions = file, name, Functions()
        self.folder = str(Path(file).parent) + os.sep
        sys.path.insert(0, self.folder)
        offer_berkeley()
        self.code = compiled(file)
        self.name = self.name or self._only()
        self.found = self._load()
        self.agent = inspect.isclass(self.found)
        self.roles = {} if self.agent else self._read_roles()

    def _load(self) -> Any:
        module = run_module(self.code, self.file)
        found = getattr(module, self.name, None)
        if not callable(found):
            there = ", ".join(self._candidates(module)) or "neither"
            said = f"{Path(self.file).name} has no function or class {self.name}; it has {there}"
            raise FaultError(said, "search")
        if inspect.isclass(found) and not action_of(found):
            raise FaultError(f"class {self.name} has no method getAction(gameState); {SHAPES}", "search")
        return found

    def _candidates(self, module: types.ModuleType) -> list[str]:
        names = []
        for name, each in vars(module).items():
            usable = action_of(each) if inspect.isclass(each) else inspect.isfunction(each)
            if usable and each.__module__ == module.__name__:
                names.append(name)
        return names

    def _only(self) -> str:
        module, file = run_module(self.code, self.file), Path(self.file).name
        found = []
        for name in self._candidates(module):
            each = getattr(module, name)
            if inspect.isclass(each) or {"graph", "node"} <= {*roles_of(each)[0].values()}:
                found.append(name)
        if not found:
            raise FaultError(f"{file} has no search; {SHAPES}", "search")
        if len(found) > 1:
            raise FaultError(f"{file} has {len(found)} searches; name one, as in {file}:{found[0]}", "search")
        return found[0]

    def _read_roles(self) -> dict[str, str]:
        roles, unknown = roles_of(self.found)
        missing = [role for role in ("graph", "node") if role not in roles.values()]
        if unknown or missing:
            what = f"parameter {unknown[0]!r} is not known" if unknown else f"no parameter is the {missing[0]}"
            raise FaultError(f"{self.name}{inspect.signature(self.found)}: {what}; {SHAPES}", "search")
        return roles

    def describe(self) -> dict[str, Any]:
        """What was recognised."""
        if self.agent:
            signature = f"{self.name}.{action_of(self.found)}(gameState)"
        else:
            signature = f"{self.name}({', '.join(self.roles)})"
        return {"name": self.name, "agent": self.agent, "signature": signature, "roles": [*self.roles.values()]}

    def own(self, code: types.CodeType) -> bool:
        """Whether a function is of the user's files."""
        return code.co_filename == self.file or code.co_filename.startswith(self.folder)

    def search(self, told: dict[str, Any]) -> dict[str, Any]:
        """Run the search; return what came of it, with its ``record``."""
        found, graph = self._load(), GivenGraph(told)
        record = CallRecord(self.own, GameState if self.agent else GivenNode, self.functions)
        graph._record = record
        call = self._agent_call(found, told, record) if self.agent else self._function_call(found, told, graph)
        OUTPUT.lines = 0
        began = time.perf_counter()
        sys.setprofile(record.follower())
        try:
            returned = call()
        finally:
            sys.setprofile(None)
            seconds = time.perf_counter() - began
        value: Any = None
        if self.agent:
            move: int | None = action(returned, told)
        else:
            value, move = value_and_move(returned, told)
            if "color" in self.roles.values() and not told["max"][told["root"]]:
                value = -value
        return {
            "value": value,
            "move": move,
            "record": record,
            "made": list(dict.fromkeys(node for what, node, _, _ in record.events if what == SUCCESSOR)),
            "changed": graph.changed(),
            "printed": OUTPUT.lines,
            "seconds": round(seconds, 6),
        }

    def _function_call(self, found: Any, told: dict[str, Any], graph: GivenGraph) -> Callable[[], Any]:
        values = {
            "graph": graph, "node": graph.root, "depth": told["depth"], "alpha": -math.inf, "beta": math.inf,
            "maximizing": told["max"][told["root"]], "color": 1 if told["max"][told["root"]] else -1,
        }  # fmt: skip
        parameters = inspect.signature(found).parameters
        given, named = [], {}
        for name, role in self.roles.items():
            if role in ("alpha", "beta") and parameters[name].default is not inspect.Parameter.empty:
                continue  # as its author means it to be called
            if parameters[name].kind is inspect.Parameter.POSITIONAL_ONLY:
                given.append(values[role])
            else:
                named[name] = values[role]
        return lambda: found(*given, **named)

    def _agent_call(self, found: Any, told: dict[str, Any], record: CallRecord) -> Callable[[], Any]:
        rounds = told["depth"] // told["rounds"]
        try:
            agent = found(depth=rounds)
        except TypeError:
            agent = found()
        for name, value in (("index", 0), ("depth", rounds)):
            if not hasattr(agent, name):
                setattr(agent, name, value)
        if not callable(getattr(agent, "evaluationFunction", None)):
            agent.evaluationFunction = GameState.getScore
        return lambda: getattr(agent, action_of(found))(GameState(told, record, told["root"]))


class CountedOutput:
    """Where a search prints to."""

    encoding = "utf-8"

    def __init__(self) -> None:
        self.lines = 0

    def write(self, text: str) -> int:
        """Count lines."""
        self.lines += text.count("\n")
        return len(text)

    def flush(self) -> None:
        """Do nothing."""


OUTPUT = CountedOutput()
"""Standard output and error of the search."""


def roles_of(function: Any) -> tuple[dict[str, str], list[str]]:
    """What each parameter of a function is given; and those that need a value and have no known name."""
    roles: dict[str, str] = {}
    unknown = []
    for name, parameter in inspect.signature(function).parameters.items():
        plain = name.replace("_", "").lower()
        role = next((role for role, names in ROLES.items() if plain in names and role not in roles.values()), None)
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        if role is not None:
            roles[name] = role
        elif parameter.default is inspect.Parameter.empty:
            unknown.append(name)
    return roles, unknown


def action_of(found: Any) -> str:
    """The name of an agent's method; empty if it has none."""
    return next((name for name in ("getAction", "get_action") if callable(getattr(found, name, None))), "")


def value_and_move(returned: Any, told: dict[str, Any]) -> tuple[Any, int | None]:
    """The value, and the number of the chosen child, of what a search returns."""
    parts = list(returned) if isinstance(returned, (tuple, list)) and 1 <= len(returned) <= 3 else [returned]
    values = [part for part in parts if isinstance(part, numbers.Real) and not isinstance(part, bool)]
    nodes = [part for part in parts if isinstance(part, str)]
    if not values:
        what = "None: is a return missing?" if returned is None else f"{returned!r}"[:60]
        raise FaultError(f"it returns {what}; a search returns the value of the node, or (value, child)", "wrong-type")
    value = values[0]
    move = told["names"].index(nodes[0]) if nodes and nodes[0] in told["names"] else None
    if isinstance(value, numbers.Integral):
        return int(value), move
    number = float(value)
    return (int(number) if abs(number) < LARGEST_EXACT and number.is_integer() else number), move


def action(returned: Any, told: dict[str, Any]) -> int:
    """The number of the state that a chosen action leads to."""
    below = told["children"][told["root"]]
    found = next((child for child in below if told["names"][child] == returned), None)
    if found is None:
        what = "None: is a return missing?" if returned is None else f"{returned!r}"[:60]
        raise FaultError(f"getAction returns {what}; it returns one of the legal actions", "wrong-type")
    return found


# Visits ---------------------------------------------------------------------------------------------------------------


def note_calls(record: CallRecord, children: list[list[int]]) -> None:
    """Note which functions call which, and whether with leaves."""
    calls, events = record.functions.calls, record.events
    for what, node, above, code in events:
        if what == VISIT and above >= 0:
            calls[events[above][3]].add(code)
            if not children[node] and events[above][1] != node and record.functions.reaches(code):
                record.functions.called_with_leaves = True


def visits_of(record: CallRecord, children: list[list[int]]) -> tuple[list[int], list[int]]:
    """The nodes of the visits in order, and the numbers of the visits that they are made from (-1: none)."""
    first = next((code for what, _, _, code in record.events if what == VISIT), -1)
    functions = record.functions
    search = {first} | {code for code in functions.numbers.values() if functions.reaches(code)}
    visit_at: dict[int, int] = {-1: -1}
    nodes: list[int] = []
    parents: list[int] = []
    evaluated: set[tuple[int, int]] = set()
    for number, (what, node, above, code) in enumerate(record.events):
        parent = visit_at[above]
        at_home = parent >= 0 and nodes[parent] == node
        if what == VISIT:
            visit_at[number] = parent
            if code not in search or at_home:
                continue
            visit_at[number] = len(nodes)
        elif what != EVALUATION or at_home or children[node] or functions.called_with_leaves:
            continue
        elif parent >= 0 and node in children[nodes[parent]]:
            if (parent, node) in evaluated:
                continue
            evaluated.add((parent, node))
        nodes.append(node)
        parents.append(parent)
    return nodes, parents


# Berkeley's modules ---------------------------------------------------------------------------------------------------


def offer_berkeley() -> None:
    """Make what Berkeley's projects import importable, where the files are not beside the user's."""

    def not_defined() -> None:
        raise FaultError("a method is not written yet: it calls util.raiseNotDefined()")

    def begin(agent: Any, index: int = 0) -> None:
        agent.index = index

    directions = type("Directions", (), {w.upper(): w for w in ("North", "South", "East", "West", "Stop")})
    offered: dict[str, dict[str, Any]] = {
        "util": {
            "manhattanDistance": lambda a, b: abs(a[0] - b[0]) + abs(a[1] - b[1]),
            "lookup": lambda name, names: names.get(name, GameState.getScore),
            "raiseNotDefined": not_defined,
        },
        "game": {
            "Agent": type("Agent", (), {"__init__": begin}),
            "Directions": directions,
            "Actions": type("Actions", (), {}),
        },
        "pacman": {"GameState": GameState},
    }
    for name, parts in offered.items():
        if importlib.util.find_spec(name) is None:
            module = types.ModuleType(name)
            vars(module).update(parts)
            sys.modules[name] = module


# The conversation -----------------------------------------------------------------------------------------------------


def answers(program: Program, asked: list[dict[str, Any]], seconds: float) -> list[dict[str, Any]]:
    """Search the graphs one after the other, within seconds for all, until too many go wrong."""
    ends, found, wrong = time.process_time() + seconds, list[dict[str, Any]](), 0
    for told in asked:
        left = max(ends - time.process_time(), 0.001)
        sys.setrecursionlimit(max(1000, 20 * told["height"] + 1000))
        found.append(guarded(functools.partial(program.search, told), left, program.file))
        if "record" in found[-1]:
            note_calls(found[-1]["record"], told["children"])
        wrong += "error" in found[-1]
        if wrong == MOST_WRONG or found[-1].get("fault") == "endless":
            break
    for answer, told in zip(found, asked, strict=False):
        if "record" in answer:
            answer["nodes"], answer["parents"] = visits_of(answer.pop("record"), told["children"])
    return found


def main() -> None:
    """Answer requests about the file and the name that the arguments give, within seconds for each."""
    file, name, seconds = sys.argv[1], sys.argv[2], float(sys.argv[3])
    requests, out = take_streams()
    sys.stdin, sys.stdout = NoInput(), OUTPUT  # type: ignore[assignment]
    sys.stderr = OUTPUT  # type: ignore[assignment]
    loaded: list[Program] = []

    def load() -> dict[str, Any]:
        loaded.append(Program(file, name))
        return loaded[0].describe()

    for line in requests:
        told: Any = loaded[0].describe() if loaded else guarded(load, seconds, file)
        if loaded and line.strip():
            told = answers(loaded[0], json.loads(Path(line.strip()).read_text(encoding="utf-8")), seconds)
        print(json.dumps(told), file=out, flush=True)


if __name__ == "__main__":
    main()
