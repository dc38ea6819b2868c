"""The page of a report, rendered from one template into one self-contained file.

Matplotlib's SVG files are inlined with their own ids, in the page's light and dark colours.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping
from pathlib import Path
from xml.etree import ElementTree

from analysis.machine.markup import printable
from analysis.machine.version import __version__
from analysis.pictures.boards import names_in_cells
from analysis.pictures.style import ROLES, Picture, environment, variables
from analysis.reports import words
from analysis.reports.findings import Findings
from analysis.reports.sections import make_sections
from analysis.reports.tables import ReportTable
from analysis.rules.picture import board_text, column_name, row_name
from analysis.wording import some

TEMPLATES = Path(__file__).parent / "templates"


def render(
    findings: Findings,
    drawn: Mapping[str, Picture | str],
    drawings: Mapping[str, str],
    tables: Mapping[str, ReportTable],
    links: Mapping[str, str | None],
) -> str:
    """Render the page as HTML, without scripts or external resources. The same findings give the same text.

    Args:
        findings: What it says.
        drawn: The figures by name, with their captions; a sentence replaces one that is left out.
        drawings: The figures as SVG elements by name, trusted to be markup.
        tables: The tables by name.
        links: The files for walking through the game (``walk``) and with ``puzzles``, if there are any.
    """
    from markupsafe import Markup, escape

    pages, value, board = environment(TEMPLATES), findings.statistics["value"], start_board(findings)
    pages.filters["breakable"] = lambda text: Markup(re.sub(r"([,_])(?=\w)", r"\1<wbr>", str(escape(text))))
    html = pages.get_template("page.html.j2").render(
        game=findings.game,
        title=re.findall(r"[^:,/]*[:,/]?", findings.game.spec),
        origin=findings.solution.start if findings.elsewhere else None,
        version=__version__,
        **links,
        summary=words.summary(findings),
        tiles=words.tiles(findings),
        outcome="first" if value > 0 else "second" if value < 0 else "nobody",
        board=board,
        sections=make_sections(findings, drawn, tables, board.named),
        drawings={name: Markup(svg) for name, svg in drawings.items()},
        colours=variables(),
        dark_colours=variables(dark=True),
        recolouring=Markup(recolouring()),
        style=Markup((TEMPLATES / "style.css").read_text(encoding="utf-8")),
    )
    return printable(html)


# The board at the top -------------------------------------------------------------------------------------------------

WIDEST = 20
"""The most rows and columns of a board that is drawn; larger ones are written as text."""


@dataclasses.dataclass(frozen=True)
class PageBoard:
    """A position to look at: cells or, if it is no board or a very wide one, lines of text."""

    text: str
    caption: str
    label: str = ""
    """A description of the cells for readers who cannot see them."""
    cells: tuple[tuple[int, int, str, str], ...] = ()
    """Row and column of each cell, its mark, and the name of its first move, if any."""
    rows: int = 0
    cols: int = 0
    slant: bool = False
    letters: tuple[str, ...] = ()
    """The names of the columns, if moves use them."""
    numbers: tuple[str, ...] = ()
    """The names of the rows, likewise."""

    @property
    def named(self) -> bool:
        """Whether cells carry the names of moves."""
        return any(name for *_, name in self.cells)


def start_board(findings: Findings) -> PageBoard:
    """Show the start, as cells if the game has them; the blank ones carry the names of the moves there.

    >>> import analysis
    >>> from analysis.reports.findings import gather
    >>> board = start_board(gather(analysis.solve("mnk:rows=2,cols=2,k=2")))
    >>> board.cells
    ((0, 0, '', '0'), (0, 1, '', '1'), (1, 0, '', '2'), (1, 1, '', '3'))
    """
    game, state = findings.game, findings.solution.engine.start
    grid, caption = game.grid(state), game.caption(state)
    if not grid or game.picture(state) is not None or max(len(grid), *map(len, grid)) > WIDEST:
        text = board_text(game, state)
        return PageBoard(text, "" if caption == text else caption)
    names = names_in_cells(game, state, {opening.move.move: opening.move.name for opening in findings.openings})
    rows, cols = len(grid), max(map(len, grid))
    marks = [(r, c, mark.strip()) for r, row in enumerate(grid) for c, mark in enumerate(row)]
    cells = tuple((r, c, mark, "" if mark else names.get(n, "")) for n, (r, c, mark) in enumerate(marks))
    letters, numbers = map(column_name, range(cols)), (row_name(r, rows, game.rows_from_bottom) for r in range(rows))
    coordinates = (tuple(letters), tuple(numbers))
    if all(opening.move.name.isdecimal() for opening in findings.openings):
        coordinates = ((), ())
    return PageBoard("", caption, _label(grid), cells, rows, cols, game.rows_slant, *coordinates)


def _label(grid: list[list[str]]) -> str:
    """Describe a board, row by row.

    >>> _label([["X", " "], [" ", " "]])
    'The start position, 2 rows of 2 cells. Row 1: X, blank. Row 2: all blank.'
    """
    size = f"{some(len(grid), 'row')} of {some(len(grid[0]), 'cell')}"
    if not any(mark.strip() for row in grid for mark in row):
        return f"The start position, {size}, all blank"
    rows = [[mark.strip() or "blank" for mark in row] for row in grid]
    said = ("all blank" if {*row} == {"blank"} else ", ".join(row) for row in rows)
    return f"The start position, {size}. {' '.join(f'Row {number}: {row}.' for number, row in enumerate(said, 1))}"


# Figures --------------------------------------------------------------------------------------------------------------


def recolouring() -> str:
    """Return style rules that give everything in a figure the page's colour of its role.

    Matplotlib writes colours into style attributes and, in the patterns of hatches, into attributes of their own. The
    rules do not name elements' parents, since a marker used several times is drawn out of its place.
    """
    return "\n".join(
        f'[style*="{key}: {light}"], [{key}="{light}"] {{ {key}: var(--{role}) !important; }}'
        for role, (light, _) in ROLES.items()
        for key in ("fill", "stroke")
    )


def inline(svg: bytes, name: str, title: str, description: str) -> str:
    """Turn an SVG file into an element for a page, without prolog, namespaces and style rules.

    Its ids begin with ``name``, so that several fit on one page, and it has proportions but no size (``svg.figure {
    width: 100%; height: auto }``). Screen readers get ``title`` and ``description``. The same file gives the same text.

    >>> inline(b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 2"><g id="a"/></svg>', "x", "T", "D")
    '<svg class="figure" viewBox="0 0 1 2" role="img" aria-labelledby="x-svg-title" aria-describedby="x-svg-desc">\
<title id="x-svg-title">T</title><desc id="x-svg-desc">D</desc><g id="x-a" /></svg>'
    """
    drawn = ElementTree.fromstring(svg)
    root = ElementTree.Element("svg", {"class": "figure", "viewBox": drawn.attrib["viewBox"], "role": "img"})
    for role, tag, text in (("aria-labelledby", "title", title), ("aria-describedby", "desc", description)):
        root.set(role, f"{name}-svg-{tag}")
        ElementTree.SubElement(root, tag, {"id": root.attrib[role]}).text = text
    root.extend(child for child in drawn if child.find("{*}style") is None)  # its rules would apply to the whole page
    for element in [inner for child in root[2:] for inner in child.iter()]:
        element.tag, element.tail = element.tag.rpartition("}")[2], None
        for key, value in list(element.attrib.items()):
            del element.attrib[key]
            own = key.rpartition("}")[2]
            if own in ("id", "href"):
                value = f"{name}-{value}" if own == "id" else f"#{name}-{value[1:]}"
            element.set(own, value.replace("url(#", f"url(#{name}-"))
    return ElementTree.tostring(root, encoding="unicode")
