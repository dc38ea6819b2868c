"""Read trees in parentheses: ``((3 12 8) (2 4 6))``, with names ``A(B(3 12) C(c:2 4))``.

A node is written as its children in parentheses, and a leaf as its value. Both may have a name, ``A(...)`` and ``a:3``;
``max`` or ``min`` before a node says who moves there.
"""

from __future__ import annotations

import math
import re
from typing import Any

from ...errors import TreeError
from .numbers import NUMBER, RATIO, parse_number

TOKEN = re.compile(
    r"(?P<open>(?:(?P<side>(?i:max|min))\b\s*)?(?P<node>[^\W\d]\w*)?\s*\()|(?P<close>\))"
    rf"|(?:(?P<leaf>[^\W\d]\w*)\s*:\s*)?(?P<value>(?:{RATIO}|{NUMBER})(?![\w./]))"
)
BLANK = re.compile(r"[\s,]*")

# Two numbers separated only by a comma, or one with a decimal comma; two separated only by blanks.
GLUED, APART = re.compile(r"[-+.\w]{0,9}\d,\d[.\w]{0,9}"), re.compile(r"\d\s+[-+.\w]")


def parse_parentheses(text: str, forms: str) -> Any:
    """Return the root as nested objects and lists, as in JSON; without recursion, so that trees may be deep. Raises
    `TreeError`, whose message names the ``forms`` of trees.
    """

    def fault(what: str, place: int) -> TreeError:
        column = place - text.rfind("\n", 0, place)
        return TreeError(f"line {text.count(chr(10), 0, place) + 1}, column {column}: {what}")

    if (glued := GLUED.search(text)) and APART.search(text):
        ambiguity = "could be one number or two; write a decimal point, or put commas between all numbers or none"
        raise TreeError(f"{glued.group()[:20]!r} {ambiguity}")
    top = list[Any]()
    opened: list[tuple[list[Any], int]] = [(top, 0)]  # the children of each, and where it begins
    place = BLANK.match(text).end()  # type: ignore[union-attr] # it matches everywhere
    while place < len(text):
        match, children = TOKEN.match(text, place), opened[-1][0]
        if match is None:
            word = re.match(r"\S*", text[place:]).group()[:20]  # type: ignore[union-attr]
            raise fault(f"{word!r} is neither a number nor a parenthesis; write a tree as {forms}", place)
        if match["close"]:
            if len(opened) == 1:
                raise fault("one ')' too many", place)
            if not children:
                raise fault("'()' has neither children nor a value", place)
            opened.pop()
        elif match["open"]:
            children_of_node: list[Any] = []
            data = {key: match[group] for key, group in (("id", "node"), ("to_move", "side")) if match[group]}
            children.append(data | {"children": children_of_node} if data else children_of_node)
            opened.append((children_of_node, place))
        else:
            value = parse_number(match["value"])
            if value in (math.inf, -math.inf):
                raise fault(f"{match['value'][:20]} is not a finite number up to 1.8e308", place)
            children.append({"id": match["leaf"], "value": value} if match["leaf"] else value)
        place = BLANK.match(text, match.end()).end()  # type: ignore[union-attr]
    if len(opened) > 1:
        raise fault(f"{len(opened) - 1} ')' missing; the last is opened here", opened[-1][1])
    if len(top) != 1:
        number = f"{len(top)} trees side by side" if top else "nothing"
        raise TreeError(f"it holds {number}; write one tree, as {forms}")
    return top[0]
