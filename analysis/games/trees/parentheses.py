"""Trees in parentheses: ``((3 12 8) (2 4 6))``, with names ``A(B(3 12) C(c:2 4))``, or as in Lisp ``(A (B 3 12) 4)``.

A node is its children in parentheses, and a leaf its value. Either may have a name, ``A(...)`` and ``a:3``; unnamed
nodes are numbered from 0, level by level from the root. ``max`` or ``min`` before a node says who moves there; ``#``
begins a comment. In the manner of Lisp every parenthesis begins with the name of its node, or with ``max`` or ``min``.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from typing import Any

from analysis.errors import TreeError
from analysis.games.trees.json_trees import Placed, PlacedList, grow
from analysis.games.trees.numbers import LONGEST_NUMBER, NUMBER, RATIO, PlacedNumber, parse_number
from analysis.games.trees.tree_file import TreeFile

FORM = "a tree in parentheses"

COMPACT = re.compile(
    rf"\s+|,|#[^\n]*|(?P<open>\()|(?P<close>\))|(?P<value>(?:{RATIO}|{NUMBER})(?![\w./])"
    r"|[+-]?(?i:inf(inity)?|nan)\b(?!\s*[(:=]))"
    r"|(?P<side>(?i:max|min)\b(?!\s*[:=]))|(?P<name>[^\W\d]\w*)|(?P<is>[:=])"
)
"""Tokens, including infinity and NaN, which are refused later by name."""

# Two numbers separated only by a comma, or one with a decimal comma; two separated only by blanks.
GLUED, APART = re.compile(r"[-+.\w]{0,9}\d,\d[.\w]{0,9}"), re.compile(r"\d\s+[-+.\w]")


def parse_parentheses(text: str, name: str) -> TreeFile:
    """Parse a tree; errors call it ``name``. Raises `TreeError`."""
    text = text.replace("\N{MINUS SIGN}", "-")
    bare = re.sub(r"#[^\n]*", "", text)
    opened = re.findall(r"\((?:\s*)([^\W\d]\w*\s)?", bare)
    lisp = bool(opened) and all(opened) and bare.lstrip().startswith("(")
    return grow(_nested(text, name, lisp), TreeFile(FORM, name))


def _nested(text: str, name: str, lisp: bool) -> Any:
    """Return the root with its nested children; not recursive, so that trees may be deep."""
    top = list[Any]()
    stack: list[Any] = [top]
    head: dict[str, Any] = {}  # what is said of a node before its children or value
    wants_value, heading = False, False  # heading: after the parenthesis of a node in the manner of Lisp
    for kind, word, line in itertools.chain(_tokens(text, name), [("end", "", 0)]):
        if kind == "value" and len(word) > LONGEST_NUMBER:
            raise TreeError(f"{name}, line {line}: {word[:20]}... is too large a value")
        if heading and kind in ("side", "name"):
            stack[-1]["to_move" if kind == "side" else "id"] = word.lower() if kind == "side" else word
            heading = False
            continue
        _check_follows(kind, word, head, wants_value, f"{name}, line {line}" if line else name)
        if kind == "is":
            wants_value = True
        elif kind == "side":
            head["to_move"] = word.lower()
        elif kind == "name":
            head["id"] = word
        elif kind in ("value", "open"):
            inner = kind == "open"
            node: Any = PlacedList() if inner else _number(word)
            if head or (lisp and inner):
                node = Placed(head | {"children" if inner else "value": node})
            if isinstance(node, (PlacedList, PlacedNumber, Placed)):
                node.line = line
            _children(stack[-1]).append(node)
            if inner:
                stack.append(node)
            head, wants_value, heading = {}, False, lisp and inner
        elif kind == "close":
            _close(stack, f"{name}, line {line}")
    return _the_only(top, stack, name)


def _the_only(top: list[Any], stack: list[Any], name: str) -> Any:
    """Return the root, once everything is read. Raises `TreeError`."""
    if len(stack) > 1:
        raise TreeError(f"{name}: {len(stack) - 1} ')' missing; the last is opened in line {stack[-1].line}")
    if len(top) != 1:
        found = f"{len(top)} trees side by side" if top else "nothing"
        raise TreeError(f"{name} holds {found}; write one tree, such as ((3 12 8) (2 4 6))")
    return top[0]


def _close(stack: list[Any], where: str) -> None:
    """Take the node that a parenthesis closes from the stack of open ones."""
    if len(stack) == 1:
        raise TreeError(f"{where}: one ')' too many")
    closed = stack.pop()
    if not _children(closed):
        what = closed.get("id", "'()'") if isinstance(closed, dict) else "'()'"
        raise TreeError(f"{where}: {what} has neither children nor a value")


def _children(node: Any) -> list[Any]:
    children: list[Any] = node["children"] if isinstance(node, dict) else node
    return children


def _number(word: str) -> Any:
    return parse_number(word) if re.fullmatch(f"{RATIO}|{NUMBER}", word) else PlacedNumber(word)


def _check_follows(kind: str, word: str, head: dict[str, Any], wants_value: bool, where: str) -> None:
    """Refuse a token that cannot follow a name, or a word that says who moves."""
    named, side = head.get("id"), head.get("to_move")
    if kind == "is" and (named is None or wants_value):
        raise TreeError(f"{where}: {word!r} must follow a name")
    if side is not None and kind not in ("name", "open"):
        raise TreeError(f"{where}: {side} must precede a node with children, such as {side}(3 12)")
    if named is not None and kind not in (("is", "value", "side") if wants_value and side is None else ("is", "open")):
        raise TreeError(
            f"{where}: {named} has neither children nor a value; write {named}(3 12) or, for a leaf, {named}:3"
        )


def _tokens(text: str, name: str) -> Iterator[tuple[str, str, int]]:
    """Yield the kind, text and line of each token."""
    bare, at, line = re.sub(r"#[^\n]*", "", text), 0, 1
    glued = GLUED.search(bare)
    if glued and APART.search(bare):
        raise TreeError(
            f"{name}: {glued.group()[:20]!r} could be one number or two; write a decimal point, or put commas between "
            "all numbers or none"
        )
    while at < len(text):
        match = COMPACT.match(text, at)
        if match is None:
            column = at - (text.rfind("\n", 0, at) + 1) + 1
            word = re.match(r"\S*", text[at:]).group()[:20]  # type: ignore[union-attr]
            raise TreeError(
                f"{name}, line {line}, column {column}: {word!r} is not a number, name or parenthesis; "
                "write a tree as ((3 12 8) (2 4 6))"
            )
        if match.lastgroup:
            yield match.lastgroup, match.group(), line
        else:
            line += match.group().count("\n")
        at = match.end()
