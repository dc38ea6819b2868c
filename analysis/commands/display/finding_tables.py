"""What ``find`` and ``traps`` print."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from analysis.commands.display.printing import (
    Answer,
    Columns,
    Paragraph,
    Part,
    board,
    headed,
    number,
    player_name,
    titled,
)
from analysis.commands.display.solution_tables import outcome_words
from analysis.rules.counting import first_number, recounted
from analysis.wording import signed

if TYPE_CHECKING:
    from analysis.playing.traps import OnlyMoves, Trap, Traps
    from analysis.rules.game import Game
    from analysis.solution.searching import FoundClass, FoundClasses
    from analysis.solution.solution import Solution

TRAPS = (
    "move", "name", "position", "value", "remoteness_plies", "replies", "keeping", "chance", "chance_exact", "loss",
    "loss_exact", "most",
)  # fmt: skip
"""Columns of the CSV."""

SHOWN = 4
"""Best moves that a row of the table lists."""


def found_answer(solution: Solution, found: FoundClasses, query: str, order: str | None) -> Answer:
    """Classes that a query matches; the columns are called like the fields of queries."""
    from analysis.solution.searching import SAID

    tier = "ply" if solution.by_ply else "tier"
    rows = [recounted(each.to_json(tier), "best_moves") for each in found]
    asked = {"game": solution.game.spec, "from": solution.start, "query": query, "order": order}
    data = {**asked, "classes_seen": found.classes_seen, "matched": found.matched, "positions": rows}
    names = ("position", "to_move", "value", "remoteness", "moves", "keeping", "trap", "orbit_size", tier, "best")
    table = Columns(
        names, [_found(solution.game, each) for each in found],
        words={"to_move", "best"}, optional=("orbit_size", tier, "keeping", "moves", "remoteness", "trap"),
    )  # fmt: skip
    lines = [
        row | {name: " ".join(map(str, row[name])) for name in ("best_moves", "best_names") if row[name] is not None}
        for row in rows
    ]
    return Answer(data, lines, [table], tuple(tier if name == "tier" else name for name in SAID))


def _found(game: Game, each: FoundClass) -> list[Any]:
    mover = "-" if each.to_move is None else player_name(game.players, each.to_move)
    names = each.best_names or ("-",)
    more = f" +{len(names) - SHOWN}" if len(names) > SHOWN else ""
    numbers = (each.moves, each.keeping, _share(each.trap), each.orbit_size, each.tier, " ".join(names[:SHOWN]) + more)
    return [each.position, mover, signed(each.value), _plies(each.remoteness_plies), *numbers]


def _share(chance: Fraction | None) -> str:
    return "-" if chance is None else f"{float(chance):.1%}"


def _plies(remoteness: int | None) -> str:
    return "draw" if remoteness is None else number(remoteness)


def traps_answer(traps: Traps, game: Game) -> Answer:
    """The moves that keep the value, and the lines of only moves; as CSV the moves."""
    value = f"{signed(traps.value)}: {outcome_words(game.players, traps.value, traps.remoteness_plies)}"
    facts = {
        "to move": player_name(game.players, traps.to_move),
        "value": value,
        "against": traps.against + (f": {traps.note}" if traps.note else ""),
        **{f"only moves, {player_name(game.players, each.side)}": _line(each) for each in traps.only_moves.values()},
    }
    said = "Moves that keep the value, the greatest chance first that the reply loses some"
    table: list[Part] = titled(said, _traps(traps.moves))
    if any(trap.chance is None for trap in traps.moves):
        table += ["", Paragraph("- where the other side has no reply: the game is over, or the same side moves again.")]
    data = traps.to_json()
    data["moves"] = [recounted(move, "move") for move in data["moves"]]
    return Answer(
        data, data["moves"], [headed(traps.position), "", *board(game.grid(traps.state)), facts, *table], TRAPS
    )


def _line(line: OnlyMoves) -> str:
    """How many only moves follow, and which line they are in."""
    moves = " ".join(line.names)
    if line.count is None:
        return f"for ever: {moves} and on"
    if not line.count:
        return "none" if line.complete else "none was found"
    return f"{line.count}{'' if line.complete else ' or more'}: {moves}"


def _traps(traps: tuple[Trap, ...]) -> Columns:
    codes = [str(trap.move + first_number()) for trap in traps]
    coded = codes != [trap.name for trap in traps]
    names = (
        "move", *["code"] * coded, "position after", "value", "remoteness",
        "replies", "keeping", "errs", "loses", "most",
    )  # fmt: skip
    rows = []
    for trap, code in zip(traps, codes, strict=True):
        loss = "-" if trap.loss is None else f"{float(trap.loss):.3f}"
        after = (trap.position, signed(trap.value), _plies(trap.remoteness_plies))
        reply = (trap.replies, trap.keeping, _share(trap.chance), loss, trap.most)
        rows.append([trap.name, *[code] * coded, *after, *reply])
    return Columns(names, rows, optional=("code", "most", "remoteness", "position after"))
