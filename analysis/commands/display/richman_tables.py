"""What ``gametree richman`` prints for people."""

from __future__ import annotations

from fractions import Fraction

from analysis.bidding.richman import Threshold, Thresholds, spell
from analysis.commands.display.printing import Answer, Columns, Paragraph, Part, board, titled

PAYMENT = {
    "richman": "Richman (the winner of a bid pays the loser)",
    "poorman": "Poorman (the winner of a bid pays the bank)",
}
LONGEST = 32
"""Characters of a fraction that is shown; longer ones are only rounded."""
ZUGZWANG = (
    "Where a bid is for having the other side move, moves only hurt: the winner of a bid says who moves, since with a "
    "duty to move neither player would bid anything, and ties would decide."
)


def richman_answer(found: Thresholds) -> Answer:
    """The board, the thresholds with the bids, and the placements of each side; as CSV the four thresholds."""
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
    """Exactly, unless that is long, and rounded.

    >>> _shown(Fraction(133, 256)), _shown(Fraction(1, 3**70)), _shown(Fraction(0))
    ('133/256 = 0.51953', '0.00000', '0')
    """
    text = spell(number)
    if number.denominator == 1:
        return text
    rounded = f"{float(number):.5f}"
    return rounded if len(text) > LONGEST else f"{text} = {rounded}"


def _placements(side: str, shown: list[Threshold], tied: bool) -> Columns:
    """A row for each placement, a column for each threshold."""
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
