"""GamesCrafters' Universal Web API for GamesmanUni, with boards for its AutoGUI.

Answers are those of github.com/GamesCrafters/GamesCraftersUWAPI (commit cd25c7b): the value of a position is for the
player to move, that of a move for the player who makes it; refusals have the status 200 and a key ``error``. AutoGUI
writes a position as the turn, 1 or 2, an underscore, a character for each centre and, after ``~``, the texts of the
centres that are dots. A move is a circle to click (``A``), an arrow (``M``), or listed by its name.

The client (github.com/GamesCrafters/GamesmanUni, commit 3771794) reads only what ``[a-zA-Z0-9.~-]`` matches in a
position for AutoGUI, has pictures of digits and pieces but not of letters, looks for a listed move by its ``move``
among the ``autoguiMove`` of all, and puts positions into addresses without escaping them.
"""

from __future__ import annotations

import itertools
import re
import string
from collections import Counter
from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

from analysis.engine.tiers import CountRecord
from analysis.errors import MissingDataError
from analysis.rules.game import Game
from analysis.solution.lookup import Child
from analysis.web.positions import look_at, lost_plies, result_for
from analysis.web.served import Served, Site

INFINITE = -200
"""The remoteness of a draw."""

_RANK = {"win": 0, "tie": 1, "draw": 2, "lose": 3}
"""The order of moves, best first."""

BLANK, TEXT = "-", "."

SOUND = "x"
"""The sound of every move."""

PICTURES = {"x": "bluepiece", "o": "redpiece"} | {digit: digit for digit in string.digits}
"""The pictures of marks, by character; other marks are written."""

PLAIN = str.maketrans("#+|_─│", "H.I--I")
"""Replacements for characters that the client does not read."""

SAFE = "".join(map(chr, range(32, 127))).translate(str.maketrans("", "", "#%&+"))
"""Characters that need no escape in an address."""


def games_json(site: Site) -> list[dict[str, Any]]:
    """List all games by name."""
    games = {
        served.game_id: {"id": served.game_id, "name": _name(served), "type": "twoPlayer", "gui": _gui(served)}
        for served in site
    }
    return sorted(games.values(), key=lambda game: (game["name"], game["id"]))


def game_json(site: Site, game_id: str) -> dict[str, Any]:
    """Describe a game and its variants. Raises `MissingDataError` if there is none."""
    variants = _variants(site, game_id)
    return {
        "id": game_id,
        "name": _name(variants[0]),
        "variants": [{"id": served.id, "name": served.name, "gui": _gui(served)} for served in variants],
        "allowCustomVariantCreation": False,
        "supportsWinBy": False,
    }


def variant_of(site: Site, game_id: str, variant_id: str) -> Served:
    """Return a variant. Raises `MissingDataError` if there is none."""
    for served in _variants(site, game_id):
        if served.id == variant_id:
            return served
    raise MissingDataError("Invalid Variant")


def _variants(site: Site, game_id: str) -> list[Served]:
    variants = [served for served in site if served.game_id == game_id]
    if not variants:
        raise MissingDataError("Invalid Game")
    return variants


def variant_json(served: Served) -> dict[str, Any]:
    """Describe a variant as GamesmanUni needs it for drawing."""
    start = served.solution.engine.start
    return {
        "id": served.id,
        "name": served.name,
        "startPosition": escaped(served, start),
        "autoguiStartPosition": position_text(served, start, served.solution.lookup(start).to_move),
        "imageAutoGUIData": image_data(served),
        "gui": _gui(served),
    }


def position_json(served: Served, state: int) -> dict[str, Any]:
    """Tell a position and its moves, best first."""
    look = look_at(served, state)
    side = look.record.to_move
    children = look.children or ()
    buttons = move_texts(served, state, [(child.move, child.state) for child in children])
    names = _names(served, [child.move for child in children])
    moves = [_move(served, side, *each) for each in zip(children, names, buttons, lost_plies(side, look), strict=True)]
    moves.sort(key=lambda move: (_RANK[move["moveValue"]], move["deltaRemoteness"]))
    return _position(served, state, side, look.record) | {"moves": moves}


def _move(
    served: Served, side: int, child: Child[CountRecord], name: str, button: str | None, lost: int | None
) -> dict[str, Any]:
    return {
        "move": name,
        "autoguiMove": button or name,
        "moveValue": result_for(side, child.record),
        "deltaRemoteness": lost or 0,
        **_position(served, child.state, served.solution.engine.rules.mover(child.state), child.record),
    }


def escaped(served: Served, state: int) -> str:
    """Return a position as the game writes it, with escapes for addresses."""
    return quote(served.game.format_position(state), safe=SAFE, errors="surrogatepass")


def _names(served: Served, codes: Sequence[int]) -> list[str]:
    """Return distinct names of moves."""
    names = [_words(served.game.format_move(code)) for code in codes]
    often = Counter(names)
    return [name if name and often[name] == 1 else f"{name} ({code})" for name, code in zip(names, codes, strict=True)]


def _position(served: Served, state: int, side: int, record: CountRecord) -> dict[str, Any]:
    return {
        "position": escaped(served, state),
        "autoguiPosition": position_text(served, state, side),
        "positionValue": result_for(side, record),
        "remoteness": INFINITE if record.remoteness_plies is None else record.remoteness_plies,
    }


def instructions_json(served: Served) -> dict[str, str]:
    """Return the rules of a game in Markdown."""
    game = served.game
    parts = [f"# {_name(served)}", game.description, game.notation, game.known]
    return {"instructions": "\n\n".join(part for part in parts if part)}


def _name(served: Served) -> str:
    return served.game_id.removeprefix("gametree-").replace("-", " ").title() + " (gametree)"


def _gui(served: Served) -> str:
    """Return how it is drawn: ``v3`` with pictures, ``v1`` as text."""
    return "v3" if served.game.grid(served.solution.engine.start) else "v1"


# Boards for AutoGUI ---------------------------------------------------------------------------------------------------


def position_text(served: Served, state: int, mover: int) -> str:
    """Return a position for AutoGUI.

    >>> import analysis
    >>> from analysis.web.served import Site
    >>> served = Site([analysis.solve("tictactoe")])[0]
    >>> position_text(served, served.state_of("XOX?O????"), 1)
    '1_xox-o----'
    """
    grid = served.game.grid(state)
    marks = [mark.strip() for mark in _marks(grid)] if grid else [served.game.format_position(state)]
    signs = [BLANK if not mark else mark.lower() if mark in ("X", "O", *string.digits) else TEXT for mark in marks]
    texts = [_written(mark) for mark, sign in zip(marks, signs, strict=True) if sign == TEXT]
    return "~".join([f"{'1' if mover > 0 else '2'}_{''.join(signs)}", *texts])


def move_texts(served: Served, state: int, moves: Sequence[tuple[int, int]]) -> list[str | None]:
    """Return moves, given by code and state after them, for AutoGUI: a circle on a cell that only this move fills, an
    arrow for a piece that goes from one cell to another, None for a move to be listed.
    """
    before = served.game.grid(state)
    places = [_place(served.game, before, state, move, child) for move, child in moves]
    often = Counter(places)
    return [
        None if place is None or often[place] > 1
        else f"A_{BLANK}_{place[0]}_{SOUND}" if len(place) == 1
        else f"M_{place[0]}_{place[1]}_{SOUND}"
        for place in places
    ]  # fmt: skip


def image_data(served: Served) -> dict[str, Any]:
    """Describe the centres of cells, and the pictures of marks, all of which GamesmanUni contains."""
    grid = served.game.grid(served.solution.engine.start)
    rows, cols = (len(grid), len(grid[0])) if grid else (1, 6)
    slant = 0.5 if served.game.rows_slant else 0.0
    theme = {
        "space": [cols + slant * (rows - 1), rows],
        "centers": [[c + 0.5 + slant * r, r + 0.5] for r in range(rows) for c in range(cols)] if grid else [[3, 0.5]],
        "charImages": {sign: {"image": f"general/{name}.svg", "scale": 1} for sign, name in PICTURES.items()},
        "circleButtonRadius": 0.2,
        "lineWidth": 0.05,
        "arrowWidth": 0.06,
        "textEntityFontSize": 0.3 if grid else 0.4,
        "textButtonFontSize": 0.3,
        "sounds": {SOUND: "general/place.mp3"},
        "animationType": "entityFade",
    }
    return {"defaultTheme": "regular", "themes": {"regular": theme}}


def _place(game: Game, before: list[list[str]] | None, state: int, move: int, child: int) -> tuple[int, ...] | None:
    """Return the cell of a move, or the cells that a piece leaves and enters, or None."""
    after = game.grid(child)
    if not before or not after or list(map(len, before)) != list(map(len, after)):
        return None
    pairs = list(zip(_marks(before), _marks(after), strict=True))
    left = [cell for cell, (old, new) in enumerate(pairs) if old.strip() and not new.strip()]
    entered = [cell for cell, (old, new) in enumerate(pairs) if new.strip() and old != new]
    if len(left) == 1 and len(entered) == 1:
        return left[0], entered[0]
    cell = game.cell_of(state, move)
    return None if cell is None else (cell,)


def _marks(grid: list[list[str]]) -> list[str]:
    return list(itertools.chain.from_iterable(grid))


def _written(text: str) -> str:
    """Return a text in characters that the client reads."""
    return re.sub(r"[^a-zA-Z0-9.-]+", "-", text.translate(PLAIN))


def _words(text: str) -> str:
    """Return a name without underscores, which would make it another kind of move."""
    return " ".join(text.replace("_", " ").split())
