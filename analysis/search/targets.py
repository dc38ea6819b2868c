"""What a target on the command line names: a game, or an explicit tree."""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path
from typing import Any

from analysis.errors import OptionError, TreeError
from analysis.games import FAMILIES
from analysis.games.user import is_own
from analysis.rules.game import Game
from analysis.search.explicit import levels, tree_problem
from analysis.search.game_problem import find_game, game_problem
from analysis.search.problem import SearchProblem
from analysis.search.tree_files import TreeFile, parse_tree, read_tree


def find_problem(
    target: str | Game, position: str | None = None, *, depth: int | None = None, evaluation: str | None = None
) -> SearchProblem:
    """What a target names, from a position, or a node of a tree, on. Raises `SpecError`, `PositionError`,
    `OptionError`, `StoreError` and `TreeError`.
    """
    if isinstance(target, Game) or not is_tree(target):
        return game_problem(find_game(target), position, depth=depth, evaluation=evaluation)
    if evaluation is not None:
        raise OptionError("an explicit tree carries its own values; --evaluate is for games")
    tree, name = _read(target)
    if position is not None:
        tree = _from(tree, position, name)
    return tree_problem(tree.graph, tree.source, depth=depth, maximizing=tree.maximizing, name=name)


def is_tree(target: str | Game) -> bool:
    """Whether a target is an explicit tree (a file, ``-`` for standard input, or the tree itself) and not a game."""
    if isinstance(target, Game):
        return False
    if target == "-" or _is_written_out(target):
        return True
    if target.partition(":")[0] in FAMILIES or is_own(target):
        return False
    with contextlib.suppress(OSError, ValueError):  # too long for a name, or a character that none can have
        if Path(target).exists():
            return not Path(target).is_dir()
    return "/" in target or Path(target).suffix != ""


def _is_written_out(target: str) -> bool:
    """Whether a target is itself a tree, and no path that has brackets in it."""
    if "(" not in target or is_own(target):
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
    with contextlib.suppress(OSError, ValueError):
        if Path(target).is_file():
            return read_tree(target), target
    return (parse_tree(target), "tree") if _is_written_out(target) else (read_tree(target), target)


def _from(tree: TreeFile, text: str, name: str) -> TreeFile:
    """The tree from a node on, with the side to move that it has there."""
    node: Any = next((node for node in tree.graph if str(node) == text), None)
    if node is None:
        raise TreeError(f"{name} has no node {text!r}")
    parities = levels(tree.graph, tree.source, node, name)
    if len(parities) > 1:
        raise TreeError(
            f"node {text} of {name} is reached after odd and even numbers of moves: either side may move there"
        )
    return TreeFile(tree.graph, node, tree.maximizing == (parities != {1}))
