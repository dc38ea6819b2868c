"""What the commands print of bidding games for people; see `tables`."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from analysis.bidding.bidding_position import BiddingPosition, Placement
from analysis.bidding.bidding_solution import BiddingSolution
from analysis.bidding.exact_values import Value, value_json, value_text
from analysis.commands.display.printing import board_text, files_of, number, pairs, plain_table, program_name, quote
from analysis.games.bidding import SIDES, Bidding
from analysis.machine.memory import readable

BID_COLUMNS = (
    "side", "bid", "probability", "probability_exact", "guarantee", "guarantee_exact", "move", "name",
)  # fmt: skip
BIDS_TITLE = "Bids: X's payoff against the best reply, how likely it is drawn, where to place after winning with it"
MORE_HURT = "* with some greater number of chips X forces less: where moving hurts, a least bid of 1 can too"
SHOWN_BIDS = 13
"""The matrix of bids is printed if neither side has more."""
SHOWN_VALUES = 24
"""More values than this are counted together."""


def solve_row(solution: BiddingSolution, seconds: float) -> dict[str, Any]:
    """What ``solve`` prints as JSON."""
    stats = solution.statistics()
    return {
        "game": solution.game.spec,
        **value_json(solution.root.value),
        **{name: stats[name] for name in ("boards", "classes", "states", "saddle", "mixed", "rounded")},
        "directory": str(solution.directory),
        "seconds": round(seconds, 3),
    }


def solve_summary(solution: BiddingSolution, was_there: bool, seconds: float) -> list[RenderableType]:
    """The summary of a solve: the board, the numbers, the files, and what to try next."""
    facts = _facts(solution, solution.statistics())
    files, size = files_of(solution.directory)
    verb = "there already (--force solves again)" if was_there else f"written, {seconds:.1f} s in all"
    facts["files"] = f"{solution.directory}: {files} files, {readable(size)}, {verb}"
    program, name = program_name(), solution.game.spec
    state = solution.game.format_state(solution.start)
    there = shlex.quote(name if solution.directory == Path("data") / solution.game.slug else str(solution.directory))
    suggestions = [f"stats {there}", f"show {there} {quote(state)}", f"richman {shlex.quote(solution.game.base.spec)}"]
    suggestions.append(f"verify {shlex.quote(str(solution.directory))}")
    return [
        Panel(Group(*_board(solution.root), pairs(facts)), title=name, title_align="left", expand=False),
        Text("Try next:\n" + "\n".join(f"  {program} {line}" for line in suggestions)),
    ]


def stats_tables(solution: BiddingSolution, stats: dict[str, Any]) -> list[RenderableType]:
    """All statistics of a solution."""
    values = plain_table("value", "states", "share")
    for name, states in _values(stats["by_value"]):
        values.add_row(name, number(states), f"{states / max(1, stats['states']):.1%}")
    columns = ("boards", "classes", "X won", "O won", "tied", "states", "saddle", "mixed", "rounded")
    tiers = plain_table("moves", *columns)
    for row in stats["by_tier"]:
        tiers.add_row(*map(number, row.values()))
    hurt = any(not row["more_suffice"] for row in stats["least_chips"])
    notes: list[RenderableType] = ["", Text(MORE_HURT)] if hurt else []
    return [
        pairs(_facts(solution, stats)),
        "",
        Text("States by value"),
        values,
        "",
        Text("By moves made (boards; a state is a board in play with chips and advantage)"),
        tiers,
        "",
        Text(_least_title(solution.game)),
        _least_chips(solution.game, stats["least_chips"]),
        *notes,
    ]


def position_tables(found: BiddingPosition) -> list[RenderableType]:
    """One state: its value, the bids, and the placements."""
    game = found.game
    facts = {"value": f"{value_text(found.value)}: {_verdict(found)}"}
    parts: list[RenderableType] = [Text(game.format_state(found.state)), "", *_board(found)]
    if found.over:
        return [*parts, pairs(facts)]
    facts["bids"] = _bids_text(found)
    parts += [
        pairs(facts),
        "",
        Text(BIDS_TITLE),
        _bids(found),
    ]
    if all(len(bids) <= SHOWN_BIDS for bids in found.legal_bids()):
        parts += ["", Text("Value of each pair of bids (rows: X's bid, columns: O's)"), _matrix(found)]
    title = "Placements of a side that has just won and paid its bid, with the chips as they are above"
    return [*parts, "", Text(title), _placements(found)]


def bid_rows(found: BiddingPosition) -> list[dict[str, Any]]:
    """One row for each legal bid, as CSV."""
    return [{"side": side, **bid.to_json()} for side in SIDES for bid in found.each_bid(side)]


# Parts ----------------------------------------------------------------------------------------------------------------


def _facts(solution: BiddingSolution, stats: dict[str, Any]) -> dict[str, str]:
    root, order = solution.root, stats["symmetry_order"]
    under = f"under {order} {'symmetry' if order == 1 else 'symmetries'} ({stats['symmetry']})"
    ended = stats["terminal"]
    facts = {"start": solution.game.format_state(root.state), "value": f"{value_text(root.value)}: {_verdict(root)}"}
    if not root.over:
        facts["bids"] = _bids_text(root)
    facts |= {
        "boards": f"{stats['boards']:,}, in {stats['classes']:,} classes {under}",
        "finished": f"{sum(ended.values()):,}: X wins {ended['X']:,}, O wins {ended['O']:,}, ties {ended['tie']:,}",
        "states": f"{stats['states']:,}: {stats['saddle']:,} with a saddle point, {stats['mixed']:,} with mixed bids",
    }
    if stats["rounded"]:
        facts["rounded"] = f"{stats['rounded']:,} states have a value that is not exact"
    return facts


def _board(found: BiddingPosition) -> list[RenderableType]:
    grid = found.game.base.grid(found.state.board)
    return [board_text(grid), ""] if grid else []


def _verdict(found: BiddingPosition) -> str:
    if found.searched:
        return f"found by a search {found.searched} {'move' if found.searched == 1 else 'moves'} deep"
    worth = abs(float(found.value))
    if found.chance and not found.over and found.value not in found.payoffs:
        return "X's expected payoff under optimal play"
    margin = f" by {worth:g}" if worth > 1 else ""
    result = f"{'X' if found.value > 0 else 'O'} wins{margin}" if found.value else "a tie"
    return f"{result}, the game is over" if found.over else f"{result} under optimal play"


def _bids_text(found: BiddingPosition) -> str:
    sides = []
    for side in SIDES:
        bids = found.bids[side]
        if len(bids) == 1:
            sides.append(f"{side} bids {bids[0].bid}")
        else:
            sides.append(f"{side} bids " + ", ".join(f"{b.bid} ({_probability(b.probability)})" for b in bids))
    return ("saddle point: " if found.saddle else "mixed: ") + "; ".join(sides)


def _probability(probability: Value) -> str:
    return (
        f"{probability:.4f}" if isinstance(probability, float) or probability.denominator > 9999 else str(probability)
    )


def _bids(found: BiddingPosition) -> Table:
    table = plain_table("bid", "X gets at least", "drawn", "X then places", "O gives at most", "drawn", "O then places")
    rows: dict[int, dict[str, list[str]]] = {}
    for side in SIDES:
        for legal in found.each_bid(side):
            share = _probability(legal.probability) if legal.probability else ""
            rows.setdefault(legal.bid, {})[side] = [value_text(legal.guarantee), share, legal.placement.name]
    for bid, sides in sorted(rows.items()):
        table.add_row(str(bid), *(cell for side in SIDES for cell in sides.get(side, ["", "", ""])))
    return table


def _matrix(found: BiddingPosition) -> Table:
    x_bids, o_bids = found.legal_bids()
    table = plain_table("X \\ O", *map(str, o_bids))
    for bid, row in zip(x_bids, found.matrix, strict=True):
        table.add_row(str(bid), *(value_text(value) for value in row))
    return table


def _placements(found: BiddingPosition) -> Table:
    table = plain_table("X places", "board after", "value", "O places", "board after", "value")
    x, o = (found.placements(side) for side in SIDES)
    for i in range(max(len(x), len(o))):
        table.add_row(*_placement(x, i), *_placement(o, i))
    return table


def _placement(placements: list[Placement], i: int) -> tuple[str, str, str]:
    if i >= len(placements):
        return "", "", ""
    return placements[i].name, placements[i].position, value_text(placements[i].value)


def _values(rows: list[dict[str, Any]]) -> Iterator[tuple[str, int]]:
    """Values and how many states have them; where there are many, those between whole ones together."""
    whole = [row for row in rows if row["value_exact"] is not None and "/" not in row["value_exact"]]
    if len(rows) <= SHOWN_VALUES:
        for row in rows:
            exact = row["value_exact"]
            yield value_text(row["value"] if exact is None else Fraction(exact)), row["states"]
        return
    for here, following in zip(whole, [*whole[1:], None], strict=True):
        yield f"{here['value']:+d}" if here["value"] else "0", here["states"]
        if following is not None:
            inside = [row for row in rows if here["value"] < row["value"] < following["value"]]
            name = f"between ({len(inside):,} values)"
            yield name, sum(row["states"] for row in inside)


def _least_title(game: Bidding) -> str:
    luck = "" if game.ties != "coin" else ", however the coin falls"
    return f"The least chips that X needs, of so many in all, to force a win or at least a tie{luck}"


def _least_chips(game: Bidding, rows: list[dict[str, Any]]) -> Table:
    if game.ties == "coin":
        table = plain_table("total", "win", "tie")
        for row in rows:
            table.add_row(number(row["total"]), *_needed(row))
        return table
    table = plain_table("total", "X holds the advantage: win", "tie", "O holds it: win", "tie")
    for x, o in zip(rows[::2], rows[1::2], strict=True):
        table.add_row(number(x["total"]), *_needed(x), *_needed(o))
    return table


def _needed(row: dict[str, Any]) -> tuple[str, str]:
    mark = "" if row["more_suffice"] else "*"
    return number(row["win"]) + mark, number(row["tie"]) + mark
