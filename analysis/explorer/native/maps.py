"""The map of the whole game: the classes of each tier from best to worst, as runs, and which class stands where."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from analysis.engine.tiers import Record
from analysis.errors import OptionError
from analysis.explorer.asked import Asked
from analysis.explorer.served import Served
from analysis.pictures.style import outcome_of

Wanted = tuple[int | None, Callable[[], dict[str, Any]]]
"""The number of the tier that an answer needs counted, None where it is of as many as there is time for; the answer."""


def map_asked(served: Served, _: Asked) -> Wanted:
    """All tiers that are counted so far."""
    return None, lambda: _map_json(served)


def class_asked(served: Served, asked: Asked) -> Wanted:
    """The class at a place of a tier. Raises `OptionError`."""
    number, place = asked.number("tier"), asked.number("place")
    if number is None or place is None:
        raise OptionError("a class of the map is asked for by its tier and its place, such as tier=0&place=0")
    return number, lambda: _class_json(served, number, place, served.ranking.tier(number).state_at(place))


def place_asked(served: Served, asked: Asked) -> Wanted:
    """The class of a position, and its place. Raises `PositionError`."""
    state = served.solution.engine.canonical(served.state_of(asked.text("p")))
    number = served.solution.find_tier(state)
    return number, lambda: _class_json(served, number, served.ranking.tier(number).place_of(state), state)


MAPS: dict[str, tuple[tuple[str, ...], Callable[[Served, Asked], Wanted]]] = {
    "/map": ((), map_asked),
    "/map/class": (("tier", "place"), class_asked),
    "/map/place": (("p",), place_asked),
}
"""What is asked of the map by which address, with which fields."""


def _map_json(served: Served) -> dict[str, Any]:
    ranking, solution = served.ranking, served.solution
    return {
        "tier_name": "ply" if solution.by_ply else "tier",
        "tiers": [
            {"tier": tier.number, "classes": len(tier), "runs": list(map(list, tier.runs))} for tier in ranking.tiers
        ],
        "classes": sum(map(len, solution.tiers)),
        "classes_seen": ranking.classes_seen,
        "complete": ranking.complete,
    }


def _class_json(served: Served, number: int, place: int, state: int) -> dict[str, Any]:
    """A class by its canonical state: what it takes to show it."""
    game, record = served.game, served.solution.lookup_as(state, Record)
    side = None if record.terminal else int(record.to_move < 0)
    return {
        "tier": number,
        "place": place,
        "position": game.format_position(state),
        "grid": game.grid(state),
        "picture": game.picture(state),
        "caption": game.caption(state),
        "to_move": None if side is None else "XO"[side],
        "player": None if side is None else game.players[side],
        "value": record.value,
        "outcome": outcome_of(record.value, record.remoteness_plies).key,
        "remoteness_plies": record.remoteness_plies,
    }
