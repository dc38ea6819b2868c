"""b-files of the On-Line Encyclopedia of Integer Sequences: a count by ply as lines ``n a(n)``.

The format (https://oeis.org/wiki/B-files): ASCII; each line a number, one space, a number and a line feed; the first
numbers rise by one; lines beginning with # are comments.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import IO, Any

import numpy as np

from analysis.engine.columns import array, plain
from analysis.errors import MissingDataError, OptionError
from analysis.exports.part import Part
from analysis.exports.sequences import sequence_of
from analysis.rules.game import Game
from analysis.solving.planning.line_positions import count_positions, sets_fit
from analysis.wording import some

_OUTCOMES = {"X": "that X has won", "O": "that O has won", "tie": "that are tied"}
_VALUES = {"X": "worth a win of X", "tie": "worth a tie", "O": "worth a win of O"}
_SIGNS = {"X": 1, "tie": 0, "O": -1}
_GAMES = {"X": "won by X", "O": "won by O", "tie": "tied"}

OF_CLASSES = {
    "terminal_canonical": "classes of terminal positions after n plies, up to symmetry",
    **{f"value_{name}_canonical": f"classes {which} after n plies, up to symmetry" for name, which in _VALUES.items()},
}
"""Counts of classes that a solution does not store."""

COUNTS = {
    "positions": "positions after n plies",
    "canonical": "classes of positions after n plies, up to symmetry",
    "terminal": "terminal positions after n plies",
    **{f"terminal_{name}": f"terminal positions after n plies {which}" for name, which in _OUTCOMES.items()},
    **{f"value_{name}": f"positions after n plies that are {which}" for name, which in _VALUES.items()},
    "moves": "legal moves in all positions after n plies",
    "histories": "sequences of n moves from the start",
    "games": "complete games of n plies",
    **{f"games_{name}": f"complete games of n plies {which}" for name, which in _GAMES.items()},
    **OF_CLASSES,
}
"""What a(n) is for each count, most named as in ``by_ply`` and ``games_by_length`` of `Solution.statistics`."""

LEFT = "classes of positions after n plies, with the same game left to play in one class"
"""What classes are where positions are not counted."""
OF_POSITIONS = tuple(name for name in COUNTS if name.startswith(("positions", "terminal", "value", "moves")))
"""Counts that residual classes do not tell."""


DEFAULT = "positions"
UNSOLVED = tuple(name for name in COUNTS if name.startswith(("positions", "canonical", "terminal", "moves")))
"""Counts that may be had without solving the game, see `count_positions`."""


def unsolved(game: Game, count: str | None, symmetry: str | None) -> bytes | None:
    """Return the b-file of a game whose positions can be counted without solving it; None if they cannot."""
    if (count or DEFAULT) not in UNSOLVED or not sets_fit(game, symmetry or "geometric"):
        return None
    count, symmetry = count or DEFAULT, symmetry or "geometric"
    stats = count_positions(game, symmetry=symmetry).statistics()
    return text(stats, count, sequence=sequence_of(game, count, symmetry))


def write(part: Part, file: IO[bytes], count: str | None = None) -> None:
    """Write one count (None: `DEFAULT`) by ply. Raises as `text` does, and for positions of residual classes."""
    solution, count = part.solution, count or DEFAULT
    if count in OF_POSITIONS:
        solution.refuse_residual(f"{count} by ply")
    engine = solution.engine
    whole = solution.directory is not None or engine.start == engine.rules.start
    sequence = sequence_of(solution.game, count, solution.symmetry) if whole else None
    stats = solution.statistics()
    if count in OF_CLASSES and solution.by_ply:
        stats["by_ply"] = _with_classes(part, stats["by_ply"], count)
    file.write(text(stats, count, start=None if whole else solution.start, sequence=sequence))


def _with_classes(part: Part, rows: Iterable[dict[str, Any]], count: str) -> list[dict[str, Any]]:
    """Return the rows by ply with a count of classes."""
    found = {row["ply"]: row | {count: 0} for row in rows}
    for block in part.blocks():
        worth, over = np.sign(array(block.table["value"])), plain(block.table["terminal"])
        which = over if count.startswith("terminal") else worth == _SIGNS[count.split("_")[1]]
        found[block.tier][count] += int(np.count_nonzero(which))
    return [*found.values()]


def text(stats: Mapping[str, Any], count: str, *, start: str | None = None, sequence: str | None = None) -> bytes:
    """Format one count of `Solution.statistics`: a comment that says what it is, and which ``sequence`` of OEIS, and a
    line for each ply from 0 to the last.

    Plies count from the position ``start`` if it is not the game's own. Raises `OptionError` for an unknown count, and
    `MissingDataError` for one that was not counted.
    """
    check_count(count)
    rows, key = (stats["games_by_length"], "plies") if count.startswith("games") else (stats["by_ply"], "ply")
    by_ply = {row[key]: _number(row, count) for row in rows or ()}
    if not by_ply or None in by_ply.values():
        if any("value_draw" in row for row in stats.get("by_tier", ())):
            raise no_plies(stats["game"], count)
        if count in OF_CLASSES:
            raise MissingDataError(f"{stats['game']} has no {count} by ply: a position may occur at several plies")
        tiers = "; `gametree stats` has positions and values by tier" if "by_tier" in stats else ""
        raise MissingDataError(
            f"this solution of {stats['game']} has no {count} by ply (--no-counts); add --force to solve it again with "
            f"counts{tiers}"
        )
    order = stats["symmetry_order"] if count.endswith("canonical") else None
    group = "" if order is None else f" ({some(order, 'symmetry', 'symmetries')})"
    what = LEFT if count == "canonical" and stats["positions"] is None else COUNTS[count]
    listed = "" if sequence is None else f"; OEIS {sequence}"
    title = f"{stats['game']}{'' if start is None else f' from {start}'}: {what}{group}{listed}"
    last = max(row["ply"] for row in stats["by_ply"])
    return listing(title, ((ply, by_ply.get(ply, 0)) for ply in range(last + 1)))


def listing(title: str, terms: Iterable[tuple[int, int]]) -> bytes:
    """Format a comment and the terms of a sequence, each with its number."""
    shown = "".join(
        c if " " <= c <= "~" else ascii(c)[1:-1] for c in title
    )  # file names of user games may hold anything
    return "".join([f"# {shown}\n", *(f"{number} {term}\n" for number, term in terms)]).encode("ascii")


def check_count(count: str | None) -> None:
    """Raise `OptionError` for an unknown count."""
    if count is not None and count not in COUNTS:
        raise OptionError(f"unknown count {count!r}; choose from {', '.join(COUNTS)}")


def _number(row: Mapping[str, Any], count: str) -> Any:
    if count == "terminal":
        return sum(row[f"terminal_{name}"] for name in _OUTCOMES)
    if count == "games":
        return sum(row[name] for name in _GAMES)
    return row.get(count.removeprefix("games_"))


def no_plies(game: str, count: str | None) -> MissingDataError:
    """Return the error for counts by ply of a loopy game."""
    return MissingDataError(
        f"{game} is loopy, so its positions have no ply and no {count or DEFAULT} by ply; `gametree stats` has "
        "positions and values by tier"
    )
