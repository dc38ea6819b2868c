"""Decide once, from the names of its columns, how a table is laid out: a game or a move a row, or choices. Interpret
the outcomes that it states: words, results, numbers, sides and names of players.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from ..errors import OptionError, PositionError
from ..wording import listed, meant
from .tables import NAMES, RowError, RowTable, number_of, numbered, plain

SHOWN_COLUMNS = 12
"""Columns listed in an error message."""

ROLES = {
    "path": ("path", "x", "o", "outcome", "outcome_o", "side"),
    "columns": ("x", "o", "outcome", "outcome_o", "side"),
    "rows": ("game", "row", "col", "move", "number", "player", "x", "o", "outcome", "outcome_o"),
    "choices": ("position", "code", "move", "row", "col", "player"),
}
"""The roles of each form; earlier ones claim their columns first."""

USUAL = {role: (names[:2] if role == "path" else names[:1]) for role, names in NAMES.items()}
"""Names of columns that need not be reported."""


@dataclasses.dataclass(frozen=True)
class Layout:
    """How a table is read."""

    form: str
    """``path``, ``columns`` (a move each), ``rows`` (a move each) or ``choices``."""
    roles: Mapping[str, str]
    """The column that each role is read from."""
    moves: tuple[str, ...] = ()
    """The columns that hold a move each."""
    count: int | None = None
    """What rows, columns and cells are counted from, if that was given."""

    @property
    def kind(self) -> str:
        """``games`` or ``choices``."""
        return "choices" if self.form == "choices" else "games"

    @property
    def read(self) -> set[str]:
        """The columns that are read, except that of a side, which may be a player to group by."""
        return {*(column for role, column in self.roles.items() if role != "side"), *self.moves}

    @property
    def usual(self) -> bool:
        """Whether every column has its standard name."""
        known = all(role == "side" or plain(column) in USUAL[role] for role, column in self.roles.items())
        return known and self.form in ("path", "choices") and "col" not in self.roles

    def said(self, base: str = "") -> str:
        """Describe in one line what was recognised; ``base`` says what numbers count from."""
        names = {role: f"'{column}'" for role, column in self.roles.items()}
        cells = " and ".join(names[role] for role in ("row", "col") if role in names)
        moves = f"cells by {cells}" if cells else f"moves by {names.get('code') or names.get('move')}"
        games = "one game" if "number" not in names else f"a game where {names['number']} starts again"
        games = f"games by {names['game']}" if "game" in names else games
        parts = {
            "path": [f"a game a row, moves by {names.get('path')}"],
            "columns": ["one move a column", *(f"moves by '{m[0]}' to '{m[-1]}'" for m in [self.moves] if m)],
            "choices": [f"a choice a row, positions by {names.get('position')}", moves],
            "rows": ["one move a row", games, f"order by {names.get('number', 'line')}", moves],
        }[self.form]
        parts[-1] += base
        who = [f"{role.upper()} by {names[role]}" for role in ("x", "o") if role in names]
        who += [f"players by {names['player']}"] if "player" in names else []
        ends = [f"outcomes by {names[role]}" for role in ("outcome", "outcome_o") if role in names]
        return ", ".join([*parts, *who, *ends])


def find_layout(table: RowTable, columns: Mapping[str, str] | None = None) -> Layout:
    """Return the layout of a ``table``, by the roles that ``columns`` gives to some of its columns and by the names of
    the others. Of these roles, ``count`` says what rows, columns and cells are counted from, and ``moves`` is the
    common prefix of numbered columns. Raises `OptionError` for an unknown role or column, `RowError` where the names do
    not tell what the columns hold, and for a table without rows.

    >>> from analysis.audit.tables import rows_of
    >>> find_layout(rows_of([{"Game ID": 1, "turn": 1, "Row": 0, "Column": 2}])).said()
    "one move a row, games by 'game id', order by 'turn', cells by 'row' and 'column'"
    """
    if not table.columns:
        raise RowError(f"{table.name} is empty")
    given = {role.strip().lower(): name.strip().lower() for role, name in (columns or {}).items()}
    count = given.pop("count", None)
    if count is not None and count not in ("0", "1"):
        raise OptionError(f"count={count} is not valid: rows, columns and cells are counted from 0 or 1")
    finder = _Finder(table, given)
    form = finder.form()
    moves = finder.numbered if form == "columns" else ()
    found = Layout(form, finder.roles(form), moves, None if count is None else int(count))
    if table.empty:
        raise RowError(f"{table.name} holds no {found.kind}")
    return found


class _Finder:
    """Finds what the columns of a table hold. Raises `OptionError` for an unknown role or column."""

    def __init__(self, table: RowTable, given: Mapping[str, str]) -> None:
        self.table, self.given = table, dict(given)
        stem, own = self.given.pop("moves", None), [name for name in table.columns if name not in given.values()]
        self.numbered = numbered(own) if stem is None else numbered(table.columns, [plain(stem)])
        """The columns that hold a move each."""
        if stem is not None and not self.numbered:
            self.given["path"] = stem
        for role, name in self.given.items():
            if role not in NAMES:
                roles = listed([*NAMES, "moves", "count"])
                raise OptionError(f"--columns {role}={name}: unknown role {role!r}; roles are {roles}")
            if name and name not in table.columns:
                wrong = f"no such column{meant(name, table.columns)}"
                raise OptionError(f"--columns {role}={name}: {wrong}; {table.name} has {self._shown()}")
        turned = {"x", "y"} <= {*map(plain, table.columns)} and "o" not in table.columns and not self.has("path")
        by_name = {plain(name): name for name in table.columns}
        self.turned = {"row": by_name["y"], "col": by_name["x"]} if turned else {}
        """The row and column of a cell where they are called ``y`` and ``x``."""

    def named(self, role: str, taken: Iterable[str] = ()) -> str | None:
        """Return the column of a role, or None."""
        if role in self.given:
            return self.given[role] or None
        taken = {*taken, *self.given.values(), *self.numbered}
        known = {plain(column): column for column in reversed(self.table.columns) if column not in taken}
        return next(
            (known[name] for name in NAMES[role] if name in known and self._fits(role, name, known[name])), None
        )

    def _fits(self, role: str, name: str, column: str) -> bool:
        """Return whether an ambiguous column fits a role: a turn a number or a player, a class an outcome."""
        if name == "turn":
            return self._counts(column) == (role == "number")
        return name != "class" or is_result((self.table.first or {}).get(column))

    def has(self, *roles: str) -> bool:
        """Return whether all these roles have columns."""
        return all(self.named(role) for role in roles)

    def _counts(self, column: str) -> bool:
        """Return whether the first value of a column is a number."""
        return number_of((self.table.first or {}).get(column)) is not None

    def form(self) -> str:
        """Return the form of the table. Raises `RowError`."""
        cells = bool(self.turned) or self.has("row", "col")
        moves, table = cells or self.has("move") or self.has("code"), self.table
        if "path" in self.given:
            return "path"
        if "position" in self.given and moves:
            return "choices"
        in_order = self.has("game", "number") and self.named("position") != "position" and not self.has("code")
        choices = self.has("position") and moves and not in_order
        if self.has("path"):
            both = [name for name in table.columns if plain(name) in NAMES["path"][:2]]
            if choices or len(both) > 1:
                found = [self.named("path"), *(self.named(role) for role in ("position", "move") if choices)]
                names = [name for name in dict.fromkeys([*both, *found]) if name]
                shown = ", ".join(names)
                advice = f"for games, add --columns path={names[0]}"
                raise RowError(f"{table.name} has columns {shown}: games or choices? {advice}")
            return "path"
        if self.numbered:
            return "columns"
        if choices:
            return "choices"
        ordered = self.has("game") or self.has("number")
        if cells or (ordered and (moves or self.has("col") or self.has("position"))):
            return "rows"
        needed = "games need path (or backtracker), choices position and move (or code), and single moves game and move"
        example = f"--columns path={table.columns[-1]} or position={table.columns[0]},move={table.columns[-1]}"
        raise RowError(f"{table.name} has columns {self._shown()}; {needed}; otherwise name them: {example}")

    def roles(self, form: str) -> dict[str, str]:
        """Return the column of each role that is read."""
        turned = self.turned if form in ("rows", "choices") else {}
        found = {role: column for role, column in turned.items() if role not in self.given}
        for role in ROLES[form]:
            column = found.get(role) or self.named(role, found.values())
            if column:
                found[role] = column
        if form == "rows" and "col" in found and ("row" in found or "move" not in found) and "move" not in self.given:
            move = found.pop("move", None)
            if move and "number" not in found and self._counts(move):
                found["number"] = move
        elif form == "rows":
            found = {role: column for role, column in found.items() if role not in ("row", "col")}
            found.setdefault("move", self.named("position") or self.named("code") or "")
        elif form == "choices" and ("code" in found or "move" in found or not {"row", "col"} <= found.keys()):
            found = {role: column for role, column in found.items() if role not in ("row", "col")}
        return found

    def _shown(self) -> str:
        names = self.table.columns
        return ", ".join(names[:SHOWN_COLUMNS]) + (", ..." if len(names) > SHOWN_COLUMNS else "")


# Outcomes -------------------------------------------------------------------------------------------------------------

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
