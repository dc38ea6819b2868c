"""The pages: plain HTML with links, which scripts turn into a page to play on.

A page without a server has its scripts as a `bundle`. They import from each other in single lines and export only
declarations, so each becomes a function that returns what it exports.
"""

from __future__ import annotations

import functools
import re
from pathlib import Path
from typing import Any
from urllib.parse import quote

from analysis.machine.markup import printable
from analysis.machine.version import __version__
from analysis.pictures.style import environment, variables
from analysis.rules.picture import board_text
from analysis.web.asked import Asked
from analysis.web.positions import position_json
from analysis.web.served import Auctioned, Served, Site
from analysis.wording import signed

TEMPLATES = Path(__file__).parent / "templates"
SCRIPTS = Path(__file__).parent / "scripts"

_IMPORT = re.compile(r'^import (\{ [\w, ]+ \}) from "\./(\w+)\.js";$', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function\*?|class|const) (\w+))", re.MULTILINE)

_COMMENT = re.compile(r"^ *(?://[^\n]*|/\*\*.*?\*/)\n", re.MULTILINE | re.DOTALL)
"""Comments on lines of their own, a sixth of the scripts."""


def address(served: Served, text: str) -> str:
    """Return the address of a position's page, whatever characters its text has."""
    return f"/game/{served.id}?p={quote(text, safe='', errors='surrogatepass')}"


def list_page(site: Site) -> str:
    """Return the page that lists all solutions."""
    solutions = [(served, address(served, served.solution.start)) for served in site]
    return render("solutions.html.j2", solutions=solutions, auctions=list(site.auctions.values()))


def position_page(served: Served, state: int) -> str:
    """Return the page of a position with its moves."""
    told = position_json(served, state)
    moves = [_move(served, move) for move in told["moves"] or ()]
    cells = _cells(told, moves)
    text = served.game.format_position(state)
    return render(
        "position.html.j2",
        served=served,
        told=told,
        start=address(served, served.solution.start),
        json=f"/api/v1/{served.id}/position{address(served, text).partition(served.id)[2]}",
        board=cells,
        drawn="" if cells else board_text(served.game, state),
        slant=served.game.rows_slant,
        moves=moves,
        signed=signed,
    )


def error_page(status: int, line: str) -> str:
    """Return the page that says why there is no other."""
    return render("error.html.j2", status=status, line=line)


@functools.cache
def style() -> str:
    """Return the style sheet, light or dark as the system is."""
    dark = f"@media (prefers-color-scheme: dark) {{ :root, :host {{ {variables(dark=True)} }} }}"
    return f":root, :host {{ {variables()} }}\n{dark}\n{(TEMPLATES / 'style.css').read_text(encoding='utf-8')}"


@functools.cache
def script_names() -> frozenset[str]:
    """Return the names of all scripts."""
    return frozenset(path.name for path in SCRIPTS.glob("*.js"))


def _move(served: Served, move: dict[str, Any]) -> dict[str, Any]:
    worth = move["value_for_mover"]
    result = "win" if worth > 0 else "lose" if worth < 0 else move["outcome"]
    return move | {"href": address(served, move["position"]), "result": result}


def _cells(told: dict[str, Any], moves: list[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    """Return the rows of a board, none if the game has its own picture or no board. A cell has its ``mark``, its owner
    and, if exactly one move is made there, the address after it, its label and its result.
    """
    grid = told["grid"]
    if not grid or told["picture"] is not None:
        return []
    here: dict[int, list[dict[str, Any]]] = {}
    for move in moves:
        if move["cell"] is not None:
            here.setdefault(move["cell"], []).append(move)
    owners = {"X": "first", "O": "second"}
    rows = []
    for r, marks in enumerate(grid):
        row = []
        for c, mark in enumerate(marks):
            own = here.get(r * len(marks) + c, [])
            one = own[0] if len(own) == 1 else {}
            label = f"{one['name']}: {one['outcome']}" if one else ""
            cell = {"mark": mark.strip(), "owner": owners.get(mark.strip(), ""), "label": label}
            row.append(cell | {"href": one.get("href"), "result": one.get("result", "")})
        rows.append(row)
    return rows


@functools.cache
def _templates() -> Any:
    return environment(TEMPLATES)


def render(name: str, **fields: Any) -> str:
    """Fill in a template; everything but `Markup` is escaped."""
    return printable(_templates().get_template(name).render(version=__version__, **fields))


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


def bidding_page(auctioned: Auctioned, asked: Asked) -> str:
    """Return the page of a state: both purses, the bids and what each pair is worth and, after two bids, the moves of
    the winner.
    """
    told = auctioned.answer("/position", asked)
    bids = {side: [each["bid"] for each in (told["legal_bids"] or {}).get(side, ())] for side in "XO"}
    drawn = {
        side: {each["bid"]: each["probability_exact"] or each["probability"] for each in told["bids"].get(side, ())}
        for side in "XO"
    }
    return render(
        "bidding.html.j2",
        served=auctioned,
        told=told,
        bids=bids,
        drawn=drawn,
        chosen=(asked.number("x"), asked.number("o")),
    )
