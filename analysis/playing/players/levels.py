"""The levels of play, what their texts mean, and the player that a text names."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

from analysis.errors import OptionError
from analysis.machine.workers import Progress, no_progress
from analysis.playing.players.player import Depth, Greedy, Player, Uniform
from analysis.rules.game import Game

if TYPE_CHECKING:
    from analysis.playing.players.knowledge import Knowledge

LEVELS = "random, greedy, depth:N, perfect, perfect:shortest and blunder:P"
"""The levels, for people."""

GREATEST_DEPTH = 1000
"""Plies that ``depth:N`` may ask for."""

_CHANCE = re.compile(r"(?:(\d{1,9}(?:\.\d{0,9})?|\.\d{1,9})(%?)|(\d{1,9}/\d{1,9}))", re.ASCII)


class Level(NamedTuple):
    """What the text of a level says."""

    kind: str
    """``random``, ``greedy``, ``depth``, ``perfect`` or ``blunder``."""
    depth: int = 0
    """Plies that ``depth:N`` searches."""
    chance: Fraction = Fraction(0)
    """How often ``blunder:P`` moves at random."""
    shortest: bool = False
    """Whether it is ``perfect:shortest``."""


def parse_level(text: str) -> Level:
    """The level that a text names. Raises `OptionError` where it names none.

    >>> parse_level("depth:4").depth, parse_level("blunder:10%").chance
    (4, Fraction(1, 10))
    """
    kind, colon, rest = text.strip().lower().partition(":")
    if kind in ("random", "greedy") and not colon:
        return Level(kind)
    if kind == "perfect" and (not colon or rest == "shortest"):
        return Level(kind, shortest=bool(colon))
    if kind == "depth":
        return Level(kind, depth=_depth(text, rest))
    if kind == "blunder":
        return Level(kind, chance=_chance(text, rest))
    reason = f"{kind} takes nothing after it" if kind in ("random", "greedy") else "there is no such level"
    raise _no_level(text, "perfect or perfect:shortest" if kind == "perfect" else reason)


def _depth(text: str, plies: str) -> int:
    if re.fullmatch(r"[0-9]+", plies) is None:
        raise _no_level(text, "write the plies to search after depth:, as in depth:4")
    digits = plies.lstrip("0")
    if not digits or len(digits) > 4 or int(digits) > GREATEST_DEPTH:
        raise _no_level(text, f"the depth is from 1 to {GREATEST_DEPTH} plies")
    return int(digits)


def _chance(text: str, chance: str) -> Fraction:
    found = _CHANCE.fullmatch(chance)
    if found is None:
        raise _no_level(text, "write how often it blunders, as in blunder:0.1, blunder:1/10 or blunder:10%")
    number, percent, ratio = found.groups()
    try:
        result = Fraction(ratio or number) / (100 if percent else 1)
    except ZeroDivisionError:
        raise _no_level(text, "the chance of a blunder is no number") from None
    if result > 1:
        raise _no_level(text, "the chance of a blunder is from 0 to 1")
    return result


def _no_level(text: str, reason: str) -> OptionError:
    shown = text if len(text) <= 40 else text[:37] + "..."
    return OptionError(f"level {shown!r}: {reason}; the levels are {LEVELS}")


def find_player(
    level: str,
    game: str | Game,
    *,
    position: str | None = None,
    knowledge: Knowledge | None = None,
    seconds: float | None = None,
    progress: Progress = no_progress,
) -> Player:
    """The player of a level in a game (GAME_OR_DIR).

    ``seconds`` is what ``depth:N`` may take for a move. A perfect player, or one that blunders now and then, plays by
    ``knowledge``, or by what `knowledge.find_knowledge` finds from ``position`` (default: the start of the game) on,
    telling ``progress`` how far it is. Raises `OptionError` for a level that there is not, and what finding a game and
    its knowledge raises.
    """
    from analysis.solving import named_game

    wanted, name = parse_level(level), level.strip().lower()
    chosen = named_game(game)
    if wanted.kind == "random":
        return Uniform(chosen, name)
    if wanted.kind == "greedy":
        return Greedy(chosen, name)
    if wanted.kind == "depth":
        return Depth(chosen, name, wanted.depth, seconds)
    from analysis.playing.players.knowledge import Perfect, find_knowledge  # this loads the table formats

    known = knowledge or find_knowledge(game, position, progress=progress)
    return Perfect(chosen, name, known, shortest=wanted.shortest, blunders=wanted.chance)
