"""The explorer's answers by their path below ``/api/v1/ID``.

An answer is made in short steps, and other requests are served between two of them.
"""

from __future__ import annotations

import itertools
import random
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

from analysis.errors import MissingDataError, OptionError, PositionError, TooLargeError
from analysis.playing.levels import parse_level
from analysis.solution.searching import Search
from analysis.web.asked import GREATEST, SECONDS, Asked
from analysis.web.pages.page_file import page_of_view
from analysis.web.pages.slices import cut
from analysis.web.pages.table import find_moves
from analysis.web.positions import (
    class_json,
    head_json,
    look_at,
    map_class_json,
    move_json,
    position_json,
)
from analysis.web.served import Served

BATCH = "/positions"
"""The question that has a body."""

MOST_POSITIONS = 1000
"""Limit on the positions of a batch, and on the paths of an answer."""

FEW = 10_000
"""How many paths can be listed where they are not counted."""

MOST_IN_TREE = 100_000
"""Positions in one answer, which then has 4 to 6 MB and takes about a second."""

LOOPY = "play can return to a position in this game, so the tree below one has no end to search to"
TOO_MANY = (
    f"more than {MOST_IN_TREE:,} positions follow this one, too many to search through here: play some moves first"
)


ENOUGH = 0.7
"""The share of its time that a search may spend on reading rows; the rest is for ranking what it has found."""


class Answered(NamedTuple):
    """An answer."""

    content: dict[str, Any]
    keeps: bool = True
    """Whether asking again gives the same answer, so that it may be cached."""


Steps = Generator[bool, None, Answered]
"""Makes an answer; each step yields whether it belongs to a search, since few searches may run at the same time."""


def in_time(
    work: Iterator[None], hurry: Callable[[], object] = lambda: None, seconds: float | None = None
) -> Generator[bool, None, Any]:
    """Do ``work`` step by step and return its result, or None if it takes more than so many seconds (by default
    `SECONDS`). Once most of the time has gone, call ``hurry`` before each step.
    """
    yield True
    began, seconds = time.monotonic(), SECONDS if seconds is None else seconds
    while True:
        try:
            next(work)
        except StopIteration as end:
            return end.value
        took = time.monotonic() - began
        if took > seconds:
            return None
        if took > ENOUGH * seconds:
            hurry()
        yield True


def _at_once(make: Callable[[Served, Asked], dict[str, Any]], *, keeps: bool = True) -> Callable[..., Steps]:
    """Return the steps of a question that is answered in one."""

    def steps(served: Served, asked: Asked, _: Any) -> Steps:
        yield from ()
        return Answered(make(served, asked), keeps)

    return steps


def _solution(served: Served, _: Asked) -> dict[str, Any]:
    return head_json(served) | {"statistics": served.statistics}


def _position(served: Served, asked: Asked) -> dict[str, Any]:
    return position_json(served, served.state_of(asked.text("p")))


def _positions(served: Served, _: Asked, body: Any) -> Steps:
    """Look up a batch of positions; a text that is no position gets an error."""
    wanted = body.get("positions") if isinstance(body, dict) else None
    if not isinstance(wanted, list) or not all(isinstance(text, str) for text in wanted):
        raise OptionError('a batch is a JSON object such as {"positions": ["0124", "XOX?O????"]}')
    if len(wanted) > MOST_POSITIONS:
        raise OptionError(f"a batch has at most {MOST_POSITIONS:,} positions, not {len(wanted):,}")
    found: list[dict[str, Any]] = []
    for text in wanted:
        try:
            found.append(position_json(served, served.state_of(text)))
        except PositionError as refused:
            found.append({"error": str(refused)})
        yield False
    return Answered({"positions": found}, keeps=False)


def _line(served: Served, asked: Asked, _: Any) -> Steps:
    """Follow best play."""
    state = served.state_of(asked.text("p"))
    told = []
    for move in served.solution.best_line(state):
        told.append(move_json(move))
        yield False
    return Answered({"position": served.game.format_position(state), "moves": told})


def _paths(served: Served, asked: Asked, _: Any) -> Steps:
    """List optimal paths: ``limit`` of them from ``offset`` on."""
    state = served.state_of(asked.text("p"))
    paths = served.solution.paths_from(state, asked.flag("shortest"))
    count = paths.count if served.solution.counted else None
    offset, limit = asked.number_or(0, "offset", GREATEST), asked.number_or(20, "limit", MOST_POSITIONS)
    chosen: Iterable[str]
    if count is not None:
        chosen = (paths[number] for number in range(offset, min(count, offset + limit)))
    elif offset + limit <= FEW:
        chosen = itertools.islice(paths.one_by_one(), offset, offset + limit)
    else:
        raise OptionError(f"these paths are not counted; of such ones the first {FEW:,} can be asked for")
    told = []
    for path in chosen:
        told.append(path)
        yield False
    content = {
        "position": served.game.format_position(state),
        "count": count,
        "outcome": paths.outcome,
        "offset": offset,
        "paths": told,
    }
    return Answered(content)


def _tree(served: Served, asked: Asked, _: Any) -> Steps:
    """Number all positions below one, from itself, 0, so that moves lead to greater numbers."""
    state, game = served.state_of(asked.text("p")), served.game
    served.solution.find_tier(state)
    if served.solution.loopy:
        raise MissingDataError(LOOPY)
    try:
        part = cut(served.solution, state, most=MOST_IN_TREE, by_class=False)
    except TooLargeError:
        raise OptionError(TOO_MANY) from None
    yield False
    moves = find_moves(part)
    order = np.lexsort((moves.codes, moves.rows))
    yield False
    known = {name: part.columns[name][part.classes] for name in ("to_move", "value")}
    content = {
        "payoffs": list(game.rules().payoffs),
        "positions": list(game.format_positions(part.states)),
        "sides": np.where(part.over, 0, known["to_move"]).tolist(),
        "values": known["value"].tolist(),
        "branching": np.bincount(moves.rows, minlength=len(part.states)).tolist(),
        "codes": moves.codes[order].tolist(),
        "children": moves.after[order].tolist(),
        "names": {code: game.format_move(code) for code in np.unique(moves.codes).tolist()},
    }
    return Answered(content)


def _page(served: Served, asked: Asked) -> dict[str, Any]:
    return {"page": page_of_view(served, *map(asked.text, ("p", "first", "line")))}


# The map --------------------------------------------------------------------------------------------------------------


def _map(served: Served, _: Asked, __: Any) -> Steps:
    """List the classes of each tier, from best to worst, as runs, for as many tiers as there is time for."""
    ranking, solution = served.ranking, served.solution
    if not ranking.complete:
        yield from in_time(ranking.steps(), ranking.hurry)
    tiers = [{"tier": tier.number, "classes": len(tier), "runs": list(map(list, tier.runs))} for tier in ranking.tiers]
    content = {
        "tier_name": "ply" if solution.by_ply else "tier",
        "tiers": tiers,
        "classes": sum(map(len, solution.tiers)),
        "classes_seen": ranking.classes_seen,
        "complete": ranking.complete,
    }
    return Answered(content, keeps=ranking.complete)


def _map_class(served: Served, asked: Asked, _: Any) -> Steps:
    """Find the class at a place of a tier."""
    number, place = asked.number("tier"), asked.number("place")
    if number is None or place is None:
        raise OptionError("a class of the map is asked for by its tier and its place, such as tier=0&place=0")
    yield from _ranked(served, number)
    return Answered(map_class_json(served, number, place, served.ranking.tier(number).state_at(place)))


def _map_place(served: Served, asked: Asked, _: Any) -> Steps:
    """Find the class of a position, and its place."""
    state = served.solution.engine.canonical(served.state_of(asked.text("p")))
    number = served.solution.find_tier(state)
    yield from _ranked(served, number)
    return Answered(map_class_json(served, number, served.ranking.tier(number).place_of(state), state))


def _ranked(served: Served, number: int) -> Iterator[bool]:
    """Count the tiers of the map up to this one, as far as there is time."""
    if not served.ranking.has(number):
        yield from in_time(served.ranking.steps(), served.ranking.hurry)


# Searches, and levels of play -----------------------------------------------------------------------------------------


def _find(served: Served, asked: Asked, _: Any) -> Steps:
    """Find classes that match the fields, in the wanted order."""
    limit, seed = asked.number_or(20, "limit", MOST_POSITIONS), asked.number("seed")
    search = Search(
        served.solution, asked.query(served.solution), order=asked.text("order"), limit=limit, seed=seed, hasty=True
    )
    seconds = asked.number("seconds", 1, int(SECONDS))
    yield from in_time(search.steps(), search.hurry, seconds)
    told = []
    for state in search.found:
        told.append(class_json(served, state))
        yield False
    content = {
        "positions": told,
        "complete": search.complete,
        "classes": search.classes_to_see,
        "classes_seen": search.classes_seen,
    }
    return Answered(content, keeps=False)


def _random(served: Served, asked: Asked, _: Any) -> Steps:
    """Draw a class among those that match the fields."""
    query, seed = asked.query(served.solution), asked.number("seed")
    search = Search(served.solution, query, order="random", limit=1, seed=seed, hasty=True)
    yield from in_time(search.steps(), search.hurry)
    if not search.found:
        there = "there is no such position" if search.complete else "no such position was found in time"
        raise MissingDataError(there)
    return Answered(position_json(served, search.found[0]), keeps=False)


def _reply(served: Served, asked: Asked) -> dict[str, Any]:
    """Let a level, or a bot of the server, move."""
    bot = asked.text("against") or ""
    level, state = bot if bot in served.bots else _level(asked), served.state_of(asked.text("p"))
    if look_at(served, state).record.terminal:
        raise OptionError(f"the game is over at {served.game.format_position(state)}: there is no reply")
    player = served.player(level)
    player.new_game(state)
    code = player.choose(state, random.Random(asked.number("seed", most=GREATEST)))
    (move,) = served.solution.along(state, [code])
    return {"level": player.level, "note": player.note, "move": move_json(move)}


def _level(asked: Asked) -> str:
    """Return the level of a query. Raises `OptionError` if there is no such level."""
    level = (asked.text("against") or "random").strip().lower()
    parse_level(level)
    return level


class Question(NamedTuple):
    """A question, and the fields that its query may have."""

    steps: Callable[[Served, Asked, Any], Steps]
    fields: tuple[str, ...]


def _asking(steps: Callable[[Served, Asked, Any], Steps], fields: str = "") -> Question:
    return Question(steps, tuple(fields.split()))


QUESTIONS = {
    "": _asking(_at_once(_solution)),
    "/position": _asking(_at_once(_position), "p"),
    BATCH: _asking(_positions),
    "/line": _asking(_line, "p"),
    "/paths": _asking(_paths, "p limit offset shortest"),
    "/tree": _asking(_tree, "p"),
    "/page": _asking(_at_once(_page), "p first line"),
    "/map": _asking(_map),
    "/map/class": _asking(_map_class, "tier place"),
    "/map/place": _asking(_map_place, "p"),
    "/reply": _asking(_at_once(_reply, keeps=False), "p against seed"),
    "/find": _asking(_find, "to_move value remoteness ply tier only_move order limit seed seconds"),
    "/random": _asking(_random, "to_move value remoteness ply tier only_move seed"),
}
"""By path below the address of a solution; docs/how-to/explorer.md describes them."""


def steps_of(served: Served, path: str, query: bytes, body: Any) -> Steps:
    """Return the steps of an answer. Raises `OptionError` for a query with other fields than the question has."""
    question = QUESTIONS[path]
    return question.steps(served, Asked(query, *question.fields), body)
