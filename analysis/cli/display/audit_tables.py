"""The output of ``gametree audit``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...common.wording import signed, with_count
from ...playing.audit_results import ENDS, Audit
from ...playing.exploitability import Exploitability, ResponseLine, as_json, nash_conv
from ...playing.policies import PolicyAudit
from ...playing.response_graph import Payoff
from ...rules.game import Game
from .parts import Answer, Columns, Paragraph, Part, keyed
from .printing import titled

PLIES_TITLE = "By ply (moves made before; 'first' counts games whose first mistake it was)"
GAMES = {name: name.replace("_", " ") for name in ("games", "won", "lost", "tied", "unfinished", "thrown_away")}
LOST = {
    "moves": "moves", "unknown": "unknown", "mistakes": "mistakes", "share": "share", "value_lost": "value lost",
    "value_lost_mean": "a move", "remoteness_lost_plies": "plies lost", "exploitability": "exploitability",
}  # fmt: skip
"""Columns of sums, with their titles."""

SPARED = ("plies lost", "unfinished", "a move", "value lost", "tied", "thrown away", "share")
"""Columns that are left out first if the table is too wide."""


def audit_answer(audit: Audit, worst: int) -> Answer:
    """Describe an audit: as CSV a row for each game or choice, or for each value of the columns to group by."""
    rows, parts = audit.csv_rows(), audit_parts(audit, worst) if len(audit.records) else []
    return Answer(audit.to_json(worst), rows, parts, [*rows[0]] if rows else [])


def audit_parts(audit: Audit, worst: int) -> list[Part]:
    """Return the report for people."""
    game = audit.judge.game
    sides = dict(zip("XO", game.players, strict=True))

    def told(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return [row | {"side": sides[row["side"]]} for row in rows]

    parts: list[Part] = [_facts(audit), "", keyed(told(audit.by_side()), {"side": "side"} | GAMES | LOST, SPARED)]
    if audit.games and (players := audit.by_player()):
        parts += ["", keyed(players, {"player": "player"} | GAMES | LOST, SPARED)]
    if groups := [_bounded(row) for row in told(audit.groups())]:
        titles = {**dict(zip(audit.keys, audit.keys, strict=True)), "side": "side"}
        parts += ["", keyed(groups, titles | GAMES | LOST, SPARED)]
    if audit.games:
        parts += titled(PLIES_TITLE, _plies(audit))
    if mistakes := told(audit.mistakes(worst)):
        for row in mistakes:
            codes = row["best_moves"]
            row["best"] = "not known" if codes is None else " ".join(map(game.format_move, map(int, codes.split())))
        titles = {"times": "times", "first_row": "first row", "position": "position", "side": "by"}
        titles |= {"name": "move", "value_lost": "value lost", "best": "would have kept it"}
        table = keyed(mistakes, titles, ("value lost", "by", "would have kept it", "position"))
        parts += titled("Mistakes, the most frequent first", table)
    for policy in () if audit.by else audit.policies:
        parts += ["", *map(Paragraph, _policy_lines(policy))]
    return parts


def _facts(audit: Audit) -> dict[str, str]:
    totals = audit.totals()
    facts = {
        "game": audit.judge.game.spec,
        "file": audit.name,
        "read": f"{audit.recognised}; numbers count from 0",
        "judged by": audit.judge.source,
    }
    if audit.judge.start != audit.judge.rules.start:
        facts["start"] = audit.judge.position
    if audit.games:
        first, second = audit.judge.game.players
        names = dict(zip(ENDS, (f"{first} won", f"{second} won", "tied", "unfinished"), strict=True))
        counts = [f"{names[end]} {n:,}" for end, n in audit.outcomes().items() if n or end != "games_unfinished"]
        facts["games"] = f"{len(audit.records):,}: {', '.join(counts)}"
    moves, judged_moves = totals["moves"], totals["moves"] - totals["unknown"]
    judged = f": {judged_moves:,} judged ({_share(judged_moves, moves)})" * bool(totals["unknown"])
    facts["moves" if audit.games else "choices"] = (
        f"{moves:,}{judged}, {totals['mistakes']:,} of them mistakes ({_share(totals['mistakes'], judged_moves)})"
    )
    if audit.bad:
        facts["left out"] = with_count(audit.bad, "unreadable row")
    return facts


def _share(part: int, whole: int) -> str:
    return f"{part / whole if whole else 0:.1%}"


def _bounded(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row of a group with the exploitability as a number or an interval, in words."""
    low, high = row.get("exploitability_least"), row.get("exploitability_most")
    return {**row, "exploitability": None if low is None else str(low) if low == high else f"{low} to {high}"}


def _plies(audit: Audit) -> Columns:
    """Make a table of moves and mistakes by ply."""
    rows = audit.by_ply()
    for row in rows:
        judged = row["moves"] - row["unknown"]
        row |= {"ply": str(row["ply"]), "share": _share(row["mistakes"], judged) if judged else "-"}
    titles = {"ply": "ply", **LOST, "first_mistakes": "first"}
    del titles["value_lost_mean"]
    return keyed(rows, titles, ("plies lost", "value lost", "share"))


# Policies -------------------------------------------------------------------------------------------------------------


def policy_answer(game: Game, level: str, responses: Mapping[str, Exploitability]) -> Answer:
    """Describe what a best response wins against a level of play: as CSV a row for each side and ply."""
    least, most = nash_conv(*responses.values())
    head = {"game": game.spec, "policy": level}
    data = head | {side: each.to_json() for side, each in responses.items()}
    data |= as_json({"nash_conv_least": least, "nash_conv_most": most})
    parts: list[Part] = [head, ""]
    rows = [{"side": side} | as_json(ply.to_json()) for side, each in responses.items() for ply in each.by_ply]
    for side, each in responses.items():
        parts += [Paragraph(line) for line in exploited(side, each)]
    titles = {"side": "side", "ply": "ply", "positions": "positions", "mistakes": "mistakes"}
    titles |= {"value_lost": "value lost", "value_lost_in_play": "in play"}
    parts += [f"NashConv, the sum: {_interval(least, most)}", "", keyed(rows, titles, ())]
    worst = [{"side": side} | as_json(loss.to_json()) for side, each in responses.items() for loss in each.worst]
    names = {"side": "side", "position": "position", "ply": "ply", "chance": "chance", "value_lost": "value lost"}
    parts += titled("Where it loses most", keyed(worst, names, ())) if worst else []
    return Answer(data, rows, parts, [*rows[0]] if rows else [])


def _policy_lines(policy: PolicyAudit) -> list[str]:
    """Describe what a best response wins against one player's choices."""
    whose = ", ".join(name for name in policy.of.values() if name is not None) or "the choices"
    lines = [f"Exploitability of {whose}, a policy for {with_count(policy.positions, 'position')}"]
    if policy.left_out is not None:
        return [*lines, f"  not known: {policy.left_out}"]
    for side, result in policy.sides.items():
        lines += [f"  as {side}: not covered, no row"] if result is None else exploited(side, result, "  ")
    return lines if policy.nash_conv is None else [*lines, f"  NashConv, the sum: {_interval(*policy.nash_conv)}"]


def exploited(side: str, result: Exploitability, indent: str = "") -> list[str]:
    """Describe what a best response wins against a policy on this ``side``."""
    low, high = map(_payoff, sorted((result.value_at_best, result.value_at_worst)))
    values = low if low == high else f"{low} to {high}"
    lines = [
        f"as {side}: {_interval(result.least, result.most)}",
        f"  the game is worth {signed(result.value)}, and {values} against a best response; the policy chooses in "
        f"{with_count(result.positions, 'position')}",
    ]
    if result.gaps:
        lines.append(
            f"  of these, without a row: {result.gaps:,}, such as {result.gap_example}; any move may be played"
        )
    if result.line is not None:
        lines.append(f"  a shortest line of greatest loss: {_line(result.line)}")
    return [indent + line for line in lines]


def _line(line: ResponseLine) -> str:
    moves = "" if line.path.replace("-", "") == "".join(line.names) else f" ({' '.join(line.names)})"
    if line.repeats_from_ply is not None:
        return f"{line.path}{moves}, repeating from ply {line.repeats_from_ply}"
    chance = "" if line.chance == 1 else f", with probability {line.chance}"
    return f"{line.path}{moves}, {'a tie' if line.outcome == 'tie' else f'{line.outcome} wins'}{chance}"


def _payoff(value: Payoff) -> str:
    """Format a payoff with its sign; a fraction also as a decimal."""
    if isinstance(value, float):
        return f"{value:+.4f}"
    whole = value.denominator == 1
    return signed(int(value)) if whole else f"{'+' if value > 0 else ''}{value} ({float(value):+.4f})"


def _interval(least: Payoff, most: Payoff) -> str:
    """Format the exploitability, or its bounds."""
    return _payoff(least).replace("+", "") if least == most else f"{least} to {most}"
