"""Positions, moves, classes and whole solutions as JSON, in which a key means the same everywhere."""

from __future__ import annotations

from typing import Any

from ..common.wording import outcome_key
from ..engine.tiers import COUNTS, Record
from ..solution.look_ups import WithMoves
from ..solution.position import Move
from .served import Served, board_json


def head_json(served: Served) -> dict[str, Any]:
    """Describe a whole solution, without its counts."""
    solution, game = served.solution, served.game
    title, goal = served.headline
    rows = served.statistics["by_remoteness"]  # None if classes do not tell
    return {
        "id": served.id,
        "game": served.name,
        "description": game.description,
        "players": list(game.players),
        "start": solution.start,
        "separator": "" if solution.engine.ruled and solution.engine.rules.largest_code <= 9 else "-",
        "title": title,
        "goal": goal,
        "board": board_json(game, solution.engine.start),
        "value": solution.value,
        "remoteness_plies": solution.remoteness_plies,
        "outcome": outcome_key(solution.value, solution.remoteness_plies),
        "level": [name for name in ("tie", "draw") if rows is None or any(row[name] for row in rows)],
        "positions": solution.position_count,
        "classes": solution.classes,
        "symmetry": {"kind": solution.symmetry, "order": solution.symmetry_order},
        "loopy": solution.loopy,
        "counted": solution.counted,
        "rules_known": solution.engine.ruled,
        **({"bots": list(served.bots)} if served.bots else {}),
    }


def position_json(served: Served, state: int) -> dict[str, Any]:
    """Tell everything known of a position."""
    solution, game = served.solution, served.game
    look = solution.records.with_moves(state, COUNTS)
    record = look.record
    return {
        "position": game.format_position(state),
        "state": str(state),
        "grid": game.grid(state),
        "picture": game.picture(state),
        "caption": game.caption(state),
        "to_move": record.to_move,
        "terminal": record.terminal,
        "player": None if record.terminal else game.players[record.to_move < 0],
        **_worth(record),
        "nimber": record.nimber,
        "ply" if solution.by_ply else "tier": look.tier,
        "class": _class(served, state) | {"orbit_size": record.orbit_size, "symmetry": solution.symmetry},
        "histories": record.histories_each,
        **_games(record),
        "optimal_paths": record.optimal_paths,
        "shortest_paths": record.shortest_paths,
        "moves": None if look.children is None else _moves(served, look),
    }


def _moves(served: Served, look: WithMoves) -> list[dict[str, Any]]:
    """Tell all moves, best first."""
    game, side = served.game, look.record.to_move
    return [
        {
            "move": child.move,
            "name": game.format_move(child.move),
            "cell": game.cell_of(look.state, child.move),
            "position": game.format_position(child.state),
            "state": str(child.state),
            "class": _class(served, child.state),
            **_worth(child.record),
            "value_for_mover": side * child.record.value,
            "optimal": child.record.value == look.record.value,
            "nimber": child.record.nimber,
            **_games(child.record),
            "optimal_paths": child.record.optimal_paths,
        }
        for child in look.children or ()
    ]


def class_json(served: Served, state: int) -> dict[str, Any]:
    """Describe a class that a search has found, given by its canonical state."""
    record = served.solution.records.of(state)
    return {
        "position": served.game.format_position(state),
        "state": str(state),
        "to_move": record.to_move,
        "terminal": record.terminal,
        **_worth(record),
        "orbit_size": record.orbit_size,
        **_games(record),
    }


def move_json(each: Move) -> dict[str, Any]:
    """Describe a move of a line."""
    return {name: getattr(each, name) for name in ("move", "name", "position", "value", "remoteness_plies", "optimal")}


def _worth(record: Record) -> dict[str, Any]:
    plies = record.remoteness_plies
    return {"value": record.value, "outcome": outcome_key(record.value, plies), "remoteness_plies": plies}


def _class(served: Served, state: int) -> dict[str, Any]:
    """Name the class of a state by its canonical member."""
    canonical = served.solution.engine.canonical(state)
    return {"state": str(canonical), "position": served.solution.of_classes.game.format_position(canonical)}


def _games(record: Record) -> dict[str, int | None]:
    return {name: getattr(record, name) for name in ("games", "games_x", "games_o", "games_tie")}
