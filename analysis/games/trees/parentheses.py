"""Trees in parentheses: ``((3 12 8) (2 4 6))``, with names ``A(B(3 12) C(c:2 4))``.

A node is its children in parentheses, and a leaf its value. Either may have a name, ``A(...)`` and ``a:3``; unnamed
nodes are numbered from 0, level by level from the root. ``max`` or ``min`` before a node says who moves there.
"""

from __future__ import annotations

import re
from typing import Any

from analysis.errors import TreeError
from analysis.games.trees.json_trees import Placed, PlacedList, grow
from analysis.games.trees.numbers import LONGEST_NUMBER, NUMBER, RATIO, PlacedNumber, parse_number
from analysis.games.trees.tree_file import TreeFile

FORM = "a tree in parentheses"
FORMS = "((3 12 8) (2 4 6)) or, with names, A(B(3 12) c:4)"

TOKEN = re.compile(
    r"(?P<open>(?:(?P<side>(?i:max|min))\b\s*)?(?P<node>[^\W\d]\w*)?\s*\()|(?P<close>\))"
    rf"|(?:(?P<leaf>[^\W\d]\w*)\s*:\s*)?(?P<value>(?:{RATIO}|{NUMBER})(?![\w./]))"
)

# Two numbers separated only by a comma, or one with a decimal comma; two separated only by blanks.
GLUED, APART = re.compile(r"[-+.\w]{0,9}\d,\d[.\w]{0,9}"), re.compile(r"\d\s+[-+.\w]")


def parse_parentheses(text: str, name: str) -> TreeFile:
    """Parse a tree; errors call it ``name``. Raises `TreeError`."""
    glued = GLUED.search(text)
    if glued and APART.search(text):
        raise TreeError(
            f"{name}: {glued.group()[:20]!r} could be one number or two; write a decimal point, or put commas between "
            "all numbers or none"
        )
    return grow(_nested(text, name), TreeFile(FORM, name))


def _nested(text: str, name: str) -> Any:
    """Return the root with its nested children; not recursive, so that trees may be deep."""
    top = list[Any]()
    stack: list[Any] = [top]
    at = line = 0
    for match in _tokens(text, name):
        line, at = line + text.count("\n", at, match.start()), match.start()
        where = f"{name}, line {line + 1}"
        if match["close"]:
            if len(stack) == 1:
                raise TreeError(f"{where}: one ')' too many")
            if not _children(stack[-1]):
                raise TreeError(f"{where}: '()' has neither children nor a value")
            stack.pop()
            continue
        node = _inner(match) if match["open"] else _leaf(match, where)
        if isinstance(node, (Placed, PlacedList, PlacedNumber)):
            node.line = line + 1
        _children(stack[-1]).append(node)
        if match["open"]:
            stack.append(node)
    if len(stack) > 1:
        raise TreeError(f"{name}: {len(stack) - 1} ')' missing; the last is opened in line {stack[-1].line}")
    if len(top) != 1:
        found = f"{len(top)} trees side by side" if top else "nothing"
        raise TreeError(f"{name} holds {found}; write one tree, such as {FORMS}")
    return top[0]


def _inner(match: re.Match[str]) -> Any:
    """Return a node whose children follow."""
    said = {"id": match["node"], "to_move": match["side"]}
    told = {key: each for key, each in said.items() if each is not None}
    return Placed(told | {"children": PlacedList()}) if told else PlacedList()


def _leaf(match: re.Match[str], where: str) -> Any:
    """Return a leaf. Raises `TreeError` for a number of too many digits."""
    if len(match["value"]) > LONGEST_NUMBER:
        raise TreeError(f"{where}: {match['value'][:20]}... is too large a value")
    value = parse_number(match["value"])
    return value if match["leaf"] is None else Placed(id=match["leaf"], value=value)


def _children(node: Any) -> list[Any]:
    children: list[Any] = node["children"] if isinstance(node, dict) else node
    return children


def _tokens(text: str, name: str) -> list[re.Match[str]]:
    """Return what parentheses and leaves there are. Raises `TreeError` at anything else."""
    found, at = [], 0
    while blank := re.compile(r"[\s,]*").match(text, at):
        at = blank.end()
        if at == len(text):
            break
        match = TOKEN.match(text, at)
        if match is None:
            line, column = text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)
            word = re.match(r"\S*", text[at:]).group()[:20]  # type: ignore[union-attr]
            raise TreeError(
                f"{name}, line {line}, column {column}: {word!r} is neither a number nor a parenthesis; "
                f"write a tree as {FORMS}"
            )
        found.append(match)
        at = match.end()
    return found
