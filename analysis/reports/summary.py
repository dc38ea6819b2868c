"""What a report found, in a few plain sentences and a few numbers."""

from __future__ import annotations

from typing import Any

from analysis.reports.findings import Findings
from analysis.reports.report_words import (
    begins,
    count,
    elsewhere,
    over,
    player,
    scored,
    shares,
    short,
    uncounted,
)
from analysis.wording import some


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
    return f" by {count(abs(findings.statistics['value']))}" if scored(findings) else ""


def summary(findings: Findings) -> list[str]:
    """The finding in a few sentences.

    >>> import analysis
    >>> from analysis.reports.findings import gather
    >>> summary(gather(analysis.solve("tictactoe")))[0]
    'Under optimal play tictactoe is a tie after 9 plies.'
    """
    if over(findings):
        return [_ended(findings)]
    return [_value(findings), *_first_moves(findings), *_size(findings)]


def _ended(findings: Findings) -> str:
    said = verdict(findings) if findings.statistics["value"] else "it is a tie"
    if elsewhere(findings):
        return f"There is nothing to play: {findings.game.spec} is over at {findings.solution.start}, and {said}."
    return f"There is nothing to play: {findings.game.spec} is over at its start, and {said}."


def _value(findings: Findings) -> str:
    value, plies = findings.statistics["value"], findings.statistics["remoteness_plies"]
    game = findings.game.spec
    start = f"From {findings.solution.start} on, under" if elsewhere(findings) else "Under"
    if plies is None:
        return f"{start} optimal play {game} is a draw: neither player can force a win, and play never ends."
    after = f"after {some(plies, 'ply', 'plies')}"
    if value == 0:
        return f"{start} optimal play {game} is a tie {after}."
    letter = "X" if value > 0 else "O"
    order = "first" if letter == begins(findings) else "second"
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
    said = (
        f"All {count(moves)} first moves keep"
        if kept == moves
        else f"{count(kept)} of the {count(moves)} first moves keep"
    )
    return [f"{said} that value{_in_time(findings, kept)}."]


def _in_time(findings: Findings, kept: int) -> str:
    """How many of the moves that keep the value keep the remoteness too, where they differ in that."""
    plies = findings.statistics["remoteness_plies"]
    if plies is None:
        return ""
    best = sum(opening.move.optimal and opening.move.remoteness_plies == plies - 1 for opening in findings.openings)
    return f", {count(best)} of them with the end after {some(plies, 'ply', 'plies')}" if best < kept else ""


def _size(findings: Findings) -> list[str]:
    stats = findings.statistics
    reached = f"Play can reach {some(stats['positions'], 'position')}"
    if stats["canonical"] < stats["positions"]:
        reached += f" ({count(stats['canonical'])} up to symmetry)"
    games = {outcome: stats["games"][outcome] for outcome in ("X", "O", "tie")} if stats["games"] else {}
    reason = uncounted(findings)
    return [f"{reached}.", *([f"{shares(findings, games, 'game')}."] if games else []), *([reason] if reason else [])]


def outcome(findings: Findings) -> str:
    """Who comes out ahead under optimal play: ``first``, ``second`` or ``nobody``."""
    value = findings.statistics["value"]
    return "first" if value > 0 else "second" if value < 0 else "nobody"


def tiles(findings: Findings) -> list[tuple[str, str]]:
    """The few numbers that stand at the top: what is counted, and how many."""
    stats: dict[str, Any] = findings.statistics
    verdict_label = "from the start" if over(findings) else "under optimal play"
    counts = {
        "ply to the end": stats["remoteness_plies"] or None,
        "position": stats["positions"],
        "game": stats["games"] and stats["games"]["total"],
        "optimal path": stats["optimal_paths"],
        "nimber": findings.nimber,
    }
    known = {name: number for name, number in counts.items() if number is not None}
    return [
        (verdict_label, verdict(findings)),
        *((_several(name, number), short(number)) for name, number in known.items()),
    ]


def _several(name: str, number: int) -> str:
    if number == 1 or name == "nimber":
        return name
    return name.replace("ply", "plies") if "ply" in name else f"{name}s"
