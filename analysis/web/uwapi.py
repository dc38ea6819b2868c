"""The dialect of GamesCrafters' Universal Web API, which GamesmanUni speaks, and boards as its AutoGUI draws them.

As the server at github.com/GamesCrafters/GamesCraftersUWAPI (commit cd25c7b) answers: values are for the player to move
in a position, of a move for the player who makes it; refusals have the status 200 and a key ``error``. A position for
AutoGUI is the turn, 1 or 2, an underscore, a character for each centre, and after ``~`` the texts of those that are
dots; ``A`` is a circle to click on, ``M`` an arrow, ``T`` a text (its README and games/image_autogui_data.py).
"""

from __future__ import annotations

import functools
import itertools
import random
import string
from collections import Counter
from collections.abc import Sequence
from typing import Any

from analysis.engine.tiers import CountRecord
from analysis.rules.game import Game
from analysis.solution.lookup import Child
from analysis.web.positions import look_at, lost_plies, result_for
from analysis.web.served import Served, Site

INFINITE = -200
"""The remoteness of a draw."""

_RANK = {"win": 0, "tie": 1, "draw": 2, "lose": 3}
"""Of the moves, best first."""

BLANK, TEXT = "-", "."

SOUND = "x"
"""The name of the one sound, which every move makes."""

_KNOWN = {"X": "x", "O": "o"} | {mark: mark for mark in string.digits + string.ascii_letters if mark not in "XxOo"}
"""The characters of marks that are drawn by a picture; others are written."""

MOST_BUTTONS = 255
"""There can be in any position: places beyond the picture, for those that were not foreseen."""

GAMES, PLIES = 16, 100
"""Random games that tell how many buttons with texts there can be, and plies of each, at most."""

_ACROSS = 6
"""Buttons with texts beside each other where there is no board."""


def games_json(site: Site) -> list[dict[str, Any]]:
    """All games, by name."""
    games = {
        served.game_id: {"id": served.game_id, "name": _name(served), "type": "twoPlayer", "gui": _gui(served)}
        for served in site
    }
    return sorted(games.values(), key=lambda game: (game["name"], game["id"]))


def game_json(site: Site, game_id: str) -> dict[str, Any]:
    """A game and its variants."""
    variants = [served for served in site if served.game_id == game_id]
    if not variants:
        return {"error": "Invalid Game"}
    return {
        "id": game_id,
        "name": _name(variants[0]),
        "variants": [{"id": served.id, "name": served.name, "gui": _gui(served)} for served in variants],
        "allowCustomVariantCreation": False,
        "supportsWinBy": False,
    }


def variant_of(site: Site, game_id: str, variant_id: str) -> Served | dict[str, Any]:
    """A variant, or the refusal of what is none."""
    served = site.get(variant_id)
    if served is not None and served.game_id == game_id:
        return served
    known = any(each.game_id == game_id for each in site)
    return {"error": "Invalid Variant" if known else "Invalid Game"}


def variant_json(served: Served) -> dict[str, Any]:
    """What GamesmanUni needs to draw a variant."""
    start = served.solution.engine.start
    return {
        "id": served.id,
        "name": served.name,
        "startPosition": served.solution.start,
        "autoguiStartPosition": position_text(served, start, served.solution.lookup(start).to_move),
        "imageAutoGUIData": image_data(served),
        "gui": _gui(served),
    }


def position_json(served: Served, state: int) -> dict[str, Any]:
    """A position and its moves, best first."""
    look = look_at(served, state)
    side = look.record.to_move
    children = look.children or ()
    buttons = move_texts(served, state, [(child.move, child.state) for child in children])
    moves = [_move(served, side, *each) for each in zip(children, buttons, lost_plies(side, look), strict=True)]
    moves.sort(key=lambda move: (_RANK[move["moveValue"]], move["deltaRemoteness"]))
    return _position(served, state, side, look.record) | {"moves": moves}


def _move(served: Served, side: int, child: Child[CountRecord], button: str, lost: int | None) -> dict[str, Any]:
    return {
        "move": served.game.format_move(child.move),
        "autoguiMove": button,
        "moveValue": result_for(side, child.record),
        "deltaRemoteness": lost or 0,
        **_position(served, child.state, served.solution.engine.rules.mover(child.state), child.record),
    }


def _position(served: Served, state: int, side: int, record: CountRecord) -> dict[str, Any]:
    return {
        "position": served.game.format_position(state),
        "autoguiPosition": position_text(served, state, side),
        "positionValue": result_for(side, record),
        "remoteness": INFINITE if record.remoteness_plies is None else record.remoteness_plies,
    }


def instructions_json(served: Served) -> dict[str, str]:
    """The rules of a game in Markdown, as far as it says them."""
    game = served.game
    parts = [f"# {_name(served)}", game.description, game.notation, game.known]
    return {"instructions": "\n\n".join(part for part in parts if part)}


def _name(served: Served) -> str:
    return served.game_id.removeprefix("gametree-").replace("-", " ").title() + " (gametree)"


def _gui(served: Served) -> str:
    """How well it is drawn: ``v3`` with pictures, ``v1`` as text."""
    return "v3" if served.game.grid(served.solution.engine.start) else "v1"


# Boards for AutoGUI ---------------------------------------------------------------------------------------------------


def position_text(served: Served, state: int, mover: int) -> str:
    """A position for AutoGUI.

    >>> import analysis
    >>> from analysis.web.served import Site
    >>> served = Site([analysis.solve("tictactoe")])[0]
    >>> position_text(served, served.state_of("XOX?O????"), 1)
    '1_xox-o----'
    """
    grid = served.game.grid(state)
    marks = _marks(grid) if grid else [served.game.format_position(state)]
    signs = [BLANK if not mark.strip() else _KNOWN.get(mark.strip(), TEXT) for mark in marks]
    texts = [_safe(mark.strip()) for mark, sign in zip(marks, signs, strict=True) if sign == TEXT]
    return "~".join([f"{'1' if mover > 0 else '2'}_{''.join(signs)}", *texts])


def move_texts(served: Served, state: int, moves: Sequence[tuple[int, int]]) -> list[str]:
    """Moves, codes with the states after them, for AutoGUI: a circle on a cell that one of them alone fills, an arrow
    where a piece goes from one cell to another, else a button with its name.
    """
    game, before = served.game, served.game.grid(state)
    places = [_place(game, before, state, move, child) for move, child in moves]
    often, cells = Counter(places), len(_marks(before)) if before else 1
    buttons = itertools.count(cells)
    texts = []
    for (move, _), place in zip(moves, places, strict=True):
        if place is None or often[place] > 1:
            texts.append(f"T_{_safe(game.format_move(move)) or move}_{next(buttons)}_{SOUND}")
        elif len(place) == 1:
            texts.append(f"A_{BLANK}_{place[0]}_{SOUND}")
        else:
            texts.append(f"M_{place[0]}_{place[1]}_{SOUND}")
    return texts


def image_data(served: Served) -> dict[str, Any]:
    """Where the centres of cells are and, below the board, those of buttons with texts; and the pictures of marks, all
    of which GamesmanUni brings along.
    """
    engine = served.solution.engine
    grid = served.game.grid(engine.start)
    rows, cols = (len(grid), len(grid[0])) if grid else (1, _ACROSS)
    slant = 0.5 if served.game.rows_slant else 0.0
    centers = [[c + 0.5 + slant * r, r + 0.5] for r in range(rows) for c in range(cols)] if grid else [[cols / 2, 0.5]]
    width = cols + slant * (rows - 1)
    buttons = _most_buttons(served)
    below = [[0.5 + n % cols, rows + 0.5 + n // cols] for n in range(max(buttons, MOST_BUTTONS))]
    theme = {
        "space": [width, rows + -(-buttons // cols)],
        "centers": centers + below,
        "charImages": {sign: {"image": f"general/{sign.upper()}.svg", "scale": 1} for sign in _KNOWN.values()},
        "circleButtonRadius": 0.2,
        "lineWidth": 0.05,
        "arrowWidth": 0.06,
        "textEntityFontSize": 0.3 if grid else 0.4,
        "textButtonFontSize": 0.3,
        "sounds": {SOUND: "general/place.mp3"},
        "animationType": "entityFade",
    }
    return {"defaultTheme": "regular", "themes": {"regular": theme}}


@functools.lru_cache(16)
def _most_buttons(served: Served) -> int:
    """How many buttons with texts there is room for: as many as any position of some random games has."""
    if not served.solution.engine.ruled:
        return 0
    rules, numbers, most = served.solution.engine.rules, random.Random(0), 0
    for _ in range(GAMES):
        state, plies = served.solution.engine.start, 0
        while (moves := rules.moves(state)) and plies < PLIES:
            most = max(most, sum(text.startswith("T") for text in move_texts(served, state, moves)))
            state, plies = numbers.choice(moves)[1], plies + 1
    return most


def _place(game: Game, before: list[list[str]] | None, state: int, move: int, child: int) -> tuple[int, ...] | None:
    """The cell of a move, or the cells that a piece goes from and to; None where there is neither."""
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


def _safe(text: str) -> str:
    """A text without the characters that part AutoGUI's fields."""
    return " ".join(text.replace("_", " ").replace("~", "-").split())
