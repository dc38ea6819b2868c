"""The output of commands for bidding games; see `solution_tables` for games by turns."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from fractions import Fraction
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from analysis.bidding.bidding_solution import BiddingPosition
from analysis.bidding.exact_values import Value, value_text
from analysis.bidding.richman import Threshold, Thresholds, spell
from analysis.cli.display.parts import Answer, Columns, Paragraph, Part, number
from analysis.cli.display.printing import MOVES_UNKNOWN, board, named, quote, solve_summary, titled
from analysis.games.bidding import SIDES
from analysis.wording import signed, some

if TYPE_CHECKING:
    from analysis.bidding.bidding_solution import BiddingSolution
    from analysis.games.bidding import Bidding

BID_COLUMNS = (
    "side", "bid", "probability", "probability_exact", "guarantee", "guarantee_exact", "move", "name",
)  # fmt: skip
BIDS_TITLE = "Bids: X's payoff against the best reply, the bid's probability, and the placement after winning with it"
PLACEMENTS_TITLE = "Placements after winning and paying a bid, with the chips as above"
MORE_HURT = "* more chips can be worse for X: where moving hurts, so can a least bid of 1"
SHOWN_BIDS = 13
"""The matrix of bids is printed unless a side has more."""
SHOWN_VALUES = 24
"""More values than this are grouped."""

SOLVED = (
    "game", "value", "value_exact", "boards", "classes", "states", "saddle", "mixed", "rounded",
    "terminal", "symmetry", "symmetry_order",
)  # fmt: skip
"""The statistics in the summary of a solve; those of the first line also in CSV."""
SIZES = ("states", "classes")
"""The statistics that count states, and classes of boards."""


def solve_answer(solution: BiddingSolution, seconds: float) -> Answer:
    """Summarize a solve that took ``seconds``."""
    stats = solution.statistics()
    state, root = solution.game.format_state(solution.start), solution.root
    data = {name: stats[name] for name in SOLVED} | {"start": state, "bids": root.to_json()["bids"]}
    steps = [f"show {named(solution)} {quote(state)}", f"richman {shlex.quote(solution.game.base.spec)}"]
    grid = board(root.game.base.grid(root.state.board))
    found = Answer(data, [], [*grid, _facts(solution, stats)], SOLVED[:9])
    return solve_summary(solution, found, steps, seconds)


def stats_answer(solution: BiddingSolution) -> Answer:
    """Return all statistics of a solution; as CSV the least chips for each total."""
    stats = solution.statistics()
    values = ((name, states, f"{states / max(1, stats['states']):.1%}") for name, states in _values(stats["by_value"]))
    columns = ("moves", "boards", "classes", "X won", "O won", "tied", "states", "saddle", "mixed", "rounded")
    spared = ("rounded", "X won", "O won", "tied", "classes")
    tiers = Columns(columns, (row.values() for row in stats["by_tier"]), optional=spared)
    luck = "however the coin falls" if solution.game.ties == "coin" else "if X or if O holds the advantage"
    least = stats["least_chips"]
    least_title = f"The fewest chips, of each total, with which X can force a win or at least a tie, {luck}"
    parts: list[Part] = [
        _facts(solution, stats),
        *titled("States by value", Columns(("value", "states", "share"), values)),
        *titled("By moves made (boards; a state is a board in play with chips and advantage)", tiers),
        *titled(least_title, _least_chips(solution.game, least)),
    ]
    parts += [] if all(row["more_never_hurts"] for row in least) else ["", Paragraph(MORE_HURT)]
    return Answer(stats, least, parts)


def position_answer(found: BiddingPosition) -> Answer:
    """Describe one state: its value, the bids, and the placements; as CSV a row for each legal bid of each side."""
    facts = {"value": f"{value_text(found.value)}: {_verdict(found)}"}
    if not found.over:
        facts["bids"] = _bids_text(found)
    parts: list[Part] = [found.game.format_state(found.state), "", *board(found.game.base.grid(found.state.board))]
    parts.append(facts)
    if not found.moves_known:
        parts += ["", Paragraph(MOVES_UNKNOWN)]
    elif not found.over:
        parts += titled(BIDS_TITLE, _bids(found))
        x_bids, o_bids = found.legal_bids()
        if max(len(x_bids), len(o_bids)) <= SHOWN_BIDS:
            rows = ((str(bid), *map(value_text, row)) for bid, row in zip(x_bids, found.matrix, strict=True))
            matrix = Columns(("X \\ O", *map(str, o_bids)), rows)
            parts += titled("Value of each pair of bids (rows: X's bid, columns: O's)", matrix)
        x, o = ([(p.name, p.position, value_text(p.value)) for p in found.placements(side)] for side in SIDES)
        both = ((*one, *other) for one, other in zip_longest(x, o, fillvalue=("", "", "")))
        names = ("X places", "board after", "value", "O places", "board after", "value")
        parts += titled(PLACEMENTS_TITLE, Columns(names, both, optional=["board after"]))
    sides = SIDES if found.moves_known else ""
    as_csv = [{"side": side, **bid.to_json()} for side in sides for bid in found.each_bid(side)]
    return Answer(found.to_json(), as_csv, parts, BID_COLUMNS)


# Parts ----------------------------------------------------------------------------------------------------------------


def _facts(solution: BiddingSolution, stats: dict[str, Any]) -> dict[str, str]:
    root, ended = solution.root, stats["terminal"]
    under = f"under {some(stats['symmetry_order'], 'symmetry', 'symmetries')} ({stats['symmetry']})"
    facts = {"start": solution.game.format_state(root.state), "value": f"{value_text(root.value)}: {_verdict(root)}"}
    if not root.over:
        facts["bids"] = _bids_text(root)
    facts |= {
        "boards": f"{stats['boards']:,}, in {some(stats['classes'], 'class', 'classes')} {under}",
        "finished": f"{sum(ended.values()):,}: X wins {ended['X']:,}, O wins {ended['O']:,}, ties {ended['tie']:,}",
        "states": f"{stats['states']:,}: {stats['saddle']:,} with a saddle point, {stats['mixed']:,} with mixed bids",
    }
    if stats["rounded"]:
        facts["rounded"] = f"{some(stats['rounded'], 'state has', 'states have')} a value that is not exact"
    return facts


def _verdict(found: BiddingPosition) -> str:
    if found.searched:
        return f"found by a search {some(found.searched, 'move')} deep"
    worth = abs(float(found.value))
    if found.chance and not found.over and found.value not in found.payoffs:
        return "X's expected payoff under optimal play"
    margin = f" by {worth:g}" if worth > 1 else ""
    result = f"{'X' if found.value > 0 else 'O'} wins{margin}" if found.value else "a tie"
    return f"{result}, the game is over" if found.over else f"{result} under optimal play"


def _bids_text(found: BiddingPosition) -> str:
    sides = []
    for side, bids in found.bids.items():
        drawn = [f"{bid.bid} ({_probability(bid.probability)})" for bid in bids]
        sides.append(f"{side} bids {', '.join(drawn) if len(bids) > 1 else bids[0].bid}")
    return ("saddle point: " if found.saddle else "mixed: ") + "; ".join(sides)


def _probability(probability: Value) -> str:
    long = isinstance(probability, float) or probability.denominator > 9999
    return f"{probability:.4f}" if long else str(probability)


def _bids(found: BiddingPosition) -> Columns:
    rows: dict[int, dict[str, list[str]]] = {}
    for side in SIDES:
        for legal in found.each_bid(side):
            share = _probability(legal.probability) if legal.probability else ""
            rows.setdefault(legal.bid, {})[side] = [value_text(legal.guarantee), share, legal.placement.name]
    nothing = ["", "", ""]
    cells = ((str(bid), *sides.get("X", nothing), *sides.get("O", nothing)) for bid, sides in sorted(rows.items()))
    head = ("X gets at least", "drawn", "X places", "O gives at most", "drawn", "O places")
    return Columns(("bid", *head), cells, optional=["drawn"])


def _values(rows: list[dict[str, Any]]) -> Iterator[tuple[str, int]]:
    """Yield values with their numbers of states; if there are many, those between whole ones are grouped."""
    if len(rows) <= SHOWN_VALUES:
        for row in rows:
            exact = row["value_exact"]
            yield value_text(row["value"] if exact is None else Fraction(exact)), row["states"]
        return
    whole = [row for row in rows if row["value_exact"] is not None and "/" not in row["value_exact"]]
    for here, following in zip(whole, [*whole[1:], None], strict=True):
        yield signed(here["value"]), here["states"]
        if following is not None:
            inside = [row for row in rows if here["value"] < row["value"] < following["value"]]
            yield f"between ({len(inside):,} values)", sum(row["states"] for row in inside)


def _least_chips(game: Bidding, rows: list[dict[str, Any]]) -> Columns:
    """Make a table with a row for each total: without an advantage, or for each side that may hold it."""
    marks = ["" if row["more_never_hurts"] else "*" for row in rows]
    needed = [(number(row["win"]) + mark, number(row["tie"]) + mark) for row, mark in zip(rows, marks, strict=True)]
    if game.ties == "coin":
        return Columns(("total", "win", "tie"), ((row["total"], *each) for row, each in zip(rows, needed, strict=True)))
    totals = zip(rows[::2], needed[::2], needed[1::2], strict=True)
    head = [f"{side} holds it: {end}" for side in SIDES for end in ("win", "tie")]
    return Columns(("total", *head), ((row["total"], *x, *o) for row, x, o in totals))


PAYMENT = {
    "richman": "Richman (the winner of a bid pays the loser)",
    "poorman": "Poorman (the winner of a bid pays the bank)",
}
LONGEST = 32
"""The longest fraction shown, in characters; longer ones are only rounded."""
ZUGZWANG = (
    "If a bid is for having the other side move, moves only hurt: the winner of a bid says who moves, since with a "
    "duty to move neither player would bid, and ties would decide."
)


def richman_answer(found: Thresholds) -> Answer:
    """Describe the board, the thresholds with the bids, and the placements of each side; as CSV the four thresholds."""
    parts: list[Part] = [found.position, "", *board(found.game.grid(found.state))]
    if found.over:
        for_o, for_x = (found["richman", ties].threshold for ties in "OX")
        result = "a tie" if for_o != for_x else "X has won" if for_o == 0 else "O has won"
        parts.append(f"The game is over: {result}.")
    else:
        shown = [t for t in found.thresholds if found.tied or t.ties == "O"]
        for rule, payment in PAYMENT.items():
            lines = [payment, *(f"  {_sentence(t, found.tied)}" for t in shown if t.rule == rule)]
            parts += map(Paragraph, lines)
        if not all(t.winner_places for t in shown):
            parts += ["", Paragraph(ZUGZWANG)]
        for side, best in (("X", "least"), ("O", "greatest")):
            head = f"{side}'s placements and what X needs after them, best ({best}, marked *) first"
            parts += titled(head, _placements(side, shown, found.tied))
        parts += ["", f"Boards from here on: {found.boards:,} up to symmetry"]
    return Answer(found.to_json(), [threshold.row() for threshold in found.thresholds], parts)


def _sentence(found: Threshold, tied: bool) -> str:
    case = f"a tie counts for {found.ties}: " if tied else ""
    goal = "wins or ties" if found.ties == "X" and tied else "wins"
    if found.threshold == 0:
        return f"{case}X {goal}, with any money"
    if found.threshold == 1:
        return f"{case}X never {goal.replace(' or ', ' nor ')}, with any money"
    assert found.bid is not None
    assert found.ratio is not None
    ratio = f", {float(found.ratio):.6f} to 1," if found.rule == "poorman" else ""
    wants = "" if found.winner_places else ", for having the other side move"
    needed, bid = _shown(found.threshold), _shown(found.bid)
    return f"{case}X {goal} with more than {needed} of all money{ratio} and both bid {bid} of it{wants}"


def _shown(number: Fraction) -> str:
    """Format a fraction exactly, unless that is long, and rounded.

    >>> _shown(Fraction(133, 256)), _shown(Fraction(1, 3**70)), _shown(Fraction(0))
    ('133/256 = 0.51953', '0.00000', '0')
    """
    text = spell(number)
    if number.denominator == 1:
        return text
    rounded = f"{float(number):.5f}"
    return rounded if len(text) > LONGEST else f"{text} = {rounded}"


def _placements(side: str, shown: list[Threshold], tied: bool) -> Columns:
    """Make a table with a row for each placement and a column for each threshold."""
    by_move = [{p.move: p.threshold for p in t.placements[side]} for t in shown]
    best = [t.placements[side][0].threshold for t in shown]
    sign = 1 if side == "X" else -1
    rows = []
    for p in sorted(shown[0].placements[side], key=lambda p: ([sign * column[p.move] for column in by_move], p.move)):
        needed = [column[p.move] for column in by_move]
        numbers = ("* " * (one == least) + f"{float(one):.5f}" for one, least in zip(needed, best, strict=True))
        rows.append([p.name, p.position, *numbers])
    names = ["move", "position after", *(t.rule + f", tie={t.ties}" * tied for t in shown)]
    return Columns(names, rows, optional=["position after", *names[:1:-1]])
