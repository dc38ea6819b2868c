"""The dialect of GamesCrafters' Universal Web API, which GamesmanUni speaks.

As the server at github.com/GamesCrafters/GamesCraftersUWAPI (commit cd25c7b) answers: values are for the player to move
in a position, of a move for the player who makes it; refusals have the status 200 and a key ``error``.
"""

from __future__ import annotations

from typing import Any

from analysis.engine.tiers import CountRecord
from analysis.explorer.looks import look_at, lost_plies, mover_after, result_for
from analysis.explorer.served import Served, Site
from analysis.explorer.uwapi.autogui import image_data, move_texts, position_text
from analysis.solution.lookup import Child

INFINITE = -200
"""The remoteness of a draw."""

_RANK = {"win": 0, "tie": 1, "draw": 2, "lose": 3}
"""Of the moves, best first."""


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
        **_position(served, child.state, mover_after(served, child), child.record),
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
