"""The pages, which scripts fill.

A page without a server has its scripts as a `bundle`. They import from each other in single lines and export only
declarations, so each becomes a function that returns what it exports.
"""

from __future__ import annotations

import functools
import re
from pathlib import Path
from typing import Any

from ...common.markup import printable
from ...common.pages import environment, variables
from ...common.version import __version__
from ...errors import OptionError
from ..asked import Asked, exact_json
from ..served import Auctioned

TEMPLATES = Path(__file__).parent / "templates"
SCRIPTS = Path(__file__).parent / "scripts"

ROUNDING = 1e-9
"""Values of a bidding game that differ by less count as equal."""

_IMPORT = re.compile(r'^import (\{ [\w, ]+ \}) from "\./(\w+)\.js";$', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function\*?|class|const) (\w+))", re.MULTILINE)

_COMMENT = re.compile(r"^ *(?://[^\n]*|/\*\*.*?\*/)\n", re.MULTILINE | re.DOTALL)
"""Comments on lines of their own, a sixth of the scripts."""


@functools.cache
def style() -> str:
    """Return the style sheet, light or dark as the system is."""
    dark = f"@media (prefers-color-scheme: dark) {{ :root {{ {variables(dark=True)} }} }}"
    return f":root {{ {variables()} }}\n{dark}\n{(TEMPLATES / 'style.css').read_text(encoding='utf-8')}"


def render(name: str, **fields: Any) -> str:
    """Fill in a template; everything but `Markup` is escaped."""
    return printable(environment(TEMPLATES).get_template(name).render(version=__version__, **fields))


@functools.cache
def bundle(entry: str) -> str:
    """Return a script with all that it needs; its exports are in the constant ``$entry``.

    >>> lines = bundle("line").splitlines()
    >>> lines[0], lines[-2:]
    ('const $line = (() => {', ['return { Line, readHash };', '})();'])
    """
    done: dict[str, str] = {}
    _add(entry, done)
    return "".join(done.values())


def _add(name: str, done: dict[str, str]) -> None:
    """Add a script after those that it imports."""
    source = _COMMENT.sub("", (SCRIPTS / f"{name}.js").read_text(encoding="utf-8"))
    for _, other in _IMPORT.findall(source):
        if other not in done:
            _add(other, done)
    exported = ", ".join(_EXPORT.findall(source))
    body = _EXPORT.sub("", _IMPORT.sub(r"const \1 = $\2;", source))
    done[name] = f"const ${name} = (() => {{\n{body}return {{ {exported} }};\n}})();\n"


def _code(sale: dict[str, Any], move: dict[str, Any]) -> int:
    """Return the code of a winner's move in the game in which either side may move."""
    return 2 * int(move["move"]) + (sale["winner"] == "O")


def walked(auctioned: Auctioned, first: str, line: list[str]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return the state after a ``line`` of rounds such as ``1-0-8`` (X's bid, O's bid, the code of the move), and these
    rounds. The end of a game is told with its last move, since the text of a state does not always say who has won.
    Raises `OptionError` if the line cannot be played.
    """
    told, steps = auctioned.told(first, None, None), []
    for number, text in enumerate(line):
        if told["terminal"] or not re.fullmatch("[0-9]{1,4}-[0-9]{1,4}-[0-9]{1,4}", text, re.ASCII):
            raise OptionError(f"a line is written like 1-0-8.0-2-3 and ends with the game; {text[:40]!r} is not in one")
        x, o, code = map(int, text.split("-"))
        before = auctioned.told(told["position"], x, o)
        found = [(sale, move) for sale in before["sales"] for move in sale["placements"] if _code(sale, move) == code]
        if not found:
            raise OptionError(f"after bids of {x} and {o} no move has the code {code}")
        sale, after = found[0]
        told = before | sale | after if after["terminal"] else auctioned.told(after["position"], None, None)
        href = auctioned.address(first, line=".".join(line[:number]), x=x, o=o)
        erred = _erred(before, (x, o), sale, after)
        steps.append({"x": x, "o": o, "sale": sale, "before": before, "after": after, "erred": erred, "href": href})
    return told, steps


def _erred(before: Any, made: tuple[int, int], sale: Any, after: Any) -> set[str]:
    """Return what gave value away in a round: the bid of ``X`` or ``O`` if it is not an optimal one, the choice of who
    wins equal bids (``tie``), or the ``move``.
    """
    (row, x), (column, o) = (
        next((place, bid) for place, bid in enumerate(before["legal_bids"][side]) if bid["bid"] == chosen)
        for side, chosen in zip("XO", made, strict=True)
    )
    pair, best = before["matrix"][row][column], sale["placements"][0]["value"]
    gained = pair - before["value"]
    lost = {
        "X": gained < -ROUNDING and not x["probability"],
        "O": gained > ROUNDING and not o["probability"],
        "tie": abs(best - pair) > ROUNDING,
        "move": abs(after["value"] - best) > ROUNDING,
    }
    return {name for name, holds in lost.items() if holds}


def bidding_page(auctioned: Auctioned, asked: Asked) -> str:
    """Return the page of a state: both purses, the board, what each pair of bids is worth and, after two bids (by
    default the likeliest optimal ones), the moves of the winner; and the ``line`` that led to it from ``p``. Raises
    `OptionError` for a line that cannot be played.
    """
    head = auctioned.head_json()
    bids, first = (asked.number("x"), asked.number("o")), asked.text("p")
    first, line = head["start"] if first is None else first, [*filter(None, (asked.text("line") or "").split("."))]
    told, steps = walked(auctioned, first, line)
    if told["terminal"]:
        told |= {"sales": None, "legal_bids": None}
    elif told["legal_bids"]:
        if bids == (None, None):
            x, o = (max(told["bids"][side], key=lambda bid: float(bid["probability"]))["bid"] for side in "XO")
            bids = x, o
        told = auctioned.told(told["position"], *bids)
        for bid in (*told["legal_bids"]["X"], *told["legal_bids"]["O"]):  # of one that will do, all its equals
            equals = told["saddle"] and abs(bid["guarantee"] - told["value"]) < ROUNDING
            bid["optimal"] = bool(bid["probability"]) or equals
    for sale in told["sales"] or ():
        for move in sale["placements"]:
            value, code = move["value"], _code(sale, move)
            move["href"] = auctioned.address(first, line=".".join([*line, f"{bids[0]}-{bids[1]}-{code}"]))
            move["value_for_mover"] = value if sale["winner"] == "X" else -value
            move["result"] = ("tie", "win", "lose")[(move["value_for_mover"] > 0) - (move["value_for_mover"] < 0)]
            if move["terminal"] or abs(value) == 1:
                move["outcome"] = {1: "X", -1: "O"}.get(value, "tie")
    look = {name: told[name] for name in ("grid", "picture", "position", "value")}
    movers = [(each["winner"], each["placements"]) for each in told["sales"] or ()] or [(None, [])]
    drawn = {
        "solution": {name: head[name] for name in ("board", "players", "start")},
        "advantage": told["advantage"],
        "over": told["terminal"],
        "positions": [
            look | {"player": mover, "to_move": -1 if mover == "O" else 1, "terminal": mover is None, "moves": moves}
            for mover, moves in movers
        ],
    }
    fields = {"line": ".".join(line)} if line else {}
    return render(
        "bidding.html.j2", served=auctioned, head=head, told=told, first=first, fields=fields, chosen=bids, steps=steps,
        drawn=exact_json(drawn),
    )  # fmt: skip
