"""The page as one file, which carries what it shows and needs nothing else."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from pathlib import Path

from analysis.errors import OptionError, PositionError, TooLargeError
from analysis.machine.arguments import checked
from analysis.machine.files import check_target, write_bytes
from analysis.rules.positions import common_position, read_position
from analysis.solution.solution import Solution
from analysis.web.pages.rendering import bundle, render, style
from analysis.web.pages.slices import MOST_CLASSES, Slice, cut
from analysis.web.pages.table import pack
from analysis.web.served import Served, Site

SUFFIXES = (".html", ".htm")

VIEW_CLASSES, VIEW_POSITIONS = 10_000, 80_000
"""Classes, and classes times symmetries, in a page that a server or a notebook makes of what is looked at: it takes
about a second, and others wait.
"""

POLICY = "default-src 'none'; script-src {}; style-src {}; img-src data: blob:; base-uri 'none'; form-action 'none'"
"""Of a file: it runs its own script, whose digest is in it, and loads nothing."""

VIEW_FIELDS = ("p", "first", "line")
"""In which `page_of_view` is asked for one."""


@checked
def write_page(
    solution: Solution,
    out: str | Path,
    *,
    beside: Solution | None = None,
    position: str | None = None,
    depth: int | None = None,
    optimal_only: bool = False,
    classes: int = MOST_CLASSES,
) -> Slice:
    """Write the page of a solution as one HTML file that carries it: for any browser, without a server or a network.

    Args:
        solution: What is shown, of an ordinary game.
        out: The file, ``.html``; it is complete or absent.
        beside: Another solution that the page shows beside it; what follows is said of both.
        position: Where the page begins (default: the start), as ``solution[position]`` takes a text; one of both.
        depth: How many plies after it the page has; by default all.
        optimal_only: Whether it has, after moves that give value away, no further moves.
        classes: How many classes of positions it may have of each.

    Returns what the page has. Raises `PositionError`, `OptionError` for a number out of range, `TooLargeError` for more
    than so many classes, `RulesNeededError` where a directory's rules are not known, and `StoreError` where the file
    cannot be written.
    """
    check_target(Path(out), SUFFIXES, "a page")
    if classes < 1 or (depth is not None and depth < 0):
        raise OptionError(f"a page has 0 plies or more and 1 class or more, not depth={depth} and classes={classes}")
    site = Site([solution] if beside is None else [solution, beside])
    common = None if position is None else common_position([served.game for served in site], position)
    parts = []
    for served in site:
        start = None if common is None else read_position(served.game, common)
        part = cut(served.solution, start, depth=depth, optimal_only=optimal_only, most=classes)
        parts.append((served, part))
    write_bytes(Path(out), page_of(parts).encode("utf-8"))
    return parts[0][1]


def page_of(parts: Sequence[tuple[Served, Slice]], *, line: str = "") -> str:
    """The page that carries a part of a solution, and parts of others that it shows beside it; it begins with a
    ``line``, written as in the page's addresses.
    """
    from markupsafe import Markup

    tables = [Markup(base64.b64encode(pack(served, part)).decode("ascii")) for served, part in parts]
    program, look = f"\n{bundle('table_source')}$table_source.start();\n", f"\n{style()}\n"
    policy = POLICY.format(_digest(program), _digest(look))
    return render(
        "file.html.j2",
        served=parts[0][0], line=line, policy=Markup(policy), style=Markup(look), script=Markup(program), tables=tables,
    )  # fmt: skip


def _digest(text: str) -> str:
    """What a policy says of a text that it lets in."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode('utf-8')).digest()).decode('ascii')}'"


def page_of_view(
    served: Served,
    here: str | None,
    first: str | None = None,
    line: str | None = None,
    *,
    beside: Sequence[Served] = (),
) -> str:
    """The page of what is looked at: from the ``first`` position of a line on or, where that is too large, as much as
    will do from ``here`` on; and ``beside`` it others from the same position on, or from their starts where it is none
    of theirs. Raises `PositionError`.
    """
    try:
        part = cut(served.solution, served.state_of(first or here), most=_most(served))
    except TooLargeError:
        part = cut(served.solution, served.state_of(here), most=_most(served), deepest=True)
        line = None
    text = served.game.format_position(part.raw.start)
    return page_of([(served, part), *((other, _part_beside(other, served, text)) for other in beside)], line=line or "")


def _most(served: Served) -> int:
    return max(1, min(VIEW_CLASSES, VIEW_POSITIONS // served.solution.engine.group.order))


def _part_beside(other: Served, served: Served, text: str) -> Slice:
    try:
        state = other.state_of(common_position([served.game, other.game], text))
        return cut(other.solution, state, most=_most(other), deepest=True)
    except PositionError:
        return cut(other.solution, most=_most(other), deepest=True)
