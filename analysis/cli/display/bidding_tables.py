"""The output of commands for bidding games; see `solution_tables` for games by turns."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from ...bidding.bidding_solution import BiddingPosition
from ...bidding.exact_values import Value, value_text
from ...common.wording import with_count
from ...games.bidding import SIDES
from .parts import Answer, Columns, Part, answer
from .printing import board, named, quote, solve_summary, titled

if TYPE_CHECKING:
    from ...bidding.bidding_solution import BiddingSolution

BIDS_TITLE = "Bids: X's payoff against the best reply, the bid's probability, and the placement after winning with it"
PLACEMENTS_TITLE = "Placements after winning and paying a bid, with the chips as above"
SHOWN_BIDS = 13
"""The matrix of bids is printed unless a side has more."""

TERMINAL = ("terminal_x", "terminal_o", "terminal_tie")
SOLVED = (
    "game", "value", "value_exact", "boards", "classes", "states", "saddle", "mixed", "rounded",
    *TERMINAL, "symmetry", "symmetry_order",
)  # fmt: skip
"""The statistics in the summary of a solve; those on the first line are also in CSV."""


def solve_answer(solution: BiddingSolution, seconds: float) -> Answer:
    """Summarize a solve that took ``seconds``."""
    stats = solution.statistics()
    state, root = solution.game.format_state(solution.start), solution.root
    data = {name: stats[name] for name in SOLVED} | {"start": state, "bids": root.to_json()["bids"]}
    steps = [f"show {named(solution)} {quote(state)}"]
    summary = Answer(data, [], [_facts(solution, stats)], SOLVED[:9])
    return solve_summary(solution, summary, steps, seconds)


def stats_answer(solution: BiddingSolution) -> Answer:
    """Return all statistics of a solution; as CSV those of each tier."""
    stats = solution.statistics()
    values = ((name, states, f"{states / max(1, stats['states']):.1%}") for name, states in _values(stats["by_value"]))
    columns = ("moves", "boards", "classes", "X won", "O won", "tied", "states", "saddle", "mixed", "rounded")
    spared = ("rounded", "X won", "O won", "tied", "classes")
    tiers = Columns(columns, (row.values() for row in stats["by_tier"]), optional=spared)
    parts: list[Part] = [
        _facts(solution, stats),
        *titled("States by value", Columns(("value", "states", "share"), values)),
        *titled("By moves made (boards; a state is a board in play with chips and advantage)", tiers),
    ]
    return answer(solution, parts)


def position_answer(position: BiddingPosition) -> Answer:
    """Describe one state: its value, the bids, and the placements; as CSV a row for each legal bid of each side."""
    game, state, facts = position.game, position.state, {"value": f"{value_text(position.value)}: {_verdict(position)}"}
    parts: list[Part] = [game.format_state(state), "", *board(game.base.grid(state.board)), facts]
    if not position.terminal:
        facts["bids"] = _bids_text(position)
        parts += titled(BIDS_TITLE, _bids(position))
        x_bids, o_bids = position.legal_bids()
        if max(len(x_bids), len(o_bids)) <= SHOWN_BIDS:
            rows = ((str(bid), *map(value_text, row)) for bid, row in zip(x_bids, position.matrix, strict=True))
            matrix = Columns(("X \\ O", *map(str, o_bids)), rows)
            parts += titled("Value of each pair of bids (rows: X's bid, columns: O's)", matrix)
        x, o = ([(p.name, p.board, value_text(p.value)) for p in position.placements(side)] for side in SIDES)
        cells = ((*x_cells, *o_cells) for x_cells, o_cells in zip_longest(x, o, fillvalue=("", "", "")))
        names = ("X places", "board after", "value", "O places", "board after", "value")
        parts += titled(PLACEMENTS_TITLE, Columns(names, cells, optional=["board after"]))
    return answer(position, parts)


# Parts ----------------------------------------------------------------------------------------------------------------


def _facts(solution: BiddingSolution, stats: dict[str, Any]) -> dict[str, str]:
    root, (x, o, tie) = solution.root, (stats[name] for name in TERMINAL)
    under = f"under {with_count(stats['symmetry_order'], 'symmetry', 'symmetries')} ({stats['symmetry']})"
    facts = {"start": solution.game.format_state(root.state), "value": f"{value_text(root.value)}: {_verdict(root)}"}
    if not root.terminal:
        facts["bids"] = _bids_text(root)
    facts |= {
        "boards": f"{stats['boards']:,}, in {with_count(stats['classes'], 'class', 'classes')} {under}",
        "finished": f"{x + o + tie:,}: X wins {x:,}, O wins {o:,}, ties {tie:,}",
        "states": f"{stats['states']:,}: {stats['saddle']:,} with a saddle point, {stats['mixed']:,} with mixed bids",
    }
    if stats["rounded"]:
        facts["rounded"] = f"{with_count(stats['rounded'], 'state has', 'states have')} a value that is not exact"
    return facts


def _verdict(position: BiddingPosition) -> str:
    if position.searched:
        return f"position by a search {with_count(position.searched, 'move')} deep"
    worth = abs(float(position.value))
    if position.chance and not position.terminal and position.value not in position.payoffs:
        return "X's expected payoff under optimal play"
    margin = f" by {worth:g}" if worth > 1 else ""
    result = f"{'X' if position.value > 0 else 'O'} wins{margin}" if position.value else "a tie"
    return f"{result}, the game is over" if position.terminal else f"{result} under optimal play"


def _bids_text(position: BiddingPosition) -> str:
    sides = []
    for side, bids in position.bids.items():
        drawn = [f"{bid.bid} ({_probability(bid.probability)})" for bid in bids]
        sides.append(f"{side} bids {', '.join(drawn) if len(bids) > 1 else bids[0].bid}")
    return ("saddle point: " if position.saddle else "mixed: ") + "; ".join(sides)


def _probability(probability: Value) -> str:
    long = isinstance(probability, float) or probability.denominator > 9999
    return f"{probability:.4f}" if long else str(probability)


def _bids(position: BiddingPosition) -> Columns:
    rows: dict[int, dict[str, list[str]]] = {}
    for side in SIDES:
        for legal in position.each_bid(side):
            share = _probability(legal.probability) if legal.probability else ""
            rows.setdefault(legal.bid, {})[side] = [value_text(legal.guarantee), share, legal.placement.name]
    nothing = ["", "", ""]
    cells = ((str(bid), *sides.get("X", nothing), *sides.get("O", nothing)) for bid, sides in sorted(rows.items()))
    head = ("X gets at least", "drawn", "X places", "O gives at most", "drawn", "O places")
    return Columns(("bid", *head), cells, optional=["drawn"])


def _values(rows: list[dict[str, Any]]) -> Iterator[tuple[str, int]]:
    """Yield values with their numbers of states."""
    for row in rows:
        exact = row["value_exact"]
        yield value_text(row["value"] if exact is None else Fraction(exact)), row["states"]
