"""Turn boards into numbers, a part of `game.Game`: arrays of marks, planes for networks, and masks of moves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from ..errors import MissingDataError, OptionError, PositionError
from .board_form import BoardForm, find_board_form
from .keeping import kept_rules

if TYPE_CHECKING:
    import numpy.typing as npt

    from .game import Rules

FREE, FIRST, SECOND, OTHER = 0, 1, -1, 3
"""The numbers of a free cell, of a mark of either player, and of the first other mark; the next ones follow, in
alphabetical order. If marks do not belong to players, as in wild tic-tac-toe, X counts as the first player's and O as
the second's.
"""


class BoardArrays:
    """Methods of a game for arrays of states, which use its rules and its texts of boards."""

    players: ClassVar[tuple[str, str]]

    if TYPE_CHECKING:

        @property
        def spec(self) -> str:
            """See `Game`."""

        def rules(self) -> Rules:
            """See `Game`."""

        def parse_position(self, text: str) -> int:
            """See `Game`."""

        def format_positions(self, states: np.ndarray) -> Sequence[str]:
            """See `Game`."""

    def boards(self, states: npt.ArrayLike) -> np.ndarray:
        """Return the boards of reachable states, int8[n, rows, cols]: 0 for a free cell, 1 for a mark of the first
        player, -1 of the second, 3 and more for others. Raises `MissingDataError` if the game's text is not its board.

        >>> from analysis.games.families import load_game
        >>> load_game("tictactoe").boards([0b10_000000001])[0].tolist()
        [[1, -1, 0], [0, 0, 0], [0, 0, 0]]
        """
        form, states = self._board_form(), np.asarray(states, dtype=np.int64)
        width = form.rows * (form.cols + len(form.between)) - len(form.between)
        texts = np.array([text[:width] for text in self.format_positions(states)], dtype=f"U{width}")
        cells = texts.view(np.uint32).reshape(len(states), width)
        shown = np.arange(width) % (form.cols + len(form.between)) < form.cols
        signs, places = np.unique(cells[:, shown], return_inverse=True)
        codes = {ord(form.blank if mark == " " else mark): code for mark, code in self._codes(form).items()}
        numbers = np.array([codes[sign] for sign in signs.tolist()], dtype=np.int8)
        return numbers[places].reshape(len(states), form.rows, form.cols)

    def encode(self, boards: npt.ArrayLike, to_move: npt.ArrayLike | None = None) -> np.ndarray:
        """Return the states of boards, int64[n], -1 for a board that is not a position.

        Args:
            boards: Integers, [n, rows, cols] or [n, cells], cell by cell as printed: 0 for a free cell, 1 for a mark of
                the first player, 2 or -1 of the second, 3 and more for others.
            to_move: Who moves, 1 or -1, or an array of these, one for each board; for games whose boards do not tell.

        Raises `MissingDataError` as `boards` does, and `OptionError` for arrays of another form.

        >>> from analysis.games.families import load_game
        >>> load_game("tictactoe").encode([[1, 2, 0, 0, 0, 0, 0, 0, 0], [2, 2, 2, 0, 0, 0, 0, 0, 0]]).tolist()
        [1025, -1]
        """
        form, numbers = self._board_form(), np.asarray(boards)
        shapes = (form.rows, form.cols), (form.rows * form.cols,)
        if numbers.shape[1:] not in shapes or numbers.dtype.kind not in "iu":
            forms = " or ".join(f"[n, {', '.join(map(str, shape))}]" for shape in shapes)
            raise OptionError(f"boards must be integers {forms}, not {numbers.dtype}{[*numbers.shape]}")
        if bool(form.sides) != (to_move is not None):
            message = f"boards of {self.spec} do not tell who moves; give to_move=1 or -1"
            raise OptionError(message if form.sides else f"boards of {self.spec} tell who moves; leave to_move out")
        movers = np.broadcast_to(np.asarray(1 if to_move is None else to_move), len(numbers))
        rows = np.column_stack([numbers.reshape(len(numbers), -1), movers])
        distinct, places = np.unique(rows, axis=0, return_inverse=True)
        marks = {code: mark for mark, code in self._codes(form).items()}
        marks |= {2: marks[SECOND]}
        states = [self._state(form, marks, row) for row in distinct.tolist()]
        return np.array(states, dtype=np.int64)[places.ravel()]

    def _state(self, form: BoardForm, marks: Mapping[int, str], row: Sequence[int]) -> int:
        """Return the state from the numbers of a board and who moves (the last); -1 if it is not a position."""
        *cells, mover = row
        if not {*cells} <= marks.keys():
            return -1
        side = f" {self.players[mover < 0]}" if form.sides else ""
        try:
            return self.parse_position(form.written([marks[cell] for cell in cells]) + side)
        except PositionError:
            return -1

    def planes(self, states: npt.ArrayLike) -> np.ndarray:
        """Return the boards of reachable states as planes of 0 and 1, uint8[n, 4, rows, cols]: the mover's marks, the
        other player's, other marks, and 1 everywhere if the first player moves. If marks do not belong to players, as
        in wild tic-tac-toe, the first two are X and O. Raises `MissingDataError` as `boards` does.
        """
        rules, shown, form = self._rules, self.boards(states), self._board_form()
        movers = [rules.mover(state) for state in np.asarray(states, dtype=np.int64).tolist()]
        to_move = np.array(movers, dtype=np.int8).reshape(-1, 1, 1)
        mover_mark = to_move if self._owned(form) else np.int8(1)
        first = np.broadcast_to(to_move == 1, shown.shape)
        return np.stack([shown == mover_mark, shown == -mover_mark, shown >= OTHER, first], axis=1).astype(np.uint8)

    def legal_mask(self, states: npt.ArrayLike) -> np.ndarray:
        """Return the legal moves of reachable states, bool[n, largest code + 1]."""
        rules, numbers = self._rules, np.asarray(states, dtype=np.int64).tolist()
        mask = np.zeros((len(numbers), rules.largest_code + 1), dtype=bool)
        for row, state in zip(mask, numbers, strict=True):
            row[[code for code, _ in rules.moves(state)]] = True
        return mask

    @property
    def _rules(self) -> Rules:
        return kept_rules(self)  # type: ignore[arg-type]

    def _board_form(self) -> BoardForm:
        """Return how the game writes its boards. Raises `MissingDataError` unless marks are single signs."""
        form = find_board_form(self)  # type: ignore[arg-type]
        if form is None or any(len(mark) != 1 for mark in form.marks.values()):
            raise MissingDataError(f"{self.spec} has no board whose text is its marks, row by row")
        return form

    def _owned(self, form: BoardForm) -> bool:
        """Return whether each player has a mark of his own."""
        return bool({*form.marks.values()} & {*self.players})

    def _codes(self, form: BoardForm) -> dict[str, int]:
        """Return the number of each mark."""
        first, second = self.players if self._owned(form) else ("X", "O")
        others = sorted({*form.marks.values()} - {" ", first, second})
        return {" ": FREE, first: FIRST, second: SECOND, **{mark: OTHER + place for place, mark in enumerate(others)}}
