"""The sections of a page in reading order; those with nothing to say are left out.

The last is the protocol: versions, rules, symmetry, what was counted, and the commands that make the report again.
"""

from __future__ import annotations

import dataclasses
import importlib.metadata
import platform
import shlex
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..machine.version import __version__
from ..pictures.style import Picture
from ..rules.game import spell
from . import words
from .findings import Findings
from .tables import KEYS, ReportTable, key_numbers

if TYPE_CHECKING:
    from ..search.comparison import Comparison

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


SIZES = ("positions", "canonical", "terminal_X", "terminal_O", "terminal_tie", "moves", "histories")
LINE = ("ply", "mover", "name", "value", "remoteness_plies", "position")
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

OF_SYMMETRY = ("symmetry_order", "games_up_to_symmetry", "quotient_paths")
"""Key numbers that are redundant if the identity is the only symmetry."""


def make_sections(findings: Findings, drawn: Mapping[str, Picture], tables: Mapping[str, ReportTable]) -> list[Section]:
    """Make all sections that have something to say, from the facts, the figures and the tables by name."""
    meaning, sized, step = words.value_meaning(findings), findings.sized, findings.step
    worth, plies = words.worth(findings.statistics["value"]), findings.statistics["remoteness_plies"]

    def table(name: str, names: Sequence[str] = (), *, opened: bool = False) -> list[ReportTable]:
        """Return a table with some or all of its columns, if it exists."""
        return [tables[name].only(names, opened=opened)] if name in tables else []

    def steps(title: str, names: Sequence[str]) -> list[ReportTable]:
        """Return some columns of the tables by ply and by tier, if they exist."""
        return [
            tables[f"by_{each}"].only((each, *names), title=f"{title} by {each}")
            for each in ("ply", "tier")
            if f"by_{each}" in tables
        ]

    def section(name: str, title: str, *text: str, figure: str | None = None, **more: Any) -> Section:
        return Section(name, title, text, figures=[drawn[each] for each in [figure or name] if each in drawn], **more)

    if findings.over:
        said = f"The game is over at the start, which is worth {worth}: {meaning}."
        return [_game(findings), Section("value", "Value", [said]), _numbers(findings), _protocol(findings)]
    end = ": play never ends" if plies is None else f" after {words.plies_of(plies)}"
    line = "The principal variation is one line of optimal play, each move the best for its player: by value, then "
    line += "by remoteness (a win fast, a loss slow, a tie fast), then the first in the order of the moves."
    if plies is None:
        line += f" These are its first {words.plies_of(len(findings.principal) - 1)}."
    growth = "Positions reachable from the start, and the moves in them." if sized else ""
    if step == "tier":
        growth += f" A tier is {words.tier(findings)}, such as the number of stones on the board; the rules define it."
    elif findings.repeated and sized:
        growth += " A position that occurs at several plies counts at each, so the sums exceed the key numbers."
    values = [*(steps("Positions by value", VALUES) if sized else []), *table("by_value")]
    remoteness = "Positions as the player to move sees them: won, lost, tied or drawn (endless), and in how many plies."
    optimal = "A first move is optimal if it keeps the value of the start; optimal paths are the games that begin with "
    optimal += "it in which neither player gives anything away."
    found = [
        _game(findings),
        section(
            "value", "Value and a principal variation",
            f"The start is worth {worth} ({meaning}): {words.verdict(findings)}{end}.", line,
            figure="principal", tables=table("principal_variation", LINE, opened="principal" not in drawn),
        ),
        _numbers(findings),
        section("growth", f"Growth by {step}", growth.strip(), tables=steps("Counts", SIZES)),
        section(
            "lengths", "Games by length",
            words.uncounted(findings) or "Every complete game counts once, whether it is played well or badly.",
            tables=table("games_by_length"),
        ),
        section("values", f"Values by {step}" if sized else "Games by value", f"{meaning}.", tables=values),
        Section("remoteness", "Value and remoteness", [remoteness], tables=table("by_remoteness", opened=True)),
        Section("branching", "Branching", tables=table("branching", opened=True)),
        section("openings", "First moves", optimal, tables=table("first_moves", MOVES)),
    ]  # fmt: skip
    comparison = findings.comparison
    if comparison is not None:
        searched = table("pruning", [name for name in SEARCHED if name not in alike(comparison)], opened=True)
        said = "The nodes that searches visit to find the same value, with moves in the same order."
        least = comparison.least.get("full")
        if least is not None:
            said += f" {words.WINDOW.capitalize()}, a proof of the value takes at least {words.count(least.nodes)} of "
            said += "them, unless repeated positions are recognised."
        notes = (comparison.protocol(), "Times are left out: they differ from run to run.")
        commands = [_command("prune", findings)]
        found.append(section("pruning", "Pruning", said, tables=searched, commands=commands, notes=notes))
    kept = (each for each in found if each.figures or each.tables or each.facts or each.keys or each.name == "lengths")
    return [*kept, _protocol(findings)]


def _numbers(findings: Findings) -> Section:
    """Make the section on the numbers of the whole game."""
    keys: list[KeyNumber] = []
    left_out = OF_SYMMETRY if findings.solution.symmetry_order == 1 else ()
    for key, number in key_numbers(findings).items():
        label, meaning = KEYS[key]
        if number is None or key in left_out:
            continue
        total, parts = number, []
        if isinstance(number, dict):
            total = number.get("total", sum(number.values()))
            parts = _parts(findings, key, number, total)
        if key == "value":
            meaning = f"{meaning}: {words.value_meaning(findings)}"
        keys.append((key, label, words.worth(total) if key == "value" else words.count(total), meaning, parts))
    reasons = [reason for reason in (words.unsized(findings), words.uncounted(findings)) if reason]
    return Section("numbers", "Key numbers", reasons, keys=keys)


def _parts(findings: Findings, key: str, numbers: dict[str, int], total: int) -> list[tuple[str, str, str, str]]:
    """Return who wins; ties only if the game has any."""
    won = "has won" if key == "terminal" else "wins"
    labels = {letter: f"{findings.named(letter)} {won}" for letter in ("X", "O")}
    if (findings.statistics["terminal"] or numbers)["tie"]:
        labels["tie"] = "tied"
    return [
        (part, label, words.count(numbers[part]), words.share(numbers[part], total)) for part, label in labels.items()
    ]


def alike(comparison: Comparison) -> tuple[str, ...]:
    """Name the columns whose contents the protocol already states."""
    settings = {key: {getattr(row, key) for row in comparison.rows} - {None} for key in ("order", "symmetry", "bound")}
    one_window = len(set(comparison.request.windows)) == 1
    return (*(key for key, found in settings.items() if len(found) <= 1), *(["window"] * one_window))


def _game(findings: Findings) -> Section:
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


LIBRARIES = ("numpy", "numba", "pyarrow", "matplotlib", "jinja2")


def _protocol(findings: Findings) -> Section:
    """Make the section on all that numbers and pictures depend on, without dates and times."""
    solution, exact = findings.solution, "exact integers of histories, games and paths; shares and means are rounded"
    libraries = [f"{name} {importlib.metadata.version(name)}" for name in LIBRARIES]
    facts = {
        "Solved by": ", ".join([f"gametree {__version__}", f"Python {platform.python_version()}", *libraries]),
        "Rules": f"SHA-256 {findings.game.rules_hash()}",
        "Symmetries": f"{words.count(solution.symmetry_order)} ({solution.symmetry})",
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
