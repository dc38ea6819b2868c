"""The output of ``gametree audit``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...common.wording import signed, some
from ...playing.audit_results import ENDS, Audit
from ...playing.exploitability import Exploitability, Payoff, ResponseLine
from ...playing.policies import PolicyAudit
from .parts import Answer, Columns, Paragraph, Part
from .printing import titled

PLIES_TITLE = "By ply (moves made before; 'first' counts games whose first mistake it was)"
FEW_VALUES = 40
"""The most values of a further column that are listed unasked."""
FEW_POLICIES = 20
"""The most policies that are described in full."""


def audit_answer(audit: Audit, worst: int) -> Answer:
    """Describe an audit: as CSV a row for each game or choice, or for each value of the columns that were asked for."""
    rows = audit.flat_rows()
    return Answer(
        audit.to_json(worst), rows, audit_parts(audit, worst) if len(audit.records) else [], [*rows[0]] if rows else []
    )


def audit_parts(audit: Audit, worst: int) -> list[Part]:
    """Return the report for people."""
    parts: list[Part] = [_facts(audit), "", _sums(audit, "side", audit.by_side())]
    players, by_column = audit.by_player(), audit.by_column()
    if players and not {"player", audit.player_column} & by_column.keys():
        parts += ["", _sums(audit, "player", players)]
    for name, rows in by_column.items():
        if rows and (len(rows) <= FEW_VALUES or audit.asked):
            parts += ["", _values(audit, name, rows)]
        elif rows:
            parts += ["", Paragraph(f"{name}: {len(rows):,} values; --by {name} lists them")]
    if audit.games:
        parts += titled(PLIES_TITLE, _plies(audit))
    mistakes = audit.mistakes(worst)
    if mistakes:
        parts += titled("Mistakes, the most frequent first", _mistakes(audit, mistakes))
    reasons = {policy.left_out for policy in audit.policies}
    if len(audit.policies) > FEW_POLICIES and len(reasons) == 1 and None not in reasons:
        parts += ["", Paragraph(f"Exploitability of {len(audit.policies):,} policies: not known, {reasons.pop()}")]
    elif len(audit.policies) > FEW_POLICIES:
        owners = audit.policies[0].of.keys()
        shown = audit.asked and len(owners) == 1 and owners <= by_column.keys()  # in its table already
        parts += [] if shown else titled(f"Exploitability of {len(audit.policies):,} policies", _policies(audit))
    else:
        for policy in audit.policies:
            parts += ["", *map(Paragraph, _policy_lines(audit, policy))]
    return parts


def _facts(audit: Audit) -> dict[str, str]:
    totals, unreached = audit.totals(), audit.unreached
    facts = {"game": audit.judge.game.spec, "file": audit.name, "judged by": audit.judge.source}
    if audit.judge.start != audit.judge.rules.start:
        facts["from"] = audit.judge.position
    if audit.games:
        names, outcomes = _outcomes(audit), audit.outcomes().items()
        counts = ", ".join(f"{names[end]} {n:,}" for end, n in outcomes if n or end != "games_unfinished")
        facts["games"] = f"{len(audit.records):,}: {counts}"
    moves, known = totals["moves"], totals["moves"] - totals["unknown"]
    judged = f": {known:,} judged ({_share(known, moves)})" * bool(totals["unknown"])
    share = _share(totals["mistakes"], known)
    kind = "moves" if audit.games else "choices"
    facts[kind] = f"{moves:,}{judged}, {totals['mistakes']:,} of them mistakes ({share})"
    if totals["unknown"] and audit.games:
        half = f"; from ply {audit.exact_from_ply(0.5)} on in half of them" if len(audit.records) > 1 else ""
        facts["exact"] = f"from ply {audit.exact_from_ply()} on in all games{half}; the rest is unknown"
    if unreached:
        facts["ignored"] = f"{len(unreached):,} in unreachable positions, such as {unreached[0]}"
    if audit.bad:
        facts["left out"] = some(audit.bad, "unreadable row")
    return facts


def _outcomes(audit: Audit) -> dict[str, str]:
    first, second = audit.judge.game.players
    return dict(zip(ENDS, (f"{first} won", f"{second} won", "tied", "unfinished"), strict=True))


def _share(part: int, whole: int) -> str:
    return f"{part / whole if whole else 0:.1%}"


SPARED = ("plies lost", "unfinished", "a move", "value lost", "tied", "thrown away")


def _table(lines: list[list[tuple[str, Any]]], first: str) -> Columns:
    """Make a table of lines of columns and cells, whose ``first`` column is text."""
    names, rows = [name for name, _ in lines[0]], [[cell for _, cell in line] for line in lines]
    return Columns(names, rows, words={first}, optional=[name for name in SPARED if name != first])


def _sums(audit: Audit, first: str, rows: list[dict[str, Any]]) -> Columns:
    """Make a table of sums by side or by player."""
    some_are = [name for name in ("unfinished", "resigned") if any(row.get(name) for row in rows)]
    games = ["games", "won", "lost", "tied", *some_are, "thrown away"] if audit.games else []
    players = dict(zip("XO", audit.judge.game.players, strict=True))
    lines = []
    for row in rows:
        own = [(name, row[name.replace(" ", "_")]) for name in games]
        lines.append([(first, players[row["side"]] if first == "side" else row[first]), *own, *_lost(audit, row)])
    return _table(lines, first)


def _lost(audit: Audit, row: dict[str, Any]) -> list[tuple[str, Any]]:
    """Return the cells for losses: unknown moves if there are any, plies if the judge tells them."""
    mean = "-" if row["value_lost_mean"] is None else f"{row['value_lost_mean']:.4f}"
    cells = {"moves": row["moves"], "unknown": row["unknown"], "mistakes": row["mistakes"]}
    cells |= {"value lost": row["value_lost"], "a move": mean, "plies lost": row["remoteness_lost_plies"]}
    left_out = ("unknown",) * (not audit.unknown) + ("plies lost",) * (not audit.timed)
    return [(name, cell) for name, cell in cells.items() if name not in left_out]


def _values(audit: Audit, name: str, rows: list[dict[str, Any]]) -> Columns:
    """Make a table with a row for each value of a column."""
    first, second = audit.judge.game.players
    ends = _outcomes(audit)
    columns = {"exploitability_x": f"as {first}", "exploitability_o": f"as {second}", "nash_conv": "NashConv"}
    if not any(row.get("games_unfinished") for row in rows):
        del ends["games_unfinished"]
    lines = []
    for row in rows:
        if audit.games:
            own = [("games", row["games"]), *((called, row[end]) for end, called in ends.items())]
        else:
            own = [(called, _exact(row, key)) for key, called in columns.items()]
        lines.append([(name, row["value"]), *own, *_lost(audit, row)])
    return _table(lines, name)


def _exact(row: dict[str, Any], key: str) -> str:
    least, most = row[f"{key}_least"], row[f"{key}_most"]
    return "-" if least is None else str(least) if least == most else f"{least} to {most}"


def _plies(audit: Audit) -> Columns:
    """Make a table of moves and mistakes by ply, with a bar for the first mistakes."""
    rows = audit.by_ply()
    most = max((row["first_mistakes"] for row in rows), default=0)
    unknown, timed = ["unknown"] * audit.unknown, ["plies lost"] * audit.timed
    cells = []
    for row in rows:
        bar = "#" * round(20 * row["first_mistakes"] / most) if most else ""
        known = row["moves"] - row["unknown"]
        share = _share(row["mistakes"], known) if known else "-"
        counts = [row["moves"], *(row[name] for name in unknown), row["mistakes"], share, row["value_lost"]]
        plies = [row["remoteness_lost_plies"] for _ in timed]
        cells.append([str(row["ply"]), *counts, *plies, row["first_mistakes"], bar])
    names = ("ply", "moves", *unknown, "mistakes", "share", "value lost", *timed, "first", "")
    return Columns(names, cells, optional=("plies lost", "value lost", "share"))


def _mistakes(audit: Audit, mistakes: list[dict[str, Any]]) -> Columns:
    sides = dict(zip("XO", audit.judge.game.players, strict=True))
    unit = [audit.unit] if audit.unit else []
    rows = [
        (row["times"], *[row["first_row"] for _ in unit], row["position"], sides[row["side"]], row["name"],
         row["value_lost"], "not known" if row["best_names"] is None else " ".join(row["best_names"]))
        for row in mistakes
    ]  # fmt: skip
    names = ("times", *[f"first {name}" for name in unit], "position", "by", "move", "value lost", "would have kept it")
    return Columns(names, rows, optional=("value lost", "by", "would have kept it", "position"))


# Policies -------------------------------------------------------------------------------------------------------------


def _policies(audit: Audit) -> Columns:
    """Make a table with a row for each policy, if there are many."""
    first, second = audit.judge.game.players
    rows = [(policy, policy.summary()) for policy in audit.policies]
    keys = ("exploitability_x", "exploitability_o", "nash_conv")
    cells: list[list[str | int | None]] = [
        [policy.player or "-", policy.positions, *(_exact(row, key) for key in keys)] for policy, row in rows
    ]
    return Columns(["policy", "positions", f"as {first}", f"as {second}", "NashConv"], cells, words={"policy"})


def _policy_lines(audit: Audit, policy: PolicyAudit) -> list[str]:
    """Describe what a best response wins against one player's choices."""
    whose = "the choices" if policy.player is None else policy.player
    lines = [f"Exploitability of {whose}, a policy for {some(policy.positions, 'position')}"]
    if policy.contradiction is not None:
        position, moves = policy.contradiction
        names = " and ".join(audit.judge.game.format_move(move) for move in moves)
        lines.append(
            f"  further positions with contradictory rows: {policy.contradictions:,}, such as {position}: {names}"
        )
    if policy.left_out is not None:
        return [*lines, f"  not known: {policy.left_out}"]
    for side, each in policy.sides.items():
        lines += [f"  as {side}: not covered, no row"] if each is None else exploited(side, each, "  ")
    total, both = policy.nash_conv, [each for each in policy.sides.values() if each is not None]
    if total is not None:
        lines.append(f"  NashConv, the sum: {_interval(*total, both)}")
    return lines


def exploited(side: str, found: Exploitability, indent: str = "") -> list[str]:
    """Describe what a best response wins against a policy on this ``side``."""
    low, high = map(_payoff, sorted((found.value_at_best, found.value_at_worst)))
    values = low if low == high else f"{low} to {high}"
    joint = "and" if {found.value_at_best, found.value_at_worst} == {found.value} else "but"
    lines = [
        f"as {side}: {_interval(found.least, found.most, [found])}",
        f"  the game is worth {signed(found.value)}, {joint} {values} against a best response; "
        f"the policy chooses in {some(found.positions, 'position')}",
    ]
    if found.gaps:
        lines.append(f"  of these, without a row: {found.gaps:,}, such as {found.gap_example}")
    if found.contradictions:
        lines.append(
            f"  of these, with contradictory rows: {found.contradictions:,}, such as {found.contradiction_example}; "
            "any of their moves may be played"
        )
    if found.unused:
        lines.append(f"  positions with a row that never arise: {found.unused:,}")
    if found.line is not None:
        which = "a shortest line of greatest loss" if found.line.chance == 1 else "a best response with the worst luck"
        lines.append(f"  {which}: {_line(found.line)}")
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


def _interval(least: Payoff, most: Payoff, of: Sequence[Exploitability]) -> str:
    """Format the exploitability, or its bounds and the reason for them."""
    if least == most:
        return _payoff(least).replace("+", "")
    no_row = any(found.gaps for found in of) * ["it has no row"]
    torn = any(found.contradictions for found in of) * ["its rows are contradictory"]
    return f"{least} to {most}, depending on its moves where {' or '.join(no_row + torn)}, and later"
