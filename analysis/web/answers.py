"""The explorer's answers by their path below ``/api/v1/ID``.

A long answer is made in short steps, and other requests are served between two of them.
"""

from __future__ import annotations

import itertools
import random
import time
from collections.abc import Callable, Generator, Iterator
from typing import Any

import numpy as np

from ..errors import MissingDataError, OptionError, PositionError
from ..playing.levels import parse_level
from ..rules.positions import split_moves
from ..solution.queries import Query
from ..solution.searching import Search
from .asked import GREATEST, SECONDS, Asked
from .pages.slices import cut
from .pages.table import find_moves
from .positions import class_json, head_json, move_json, position_json
from .served import Served

MOST_FOUND = 1000
"""Limit on the classes of an answer."""

MOST_MOVES = 1000
"""Limit on the moves of a line."""

MOST_IN_TREE = 100_000
"""Positions in one answer, which then has 4 to 6 MB and takes about a second."""

LOOPY = "play can return to a position in this game, so the tree below one has no end to search to"
TOO_MANY = (
    f"more than {MOST_IN_TREE:,} positions follow this one, too many to search through here: play some moves first"
)

ENOUGH = 0.7
"""The share of its time that a search may spend on reading rows; the rest is for ranking what it has found."""

Answer = dict[str, Any]
Steps = Generator[None, None, Answer]


def in_time(
    work: Iterator[object], hurry: Callable[[], object] = lambda: None, seconds: float | None = None
) -> Iterator[None]:
    """Do ``work`` step by step for at most so many seconds (default: `SECONDS`); once most of the time has gone, call
    ``hurry`` before each step.
    """
    began, seconds = time.monotonic(), SECONDS if seconds is None else seconds
    for _ in work:
        took = time.monotonic() - began
        if took > seconds:
            return
        if took > ENOUGH * seconds:
            hurry()
        yield


def _solution(served: Served, _: Asked) -> Answer:
    return head_json(served) | {"statistics": served.statistics}


def _position(served: Served, asked: Asked) -> Answer:
    return position_json(served, served.state_of(asked.text("p")))


def _line(served: Served, asked: Asked) -> Answer:
    """Tell a position, those that moves lead to from there as far as they can be played, and what is wrong then."""
    states, codes, wrong = [served.state_of(asked.text("p"))], list[int](), None
    notation, text = served.notation, asked.text("moves") or ""
    for move in split_moves(text, notation)[:MOST_MOVES]:
        try:
            code = notation.read(move, states[-1]) if isinstance(move, str) else notation.legal_code(move, states[-1])
        except PositionError as error:
            wrong = f"move {len(states)}, {move}: {error}"
            break
        states.append(dict(notation.rules.moves(states[-1]))[code])
        codes.append(code)
    return {"positions": [position_json(served, state) for state in states], "moves": codes, "wrong": wrong}


def _tree(served: Served, asked: Asked) -> Answer:
    """Number all positions below one, from itself, 0, so that moves lead to greater numbers."""
    state, game = served.state_of(asked.text("p")), served.game
    served.solution.records.tier(state)
    if served.solution.loopy:
        raise MissingDataError(LOOPY)
    part = cut(served.solution, state, most=MOST_IN_TREE, deepest=True)
    if part.depth is not None or len(part.states) > MOST_IN_TREE:
        raise OptionError(TOO_MANY)
    moves = find_moves(part)
    order = np.lexsort((moves.codes, moves.rows))
    known = {name: part.columns[name][part.classes] for name in ("to_move", "value")}
    return {
        "payoffs": list(game.rules().payoffs),
        "positions": list(game.format_positions(part.states)),
        "sides": np.where(part.over, 0, known["to_move"]).tolist(),
        "values": known["value"].tolist(),
        "branching": np.bincount(moves.rows, minlength=len(part.states)).tolist(),
        "codes": moves.codes[order].tolist(),
        "children": moves.after[order].tolist(),
        "names": {code: game.format_move(code) for code in np.unique(moves.codes).tolist()},
    }


# The map --------------------------------------------------------------------------------------------------------------


def _map(served: Served, _: Asked) -> Steps:
    """List the classes of each tier, from best to worst, as runs, for as many tiers as there is time for."""
    ranking, solution = served.ranking, served.solution
    if not ranking.complete:
        yield from in_time(ranking.steps())
    tiers = [{"tier": tier.number, "classes": len(tier), "runs": list(map(list, tier.runs))} for tier in ranking.tiers]
    return {
        "tier_name": "ply" if solution.by_ply else "tier",
        "tiers": tiers,
        "classes": sum(map(len, solution.tiers)),
        "classes_seen": ranking.classes_seen,
        "complete": ranking.complete,
    }


def _map_class(served: Served, asked: Asked) -> Steps:
    """Find the class at a place of a tier."""
    number, place = asked.number("tier"), asked.number("place")
    if number is None or place is None:
        raise OptionError("a class of the map is asked for by its tier and its place, such as tier=0&place=0")
    yield from _ranked(served, number)
    return position_json(served, served.ranking.tier(number).state_at(place)) | {"tier": number, "place": place}


def _map_place(served: Served, asked: Asked) -> Steps:
    """Find the class of a position, and its place."""
    state = served.solution.engine.canonical(served.state_of(asked.text("p")))
    number = served.solution.records.tier(state)
    yield from _ranked(served, number)
    return position_json(served, state) | {"tier": number, "place": served.ranking.tier(number).place_of(state)}


def _ranked(served: Served, number: int) -> Iterator[None]:
    """Count the tiers of the map up to this one, as far as there is time."""
    if not served.ranking.has(number):
        yield from in_time(served.ranking.steps())


# Searches, and levels of play -----------------------------------------------------------------------------------------


def _find(served: Served, asked: Asked) -> Steps:
    """Find classes that match the fields, in the wanted order."""
    query, order, seed = Query(served.game, asked.text("where") or ""), asked.text("order"), asked.number("seed")
    limit = asked.number("limit", most=MOST_FOUND)
    limit = 20 if limit is None else limit
    search = Search(served.solution, query, order=order, limit=limit, seed=seed)
    steps = itertools.takewhile(lambda _: order or search.matched < limit, search.steps())
    yield from in_time(steps, search.hurry, asked.number("seconds", 1, int(SECONDS)))
    positions = []
    for state in search.found:
        positions.append(class_json(served, state))
        yield
    return {
        "positions": positions,
        "complete": search.complete or (order is None and search.matched >= limit),
        "classes": search.classes_to_see,
        "classes_seen": search.classes_seen,
    }


def _reply(served: Served, asked: Asked) -> Answer:
    """Let a level, or a bot of the server, move."""
    bot = asked.text("against") or ""
    level, state = bot if bot in served.bots else _level(asked), served.state_of(asked.text("p"))
    position = served.solution.at(state)
    if position.terminal:
        raise OptionError(f"the game is over at {position.position}: there is no reply")
    player = served.player(level)
    player.new_game(state)
    code = player.choose(state, random.Random(asked.number("seed", most=GREATEST)))
    move = next(each for each in position.moves if each.move == code)
    return {"level": player.level, "note": player.note, "move": move_json(move)}


def _level(asked: Asked) -> str:
    """Return the level of a query. Raises `OptionError` if there is no such level."""
    level = (asked.text("against") or "random").strip().lower()
    parse_level(level)
    return level


QUESTIONS: dict[str, tuple[Callable[[Served, Asked], Answer | Steps], str]] = {
    "": (_solution, ""),
    "/position": (_position, "p"),
    "/line": (_line, "p moves"),
    "/tree": (_tree, "p"),
    "/map": (_map, ""),
    "/map/class": (_map_class, "tier place"),
    "/map/place": (_map_place, "p"),
    "/reply": (_reply, "p against seed"),
    "/find": (_find, "where order limit seed seconds"),
}
"""Answers and the fields of their queries, by path below the address of a solution."""
