"""The sections of a page, in the order in which they are read; one without anything to say is left out. The last one
is the protocol: versions, rules, symmetry, what was counted, and the commands that make the report again.
"""

from __future__ import annotations

import dataclasses
import importlib.metadata
import platform
import shlex
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from analysis.machine.version import __version__
from analysis.pictures.style import Picture
from analysis.reports import report_words, sentences
from analysis.reports.figures.gallery import instead
from analysis.reports.findings import Findings
from analysis.reports.report_tables import SHOWN, ReportTable, alike
from analysis.reports.start_board import start_board
from analysis.rules.game import spell

if TYPE_CHECKING:
    from analysis.search.comparison import Comparison


class Fact(NamedTuple):
    """A term and what is to be said of it."""

    term: str
    text: str
    code: bool = False
    """Whether it is to be read letter by letter, such as a hash."""


class KeyPart(NamedTuple):
    """One of the numbers that a key number is the sum of."""

    key: str
    label: str
    number: str
    share: str


class KeyNumber(NamedTuple):
    """A number that says something of the whole game."""

    key: str
    """As the statistics name it."""
    label: str
    number: str
    meaning: str
    parts: tuple[KeyPart, ...] = ()


@dataclasses.dataclass(frozen=True)
class Section:
    """A part of the page under a heading of its own."""

    name: str
    title: str
    text: tuple[str, ...] = ()
    facts: tuple[Fact, ...] = ()
    keys: tuple[KeyNumber, ...] = ()
    figures: tuple[Picture, ...] = ()
    tables: tuple[tuple[ReportTable, bool], ...] = ()
    """Each with whether it is open from the start."""
    commands: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    """What is said at the end of it."""

    @property
    def empty(self) -> bool:
        """Whether there is nothing under the heading."""
        return not (self.text or self.facts or self.keys or self.figures or self.tables)


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
LINE = ("ply", "mover", "name", "move", "value", "remoteness_plies", "position")
MOVES = (
    "name", "move", "value", "plies_to_end", "nimber", "optimal", "games_X", "games_O", "games_tie", "games_total",
    "optimal_paths", "position",
)  # fmt: skip
VALUES = ("positions", "value_X", "value_tie", "value_O", "value_draw")

FEW = 14
"""Rows of a table that is open from the start, at most."""

Shown = tuple[ReportTable, bool]
"""A table and whether it is open from the start."""


class _Contents:
    """What sections are made of: findings, and the figures and tables that were made of them."""

    def __init__(self, findings: Findings, figures: Sequence[Picture], tables: Mapping[str, ReportTable]) -> None:
        self.findings, self._figures, self._tables = findings, figures, tables
        self._instead = instead(findings)

    def section(self, name: str, title: str, *said: str, tables: Iterable[Shown] = (), **more: Any) -> Section:
        """A section with its figures, its sentences, and those that stand for figures without anything to compare."""
        own = FIGURES.get(name, ())
        text = (*said, *(sentence for figure, sentence in self._instead.items() if figure in own))
        figures = tuple(figure for figure in self._figures if figure.name in own)
        return Section(name, title, text, figures=figures, tables=tuple(tables), **more)

    def table(
        self, name: str, order: Sequence[str] = (), *, leave_out: Sequence[str] = (), opened: bool = False
    ) -> list[Shown]:
        """The table, if it is there: one or none."""
        found = self._tables.get(name)
        if found is None:
            return []
        columns = [name for name in order or [c.name for c in found.columns] if name not in leave_out]
        return [(found.only(found.title, columns), opened)]

    def steps(self, title: str, names: Sequence[str], *, opened: bool = False) -> list[Shown]:
        """Some columns of the tables by ply and by tier, as far as they are there."""
        found = [(step, self._tables[f"by_{step}"]) for step in ("ply", "tier") if f"by_{step}" in self._tables]
        return [(table.only(f"{title} by {step}", (step, *names)), opened) for step, table in found]


def make_sections(findings: Findings, figures: Sequence[Picture], tables: Mapping[str, ReportTable]) -> list[Section]:
    """All sections that have something to say."""
    contents = _Contents(findings, figures, tables)
    reason = report_words.uncounted(findings)
    if not findings.over:
        found = _findings(contents)
    else:
        found = [Section("lengths", "Games by length", (f"{sentences.NOT_SHOWN} {reason}",) if reason else ())]
    said, facts, lines = (sentences.PROTOCOL,), protocol(findings), commands(findings)
    last = Section("protocol", "Protocol and versions", said, facts=facts, commands=lines)
    made = [_game(findings), _value(contents), _keys(findings), *found, last]
    return [section for section in made if not section.empty]


def _game(findings: Findings) -> Section:
    game = findings.game
    parameters = ", ".join(f"{name} = {spell(value)}" for name, value in game.parameters().items())
    whole = " of the whole game" if findings.elsewhere else ""
    facts = {
        "Game": game.spec,
        "Parameters": parameters or "none",
        "Players": sentences.players(findings),
        "Start": findings.solution.start,
        "Moves": sentences.notation(findings, start_board(findings).named),
        f"Sizes{whole}": game.sizes,
        f"Known{whole}": game.known,
    }
    shown = (Fact(term, text, code=term in ("Game", "Start")) for term, text in facts.items() if text)
    return Section("game", "The game", facts=tuple(shown))


def _value(contents: _Contents) -> Section:
    findings = contents.findings
    if findings.over:
        return Section("value", "Value", sentences.value(findings))
    text, drawn = sentences.value(findings), contents.section("value", "").figures
    moves = [step.move for step in findings.principal if step.move] + [opening.move for opening in findings.openings]
    codes = ("move",) if all(move.name == str(move.move) for move in moves) else ()  # say no more than the names
    table = contents.table("principal_variation", LINE, leave_out=codes, opened=not drawn)
    return contents.section("value", "Value and a principal variation", *text, tables=table)


def _keys(findings: Findings) -> Section:
    stats = findings.statistics
    left_out = report_words.OF_SYMMETRY if findings.solution.symmetry_order == 1 else ()
    keys = []
    for key, (label, meaning) in report_words.KEYS.items():
        number = stats[key]
        if number is None or key in left_out:
            continue
        meaning = meaning if key != "canonical" or findings.sized else report_words.RESIDUAL_CLASSES
        if isinstance(number, dict):
            total = number.get("total", sum(number.values()))
            keys.append(KeyNumber(key, label, report_words.count(total), meaning, _parts(findings, key, number, total)))
        else:
            shown = report_words.worth(number) if key == "value" else report_words.count(number)
            meaning += f": {report_words.value_meaning(findings)}" if key == "value" else ""
            keys.append(KeyNumber(key, label, shown, meaning))
    if findings.nimber is not None:
        keys.append(KeyNumber("nimber", "Nimber", report_words.count(findings.nimber), report_words.NIMBER))
    reasons = (report_words.unsized(findings), report_words.uncounted(findings))
    return Section("numbers", "Key numbers", tuple(reason for reason in reasons if reason), keys=tuple(keys))


def _parts(findings: Findings, key: str, numbers: dict[str, int], total: int) -> tuple[KeyPart, ...]:
    """Who wins; ties only where the game has any."""
    won = "has won" if key == "terminal" else "wins"
    labels = {letter: f"{findings.named(letter)} {won}" for letter in ("X", "O")}
    if (findings.statistics["terminal"] or numbers)["tie"]:
        labels["tie"] = "tied"
    return tuple(
        KeyPart(part, label, report_words.count(numbers[part]), report_words.share(numbers[part], total))
        for part, label in labels.items()
    )


def _findings(contents: _Contents) -> list[Section]:
    """The sections about all positions, all games and all first moves."""
    findings = contents.findings
    reason, few = report_words.uncounted(findings), len(findings.openings) <= FEW
    moves = contents.table("first_moves", MOVES, leave_out=("move",), opened=few)
    lengths = sentences.LENGTHS if reason is None else f"{sentences.NOT_SHOWN} {reason}"
    return [
        _growth(contents),
        contents.section("lengths", "Games by length", lengths, tables=contents.table("games_by_length")),
        _values(contents),
        *([_remoteness(contents)] if findings.sized else []),
        contents.section("branching", "Branching", tables=contents.table("branching", opened=not findings.sized)),
        contents.section("openings", "First moves", sentences.openings(findings), tables=moves),
        _pruning(contents),
    ]


def _growth(contents: _Contents) -> Section:
    """What there is at each ply or tier."""
    findings = contents.findings
    what = "Positions, moves" if findings.sized else "Classes"
    tables = contents.steps(f"{what} and histories", SIZES, opened=not findings.sized)
    return contents.section("growth", f"Growth by {findings.step}", *sentences.growth(findings), tables=tables)


def _values(contents: _Contents) -> Section:
    """What positions are worth or, where these are not counted, what games pay."""
    findings = contents.findings
    if not findings.sized:
        table = contents.table("by_value", opened=True) if findings.solution.counted else []
        said = (sentences.paid(findings),) if table else ()
        return contents.section("values", "Games by value", *said, tables=table)
    tables = contents.steps("Positions by value", VALUES) + contents.table("by_value")
    return contents.section("values", f"Values by {findings.step}", sentences.values(findings), tables=tables)


def _remoteness(contents: _Contents) -> Section:
    """How far positions are from the end."""
    said, tables = sentences.remoteness(contents.findings), contents.table("by_remoteness")
    return contents.section("remoteness", "Value and remoteness", said, tables=tables)


def _pruning(contents: _Contents) -> Section:
    comparison = contents.findings.comparison
    if comparison is None:
        return Section("pruning", "Pruning")
    return contents.section(
        "pruning",
        "Pruning",
        *sentences.pruning(comparison),
        tables=contents.table("pruning", SHOWN, leave_out=alike(comparison), opened=True),
        commands=(prune_command(contents.findings, comparison),),
        notes=(comparison.protocol(), "Times are left out: they differ from run to run."),
    )


MOST_NODES = 100_000_000
"""Nodes that each search of a report with pruning may visit, unless told otherwise."""

LIBRARIES = {"numpy": "NumPy", "numba": "Numba", "pyarrow": "pyarrow", "matplotlib": "matplotlib", "jinja2": "Jinja2"}


def protocol(findings: Findings) -> tuple[Fact, ...]:
    """All that the numbers and pictures depend on. No dates and no times: the same input gives the same page."""
    solution = findings.solution
    libraries = [f"{name} {importlib.metadata.version(package)}" for package, name in LIBRARIES.items()]
    made = ", ".join([f"gametree {__version__}", f"Python {platform.python_version()}", *libraries])
    counts = "exact integers of histories, games and paths; shares and means are rounded"
    return (
        Fact("Solved by", made),
        Fact("Rules", f"SHA-256 {findings.game.rules_hash()}", code=True),
        Fact("Start", solution.start, code=True),
        Fact("Symmetries", _symmetries(findings)),
        Fact("Tiers", "plies" if solution.by_ply else f"{report_words.tier(findings)}; not the ply"),
        Fact("Counts", report_words.uncounted(findings) or counts),
    )


def _symmetries(findings: Findings) -> str:
    order, kind = findings.solution.symmetry_order, findings.solution.symmetry
    if not findings.sized:
        return f"{kind}: positions with the same game left to play are one class, whatever they look like"
    if order is None:
        return "those that the rules bring along as a canonical form; how many there are is not known"
    if order == 1:
        return "none but the identity: every position is a class of its own"
    return (
        f"{report_words.count(order)} ({kind}): permutations of the cells that leave the game and its start as they are"
    )


def commands(findings: Findings) -> tuple[str, ...]:
    """What makes this report again, and what prints its numbers."""
    solution, game = findings.solution, findings.game
    name, prune = shlex.quote(game.spec), ""
    if findings.comparison is not None:
        most = findings.comparison.request.max_nodes
        prune = " --prune" if most == MOST_NODES else f" --prune --max-nodes {most}"
    symmetry = "" if solution.symmetry == "geometric" else f" --symmetry {solution.symmetry}"
    if findings.elsewhere:
        start = f" --from {shlex.quote(solution.start)}{symmetry}"
        return (f"gametree report {name}{start}{prune} --out DIR", f"gametree stats {name}{start} --format json")
    if solution.counted or solution.loopy:
        return (f"gametree report {name}{symmetry}{prune}", f"gametree stats {name}{symmetry} --format json")
    return (
        f"gametree solve {name} --no-counts{symmetry} --out DIR",
        f"gametree report DIR{prune}",
        "gametree stats DIR --format json",
    )


def prune_command(findings: Findings, comparison: Comparison) -> str:
    """What prints the table."""
    start = f" --from {shlex.quote(findings.solution.start)}" if findings.elsewhere else ""
    return f"gametree prune {shlex.quote(findings.game.spec)}{start} --max-nodes {comparison.request.max_nodes}"
