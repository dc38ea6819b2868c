"""The page as one file, which contains its answers and needs nothing else."""

from __future__ import annotations

import base64
import hashlib
from pathlib import Path

from ...common.files import check_target, write_bytes
from ...errors import OptionError
from ...solution.solution import Solution
from ..served import Served, Site
from .rendering import bundle, render, style
from .slices import MOST_CLASSES, Slice, cut
from .table import pack

SUFFIXES = (".html", ".htm")

VIEW_CLASSES, VIEW_POSITIONS = 10_000, 80_000
"""Limits on the classes, and on classes times symmetries, of a page in a notebook; it takes about a second."""

POLICY = "default-src 'none'; script-src {}; style-src {}; img-src data: blob:; base-uri 'none'; form-action 'none'"
"""The policy of a file, which runs the script with this digest and loads nothing."""


def write_page(
    solution: Solution,
    out: str | Path,
    *,
    start: str | None = None,
    depth: int | None = None,
    optimal_only: bool = False,
    classes: int = MOST_CLASSES,
) -> Slice:
    """Write the page of a solution as one HTML file for any browser, which needs no server and no network.

    Args:
        solution: The solution of an ordinary game.
        out: The file, ``.html``; it is complete or absent.
        start: The first position, as ``solution[...]`` takes it (default: where the solution begins).
        depth: Plies after it that the page contains (default: all).
        optimal_only: Whether to leave out what follows moves that give value away.
        classes: Limit on the classes of positions.

    Returns the part of the solution in the page. Raises `PositionError`, `OptionError` for a number out of range,
    `TooLargeError` for too many classes, `RulesNeededError` if the rules of a stored solution are not known, and
    `StoreError` if the file cannot be written.
    """
    check_target(Path(out), SUFFIXES, "a page")
    if classes < 1 or (depth is not None and depth < 0):
        raise OptionError(f"a page has 0 plies or more and 1 class or more, not depth={depth} and classes={classes}")
    served = Site([solution])[0]
    part = cut(solution, served.state_of(start), depth=depth, optimal_only=optimal_only, most=classes)
    write_bytes(Path(out), page_of(served, part).encode("utf-8"))
    return part


def page_of(served: Served, part: Slice) -> str:
    """Return the page that contains a part of a solution."""
    from markupsafe import Markup

    table = Markup(base64.b64encode(pack(served, part)).decode("ascii"))
    program, look = f"\n{bundle('file_source')}$file_source.start();\n", f"\n{style()}\n"
    policy = POLICY.format(_digest(program), _digest(look))
    return render(
        "file.html.j2",
        served=served, policy=Markup(policy), style=Markup(look), script=Markup(program), table=table,
    )  # fmt: skip


def _digest(text: str) -> str:
    """Return the digest of a text as policies write it."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode('utf-8')).digest()).decode('ascii')}'"


def page_of_view(served: Served, here: str | None) -> str:
    """Return a page with as many plies from a position on as a view may have. Raises `PositionError`."""
    most = max(1, min(VIEW_CLASSES, VIEW_POSITIONS // served.solution.engine.group.order))
    return page_of(served, cut(served.solution, served.state_of(here), most=most, deepest=True))
