"""What is searched, as a caller or the command line names it: a game, or an explicit tree."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from analysis.errors import OptionError, TreeError
from analysis.games.families import FAMILIES, is_user_game
from analysis.rules.game import Game
from analysis.search.explicit import parities, tree_problem
from analysis.search.problem import SearchProblem, find_game, game_problem
from analysis.search.tree_files import TreeFile, parse_tree, read_tree

if TYPE_CHECKING:
    import networkx as nx

Target: TypeAlias = "nx.DiGraph[Any] | TreeFile | Game | str"
"""A graph whose leaves carry ``value``, what a file or a text says of one, or a game; as text, a specification or the
directory of a solution, or of a tree its file, ``-`` for standard input, or the tree written out.
"""


def find_problem(
    target: Target,
    source: Any = None,
    *,
    depth: int | None = None,
    maximizing: bool | None = None,
    evaluate: Callable[[Any], int] | str | None = None,
) -> SearchProblem:
    """What a target is, as all searches take it.

    It begins at ``source``: the text of a position (default: the start), or a node of a tree (default: the root), whose
    name will do where the tree is a text or a file. ``depth`` is the plies after which a position counts ``evaluate``:
    of a game the name of one of its evaluations, of a tree a function of its nodes. ``maximizing`` says who moves at
    the source of a tree. Raises `SpecError`, `StoreError`, `RulesError`, `PositionError`, `OptionError`, `TreeError`.
    """
    if evaluate is not None and not isinstance(evaluate, str) and not callable(evaluate):
        raise OptionError(f"evaluate {evaluate!r} is neither a function nor a name")
    name = "tree"
    if isinstance(target, str) and is_tree(target):
        if isinstance(evaluate, str):
            raise OptionError("an explicit tree carries its own values; --evaluate is for games")
        target, name = _read(target)
        if source is not None:
            target, source = _from(target, str(source), name), None
    if isinstance(target, TreeFile):
        source = target.source if source is None else source
        maximizing = target.maximizing if maximizing is None else maximizing
        target = target.graph
    if isinstance(target, (str, Game)):
        return _game(target, source, depth, maximizing, evaluate)
    if not hasattr(target, "is_directed"):
        raise TreeError(f"{type(target).__name__} is no networkx.DiGraph, no game and no specification of one")
    if isinstance(evaluate, str):
        raise OptionError("an explicit tree is evaluated by a function of its nodes, not by a name")
    first = maximizing is None or bool(maximizing)
    return tree_problem(target, source, depth=depth, maximizing=first, evaluate=evaluate, name=name)


def _game(game: str | Game, position: Any, depth: int | None, maximizing: bool | None, evaluate: Any) -> SearchProblem:
    if evaluate is not None and not isinstance(evaluate, str):
        raise OptionError("a game is evaluated by one of its own evaluations; give its name, such as 'lines'")
    if position is not None and not isinstance(position, str):
        raise OptionError(f"source {position!r} is no position; write it as text, such as 'XO???????'")
    problem = game_problem(find_game(game), position, depth=depth, evaluation=evaluate)
    if maximizing is not None and bool(maximizing) != (problem.side(problem.root) > 0):
        raise OptionError(f"maximizing is {maximizing}, but the position says who is to move; leave it out for a game")
    return problem


def is_tree(target: str) -> bool:
    """Whether a text names an explicit tree (a file, ``-`` for standard input, or the tree itself) and not a game."""
    if target == "-" or _is_written_out(target):
        return True
    if target.partition(":")[0] in FAMILIES or is_user_game(target):
        return False
    with contextlib.suppress(OSError, ValueError):  # too long for a name, or a character that none can have
        if Path(target).exists():
            return not Path(target).is_dir()
    return "/" in target or Path(target).suffix != ""


def _is_written_out(target: str) -> bool:
    """Whether a target is itself a tree, and no path that has brackets in it."""
    if "(" not in target or is_user_game(target):
        return False
    with contextlib.suppress(OSError, ValueError):
        return not Path(target).exists()
    return True


def _read(target: str) -> tuple[TreeFile, str]:
    if target == "-":
        try:
            text = sys.stdin.read()
        except (AttributeError, OSError, UnicodeDecodeError):
            raise TreeError("standard input is closed, or no text") from None
        return parse_tree(text, "standard input"), "standard input"
    return (parse_tree(target), "tree") if _is_written_out(target) else (read_tree(target), target)


def _from(tree: TreeFile, text: str, name: str) -> TreeFile:
    """The tree from a node on, with the side to move that it has there."""
    node: Any = next((node for node in tree.graph if str(node) == text), None)
    if node is None:
        raise TreeError(f"{name} has no node {text!r}")
    found = parities(tree.graph, tree.source, node, name)
    if len(found) > 1:
        raise TreeError(
            f"node {text} of {name} is reached after odd and even numbers of moves: either side may move there"
        )
    return TreeFile(tree.graph, node, tree.maximizing == (found != {1}))
