"""The sections of a page, in the order in which they are read; one without anything to say is left out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from analysis.reports import summary, words
from analysis.reports.board import start_board
from analysis.reports.content import Fact, KeyNumber, KeyPart, Section, Shown
from analysis.reports.findings import Findings
from analysis.reports.principal import LONGEST
from analysis.reports.protocol import commands, protocol
from analysis.reports.tables import Table
from analysis.rules import spell

FIGURES = {
    "value": ("principal",),
    "growth": ("growth",),
    "lengths": ("lengths",),
    "values": ("values", "scores"),
    "remoteness": ("remoteness",),
    "branching": ("branching",),
    "openings": ("openings",),
    "pruning": ("pruning",),
}
"""The figures of each section."""

SIZES = ("positions", "canonical", "terminal_X", "terminal_O", "terminal_tie", "moves", "histories")
MOVES = ("ply", "mover", "name", "move", "value", "remoteness_plies", "nimber", "optimal")
GAMES = ("games_X", "games_O", "games_tie", "games_total", "optimal_paths", "position")
SEARCHES = (
    "algorithm", "nodes", "leaves", "relative_to_minimax", "relative_to_least", "cutoffs", "cutoffs_effective",
    "table_hits", "table_entries", "passes", "branching", "value", "bound", "window", "order", "table", "symmetry",
    "stopped",
)  # fmt: skip
VALUES = ("positions", "value_X", "value_tie", "value_O", "value_draw")

FEW = 14
"""Rows of a table that is open from the start, at most."""


class _Contents:
    """What sections are made of: findings, and the figures and tables that were made of them."""

    def __init__(self, findings: Findings, figures: Sequence[Shown], tables: Mapping[str, Table]) -> None:
        self.findings, self._figures, self._tables = findings, figures, tables

    def figures(self, section: str) -> tuple[Shown, ...]:
        return tuple(figure for figure in self._figures if figure.name in FIGURES[section])

    def table(
        self, name: str, order: Sequence[str] = (), *, leave_out: Sequence[str] = (), opened: bool = False
    ) -> tuple[tuple[Table, bool], ...]:
        """The table, if it is there: one or none."""
        found = self._tables.get(name)
        if found is None:
            return ()
        columns = [name for name in order or [c.name for c in found.columns] if name not in leave_out]
        return ((found.only(found.title, columns), opened),)

    def steps(self, title: str, names: Sequence[str]) -> tuple[tuple[Table, bool], ...]:
        """Some columns of the tables by ply and by tier, as far as they are there."""
        found = [(step, self._tables[f"by_{step}"]) for step in ("ply", "tier") if f"by_{step}" in self._tables]
        return tuple((table.only(f"{title} by {step}", (step, *names)), False) for step, table in found)


def make_sections(findings: Findings, figures: Sequence[Shown], tables: Mapping[str, Table]) -> list[Section]:
    """All sections that have something to say."""
    contents = _Contents(findings, figures, tables)
    makers = (_game, _value, _keys, _growth, _lengths, _values, _remoteness, _branching, _openings, _pruning, _protocol)
    return [section for make in makers if not (section := make(contents)).empty]


def _game(contents: _Contents) -> Section:
    findings, game = contents.findings, contents.findings.game
    parameters = ", ".join(f"{name} = {spell(value)}" for name, value in game.parameters().items())
    facts = {
        "Game": game.spec,
        "Parameters": parameters or "none",
        "Players": _players(findings),
        "Start": findings.solution.start,
        "Moves": game.notation or _notation(findings),
        "Sizes": game.sizes,
        "Known": game.known,
    }
    shown = (Fact(term, text, code=term in ("Game", "Start")) for term, text in facts.items() if text)
    return Section("game", "The game", facts=tuple(shown))


def _players(findings: Findings) -> str:
    """Who plays, and what files call them."""
    first, second = findings.game.players
    said = f"{first} moves first, {second} second"
    if (first, second) == ("first", "second"):
        said = "the first and the second"
    if words.elsewhere(findings) and not words.over(findings):
        said += f"; to move at this start: {words.named(findings, words.begins(findings))}"
    return said if (first, second) == ("X", "O") else f"{said}; in the files they are X and O"


def _notation(findings: Findings) -> str:
    """What can be told of moves where the game itself says nothing."""
    names = [opening.move.name for opening in findings.openings]
    if names and names == [str(opening.cell) for opening in findings.openings]:
        return "A move is the number of its cell, counted from 0, row by row."
    if names and start_board(findings).named:
        return "The board at the top has the names of moves."
    return ""


def _value(contents: _Contents) -> Section:
    findings = contents.findings
    value, plies = findings.statistics["value"], findings.statistics["remoteness_plies"]
    drawn = bool(contents.figures("value"))
    if words.over(findings):
        said = f"The game is over at the start, which is worth {words.worth(value)}: {words.value_meaning(findings)}."
        return Section("value", "Value", (said,))
    steps = len(findings.principal) - 1
    line = "The principal variation is one line of optimal play, each move the best for its player: by value, then by "
    line += "remoteness (a win fast, a loss slow, a tie fast), then the first in the order of the moves. "
    if plies is None:
        line += "This one comes back to an earlier position" if steps < LONGEST else f"Here are its first {steps} plies"
        line += ": play never ends."
    else:
        line += f"It ends after {words.some(steps, 'ply', 'plies')}."
    worth = f"The start is worth {words.worth(value)} ({words.value_meaning(findings)}): {summary.verdict(findings)}"
    worth += ", since play never ends." if plies is None else f" after {words.some(plies, 'ply', 'plies')}."
    table = contents.table("principal_variation", (*MOVES, "position"), leave_out=_codes(findings), opened=not drawn)
    figures = contents.figures("value")
    return Section("value", "Value and a principal variation", (worth, line), figures=figures, tables=table)


def _codes(findings: Findings) -> tuple[str, ...]:
    """The column of move codes, where the names of moves are their codes."""
    moves = [step.move for step in findings.principal if step.move] + [opening.move for opening in findings.openings]
    return ("move",) if all(move.name == str(move.move) for move in moves) else ()


def _keys(contents: _Contents) -> Section:
    findings, stats = contents.findings, contents.findings.statistics
    keys = []
    for key, label in words.LABELS.items():
        number, meaning = stats[key], words.MEANINGS[key]
        if number is None:
            continue
        if isinstance(number, dict):
            total = number.get("total", sum(number.values()))
            keys.append(KeyNumber(key, label, words.count(total), meaning, _parts(findings, key, number, total)))
        else:
            shown = words.worth(number) if key == "value" else words.count(number)
            meaning += f": {words.value_meaning(findings)}" if key == "value" else ""
            keys.append(KeyNumber(key, label, shown, meaning))
    reason = words.uncounted(findings)
    return Section("numbers", "Key numbers", (reason,) if reason else (), keys=tuple(keys))


def _parts(findings: Findings, key: str, numbers: dict[str, int], total: int) -> tuple[KeyPart, ...]:
    won = "has won" if key == "terminal" else "wins"
    labels = {"X": f"{words.named(findings, 'X')} {won}", "O": f"{words.named(findings, 'O')} {won}", "tie": "tied"}
    return tuple(
        KeyPart(part, label, words.count(numbers[part]), words.share(numbers[part], total))
        for part, label in labels.items()
    )


def _growth(contents: _Contents) -> Section:
    if words.over(contents.findings):
        return Section("growth", "Growth")
    step = contents.findings.step
    text = ["Positions as they are reached from the start, and the moves that there are in them."]
    if step == "tier":
        text += ["A tier is a number that no move lowers, such as what is on the board; the rules choose it."]
    elif not contents.findings.solution.by_ply:
        text += ["A position that occurs at several plies counts at each, so that the sums exceed the key numbers."]
    tables = contents.steps("Positions, moves and histories", SIZES)
    return Section("growth", f"Growth by {step}", tuple(text), figures=contents.figures("growth"), tables=tables)


def _lengths(contents: _Contents) -> Section:
    reason = words.uncounted(contents.findings)
    if reason is not None:
        return Section("lengths", "Games by length", (f"There is nothing to show here. {reason}",))
    if words.over(contents.findings):
        return Section("lengths", "Games by length")
    text = "Every complete game counts once, whether it is played well or badly."
    figures, tables = contents.figures("lengths"), contents.table("games_by_length")
    return Section("lengths", "Games by length", (text,), figures=figures, tables=tables)


def _values(contents: _Contents) -> Section:
    findings = contents.findings
    if words.over(findings):
        return Section("values", "Values")
    text = f"What positions are worth under optimal play from there on: {words.value_meaning(findings)}."
    tables = (*contents.steps("Positions by value", VALUES), *contents.table("by_value"))
    title = f"Values by {findings.step}"
    return Section("values", title, (text,), figures=contents.figures("values"), tables=tables)


def _remoteness(contents: _Contents) -> Section:
    if words.over(contents.findings):
        return Section("remoteness", "Value and remoteness")
    text = "Positions as the player to move sees them: won, lost or tied, and in how many plies. Where the game is "
    text += "over and the last move has won, the player to move has lost, with remoteness 0."
    leave_out = () if contents.findings.solution.loopy else ("draw",)
    tables = contents.table("by_remoteness", leave_out=leave_out)
    figures = contents.figures("remoteness")
    return Section("remoteness", "Value and remoteness", (text,), figures=figures, tables=tables)


def _branching(contents: _Contents) -> Section:
    figures, tables = contents.figures("branching"), contents.table("branching")
    return Section("branching", "Branching", figures=figures, tables=tables)


def _openings(contents: _Contents) -> Section:
    findings = contents.findings
    if not findings.openings:
        return Section("openings", "First moves")
    text = "A first move is optimal if it keeps the value of the start"
    if findings.solution.counted:
        text += "; optimal paths are the games that begin with it in which nobody gives anything away"
    opened = len(findings.openings) <= FEW
    tables = contents.table("first_moves", (*MOVES, *GAMES), leave_out=_codes(findings), opened=opened)
    return Section("openings", "First moves", (f"{text}.",), figures=contents.figures("openings"), tables=tables)


def _pruning(contents: _Contents) -> Section:
    comparison = contents.findings.comparison
    if comparison is None:
        return Section("pruning", "Pruning")
    text = ["How many nodes searches visit to find the same value, with the moves of each position in the same order."]
    tree, least = comparison.tree, comparison.least.get("full")
    if tree is not None and least is not None:
        text.append(
            f"The whole tree has {words.some(tree.nodes, 'node')}. To prove the value takes "
            f"{words.count(least.nodes)} of them at least, unless positions that were met before are recognised."
        )
    notes = (comparison.protocol(), "Times are left out: they differ from run to run.")
    tables = contents.table("pruning", SEARCHES, leave_out=_same(contents), opened=True)
    figures = contents.figures("pruning")
    return Section("pruning", "Pruning", tuple(text), figures=figures, tables=tables, notes=notes)


def _same(contents: _Contents) -> tuple[str, ...]:
    """Columns that are alike in all searches; the protocol says what they are."""
    comparison = contents.findings.comparison
    rows = [] if comparison is None else comparison.rows
    alike = [name for name in ("order", "symmetry", "bound") if len({getattr(row, name) for row in rows}) == 1]
    return tuple(alike)


def _protocol(contents: _Contents) -> Section:
    text = "The same game, the same versions and the same options give this page again, byte for byte."
    return Section(
        "protocol",
        "Protocol and versions",
        (text,),
        facts=protocol(contents.findings),
        commands=commands(contents.findings),
    )
