"""What a report found, in a few plain sentences and a few numbers."""

from __future__ import annotations

from typing import Any

from analysis.reports.findings import Findings
from analysis.reports.words import (
    begins,
    count,
    elsewhere,
    over,
    player,
    scored,
    share,
    short,
    some,
    uncounted,
)


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
    return [_value(findings), *_first_moves(findings), _size(findings), *_missing(findings)]


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
    if kept == moves:
        return [f"All {count(moves)} first moves keep that value."]
    best = findings.openings[0].move.name
    which = f"Only one of the {count(moves)} first moves, {best}, keeps" if kept == 1 else None
    return [f"{which or f'{count(kept)} of the {count(moves)} first moves keep'} that value."]


def _size(findings: Findings) -> str:
    stats = findings.statistics
    reached = f"Play can reach {some(stats['positions'], 'position')}"
    if stats["canonical"] < stats["positions"]:
        reached += f" ({count(stats['canonical'])} up to symmetry)"
    if not stats["games"]:
        return reached + "."
    games = stats["games"]
    shares = {outcome: share(games[outcome], games["total"]) for outcome in ("X", "O", "tie")}
    split = f"{player(findings, 'X')} wins {shares['X']} of them, {player(findings, 'O')} {shares['O']}"
    split += f", and {shares['tie']} are tied" if stats["terminal"]["tie"] else ""
    return f"{reached} in {some(games['total'], 'different game')}: {split}."


def _missing(findings: Findings) -> list[str]:
    reason = uncounted(findings)
    return [] if reason is None else [reason]


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
    }
    known = {name: number for name, number in counts.items() if number is not None}
    return [
        (verdict_label, verdict(findings)),
        *((_several(name, number), short(number)) for name, number in known.items()),
    ]


def _several(name: str, number: int) -> str:
    return name if number == 1 else name.replace("ply", "plies") if "ply" in name else f"{name}s"
