"""What a page says in sentences: the summary at its top, with its few numbers, and those of its sections."""

from __future__ import annotations

from typing import TYPE_CHECKING

from analysis.reports import report_words
from analysis.reports.findings import Findings
from analysis.reports.report_words import count, games_by_outcome, player, short, uncounted
from analysis.wording import listed, some

if TYPE_CHECKING:
    from analysis.search.comparison import Comparison


def verdict(findings: Findings) -> str:
    """The value in a few words.

    >>> import analysis
    >>> from analysis.reports.findings import gather
    >>> verdict(gather(analysis.solve("mnk:rows=2,cols=2,k=2")))
    'X wins'
    """
    value, plies = findings.statistics["value"], findings.statistics["remoteness_plies"]
    if plies is None:
        return "a draw"
    if value == 0:
        return "a tie"
    won = "has won" if plies == 0 else "wins"
    return f"{player(findings, 'X' if value > 0 else 'O')} {won}{_margin(findings)}"


def _margin(findings: Findings) -> str:
    return f" by {count(abs(findings.statistics['value']))}" if findings.scored else ""


def summary(findings: Findings) -> list[str]:
    """The finding in a few sentences.

    >>> import analysis
    >>> from analysis.reports.findings import gather
    >>> summary(gather(analysis.solve("tictactoe")))[0]
    'Under optimal play tictactoe is a tie after 9 plies.'
    """
    if findings.over:
        return [_ended(findings)]
    return [_value(findings), *_first_moves(findings), *_size(findings)]


def _ended(findings: Findings) -> str:
    said = verdict(findings) if findings.statistics["value"] else "it is a tie"
    where = findings.solution.start if findings.elsewhere else "its start"
    return f"There is nothing to play: {findings.game.spec} is over at {where}, and {said}."


def _value(findings: Findings) -> str:
    value, plies = findings.statistics["value"], findings.statistics["remoteness_plies"]
    game = findings.game.spec
    start = f"From {findings.solution.start} on, under" if findings.elsewhere else "Under"
    if plies is None:
        return f"{start} optimal play {game} is a draw: neither player can force a win, and play never ends."
    after = f"after {some(plies, 'ply', 'plies')}"
    if value == 0:
        return f"{start} optimal play {game} is a tie {after}."
    letter = "X" if value > 0 else "O"
    order = "first" if letter == findings.begins else "second"
    who = player(findings, letter)
    who = who if who == f"the {order} player" else f"{who}, who moves {order},"
    return f"{start} optimal play {who} wins {game}{_margin(findings)} {after}."


def _first_moves(findings: Findings) -> list[str]:
    moves, kept = len(findings.openings), sum(opening.move.optimal for opening in findings.openings)
    if moves == 1:
        return ["There is only one first move."]
    if kept == 1:
        best = findings.openings[0].move.name
        return [f"Only one of the {count(moves)} first moves, {best}, keeps that value."]
    which = f"All {count(moves)}" if kept == moves else f"{count(kept)} of the {count(moves)}"
    return [f"{which} first moves keep that value{_in_time(findings, kept)}."]


def _in_time(findings: Findings, kept: int) -> str:
    """How many of the moves that keep the value keep the remoteness too, where they differ in that."""
    plies = findings.statistics["remoteness_plies"]
    if plies is None:
        return ""
    best = sum(opening.move.optimal and opening.move.remoteness_plies == plies - 1 for opening in findings.openings)
    return f", {count(best)} of them with the end after {some(plies, 'ply', 'plies')}" if best < kept else ""


def _size(findings: Findings) -> list[str]:
    stats = findings.statistics
    if findings.sized:
        reached = f"Play can reach {some(stats['positions'], 'position')}"
        if stats["canonical"] < stats["positions"]:
            reached += f" ({count(stats['canonical'])} up to symmetry)"
    else:
        classes = some(stats["canonical"], "class", "classes")
        reached = f"Play can reach {classes} of positions with different games left to play"
    reason = uncounted(findings)
    games = [f"{games_by_outcome(findings)}."] if stats["games"] else []
    return [f"{reached}.", *games, *([reason] if reason else [])]


def outcome(findings: Findings) -> str:
    """Who comes out ahead under optimal play: ``first``, ``second`` or ``nobody``."""
    value = findings.statistics["value"]
    return "first" if value > 0 else "second" if value < 0 else "nobody"


def tiles(findings: Findings) -> list[tuple[str, str]]:
    """The few numbers that stand at the top: what is counted, and how many."""
    stats = findings.statistics
    counts = (
        ("ply to the end", "plies to the end", stats["remoteness_plies"] or None),
        ("position", "positions", stats["positions"]),
        ("game", "games", stats["games"] and stats["games"]["total"]),
        ("optimal path", "optimal paths", stats["optimal_paths"]),
        ("nimber", "nimber", findings.nimber),
    )
    known = [(one if number == 1 else more, short(number)) for one, more, number in counts if number is not None]
    return [("from the start" if findings.over else "under optimal play", verdict(findings)), *known]


NOT_SHOWN = "There is nothing to show here."

LENGTHS = "Every complete game counts once, whether it is played well or badly."

PROTOCOL = "The same game, the same versions and the same options give this page again, byte for byte."


def players(findings: Findings) -> str:
    """Who plays, and what files call them."""
    first, second = findings.game.players
    said = f"{first} moves first, {second} second"
    if (first, second) == ("first", "second"):
        said = "the first and the second"
    if findings.elsewhere and not findings.over:
        said += f"; to move at this start: {findings.named(findings.begins)}"
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
    if findings.over:
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
    if not findings.sized:
        said = "Classes of positions with the same game left to play, and the sequences of moves that lead to them."
    if findings.step == "tier":
        more = f"A tier is {report_words.tier(findings)}, such as what is on the board; the rules choose it."
    elif not findings.solution.by_ply and findings.sized:
        more = "A position that occurs at several plies counts at each, so that the sums exceed the key numbers."
    else:
        return (said,)
    return said, more


def values(findings: Findings) -> str:
    """What a value is."""
    return f"What positions are worth under optimal play from there on: {report_words.value_meaning(findings)}."


def paid(findings: Findings) -> str:
    """What the value of a complete game is."""
    return f"What complete games end with: {report_words.value_meaning(findings)}."


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
            f"{window}, a proof of the value takes {count(least.nodes)} of them at least, unless "
            "positions that were met before are recognised."
        )
    if any(row.stopped for row in comparison.rows):
        said.append(
            "A search that was stopped has visited more nodes than are given; one is not run where it is known "
            "beforehand that it would be stopped, or has no memory."
        )
    return (" ".join(said),)
