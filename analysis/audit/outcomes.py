"""Interpret stated outcomes of games: words, results, numbers, sides and names of players."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from analysis.errors import PositionError

_SAID = {
    "1-0": "X", "0-1": "O",
    **dict.fromkeys(("tie", "tied", "draw", "drawn", "draws", "d", "t", "1/2-1/2", "1/2", "½-½", "½"), "tie"),
    **dict.fromkeys(("*", "unfinished", "ongoing", "in progress", "incomplete"), "unfinished"),
    **dict.fromkeys(("none", "nobody", "no one", "no winner"), "nobody"),
    "resigned": "resigned",
}  # fmt: skip
"""Outcomes stated without a point of view, in lower case, and their meaning."""

_RESULTS = {
    **dict.fromkeys(("win", "wins", "won", "w", "victory"), 1),
    **dict.fromkeys(("loss", "losses", "lose", "loses", "lost", "l", "defeat"), -1),
}
"""Words for a side's own result."""

_SIDES = {
    **dict.fromkeys(("x", "first", "first player", "player 1", "player1", "p1", "player x"), "X"),
    **dict.fromkeys(("o", "second", "second player", "player 2", "player2", "p2", "player o"), "O"),
}
_COLOURS = {"white": "X", "black": "O"}
"""Sides, where no player has such a name."""

_WHO = re.compile(
    r"(?P<who>.+?)(?:'s)?[\s:-]+(?P<how>wins?|won|winner|victory|loses?|lost|loss|resign(?:s|ed))"
    r"|(?:winner|won by|win for)[\s:-]+(?P<winner>.+)"
).fullmatch

_NUMBER = re.compile(r"([+-]?[0-9]+)(?:\.0+)?", re.ASCII).fullmatch

_OTHER = {"X": "O", "O": "X"}


class Said(NamedTuple):
    """Who played, and from whose point of view an outcome is stated."""

    names: tuple[str | None, str | None]
    """The players of X and O."""
    players: Sequence[str] = ("X", "O")
    """What the game calls the two sides."""
    side: str | None = "X"
    """Who won if it says ``win``; None if unknown."""
    numbers: str = "X"
    """Who won if it says 1."""

    def outcome(self, value: Any) -> str:
        """Return ``X``, ``O``, ``tie``, ``unfinished``, ``resigned`` (by the side to move) or ``nobody`` (no winner: a
        tie if the game is over). Raises `PositionError` for anything else.

        >>> said = Said(("Ann", "Bob"))
        >>> [said.outcome(value) for value in ("X wins", "bob", "Ann resigned", "loss", -1, "0.0", "1/2-1/2")]
        ['X', 'O', 'O', 'O', 'O', 'tie', 'tie']
        """
        text = words(value)
        number = _NUMBER(text)
        found = self._numbered(int(number[1])) if number and not self._is_name(text) else None
        found = found or (None if self._is_name(text) else _SAID.get(text))
        if found is None and text in _RESULTS and not self._is_name(text):
            if self.side is None:
                raise PositionError(f"outcome {value!r} is one side's result, but the side is neither X nor O")
            return self.side if _RESULTS[text] > 0 else _OTHER[self.side]
        found = found or self.who(text)
        match = _WHO(text) if found is None else None
        if match:
            found = self.who((match["who"] or match["winner"]).strip())
            lost = (match["how"] or "").startswith(("lo", "resign"))
            found = _OTHER[found] if found and lost else found
        if found is None:
            known = "X, O, tie, unfinished, win or loss of X, a player's name, or who gave up, such as 'X resigned'"
            raise PositionError(f"unknown outcome {value!r}; expected {known}")
        return found

    def who(self, text: str) -> str | None:
        """Return the side that a text in lower case names, or None. Raises `PositionError` where it names both."""
        named = {side for side, name in zip("XO", self.names, strict=True) if name is not None and words(name) == text}
        side = side_called(text, self.players) if not _NUMBER(text) else None
        found = named | {side} - {None} or {_COLOURS.get(text)} - {None}
        if len(found) > 1:
            raise PositionError(f"{text!r} could be X or O; the players are {' and '.join(map(str, self.names))}")
        return next(iter(found), None)

    def _is_name(self, text: str) -> bool:
        return any(name is not None and words(name) == text for name in self.names)

    def _numbered(self, number: int) -> str | None:
        return {1: self.numbers, 0: "tie", -1: _OTHER[self.numbers]}.get(number)


def words(value: Any) -> str:
    """Return a text in lower case, with single spaces between its words."""
    return " ".join(str(value).lower().replace("_", " ").split()).rstrip("!")


def side_called(label: Any, players: Sequence[str] = ("X", "O")) -> str | None:
    """Return the side that a player's label stands for, None where it is a name. ``1`` and ``0`` are the first player,
    ``2`` and ``-1`` the second. White and black count as names, since either may begin.

    >>> [side_called(label) for label in ("o", 1, "2", -1, "the first player", "Ann", "white")]
    ['O', 'X', 'O', 'O', 'X', None, None]
    """
    text = words(label)
    number = _NUMBER(text)
    if number:
        return {1: "X", 0: "X", 2: "O", -1: "O"}.get(int(number[1]))
    called = [side for side, name in zip("XO", players, strict=True) if words(name) == text]
    return called[0] if called else _SIDES.get(text.removeprefix("the "))


def is_result(value: Any) -> bool:
    """Return whether a value is a word for the end of a game.

    >>> is_result("Loss"), is_result("X"), is_result("7b"), is_result(1)
    (True, True, False, False)
    """
    text = words(value)
    return text in _RESULTS or text in _SAID or text in _SIDES
