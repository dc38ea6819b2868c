"""The explorer's own dialect, ``/api/v1``; ``openapi.json`` describes it."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from typing import Any

from analysis.engine.tiers import ValueRecord
from analysis.errors import OptionError, PositionError
from analysis.explorer.asked import GREATEST, QUERY_FIELDS, Asked
from analysis.explorer.looks import Counted, look_at, lost_plies
from analysis.explorer.served import Served, Site
from analysis.pictures.boards import regular, shape_of
from analysis.pictures.style import outcome_of
from analysis.rules.game import Game
from analysis.solution.position import Games, Move
from analysis.solution.searching import Search

MOST_POSITIONS = 1000
"""Of one batch, and paths of one answer."""

FEW = 10_000
"""Of paths that are not counted, so many can be asked for."""

LINE_FIELDS = ("p", "index", "shortest")
FIND_FIELDS = (*QUERY_FIELDS, "order", "limit", "seed")
PATHS_FIELDS = ("p", "limit", "offset", "sample", "seed", "shortest")


def solutions_json(site: Site) -> dict[str, Any]:
    """All solutions that are served."""
    return {"solutions": [head_json(served) for served in site]}


def solution_json(served: Served) -> dict[str, Any]:
    """One solution, with all its counts."""
    return head_json(served) | {"statistics": served.statistics}


def head_json(served: Served) -> dict[str, Any]:
    """What is known of a whole solution, but for its counts."""
    solution, game = served.solution, served.game
    return {
        "id": served.id,
        "uwapi_game": served.game_id,
        "game": served.name,
        "description": game.description,
        "players": list(game.players),
        "start": solution.start,
        "separator": "" if solution.engine.ruled and solution.engine.rules.largest_code <= 9 else "-",
        "board": _board(served),
        "value": solution.value,
        "remoteness_plies": solution.remoteness_plies,
        "positions": solution.position_count,
        "classes": solution.canonical,
        "symmetry": {"kind": solution.symmetry, "order": solution.symmetry_order},
        "loopy": solution.loopy,
        "counted": solution.counted,
        "rules_known": solution.engine.ruled,
    }


def _board(served: Served) -> dict[str, bool] | None:
    """How the grids of a game are drawn; None where it has no board."""
    game = served.game
    grid = game.grid(served.solution.engine.start)
    if grid is None or not regular(grid):
        return None
    return {"slant": game.rows_slant, "from_bottom": game.rows_from_bottom, "dotted": shape_of(game, grid).dotted}


def given_json(served: Served, text: str) -> dict[str, Any]:
    """A position of a batch, or why it is none."""
    try:
        return position_json(served, served.state_of(text))
    except PositionError as refused:
        return {"error": str(refused)}


def images_json(served: Served, state: int) -> dict[str, Any]:
    """What a position looks like through each symmetry, itself first. Raises `PositionError` where play does not reach
    it.
    """
    engine, game = served.solution.engine, served.game
    look_at(served, state)
    known = engine.ruled and engine.rules.canonical is None
    return {
        "position": game.format_position(state),
        "images": [_image(game, image) for image in engine.group.images(state)] if known else None,
    }


def _image(game: Game, state: int) -> dict[str, Any]:
    return {"position": game.format_position(state), "state": str(state), "grid": game.grid(state)}


def position_json(served: Served, state: int) -> dict[str, Any]:
    """Everything known of a position."""
    look = look_at(served, state)
    game, record, solution = served.game, look.record, served.solution
    side = None if record.terminal else int(record.to_move < 0)
    return {
        "position": game.format_position(state),
        "state": str(state),
        "grid": game.grid(state),
        "picture": game.picture(state),
        "caption": game.caption(state),
        "to_move": None if side is None else "XO"[side],
        "player": None if side is None else game.players[side],
        "value": record.value,
        "outcome": _outcome(record),
        "remoteness_plies": record.remoteness_plies,
        "nimber": record.nimber,
        "ply" if solution.by_ply else "tier": look.tier,
        "class": _class(served, state) | {"orbit_size": record.orbit_size, "symmetry": solution.symmetry},
        "histories": record.histories_each,
        "games": _games(record.games_through),
        "continuations": _games(record.continuations),
        "optimal_paths": record.optimal_paths,
        "shortest_paths": record.shortest_paths,
        "moves": None if look.children is None else _moves(served, look),
    }


def _moves(served: Served, look: Counted) -> list[dict[str, Any]]:
    """The moves, best first."""
    game, side = served.game, look.record.to_move
    return [
        {
            "move": child.move,
            "name": game.format_move(child.move),
            "cell": game.cell_of(look.state, child.move),
            "position": game.format_position(child.state),
            "state": str(child.state),
            "class": _class(served, child.state),
            "value": child.record.value,
            "value_for_mover": side * child.record.value,
            "outcome": _outcome(child.record),
            "remoteness_plies": child.record.remoteness_plies,
            "delta_remoteness": lost,
            "optimal": child.record.value == look.record.value,
            "nimber": child.record.nimber,
            "games": _games(child.record.continuations),
            "optimal_paths": child.record.optimal_paths,
        }
        for child, lost in zip(look.children or (), lost_plies(side, look), strict=True)
    ]


def _class(served: Served, state: int) -> dict[str, Any]:
    """The class of a state, by its canonical member."""
    canonical = served.solution.engine.canonical(state)
    return {"state": str(canonical), "position": served.solution.classes.game.format_position(canonical)}


def _outcome(record: ValueRecord) -> str:
    return outcome_of(record.value, record.remoteness_plies).key


def _games(numbers: tuple[int, ...] | None) -> dict[str, int] | None:
    return None if numbers is None else Games(*numbers).to_json()


def line_from(served: Served, asked: Asked) -> tuple[dict[str, Any], Iterator[Move]]:
    """What is asked of a line: an answer that lacks only its ``moves``, and these: of best play or, with ``index``, of
    an optimal path. Raises `PositionError`, and `OptionError` where there is no such path.
    """
    index, shortest = asked.number("index"), asked.flag("shortest")
    solution, state = served.solution, served.state_of(asked.text("p"))
    if index is None:
        moves = solution.best_line(state)
    else:
        paths = solution.paths_from(state, shortest)
        moves = solution.along(state, paths.codes(paths[index]))
    return {"position": served.game.format_position(state), "index": index}, moves


def paths_from(served: Served, asked: Asked) -> tuple[dict[str, Any], Iterable[str]]:
    """What is asked of optimal paths: an answer that lacks only its ``paths``, and these: ``limit`` from ``offset`` on,
    or a ``sample``. Raises `PositionError`, and `MissingDataError` and `OptionError` where these cannot be had.
    """
    state = served.state_of(asked.text("p"))
    paths = served.solution.paths_from(state, asked.flag("shortest"))
    count = paths.count if served.solution.counted else None
    offset, limit = asked.number_or(0, "offset", GREATEST), asked.number_or(20, "limit", MOST_POSITIONS)
    sample, seed = asked.number("sample", most=MOST_POSITIONS), asked.number("seed")
    chosen: Iterable[str]
    if sample is not None:
        chosen = paths.sample(sample, seed)
    elif count is not None:
        chosen = (paths[number] for number in range(offset, min(count, offset + limit)))
    elif offset + limit <= FEW:
        chosen = itertools.islice(paths.one_by_one(), offset, offset + limit)
    else:
        raise OptionError(f"these paths are not counted; of such ones the first {FEW:,} can be asked for")
    answer = {
        "position": served.game.format_position(state),
        "count": count,
        "outcome": paths.outcome,
        "offset": None if sample is not None else offset,
    }
    return answer, chosen


def search_of(served: Served, asked: Asked) -> Search:
    """The search that a request asks for, of the classes that its fields match. Raises what `Search` does."""
    return Search(
        served.solution,
        asked.query(served.solution),
        order=asked.text("order"),
        limit=asked.number_or(20, "limit", MOST_POSITIONS),
        seed=asked.number("seed"),
        hasty=True,
    )


def found_json(search: Search) -> dict[str, Any]:
    """What a search has found, but for the ``positions``."""
    return {"complete": search.complete, "classes_seen": search.classes_seen}


def move_json(each: Move) -> dict[str, Any]:
    """A move of a line."""
    return {
        "move": each.move,
        "name": each.name,
        "position": each.position,
        "value": each.value,
        "remoteness_plies": each.remoteness_plies,
        "optimal": each.optimal,
    }


def class_json(served: Served, state: int) -> dict[str, Any]:
    """A class that a search has found, by its canonical state."""
    record = served.solution.lookup(state)
    return {
        "position": served.game.format_position(state),
        "state": str(state),
        "to_move": None if record.terminal else "XO"[record.to_move < 0],
        "value": record.value,
        "outcome": _outcome(record),
        "remoteness_plies": record.remoteness_plies,
        "orbit_size": record.orbit_size,
        "continuations": _games(record.continuations),
    }
