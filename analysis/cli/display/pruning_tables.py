"""The output of ``gametree prune`` and ``gametree show --depth`` for people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from analysis.cli.display.parts import Answer, Columns, Hint, Paragraph, Part
from analysis.cli.display.printing import board, headed, player_name, titled
from analysis.rules.counting import recounted
from analysis.search.advice import MOVE_COLUMNS, Advice
from analysis.search.comparison import SETTINGS, Comparison
from analysis.search.laboratory import Row, Size
from analysis.search.visits import trace_lines
from analysis.wording import signed, some

if TYPE_CHECKING:
    from analysis.search.finding import Finding
    from analysis.search.own.diagnosis import SearchVerdict

SPARED = ("cutoffs", "passes", "entries", "hits", "b", "seconds", "leaves", "effective", "/ minimax", "table", "value")
"""Columns that a table of searches can do without, most dispensable first."""

MOST_VISITED = 20
"""Nodes of an example that are listed."""

EXPLAIN = Hint("--explain defines every count.")


def prune_answer(found: Comparison | list[dict[str, Any]], *, explain: bool = False) -> Answer:
    """Return the results of a comparison, or a table of growth, with an explanation of its numbers if requested."""
    if isinstance(found, Comparison):
        data, rows, parts, said = found.to_json(), found.csv_rows(), _comparison(found), found.protocol()
    else:
        data, rows, parts = {"rows": found}, found, _growth(found)
        said = (
            f"Moves in {found[0]['order']} order, window {found[0]['window']}; entries: positions stored; "
            "effective: cutoffs that skip a child. All counts are defined as without --boards."
        )
    return Answer(data, rows, [*parts, "", Paragraph(said) if explain else EXPLAIN])


def _comparison(found: Comparison) -> list[Part]:
    parts: list[Part] = [_facts(found), ""]
    for name, visits in found.traces.items():
        parts += [name, "\n".join(trace_lines(visits)), ""]
    if found.rows:
        parts.append(_searches(found.rows))
    if found.distribution:
        parts.append(_distribution(found.distribution))
    for verdict in found.own:
        parts += ["", *verdict_parts(verdict)]
    return parts


def verdict_parts(verdict: SearchVerdict) -> list[Part]:
    """Describe how a user's search compares: what was recognised, what is wrong, and the tree that shows it."""
    meant = verdict.equals or "no built-in search"
    order = {"natural": "", "reverse": ", from the last child on", "own": ", children in an order of its own"}
    rule = {"textbook": ", cutting where alpha >= beta", "cs188": ", cutting only where alpha > beta", None: ""}
    like = f"{meant}{rule[verdict.rule]}{order[verdict.order]}"
    facts = {"own search": verdict.signature}
    if verdict.right:
        same = (
            ("the same choice and states" if verdict.agent else "the same value and nodes")
            if verdict.equals
            else "the same value, other nodes than any"
        )
        if verdict.remembers:
            same = "the same value and, but for what it remembers, the same nodes"
        facts["right"] = f"{same} as {like}, here and on {verdict.cases:,} small trees"
    else:
        facts["wrong"] = "; ".join(fault.words for fault in verdict.faults)
        facts["compared with"] = like
    if verdict.example is not None:
        facts["shown by"] = f"{verdict.example.text}, searched {some(verdict.example.depth, 'ply', 'plies')} deep"
        if verdict.example.estimates:
            counts = ", ".join(f"{name} counts {signed(value)}" for name, value in verdict.example.estimates.items())
            facts["shown by"] += f", where {counts}"
        did = {verdict.name: verdict.example.own, f"{meant} there": verdict.example.expected}
        facts |= {name: _did(each) for name, each in did.items() if "error" not in each}
    facts |= {"note": "; ".join(verdict.notes)} if verdict.notes else {}
    return [facts]


def _did(did: dict[str, Any]) -> str:
    """Describe what a search did on an example."""
    if not did:
        return "-"
    said = [f"value {signed(did['value'])}"] if did["value"] is not None else []
    said += [f"chooses {did['move']}"] if "move" in did else []
    shown = did["visited"][:MOST_VISITED]
    more = ["..."] if did["visits"] > len(shown) else []
    return "; ".join([*said, f"{some(did['visits'], 'visit')}: {' '.join([*shown, *more])}"])


def _facts(found: Comparison) -> dict[str, str]:
    problem = found.problem
    facts = {"searched": f"{problem.name} from {problem.describe(problem.root)}"}
    if found.value is None:
        facts["least possible"] = f"unknown: {found.unsolved}"
        return facts
    facts["value"] = signed(found.value)
    tree = found.tree
    facts["whole tree"] = "more than 10^18 nodes" if tree is None else _size_text(tree)
    for window, least in found.least.items():
        name = "least possible" if window == "full" else f"  in window {window}"
        facts[name] = "more than 10^18 nodes" if least is None else _size_text(least)
    return facts


def _size_text(size: Size) -> str:
    return f"{some(size.nodes, 'node')}, {some(size.leaves, 'leaf', 'leaves')}"


def _searches(rows: Sequence[Row]) -> Columns:
    """Make a table with a line for each search; what is the same in all of several is a detail."""
    stopped = any(row.stopped for row in rows)
    head = (
        "algorithm", *SETTINGS, "value", "nodes", "leaves", "cutoffs", "effective", "hits", "entries", "passes", "b",
        "/ minimax", "/ least", "seconds", *["stopped"] * stopped,
    )  # fmt: skip
    cells = [
        [
            row.algorithm, *(getattr(row, name) for name in SETTINGS), value_text(row.value, row.bound),
            row.nodes, row.leaves, row.cutoffs, row.cutoffs_effective, row.table_hits, row.table_entries, row.passes,
            "-" if row.branching is None else f"{row.branching:.2f}", _ratio(row.relative_to_minimax),
            _ratio(row.relative_to_least), f"{row.seconds:.3f}", *[row.stopped or ""] * stopped,
        ]
        for row in rows
    ]  # fmt: skip
    same = [name for name, column in zip(head, zip(*cells, strict=True), strict=True) if len({*column}) == 1]
    details = [name for name in same if name in (*SETTINGS, "value", *SPARED[:4])]
    return Columns(head, cells, optional=SPARED, details=details)


def value_text(value: float | None, bound: str | None) -> str:
    """Format a value with its sign, or a bound of it."""
    if value is None:
        return "-"
    return {"exact": "", "lower": ">= ", "upper": "<= "}[bound or "exact"] + signed(value)


def _ratio(ratio: float | None) -> str:
    if ratio is None:
        return "-"
    return f"{ratio:,.0f}" if ratio >= 100 else f"{ratio:.3g}" if ratio >= 0.001 else f"{ratio:.1e}"


def _distribution(rows: Sequence[dict[str, Any]]) -> Columns:
    names = ("mean", "deviation", "least", "q05", "q25", "median", "q75", "q95", "greatest")
    keys = ("algorithm", "window", "symmetry", "orders")
    cells = (
        [*(row[key] for key in keys), what, *(f"{row[f'{what}_{name}']:,.0f}" for name in names)]
        for row in rows
        for what in ("nodes", "leaves")
    )
    same = [key for key in keys[1:] if len({row[key] for row in rows}) == 1]
    optional = ("q05", "q95", "q25", "q75", "deviation", "least", "greatest")
    return Columns((*keys, "count", *names), cells, optional=optional, details=same)


def _growth(rows: Sequence[dict[str, Any]]) -> list[Part]:
    """Make a table of boards and depths against algorithms, as courses print them."""
    head = ["board", "depth", "algorithm", "winner", "nodes", "leaves", "entries", "effective", "seconds"]
    keys = [{"entries": "table_entries", "effective": "cutoffs_effective"}.get(name, name) for name in head]
    cells = [[row[key] for key in keys] for row in rows]
    for cell, row in zip(cells, rows, strict=True):
        cell[3], cell[-1] = row["winner"] or "-", f"{row['seconds']:.3f}"
    if any(row["stopped"] for row in rows):
        head.append("stopped")
        cells = [[*cell, row["stopped"] or ""] for cell, row in zip(cells, rows, strict=True)]
    details = ["depth"] if all(row["depth"] is None for row in rows) else []
    return [Columns(head, cells, optional=("seconds", "leaves", "entries", "winner"), details=details)]


def advice_answer(advice: Advice, found: Finding | None = None, *, read_as: str | None = None) -> Answer:
    """Describe one position searched to a depth; as CSV its moves.

    It may be the best that was ``found`` of the position; ``read_as`` says how its text was read.
    """
    said = f"by evaluation {advice.evaluation}" if advice.evaluation else "unfinished positions count 0"
    if advice.complete:
        said = "to the end of every game"
    facts = {
        "to move": player_name(advice.players, advice.to_move),
        "searched": f"{some(advice.depth, 'ply', 'plies')} deep, {said}; {advice.nodes:,} nodes, "
        f"{advice.seconds:.1f} s",
        "value": f"{signed(advice.value)} for {advice.players[0]}" if advice.evaluation else signed(advice.value),
    }
    if advice.best_move is not None:
        facts["best move"] = advice.moves[0].name
    if found is not None:
        facts["source"] = f"{found.source}; {'exact' if found.exact else 'not exact'}"
    if read_as:
        facts["read as"] = read_as
    parts: list[Part] = [headed(advice.position), "", *board(advice.grid), facts]
    if advice.moves:
        moves = ((m.name, m.position, signed(m.value), "yes" if m.optimal else "") for m in advice.moves)
        table = Columns(("move", "position after", "value", "optimal"), moves, optional=["position after"])
        parts += titled("Moves, best first by this search", table)
    data = recounted((found or advice).to_json(), "best_move") | ({"read_as": read_as} if read_as else {})
    data["moves"] = [recounted(move, "move") for move in data["moves"]]
    return Answer(data, data["moves"], parts, MOVE_COLUMNS)
