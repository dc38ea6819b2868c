"""The output of ``gametree audit``."""

from __future__ import annotations

import contextlib
import json
import sys
import tempfile
from collections.abc import Iterator, Sequence
from types import TracebackType
from typing import Any

from ...audit.audit_file import Audit, Each
from ...audit.exploitability import Exploitability, Payoff, ResponseLine
from ...audit.judged import JudgedChoice, JudgedGame
from ...audit.rows import Recorder
from ...audit.tally import PolicyAudit
from ...errors import StoreError
from ...machine.files import reason
from ...machine.markup import csv_line
from ...wording import signed, some
from .parts import Answer, Columns, Paragraph, Part
from .printing import show, shown, titled

PLIES_TITLE = "By ply (moves made before; 'first' counts games whose first mistake it was)"
FEW_VALUES = 40
"""The most values of a further column that are listed unasked."""
FEW_POLICIES = 20
"""The most policies that are described in full."""
KEPT_BYTES = 1 << 24
"""Rows held in memory for printing, in bytes; more wait on disk."""


class RowSpool:
    """Rows for games or choices, kept until the whole file is judged, so that a report is complete or absent.

    Raises `StoreError` if the disk fails.
    """

    def __init__(self, form: str) -> None:
        self._form, self._begun = form, False
        self._file = tempfile.SpooledTemporaryFile(KEPT_BYTES, "w+", encoding="utf-8", newline="")  # noqa: SIM115 - closed by __exit__

    @property
    def each(self) -> Each | None:
        """The receiver of rows; None for formats without rows."""
        return {"json": self._add_json, "csv": self._add_csv}.get(self._form)

    def _add_json(self, recorder: Recorder, number: int, judged: JudgedGame | JudgedChoice) -> None:
        row = recorder.game(number, judged) if isinstance(judged, JudgedGame) else recorder.choice(judged)
        with _kept():
            self._file.write((",\n    " if self._begun else "\n    ") + json.dumps(row))
        self._begun = True

    def _add_csv(self, recorder: Recorder, number: int, judged: JudgedGame | JudgedChoice) -> None:
        columns: Sequence[str]
        if isinstance(judged, JudgedGame):
            columns, row = recorder.game_columns, recorder.flat_game(number, judged)
        else:
            columns, row = recorder.choice_columns, recorder.choice(judged)
        with _kept():
            if not self._begun:
                self._file.write(csv_line(columns))
            self._file.write(csv_line(row[name] for name in columns))
        self._begun = True

    def finish(self) -> None:
        """Flush the rows, so that `print` cannot fail on disk."""
        with _kept():
            self._file.seek(0)

    def print(self) -> None:
        """Write all rows to standard output."""
        while piece := self._file.read(1 << 16):
            sys.stdout.write(shown(piece))

    def __enter__(self) -> RowSpool:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with contextlib.suppress(OSError):  # unwritten rows stay unwritten
            self._file.close()


@contextlib.contextmanager
def _kept() -> Iterator[None]:
    """Report disk errors as such, not as errors of standard output."""
    try:
        yield
    except OSError as error:
        raise StoreError(f"cannot keep the rows in {tempfile.gettempdir()}: {reason(error)}") from None


def show_audit(form: str, audit: Audit, spool: RowSpool, worst: int, *, wide: bool = False) -> None:
    """Print the report: in JSON with the rows at its end, in CSV the rows only."""
    spool.finish()
    if form not in ("json", "csv"):
        read = audit.tally.all.moves or sum(audit.tally.outcomes.values()) or audit.tally.unreached
        show(form, Answer(None, [], audit_parts(audit, worst) if read else []), wide=wide)
    elif form == "csv" and audit.asked:
        sys.stdout.write(shown("".join(map(csv_line, _value_lines(audit)))))
    elif form == "csv":
        spool.print()
    else:
        head = json.dumps(audit.to_json(worst), indent=2)
        sys.stdout.write(head.removesuffix("\n}") + ',\n  "rows": [')
        spool.print()
        sys.stdout.write("\n  ]\n}\n")


def audit_parts(audit: Audit, worst: int) -> list[Part]:
    """Return the report for people."""
    parts: list[Part] = [_facts(audit), "", _sums(audit, "side", audit.by_side())]
    players = audit.by_player()
    if players and not {"player", audit.tally.player} & audit.tally.by_column.keys():
        parts += ["", _sums(audit, "player", players)]
    for name, rows in audit.by_column().items():
        if rows and (len(rows) <= FEW_VALUES or audit.asked):
            parts += ["", _values(audit, name, rows)]
        elif rows:
            parts += ["", Paragraph(f"{name}: {len(rows):,} values; --by {name} lists them")]
    if audit.kind == "games":
        parts += titled(PLIES_TITLE, _plies(audit))
    mistakes = audit.mistakes(worst)
    if mistakes:
        least = "; too many to count all, so these are lower bounds" * audit.tally.dropped
        parts += titled(f"Mistakes, the most frequent first{least}", _mistakes(audit, mistakes))
    reasons = {policy.left_out for policy in audit.policies}
    if len(audit.policies) > FEW_POLICIES and len(reasons) == 1 and None not in reasons:
        parts += ["", Paragraph(f"Exploitability of {len(audit.policies):,} policies: not known, {reasons.pop()}")]
    elif len(audit.policies) > FEW_POLICIES:
        owners = audit.policies[0].of.keys()
        told = audit.asked and len(owners) == 1 and owners <= audit.tally.by_column.keys()  # in its table already
        parts += [] if told else titled(f"Exploitability of {len(audit.policies):,} policies", _policies(audit))
    else:
        for policy in audit.policies:
            parts += ["", *map(Paragraph, _policy_lines(audit, policy))]
    return parts


def _facts(audit: Audit) -> dict[str, str]:
    tally = audit.tally
    facts = {"game": audit.judge.game.spec, "file": audit.name, "judged by": audit.judge.source()}
    if audit.judge.position != audit.judge.game.format_position(audit.judge.rules.start):
        facts["from"] = audit.judge.position
    if audit.kind == "games":
        first, second = audit.judge.game.players
        names = {"X": f"{first} won", "O": f"{second} won", "tie": "tied", "unfinished": "unfinished"}
        counts = ", ".join(f"{names[name]} {n:,}" for name, n in tally.outcomes.items() if n or name != "unfinished")
        facts["games"] = f"{sum(tally.outcomes.values()):,}: {counts}"
    all_moves = tally.all
    judged = f": {all_moves.judged:,} judged ({_share(all_moves.judged, all_moves.moves)})" * bool(all_moves.unknown)
    kind = "moves" if audit.kind == "games" else "choices"
    share = _share(all_moves.mistakes, all_moves.judged)
    facts[kind] = f"{all_moves.moves:,}{judged}, {all_moves.mistakes:,} of them mistakes ({share})"
    if all_moves.unknown and audit.kind == "games":
        half = f"; from ply {audit.half_exact_from_ply} on in half of them" if tally.exact_from.total() > 1 else ""
        facts["exact"] = f"from ply {audit.exact_from_ply} on in all games{half}; the rest is unknown"
    if tally.unreached:
        facts["ignored"] = f"{tally.unreached:,} in unreachable positions, such as {tally.unreached_example}"
    if audit.bad:
        facts["left out"] = some(audit.bad, "unreadable row")
    if audit.moves_written is not None:
        facts["written"] = f"{audit.moves_written:,} rows"
    return facts


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
    games = ["games", "won", "lost", "tied", *some_are, "thrown away"] if audit.kind == "games" else []
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
    left_out = ("unknown",) * (not audit.tally.all.unknown) + ("plies lost",) * (not audit.judge.tells_remoteness)
    return [(name, cell) for name, cell in cells.items() if name not in left_out]


def _values(audit: Audit, name: str, rows: list[dict[str, Any]]) -> Columns:
    """Make a table with a row for each value of a column."""
    first, second = audit.judge.game.players
    ends = {"X": f"{first} won", "O": f"{second} won", "tie": "tied", "unfinished": "unfinished"}
    met = {"exploitability_x": f"as {first}", "exploitability_o": f"as {second}", "nash_conv": "NashConv"}
    if not any(row["outcomes"]["unfinished"] for row in rows if "outcomes" in row):
        del ends["unfinished"]
    lines = []
    for row in rows:
        if audit.kind == "games":
            own = [("games", row["games"]), *((called, row["outcomes"][end]) for end, called in ends.items())]
        else:
            own = [(called, _exact(row, key)) for key, called in met.items()]
        lines.append([(name, row["value"]), *own, *_lost(audit, row)])
    return _table(lines, name)


def _exact(row: dict[str, Any], key: str) -> str:
    least, most = row[f"{key}_least"], row[f"{key}_most"]
    return "-" if least is None else str(least) if least == most else f"{least} to {most}"


def _value_lines(audit: Audit) -> Iterator[list[Any]]:
    """Yield the same for CSV, header first: a row for each value of each column asked for."""
    rows = [(name, row) for name, rows in audit.by_column().items() for row in rows]
    for number, (name, row) in enumerate(rows):
        flat = {f"{end.lower()}_won" if len(end) == 1 else end: n for end, n in row.get("outcomes", {}).items()}
        sides = {
            f"{side['side'].lower()}_{key}": side[key]
            for side in row["by_side"]
            for key in ("moves", "unknown", "mistakes", "value_lost", "remoteness_lost_plies")
        }
        whole = {**row, **flat, **sides}
        flat_row = {key: value for key, value in whole.items() if key not in ("outcomes", "by_side")}
        if number == 0:
            yield ["column", *flat_row]
        yield [name, *flat_row.values()]


def _plies(audit: Audit) -> Columns:
    """Make a table of moves and mistakes by ply, with a bar for the first mistakes."""
    rows = audit.by_ply()
    most = max((row["first_mistakes"] for row in rows), default=0)
    unknown, timed = ["unknown"] * bool(audit.tally.all.unknown), ["plies lost"] * audit.judge.tells_remoteness
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
    for side, found in policy.sides.items():
        lines += [f"  as {side}: not covered, no row"] if found is None else exploited(side, found, "  ")
    total, both = policy.nash_conv, [found for found in policy.sides.values() if found is not None]
    if total is not None:
        lines.append("  " + nash_conv_line(*total, both))
    return lines


def nash_conv_line(least: Payoff, most: Payoff, of: Sequence[Exploitability]) -> str:
    """Return the sum of the exploitabilities ``of`` both sides."""
    return f"NashConv, the sum: {_interval(least, most, of)}"


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
