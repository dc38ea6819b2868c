"""The output of ``gametree audit``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...common.wording import signed, with_count
from ...playing.audit_results import ENDS, Audit
from ...playing.exploitability import Exploitability, ResponseLine
from ...playing.policies import PolicyAudit
from ...playing.response_graph import Payoff
from .parts import Answer, Columns, Details, Paragraph, Part, keyed
from .printing import titled

PLIES_TITLE = "By ply (moves made before; 'first' counts games whose first mistake it was)"
FEW_VALUES = 40
"""The most values of a further column that are listed without being asked for."""
FEW_POLICIES = 20
"""The most policies that are described in full."""

GAMES = {
    name: name.replace("_", " ") for name in ("games", "won", "lost", "tied", "unfinished", "resigned", "thrown_away")
}
LOST = {
    "moves": "moves", "unknown": "unknown", "mistakes": "mistakes", "share": "share", "value_lost": "value lost",
    "value_lost_mean": "a move", "remoteness_lost_plies": "plies lost",
}  # fmt: skip
"""Columns of sums, with their titles."""

SPARED = ("plies lost", "unfinished", "a move", "value lost", "tied", "thrown away", "share")
"""Columns that are left out first if the table is too wide."""


def audit_answer(audit: Audit, worst: int) -> Answer:
    """Describe an audit: as CSV a row for each game or choice, or for each value of the columns that were asked for."""
    rows, parts = audit.csv_rows(), audit_parts(audit, worst) if len(audit.records) else []
    return Answer(audit.to_json(worst), rows, parts, [*rows[0]] if rows else [])


def audit_parts(audit: Audit, worst: int) -> list[Part]:
    """Return the report for people."""
    first, second = audit.judge.game.players
    sides, by_column, players = {"X": first, "O": second}, audit.by_column(), audit.by_player()
    responses = {"exploitability_x": f"as {first}", "exploitability_o": f"as {second}", "nash_conv": "NashConv"}
    by_side = [row | {"side": sides[row["side"]]} for row in audit.by_side()]
    parts: list[Part] = [_facts(audit), "", keyed(by_side, {"side": "side"} | GAMES | LOST, SPARED)]
    if players and not {"player", audit.player_column} & by_column.keys():
        parts += ["", keyed(players, {"player": "player"} | GAMES | LOST, SPARED)]
    for name, rows in by_column.items():
        if rows and len(rows) > FEW_VALUES and not audit.asked:
            parts += ["", Paragraph(f"{name}: {len(rows):,} values; --by {name} lists them")]
        elif rows:
            ends = {"games": "games"} | _outcomes(audit) if audit.games else responses
            parts += ["", keyed(rows if audit.games else map(_bounded, rows), {"value": name} | ends | LOST, SPARED)]
    if audit.games:
        parts += titled(PLIES_TITLE, _plies(audit))
    if mistakes := audit.mistakes(worst):
        shown = [
            row | {"side": sides[row["side"]], "best": " ".join(row["best_names"] or ["not known"])} for row in mistakes
        ]
        titles = {"times": "times", "first_row": f"first {audit.unit}", "position": "position", "side": "by"}
        titles |= {"name": "move", "value_lost": "value lost", "best": "would have kept it"}
        if audit.unit is None:
            del titles["first_row"]
        table = keyed(shown, titles, ("value lost", "by", "would have kept it", "position"))
        parts += titled("Mistakes, the most frequent first", table)
    in_table = audit.asked and len({*by_column} & {column for policy in audit.policies for column in policy.of}) == 1
    if len(audit.policies) > FEW_POLICIES and not in_table:
        rows = [
            _bounded({"player": item.player, "positions": item.positions, **item.summary()}) for item in audit.policies
        ]
        table = keyed(rows, {"player": "policy", "positions": "positions"} | responses, ())
        parts += titled(f"Exploitability of {len(rows):,} policies", table)
    reasons = [policy.left_out for policy in audit.policies if policy.left_out is not None]
    if reasons and len(audit.policies) > FEW_POLICIES:
        parts += [
            "",
            Paragraph(f"Exploitability of {with_count(len(reasons), 'policy', 'policies')} not known: {reasons[0]}"),
        ]
    described = [part for policy in audit.policies for part in ("", *map(Paragraph, _policy_lines(audit, policy)))]
    return [*parts, *(described if len(audit.policies) <= FEW_POLICIES else [Details(described)])]


def _facts(audit: Audit) -> dict[str, str]:
    totals, unreached = audit.totals(), audit.unreached
    facts = {"game": audit.judge.game.spec, "file": audit.name, "judged by": audit.judge.source}
    if audit.judge.start != audit.judge.rules.start:
        facts["start"] = audit.judge.position
    if audit.games:
        names, outcomes = _outcomes(audit), audit.outcomes().items()
        counts = ", ".join(f"{names[end]} {n:,}" for end, n in outcomes if n or end != "games_unfinished")
        facts["games"] = f"{len(audit.records):,}: {counts}"
    moves, judged_moves = totals["moves"], totals["moves"] - totals["unknown"]
    judged = f": {judged_moves:,} judged ({_share(judged_moves, moves)})" * bool(totals["unknown"])
    kind, share = "moves" if audit.games else "choices", _share(totals["mistakes"], judged_moves)
    facts[kind] = f"{moves:,}{judged}, {totals['mistakes']:,} of them mistakes ({share})"
    if totals["unknown"] and audit.games:
        half = f"; from ply {audit.exact_from_ply(0.5)} on in half of them" if len(audit.records) > 1 else ""
        facts["exact"] = f"from ply {audit.exact_from_ply()} on in all games{half}; the rest is unknown"
    if unreached:
        facts["ignored"] = f"{len(unreached):,} in unreachable positions, such as {unreached[0]}"
    if audit.bad:
        facts["left out"] = with_count(audit.bad, "unreadable row")
    return facts


def _outcomes(audit: Audit) -> dict[str, str]:
    first, second = audit.judge.game.players
    return dict(zip(ENDS, (f"{first} won", f"{second} won", "tied", "unfinished"), strict=True))


def _share(part: int, whole: int) -> str:
    return f"{part / whole if whole else 0:.1%}"


def _bounded(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row with each exploitability as a number or an interval, in words."""
    bounds = {name: (row[f"{name}_least"], row[f"{name}_most"]) for name in row if f"{name}_least" in row}
    texts = {name: str(low) if low == high else f"{low} to {high}" for name, (low, high) in bounds.items()}
    return {**row, **{name: "-" if text == "None" else text for name, text in texts.items()}}


def _plies(audit: Audit) -> Columns:
    """Make a table of moves and mistakes by ply, with a bar for the first mistakes."""
    rows = audit.by_ply()
    most = max((row["first_mistakes"] for row in rows), default=0)
    for row in rows:
        judged = row["moves"] - row["unknown"]
        row |= {"ply": str(row["ply"]), "share": _share(row["mistakes"], judged) if judged else "-"}
        row["bar"] = "#" * round(20 * row["first_mistakes"] / most) if most else ""
    titles = {"ply": "ply", **LOST, "first_mistakes": "first", "bar": ""}
    del titles["value_lost_mean"]
    return keyed(rows, titles, ("plies lost", "value lost", "share"))


# Policies -------------------------------------------------------------------------------------------------------------


def _policy_lines(audit: Audit, policy: PolicyAudit) -> list[str]:
    """Describe what a best response wins against one player's choices."""
    whose = "the choices" if policy.player is None else policy.player
    lines = [f"Exploitability of {whose}, a policy for {with_count(policy.positions, 'position')}"]
    if policy.contradiction is not None:
        position, moves = policy.contradiction
        names = " and ".join(audit.judge.game.format_move(move) for move in moves)
        lines.append(
            f"  further positions with contradictory rows: {policy.contradictions:,}, such as {position}: {names}"
        )
    if policy.left_out is not None:
        return [*lines, f"  not known: {policy.left_out}"]
    for side, result in policy.sides.items():
        lines += [f"  as {side}: not covered, no row"] if result is None else exploited(side, result, "  ")
    total, known = policy.nash_conv, [value for value in policy.sides.values() if value is not None]
    if total is not None:
        lines.append(f"  NashConv, the sum: {_interval(*total, known)}")
    return lines


def exploited(side: str, result: Exploitability, indent: str = "") -> list[str]:
    """Describe what a best response wins against a policy on this ``side``."""
    low, high = map(_payoff, sorted((result.value_at_best, result.value_at_worst)))
    values = low if low == high else f"{low} to {high}"
    joint = "and" if {result.value_at_best, result.value_at_worst} == {result.value} else "but"
    lines = [
        f"as {side}: {_interval(result.least, result.most, [result])}",
        f"  the game is worth {signed(result.value)}, {joint} {values} against a best response; "
        f"the policy chooses in {with_count(result.positions, 'position')}",
    ]
    if result.gaps:
        lines.append(f"  of these, without a row: {result.gaps:,}, such as {result.gap_example}")
    if result.contradictions:
        lines.append(
            f"  of these, with contradictory rows: {result.contradictions:,}, such as {result.contradiction_example}; "
            "any of their moves may be played"
        )
    if result.unused:
        lines.append(f"  positions with a row that never arise: {result.unused:,}")
    if result.line is not None:
        title = "a shortest line of greatest loss" if result.line.chance == 1 else "a best response with the worst luck"
        lines.append(f"  {title}: {_line(result.line)}")
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


def _interval(least: Payoff, most: Payoff, results: Sequence[Exploitability]) -> str:
    """Format the exploitability, or its bounds and the reason for them."""
    if least == most:
        return _payoff(least).replace("+", "")
    no_row = any(result.gaps for result in results) * ["it has no row"]
    torn = any(result.contradictions for result in results) * ["its rows are contradictory"]
    return f"{least} to {most}, depending on its moves where {' or '.join(no_row + torn)}, and later"
