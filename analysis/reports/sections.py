"""The sections of a page in reading order; those with nothing to say are left out.

The last is the protocol: versions, rules, symmetry, what was counted, and the commands that make the report again.
"""

from __future__ import annotations

import dataclasses
import importlib.metadata
import platform
import shlex
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from analysis.machine.version import __version__
from analysis.pictures.style import Picture
from analysis.reports import words
from analysis.reports.findings import Findings
from analysis.reports.tables import KEYS, ReportTable, key_numbers
from analysis.rules.game import spell
from analysis.wording import listed, some

if TYPE_CHECKING:
    from analysis.search.comparison import Comparison

KeyNumber = tuple[str, str, str, str, Sequence[tuple[str, str, str, str]]]
"""A number of the whole game: its key, label, text and meaning; and its parts: key, label, text and share."""


@dataclasses.dataclass(frozen=True)
class Section:
    """A part of the page under its own heading."""

    name: str
    title: str
    text: Sequence[str] = ()
    facts: Mapping[str, str] = dataclasses.field(default_factory=dict)
    keys: Sequence[KeyNumber] = ()
    figures: Sequence[Picture] = ()
    tables: Sequence[ReportTable] = ()
    commands: Sequence[str] = ()
    notes: Sequence[str] = ()
    """Notes at its end."""

    @property
    def empty(self) -> bool:
        """Whether there is nothing under the heading."""
        return not (self.text or self.facts or self.keys or self.figures or self.tables)


SIZES = ("positions", "canonical", "terminal_X", "terminal_O", "terminal_tie", "moves", "histories")
LINE = ("ply", "mover", "name", "move", "value", "remoteness_plies", "position")
MOVES = (
    "name", "value", "plies_to_end", "nimber", "optimal", "games_X", "games_O", "games_tie", "games_total",
    "optimal_paths", "position",
)  # fmt: skip
VALUES = ("positions", "value_X", "value_tie", "value_O", "value_draw")
SEARCHED = (
    "algorithm", "nodes", "stopped", "relative_to_minimax", "relative_to_least", "leaves", "cutoffs",
    "cutoffs_effective", "table_hits", "table_entries", "passes", "branching", "value", "bound", "window", "order",
    "symmetry",
)  # fmt: skip
"""Columns of the page's tables, in order; table hits show which searches have a table."""

FEW = 14
"""The most rows of a table that is open at first."""

OF_SYMMETRY = ("symmetry_order", "games_up_to_symmetry", "quotient_paths")
"""Key numbers that are redundant if the identity is the only symmetry."""


def make_sections(
    findings: Findings, drawn: Mapping[str, Picture | str], tables: Mapping[str, ReportTable], named: bool = False
) -> list[Section]:
    """Make all sections that have something to say.

    Args:
        findings: The facts.
        drawn: The figures by name; a sentence replaces one whose numbers are all the same.
        tables: The tables by name.
        named: Whether the board at the top of the page shows the names of moves.
    """
    page = _Sections(findings, drawn, tables)
    found = [page.lengths()]
    if not findings.over:
        found = [
            page.growth(), *found, page.values(), page.remoteness(), page.branching(), page.openings(), page.pruning(),
        ]  # fmt: skip
    made = [_game(findings, named), page.value(), page.numbers(), *found, _protocol(findings)]
    return [section for section in made if not section.empty]


class _Sections:
    """Sections with figures and tables."""

    def __init__(
        self, findings: Findings, drawn: Mapping[str, Picture | str], tables: Mapping[str, ReportTable]
    ) -> None:
        self.findings, self._drawn, self._tables = findings, drawn, tables

    def _section(self, name: str, title: str, *said: str, figures: Iterable[str] = (), **more: Any) -> Section:
        """Make a section with its sentences, those that replace figures, and the figures."""
        drawn = [self._drawn[figure] for figure in figures or (name,) if figure in self._drawn]
        text = [*said, *(each for each in drawn if isinstance(each, str))]
        return Section(name, title, text, figures=[each for each in drawn if isinstance(each, Picture)], **more)

    def _table(self, name: str, names: Sequence[str] = (), opened: bool = False) -> list[ReportTable]:
        """Return the table with some or all of its columns, if it exists: a list of one or none."""
        tables = [self._tables[name]] if name in self._tables else []
        return [table.only(names or [c.name for c in table.columns], opened=opened) for table in tables]

    def _steps(self, title: str, names: Sequence[str], opened: bool = False) -> list[ReportTable]:
        """Return some columns of the tables by ply and by tier, if they exist."""
        found = [(step, self._tables[f"by_{step}"]) for step in ("ply", "tier") if f"by_{step}" in self._tables]
        return [table.only((step, *names), title=f"{title} by {step}", opened=opened) for step, table in found]

    def value(self) -> Section:
        """Make the section on the value of the start and the principal variation."""
        findings, meaning = self.findings, words.value_meaning(self.findings)
        start, plies = words.worth(findings.statistics["value"]), findings.statistics["remoteness_plies"]
        if findings.over:
            return Section("value", "Value", [f"The game is over at the start, which is worth {start}: {meaning}."])
        end = ", since play never ends." if plies is None else f" after {words.plies_of(plies)}."
        line = "The principal variation is one line of optimal play, each move the best for its player: by value, then "
        line += "by remoteness (a win fast, a loss slow, a tie fast), then the first in the order of the moves. "
        said = f"The start is worth {start} ({meaning}): {words.verdict(findings)}{end}", line + line_end(findings)
        moves = [step.move for step in findings.principal if step.move] + [each.move for each in findings.openings]
        codes = (
            ["move"] if all(move.name == str(move.move) for move in moves) else []
        )  # codes equal to names are redundant
        columns = [name for name in LINE if name not in codes]
        tables = self._table("principal_variation", columns, opened="principal" not in self._drawn)
        return self._section("value", "Value and a principal variation", *said, figures=["principal"], tables=tables)

    def numbers(self) -> Section:
        """Make the section on the numbers of the whole game."""
        findings, keys = self.findings, []
        left_out = OF_SYMMETRY if findings.solution.symmetry_order == 1 else ()
        for key, number in key_numbers(findings).items():
            label, meaning = KEYS[key]
            if number is None or key in left_out:
                continue
            if key == "canonical" and not findings.sized:
                meaning = "classes of positions: those with the same game left to play form one class"
            if isinstance(number, dict):
                total = number.get("total", sum(number.values()))
                keys.append((key, label, words.count(total), meaning, self._parts(key, number, total)))
            elif key == "value":
                keys.append((key, label, words.worth(number), f"{meaning}: {words.value_meaning(findings)}", []))
            else:
                keys.append((key, label, words.count(number), meaning, []))
        reasons = [reason for reason in (words.unsized(findings), words.uncounted(findings)) if reason]
        return Section("numbers", "Key numbers", reasons, keys=keys)

    def _parts(self, key: str, numbers: dict[str, int], total: int) -> list[tuple[str, str, str, str]]:
        """Return who wins; ties only if the game has any."""
        won = "has won" if key == "terminal" else "wins"
        labels = {letter: f"{self.findings.named(letter)} {won}" for letter in ("X", "O")}
        if (self.findings.statistics["terminal"] or numbers)["tie"]:
            labels["tie"] = "tied"
        return [
            (part, label, words.count(numbers[part]), words.share(numbers[part], total))
            for part, label in labels.items()
        ]

    def growth(self) -> Section:
        """Make the section on each ply or tier."""
        findings, sized = self.findings, self.findings.sized
        said = ["Classes of positions with the same game left to play, and the sequences of moves that lead to them."]
        if sized:
            said = ["Positions reachable from the start, and the moves in them."]
        if findings.step == "tier":
            said.append(
                f"A tier is {words.tier(findings)}, such as the number of stones on the board; the rules define it."
            )
        elif findings.repeated and sized:
            said.append("A position that occurs at several plies counts at each, so the sums exceed the key numbers.")
        tables = self._steps(f"{'Positions, moves' if sized else 'Classes'} and histories", SIZES, opened=not sized)
        return self._section("growth", f"Growth by {findings.step}", *said, tables=tables)

    def lengths(self) -> Section:
        """Make the section on the lengths of games, or on why they were not counted."""
        reason, said = words.uncounted(self.findings), []
        if reason:
            said = [f"Nothing to show here. {reason}"]
        elif not self.findings.over:
            said = ["Every complete game counts once, whether it is played well or badly."]
        tables = [] if self.findings.over else self._table("games_by_length")
        return self._section("lengths", "Games by length", *said, tables=tables)

    def values(self) -> Section:
        """Make the section on the values of positions or, if these are not counted, of games."""
        findings, meaning = self.findings, words.value_meaning(self.findings)
        if findings.sized:
            said = [f"The values of positions under optimal play: {meaning}."]
            tables = self._steps("Positions by value", VALUES) + self._table("by_value")
        else:
            tables = self._table("by_value", opened=True) if findings.solution.counted else []
            said = [f"The payoffs of complete games: {meaning}."] if tables else []
        title = f"Values by {findings.step}" if findings.sized else "Games by value"
        return self._section("values", title, *said, figures=["values", "scores"], tables=tables)

    def remoteness(self) -> Section:
        """Make the section on the distances of positions from the end, and on the meaning of finished games."""
        if not self.findings.sized:
            return Section("remoteness", "Value and remoteness")
        said = "Positions as the player to move sees them: won, lost or tied, and in how many plies"
        said += ", or drawn (endless)." if self.findings.solution.loopy else "."
        rows = self.findings.statistics["by_remoteness"]
        for ended in (row for row in rows if row["remoteness_plies"] == 0):
            how = listed([verb for key, verb in (("lose", "lost"), ("win", "won"), ("tie", "tied")) if ended[key]])
            said += f" With remoteness 0 the game is over: the player who would move next has {how}."
        return self._section("remoteness", "Value and remoteness", said, tables=self._table("by_remoteness"))

    def branching(self) -> Section:
        """Make the section on the numbers of moves."""
        return self._section("branching", "Branching", tables=self._table("branching", opened=not self.findings.sized))

    def openings(self) -> Section:
        """Make the section on first moves: what makes them optimal, and their counts."""
        said, few = "A first move is optimal if it keeps the value of the start", len(self.findings.openings) <= FEW
        if self.findings.solution.counted:
            said += "; optimal paths are the games that begin with it in which neither player gives anything away"
        return self._section(
            "openings", "First moves", f"{said}.", tables=self._table("first_moves", MOVES, opened=few)
        )

    def pruning(self) -> Section:
        """Make the section on searches and the least possible, which depends on the window."""
        comparison = self.findings.comparison
        if comparison is None:
            return Section("pruning", "Pruning")
        said = ["The nodes that searches visit to find the same value, with moves in the same order."]
        if comparison.tree is not None:
            said.append(f"The whole tree has {some(comparison.tree.nodes, 'node')}.")
        if (least := comparison.least.get("full")) is not None:
            said.append(
                f"{words.WINDOW.capitalize()}, a proof of the value takes at least {words.count(least.nodes)} of them, "
                "unless repeated positions are recognised."
            )
        if any(row.stopped for row in comparison.rows):
            said.append(
                "A stopped search visited more nodes than given; one that is known to exceed its limits is not run."
            )
        tables = self._table("pruning", [name for name in SEARCHED if name not in alike(comparison)], opened=True)
        command = _command("prune", self.findings)
        notes = (comparison.protocol(), "Times are left out: they differ from run to run.")
        return self._section("pruning", "Pruning", " ".join(said), tables=tables, commands=[command], notes=notes)


def line_end(findings: Findings) -> str:
    """Say how the principal variation ends."""
    steps = findings.principal
    plies = words.plies_of(len(steps) - 1)
    if findings.statistics["remoteness_plies"] is not None:
        return f"It ends after {plies}."
    if steps[-1].state in {step.state for step in steps[:-1]}:
        return "It returns to an earlier position: play never ends."
    return f"These are its first {plies}: play never ends."


def alike(comparison: Comparison) -> tuple[str, ...]:
    """Name the columns whose contents the protocol already states."""
    settings = {key: {getattr(row, key) for row in comparison.rows} - {None} for key in ("order", "symmetry", "bound")}
    one_window = len(set(comparison.request.windows)) == 1
    return (*(key for key, found in settings.items() if len(found) <= 1), *(["window"] * one_window))


def _game(findings: Findings, named: bool) -> Section:
    """Make the section on what is played, by whom, and how moves are named, or what can be told of that."""
    game, (first, second) = findings.game, findings.game.players
    players = f"{first} moves first, {second} second"
    if (first, second) == ("first", "second"):
        players = "first and second"
    if findings.elsewhere and not findings.over:
        players += f"; to move at this start: {findings.named(findings.begins)}"
    players += "" if (first, second) == ("X", "O") else "; in the files they are X and O"
    moves, names = game.notation, [opening.move.name for opening in findings.openings]
    if not moves and names and names == [str(opening.cell) for opening in findings.openings]:
        moves = "A move is the number of its cell, counted from 0, row by row."
    elif not moves and names and named:
        moves = "The board at the top shows the names of moves."
    whole = " of the whole game" if findings.elsewhere else ""
    facts = {
        "Game": game.spec,
        "Parameters": ", ".join(f"{name} = {spell(value)}" for name, value in game.parameters().items()) or "none",
        "Players": players,
        "Start": findings.solution.start,
        "Moves": moves,
        f"Sizes{whole}": game.sizes,
        f"Known{whole}": game.known,
    }
    return Section("game", "The game", facts={term: text for term, text in facts.items() if text})


# The protocol ---------------------------------------------------------------------------------------------------------

LIBRARIES = {"numpy": "NumPy", "numba": "Numba", "pyarrow": "pyarrow", "matplotlib": "matplotlib", "jinja2": "Jinja2"}


def _protocol(findings: Findings) -> Section:
    """Make the section on all that numbers and pictures depend on, without dates and times."""
    solution, order = findings.solution, findings.solution.symmetry_order
    libraries = [f"{name} {importlib.metadata.version(package)}" for package, name in LIBRARIES.items()]
    if not findings.sized:
        symmetries = (
            f"{solution.symmetry}: positions with the same game left to play form one class, even if they look "
        )
        symmetries += "different"
    elif order is None:
        symmetries = "those of the rules' own canonical form; their number is not known"
    elif order == 1:
        symmetries = "only the identity: every position is its own class"
    else:
        symmetries = (
            f"{words.count(order)} ({solution.symmetry}): permutations of the cells that leave the game and its start "
        )
        symmetries += "unchanged"
    exact = "exact integers of histories, games and paths; shares and means are rounded"
    facts = {
        "Solved by": ", ".join([f"gametree {__version__}", f"Python {platform.python_version()}", *libraries]),
        "Rules": f"SHA-256 {findings.game.rules_hash()}",
        "Start": solution.start,
        "Symmetries": symmetries,
        "Tiers": "plies" if solution.by_ply else f"{words.tier(findings)}; not the ply",
        "Counts": words.uncounted(findings) or exact,
    }
    said = ["The same game, versions and options reproduce this page byte for byte."]
    return Section("protocol", "Protocol and versions", said, facts, commands=commands(findings))


def _command(verb: str, findings: Findings) -> str:
    """Write a command about the game, or about the position it was solved from."""
    option = "" if verb == "prune" else " --from"
    start = f"{option} {shlex.quote(findings.solution.start)}" if findings.elsewhere else ""
    return f"gametree {verb} {shlex.quote(findings.game.spec)}{start}"


def commands(findings: Findings) -> list[str]:
    """Write the commands that make this report again and print its numbers."""
    solution = findings.solution
    symmetry = "" if solution.symmetry == "geometric" else f" --symmetry {solution.symmetry}"
    puzzles = f" --puzzles {findings.puzzles}" if findings.puzzles else ""
    if findings.elsewhere or solution.counted or solution.loopy:
        report = f"{_command('report', findings)}{symmetry}{puzzles}{' --out DIR' if findings.elsewhere else ''}"
        return [report, f"{_command('stats', findings)}{symmetry} --format json"]
    return [
        f"{_command('solve', findings)} --no-counts{symmetry} --out DIR",
        f"gametree report DIR{puzzles}",
        "gametree stats DIR --format json",
    ]
