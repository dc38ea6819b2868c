"""Labels of nodes in a drawn graph, in Graphviz's HTML-like language: the board, and text below it."""

from __future__ import annotations

import html
import itertools
import textwrap
import unicodedata
from collections.abc import Mapping, Sequence

from analysis.machine.markup import drawable
from analysis.rules.game import Game

FONT = "Helvetica,Arial,sans-serif"
MONOSPACED = "DejaVu Sans Mono,Menlo,Consolas,Courier New,monospace"

CELL = 20
"""The least side of a cell, in points."""

WIDEST = 32
"""Characters per line of text in a node."""

SHORT = 3
"""The longest name of a move, in characters, that fits its cell."""

GREY = "#666666"


def markup(text: str) -> str:
    r"""Return a text for an HTML-like label, in which no text may be empty; lines end in breaks.

    >>> markup('a < "b"\nc  d')
    'a &lt; &quot;b&quot;<BR/>c&#160;&#160;d'
    """
    lines = html.escape(drawable(text)).expandtabs(4).splitlines()
    return "<BR/>".join(line.replace("  ", "&#160;&#160;") for line in lines if line.strip()) or "&#160;"


def quoted(text: str) -> str:
    r"""Return a text as a quoted string, for attributes that know escapes such as ``\N`` and entities such as ``&lt;``.

    >>> print(quoted('a\\b "c" &amp;\nd'))
    "a\\b \"c\" &amp;amp;\nd"
    """
    escaped = drawable(text).replace("\\", "\\\\").replace('"', '\\"').replace("&", "&amp;")
    return '"' + "\\n".join(escaped.splitlines()) + '"'


def node(board: str, lines: Sequence[str]) -> str:
    """Return a label: the rows of a table that show the board, and lines of text below it."""
    said = "".join(_row(small(wrapped(line))) for line in lines)
    return f'<TABLE BORDER="0" CELLBORDER="0" CELLSPACING="0" CELLPADDING="2">{board}{said}</TABLE>'


def wrapped(text: str, width: int = WIDEST) -> str:
    """Return the text on lines of at most ``width`` characters."""
    return "\n".join(textwrap.wrap(text, width, break_on_hyphens=False))


def board(game: Game, state: int, names: Mapping[int, str]) -> str:
    """Return the position as rows of a table: picture, grid with ``names`` in empty cells, or text; and caption."""
    caption, picture, grid = game.caption(state), game.picture(state), game.grid(state)
    if picture is not None:
        drawn = _row(_monospaced(picture))
    elif grid and all(grid):
        drawn = _row(_grid(grid, names, game.rows_slant))
    else:
        text = wrapped(game.format_position(state))
        drawn, caption = _row(_monospaced(text)), caption.replace(game.format_position(state), "")
    return drawn + (_row(small(wrapped(caption))) if caption else "")


def names_in_cells(game: Game, state: int, moves: Mapping[int, str]) -> dict[int, str]:
    """Return the names of moves, by cell, that are short enough for the cell the move is made in."""
    if game.grid(state) is None or game.picture(state) is not None:
        return {}
    cells: dict[int, list[str]] = {}
    for code, name in moves.items():
        cell = game.cell_of(state, code)
        if cell is not None:
            cells.setdefault(cell, []).append(name)
    return {cell: found[0] for cell, found in cells.items() if len(found) == 1 and len(found[0]) <= SHORT}


def small(text: str) -> str:
    """Return a text in small letters."""
    return f'<FONT POINT-SIZE="10">{markup(text)}</FONT>'


def _row(content: str) -> str:
    return f"<TR><TD>{content}</TD></TR>"


def _monospaced(text: str) -> str:
    lines = [markup(line).replace(" ", "&#160;") for line in textwrap.dedent(text).splitlines() or [""]]
    drawn = "".join(f'{line}<BR ALIGN="LEFT"/>' for line in lines)
    return f'<FONT FACE="{MONOSPACED}" POINT-SIZE="10">{drawn}</FONT>'


def _grid(grid: list[list[str]], names: Mapping[int, str], slant: bool) -> str:
    """Return the board as a table or, where each row is half a cell right of the one above, as tables between empty
    cells.

    Cells are wide enough, in points, for bold text of 12 points, or names of 9.
    """
    marks = (9 * _columns(mark) + 4 for row in grid for mark in row)
    width = max(CELL, *marks, *(7 * _columns(name) + 4 for name in names.values()))
    cols, last, lines = max(map(len, grid)), len(grid) - 1, []
    if not slant:
        rows = "".join(f"<TR>{row}</TR>" for row in _cells(grid, names, width))
        return _table(rows, cols * width, len(grid) * CELL)
    for number, row in enumerate(_cells(grid, names, width)):
        left = number * width // 2
        before, after = (
            f'<TD BORDER="0" WIDTH="{space}"></TD>' if space else "" for space in (left, last * width // 2 - left)
        )
        row = before + row + after
        lines.append(f"<TR><TD>{_table(f'<TR>{row}</TR>', cols * width + last * width // 2, CELL)}</TD></TR>")
    return f'<TABLE BORDER="0" CELLBORDER="0" CELLSPACING="0" CELLPADDING="0">{"".join(lines)}</TABLE>'


def _table(rows: str, width: int, height: int) -> str:
    """Return a table of fixed size: otherwise it would stretch to the text below."""
    size = f'FIXEDSIZE="TRUE" WIDTH="{width}" HEIGHT="{height}"'
    return f'<TABLE BORDER="0" CELLBORDER="1" CELLSPACING="0" CELLPADDING="0" COLOR="{GREY}" {size}>{rows}</TABLE>'


def _cells(grid: list[list[str]], names: Mapping[int, str], width: int) -> list[str]:
    cells, rows = itertools.count(), []
    for marks in grid:
        row = ""
        for mark, cell in zip(marks, cells, strict=False):  # cells last, as they are infinite
            name = f'<FONT POINT-SIZE="9" COLOR="{GREY}">{markup(names[cell])}</FONT>' if names.get(cell) else ""
            shown = f"<B>{markup(mark)}</B>" if mark.strip() else name
            row += f'<TD FIXEDSIZE="TRUE" WIDTH="{width}" HEIGHT="{CELL}" BGCOLOR="white">{shown}</TD>'
        rows.append(row)
    return rows


def _columns(text: str) -> int:
    """Return the width of a text, in letters."""
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in text)
