"""What the sections of a page say in sentences; the summary at its top is in `summary`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from analysis.reports import report_words
from analysis.reports.findings import Findings
from analysis.reports.summary import verdict
from analysis.wording import listed, some

if TYPE_CHECKING:
    from analysis.search.comparison import Comparison

NOT_SHOWN = "There is nothing to show here."

LENGTHS = "Every complete game counts once, whether it is played well or badly."

PROTOCOL = "The same game, the same versions and the same options give this page again, byte for byte."


def players(findings: Findings) -> str:
    """Who plays, and what files call them."""
    first, second = findings.game.players
    said = f"{first} moves first, {second} second"
    if (first, second) == ("first", "second"):
        said = "the first and the second"
    if report_words.elsewhere(findings) and not report_words.over(findings):
        said += f"; to move at this start: {report_words.named(findings, report_words.begins(findings))}"
    return said if (first, second) == ("X", "O") else f"{said}; in the files they are X and O"


def notation(findings: Findings, named: bool) -> str:
    """What moves are; without a word from the game itself, what can be told of them. ``named`` is whether the board at
    the top has their names.
    """
    names = [opening.move.name for opening in findings.openings]
    if findings.game.notation or not names:
        return findings.game.notation
    if names == [str(opening.cell) for opening in findings.openings]:
        return "A move is the number of its cell, counted from 0, row by row."
    return "The board at the top has the names of moves." if named else ""


def value(findings: Findings) -> tuple[str, ...]:
    """What the start is worth, and what the principal variation is and how it ends."""
    worth, plies = findings.statistics["value"], findings.statistics["remoteness_plies"]
    meaning = report_words.value_meaning(findings)
    if report_words.over(findings):
        return (f"The game is over at the start, which is worth {report_words.worth(worth)}: {meaning}.",)
    end = ", since play never ends." if plies is None else f" after {some(plies, 'ply', 'plies')}."
    line = "The principal variation is one line of optimal play, each move the best for its player: by value, then by "
    line += "remoteness (a win fast, a loss slow, a tie fast), then the first in the order of the moves. "
    said = f"The start is worth {report_words.worth(worth)} ({meaning}): {verdict(findings)}{end}"
    return said, line + line_end(findings)


def line_end(findings: Findings) -> str:
    """How the principal variation ends."""
    steps = findings.principal
    plies = some(len(steps) - 1, "ply", "plies")
    if findings.statistics["remoteness_plies"] is not None:
        return f"It ends after {plies}."
    if steps[-1].state in {step.state for step in steps[:-1]}:
        return "This one comes back to an earlier position: play never ends."
    return f"Here are its first {plies}: play never ends."


def growth(findings: Findings) -> tuple[str, ...]:
    """What is counted by ply or tier."""
    said = "Positions as they are reached from the start, and the moves that there are in them."
    if findings.step == "tier":
        more = f"A tier is {report_words.tier(findings)}, such as what is on the board; the rules choose it."
    elif not findings.solution.by_ply:
        more = "A position that occurs at several plies counts at each, so that the sums exceed the key numbers."
    else:
        return (said,)
    return said, more


def values(findings: Findings) -> str:
    """What a value is."""
    return f"What positions are worth under optimal play from there on: {report_words.value_meaning(findings)}."


def remoteness(findings: Findings) -> str:
    """What the rows and columns are, and what the row of ended games means in this game."""
    said = "Positions as the player to move sees them: won, lost or tied, and in how many plies"
    said += ", or drawn without an end. " if findings.solution.loopy else ". "
    done = {"lose": "lost", "win": "won", "tie": "tied"}
    ended = next((row for row in findings.statistics["by_remoteness"] if row["remoteness_plies"] == 0), None)
    if ended is None:
        return said.rstrip()
    how = [verb for key, verb in done.items() if ended[key]]
    return f"{said}With remoteness 0 the game is over: the player who would be to move has {listed(how)}."


def openings(findings: Findings) -> str:
    """What makes a first move optimal, and what is counted of it."""
    said = "A first move is optimal if it keeps the value of the start"
    if findings.solution.counted:
        said += "; optimal paths are the games that begin with it in which neither player gives anything away"
    return f"{said}."


def pruning(comparison: Comparison) -> tuple[str, ...]:
    """What searches are compared by, and what the least possible is least of. It depends on the window: with the bounds
    of the payoff known beforehand, less can be enough.
    """
    said = ["How many nodes searches visit to find the same value, with the moves of each position in the same order."]
    tree, least = comparison.tree, comparison.least.get("full")
    if tree is not None:
        said.append(f"The whole tree has {some(tree.nodes, 'node')}.")
    if least is not None:
        window = f"With the window ({report_words.MINUS}∞, +∞), that is without using that payoffs have bounds"
        said.append(
            f"{window}, a proof of the value takes {report_words.count(least.nodes)} of them at least, unless "
            "positions that were met before are recognised."
        )
    if any(row.stopped for row in comparison.rows):
        said.append(
            "A search that was stopped has visited more nodes than are given; one is not run where it is known "
            "beforehand that it would be stopped, or has no memory."
        )
    return (" ".join(said),)
