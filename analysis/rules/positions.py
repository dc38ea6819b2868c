"""Read a position. It is written in one of three ways, and the first that fits is taken:

1. as the game writes it: ``XOX?O????``, or ``OOO/X??/?XX O`` with the side to move;
2. as the moves from the start, if they can be played: a backtracker, that is codes, ``0124`` or ``0-11-5``; or moves as
   `Notation` reads them, separated by spaces or commas, ``a1 b2`` or ``X4, O0``, coordinates also by nothing, ``a1b2``;
   in Python a list of codes and texts;
3. as a board: its marks row by row from the top, in one line, in lines or drawn with bars; or a flat or nested list of
   marks, or of 1 for the first player, -1 for the second and 0 for a free cell. A list is one of Python's, an array, or
   a text with commas. A free cell is blank, ``?``, ``.``, ``_``, ``-``, ``*``, ``b``, None or null, unless the game has
   that mark.
"""

from __future__ import annotations

import contextlib
import operator
import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from ..common.wording import described, in_words
from ..errors import PositionError, UnreadableError
from .backtracker import backtracker, joined
from .board_form import BoardForm, find_board_form
from .game import Game
from .keeping import kept, kept_rules
from .notation import Notation, kept_notation

if TYPE_CHECKING:
    import numpy as np

LONGEST_POSITION = 4000  # limit on the characters of a position

SHOWN = 40  # characters or moves that an error message quotes

_CODES = re.compile(r"[0-9]+(?:-[0-9]{1,9})*", re.ASCII)
_DIGITS = re.compile(r"[0-9]+(?:[-,\s]+[0-9]+)*", re.ASCII)
_TOGETHER = re.compile(r"[a-z]{1,2}[0-9]{1,3}|[a-z]", re.ASCII | re.IGNORECASE)
_BRACKETED = re.compile(r"\([^()]*\)")
_COMMA = re.compile(r",(?![^()]*\))")


class HasPosition(Protocol):
    """Something with the text of a position, such as a `Position`."""

    @property
    def position(self) -> str:
        """The text."""


Place: TypeAlias = "str | Sequence[object] | np.ndarray[Any, Any] | HasPosition"
"""A position as people give it: its text; moves, as codes or texts; a board, as a nested list or an array; or an object
that has the text, such as a `Position` or a `Move`.
"""


def read_position(game: Game, place: Place, notation: Notation | None = None, start: int | None = None) -> int:
    """Return the state of a position that is given as text, as a list or an array of moves or marks, or as an object
    with a text ``position``.

    Args:
        game: The game.
        place: The position.
        notation: Its notation, if at hand.
        start: Where the moves of a list begin, by default at the start of the rules.

    Raises `PositionError` if it cannot be read in any way, and `UnreadableError` for a value of another type.

    >>> from analysis.games.families import load_game
    >>> game = load_game("tictactoe")
    >>> [game.format_position(read_position(game, text)) for text in ("XO? ??? ???", "01", "a1 b1")]
    ['XO???????', 'XO???????', 'XO???????']
    >>> boards = ("x,o,b,b,b,b,b,b,b", [[1, -1, 0], [0, 0, 0], [0, 0, 0]])
    >>> [game.format_position(read_position(game, board)) for board in boards]
    ['XO???????', 'XO???????']
    """
    place = getattr(place, "position", place)
    if isinstance(place, str):
        return _read_text(game, place, game.parse_position, notation)
    value: Any = place.tolist() if hasattr(place, "tolist") else place
    if not isinstance(value, Sequence) or isinstance(value, (bytes, bytearray)):
        raise UnreadableError(f"a position is a text or a list, not {type(value).__name__}; {_forms(game)}")
    items = [item.tolist() if hasattr(item, "tolist") else item for item in value]
    if any(isinstance(item, (list, tuple)) for item in items):
        return _read_board(game, items, game.parse_position, [])
    try:
        return play_on(game, kept_rules(game).start if start is None else start, items, notation)
    except PositionError as error:
        return _read_board(game, items, game.parse_position, [error])


def read_either_side(game: Game, text: str) -> int:
    """Return the state of `Game.either_side` that a text stands for, as `read_position` reads it; moves alternate as
    without bids. Raises `PositionError`.
    """
    return _read_text(game, text, game.parse_either_side)


def common_position(games: Sequence[Game], text: str) -> str:
    """Return the position that a text stands for in the first of the ``games``, as that game writes it. Raises
    `PositionError` if it stands for none, or if another game does not have it.

    >>> from analysis.games.families import load_game
    >>> common_position([load_game("tictactoe"), load_game("mnk:rows=3,cols=3,k=2")], "a1 b1")
    'XO???????'
    """
    first, *others = games
    position = first.format_position(read_position(first, text))
    for game in others:
        with contextlib.suppress(PositionError):
            if game.format_position(game.parse_position(position)) == position:
                continue
        raise PositionError(f"{position} is a position of {first.spec} but not of {game.spec}")
    return position


def _read_text(game: Game, text: str, parse: Callable[[str], int], notation: Notation | None = None) -> int:
    """Return the state that ``parse`` reads, or else the state after moves, or else of a board."""
    if len(text) > LONGEST_POSITION:
        most = f"allowed {LONGEST_POSITION:,}"
        raise PositionError(f"position {text[:SHOWN]}... is too long: {len(text):,} characters, {most}")
    try:
        return parse(text)
    except PositionError as error:
        refused = error
    notation = notation or kept_notation(game)
    reasons = [refused]
    if moves := split_moves(text, notation):
        try:
            state = play_on(game, notation.rules.start, moves, notation)
            return state if parse == game.parse_position else parse(game.format_position(state))
        except PositionError as error:
            reasons.append(error)
    return _read_board(game, text, parse, reasons)


def _read_board(
    game: Game, board: str | Sequence[Any], parse: Callable[[str], int], reasons: list[PositionError]
) -> int:
    """Return the state of a board that was refused in the other forms, for these ``reasons``. Raises `PositionError`
    with them, or why the board is none of the game's, and an example of each form.
    """
    form, shown = board_form(game), repr(board)[:SHOWN] if isinstance(board, str) else described(board)
    try:
        written = form.read(board) if form else ""
    except PositionError as error:
        reasons += [error] * (not isinstance(board, str) or "," in board)
    else:
        try:
            if form:
                return parse(written)
            reasons += [PositionError(f"{game.spec} has no boards that a list can hold")] * (not isinstance(board, str))
        except PositionError as error:
            reasons = [error]
    why = "; ".join(str(reason).partition(";")[0] for reason in reasons)
    raise PositionError(f"{why if shown in why else f'position {shown}: {why}'}; {_forms(game)}")


def _forms(game: Game) -> str:
    """Return an example of each form in which positions of a game are written."""
    notation, form = kept_notation(game), board_form(game)
    state, codes, names = notation.rules.start, list[int](), list[str]()
    while len(codes) < 2 and (legal := notation.legal(state)):
        move = legal[len(legal) // 2]
        codes.append(move.code)
        names.append(notation.say(state, move.code))
        state = move.child
    apart = ", " if " " in "".join(names) else " "
    ways = [game.format_position(state), backtracker(codes, notation.rules.largest_code), apart.join(names)]
    grid = None if form is None or form.sides else game.grid(state)
    ways += [f"[{grid[0]}, ...]"] if grid else []
    return f"positions are written like {in_words([*dict.fromkeys(filter(None, ways))])}"


# Moves ----------------------------------------------------------------------------------------------------------------


def split_moves(text: str, notation: Notation) -> Sequence[int | str]:
    """Return the moves of a text one by one: codes of a backtracker as integers, others as texts for `Notation.read`.

    >>> from analysis.games.families import load_game
    >>> notation = Notation(load_game("wild"))
    >>> split_moves("0-11-5", notation), split_moves("X 4, o0", notation), split_moves("xa1 o B2", notation)
    ([0, 11, 5], ['X 4', 'o0'], ['xa1', 'oB2'])
    """
    text = text.strip()
    if _CODES.fullmatch(text) and (joined(notation.rules.largest_code) or "-" in text):
        return [int(code[:9]) for code in text.split("-")]
    if _CODES.fullmatch(text):
        return [int(digit) for digit in text]
    text = _BRACKETED.sub(lambda move: "".join(move[0].split()), text)
    if "," in text and notation.knows(text):
        return [text]
    if notation.marks and "," not in text:
        text = re.sub(rf"\b([{''.join(notation.marks)}])\s+", r"\1", text, flags=re.IGNORECASE)
    parts = [part for piece in _COMMA.split(text) if (part := " ".join(piece.split()))]
    words = [word for part in parts for word in _words(part, notation)]
    together = _TOGETHER.findall(text)
    return together if "".join(together) == text and not notation.knows(text) else words


def _words(part: str, notation: Notation) -> list[str]:
    """Return the moves between two commas: the words, unless only the whole part is a move."""
    words = part.split()
    return [part] if notation.knows(part) and not all(map(notation.knows, words)) else words


def play_on(game: Game, state: int, moves: Sequence[Any], notation: Notation | None = None) -> int:
    """Return the state after ``moves`` from a ``state``: codes, texts as `Notation.read` takes them, and objects with a
    code as their ``move``. Raises `PositionError` for the first illegal one.

    >>> from analysis.games.families import load_game
    >>> game = load_game("tictactoe")
    >>> game.format_position(play_on(game, game.rules().start, (0, "b2")))
    'X???O????'
    """
    notation = notation or kept_notation(game)
    moves = [getattr(move, "move", move) for move in moves]
    for number, move in enumerate(moves, 1):
        children = dict(notation.rules.moves(state))
        try:
            if not children:
                raise PositionError(f"the game was already over, in {game.format_position(state)}")
            if isinstance(move, str):
                code = notation.read(move, state)
            elif isinstance(move, bool) or not hasattr(move, "__index__"):
                raise PositionError(f"{described(move)} is neither a code nor a text")
            else:
                code = notation.legal_code(operator.index(move), state)
        except PositionError as error:
            raise PositionError(f"move {number}, {move}: {error}") from None
        state = children[code]
    return state


@kept
def board_form(game: Game) -> BoardForm | None:
    """Return how a game writes its boards; None if its text is not its board, row by row."""
    return find_board_form(game)
