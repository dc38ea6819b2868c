"""The dialects of Lichess: its tablebase, the main line of that, and its opening explorer.

As lichess-org/lila-tablebase (commit a06a88b) and the schema of lichess-org/api (commit f59dc80) have them: every
field tells of the position that it stands in, so those of a move are for the player who moves after it. ``dtm`` is the
remoteness in plies, positive where the side to move wins. What only chess has is null or false; ``value`` and
``remoteness_plies`` are ours.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from analysis.engine.tiers import CountRecord
from analysis.errors import MissingDataError
from analysis.explorer.exact_json import SAFE
from analysis.explorer.looks import look_at, mover_after, result_for
from analysis.explorer.served import Served
from analysis.solution.paths import NO_COUNTS
from analysis.solution.position import Move
from analysis.solution.solution import endless

_CATEGORY = {"win": "win", "lose": "loss", "tie": "draw", "draw": "draw"}


def tablebase_json(served: Served, state: int) -> dict[str, Any]:
    """A position and its moves, best first."""
    look = look_at(served, state)
    moves = [
        {
            "uci": str(child.move),
            "san": served.game.format_move(child.move),
            "zeroing": False,
            "conversion": False,
            **_position(mover_after(served, child), child.record),
        }
        for child in look.children or ()
    ]
    return _position(look.record.to_move, look.record) | {"moves": moves}


def _position(side: int, record: CountRecord) -> dict[str, Any]:
    result, plies = result_for(side, record), record.remoteness_plies
    over = plies == 0
    signed = 0 if plies is None else {"win": plies, "lose": -plies}.get(result, 0)
    return {
        "category": _CATEGORY[result],
        "dtz": None,
        "precise_dtz": None,
        "dtc": None,
        "dtm": signed,
        "dtw": None,
        "checkmate": False,
        "stalemate": over and result == "tie",
        "variant_win": over and result == "win",
        "variant_loss": over and result == "lose",
        "insufficient_material": False,
        "value": record.value,
        "remoteness_plies": plies,
    }


def main_line_json(value: int, moves: Iterable[Move]) -> dict[str, Any]:
    """The line of best play from a position of this ``value`` on."""
    line = [{"uci": str(each.move), "san": each.name, "dtz": None, "precise_dtz": None} for each in moves]
    winner = "w" if value > 0 else "b" if value < 0 else None
    return {"dtz": None, "precise_dtz": None, "winner": winner, "mainline": line}


def explorer_json(served: Served, state: int) -> dict[str, Any]:
    """The complete games from a position on, and after each move of it, as if all had been played once. Where they
    reach 2^53 all numbers are divided by one power of two; beside them stand the exact ones as texts. Raises
    `MissingDataError` where games were not counted.
    """
    if not served.solution.counted:
        raise endless(served.game) if served.solution.loopy else MissingDataError(NO_COUNTS)
    look = look_at(served, state)
    shift = max(0, sum(look.record.continuations or ()).bit_length() - SAFE.bit_length() + 1)
    moves = [
        {
            "uci": str(child.move),
            "san": served.game.format_move(child.move),
            "averageRating": None,
            **_games(child.record, shift),
            "game": None,
            "opening": None,
        }
        for child in look.children or ()
    ]
    return {**_games(look.record, shift), "moves": moves, "topGames": [], "recentGames": [], "opening": None}


def _games(record: CountRecord, shift: int) -> dict[str, Any]:
    x, o, tie = record.continuations or (0, 0, 0)
    named = {"white": x, "draws": tie, "black": o}
    exact = {f"{name}_exact": str(number) for name, number in named.items()}
    return {name: number >> shift for name, number in named.items()} | exact
