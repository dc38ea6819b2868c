"""Bidding games: before every move both players bid chips in secret, and the higher bid buys the move.

The winner of the bid pays it to the other player and moves on the board for its own side, so either side may move at
any time. Equal bids are decided by ``ties``:

``passes``
    the holder of the tie advantage wins the bid, pays it, and the advantage passes to the other player;
``chooses``
    the holder either does that, or keeps the advantage and loses the bid (Develin and Payne, "Discrete bidding games",
    Electronic Journal of Combinatorics 17, 2010; arXiv 0801.0579).

Bids are at least ``least``; a player with fewer chips bids all of them. A state is written as the board, the chips and
the holder of the advantage: ``XO?/?X?/??? X=5 O=3 advantage=O``.
"""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import re
from typing import ClassVar, NamedTuple

from ..errors import PositionError, SpecError
from ..rules.either_side import EitherSide
from ..rules.game import Game, Rules
from ..rules.positions import read_either_side

SIDES = ("X", "O")
SIGN = {"X": 1, "O": -1}
OTHER = {"X": "O", "O": "X"}
TIES = ("passes", "chooses")
MOST_CHIPS = 10_000
"""Limit for each player; the tables hold bids up to 32,767."""


class BiddingState(NamedTuple):
    """The state of a bidding game before both players bid, or before the winner of a paid bid moves."""

    board: int
    """The state of the board, of `Game.either_side`."""
    x_chips: int
    o_chips: int
    holder: str
    """``X`` or ``O``, the holder of the tie advantage."""


@dataclasses.dataclass(frozen=True)
class Bidding(Game):
    """A game in which either side may be given the move, played by bidding for it.

    >>> Bidding("mnk:rows=2,cols=3,k=3", chips="5+3").slug
    'bidding-mnk-rows2-chips5+3'
    """

    family: ClassVar[str] = "bidding"
    description: ClassVar[str] = (
        "secret bids decide who moves, in tictactoe, mnk, wild, notakto, connect or hex; ties: passes or chooses"
    )
    example: ClassVar[str] = "bidding:game=tictactoe,chips=4"
    sizes: ClassVar[str] = "boards x splits of the chips x 2: tictactoe with 4 + 4 chips has 199,674 states (a second)"
    known: ClassVar[str] = (
        "tictactoe, 4 chips each: X, holding the advantage, wins; if ties=chooses the holder wins with 1, 2, 4 and 5 "
        "chips each (Develin and Payne)"
    )

    game: str = "tictactoe"
    chips: str = "4"
    least: int = 0
    ties: str = "passes"
    first: str = "X"

    def __post_init__(self) -> None:
        object.__setattr__(self, "chips", _canonical_chips(str(self.chips).replace(" ", "")))
        object.__setattr__(self, "least", int(self.least))
        object.__setattr__(self, "first", self.first.upper())
        for name, value, choices in (("ties", self.ties, TIES), ("first", self.first, SIDES)):
            if value not in choices:
                raise SpecError(f"{name}={value} is unknown; it is one of {', '.join(choices)}")
        if self.least not in (0, 1):
            raise SpecError(f"least={self.least} is not possible; the least bid must be 0 or 1")
        if self.base.either_side() is None:  # the error must name bidding
            raise SpecError(
                f"bidding needs a game in which either side may be given the move, unlike {self.base.spec}; "
                "try tictactoe, mnk, wild, notakto, connect or hex"
            )
        object.__setattr__(self, "game", self.base.spec)  # in its normal form

    @functools.cached_property
    def base(self) -> Game:
        """The game on the board."""
        from .families import load_game

        return load_game(self.game)

    @property
    def headline(self) -> tuple[str, str]:
        """The title of the game on the board, and how bids decide who moves there."""
        ties = {
            "passes": "whoever has the advantage wins and hands it over",
            "chooses": "whoever has the advantage wins and hands it over, or keeps it and loses",
        }[self.ties]
        goal = "Both bid chips in secret for every move: the higher bid pays the other player and moves; of equal bids,"
        return f"{self.base.headline[0]}, with bidding", f"{goal} {ties}."

    @property
    def budgets(self) -> tuple[int, int]:
        """X's chips and O's at the start."""
        x, _, o = self.chips.partition("+")
        return int(x), int(o or x)

    @functools.cached_property
    def splits(self) -> int:
        """Number of splits of the chips."""
        return sum(self.budgets) + 1

    @property
    def columns(self) -> int:
        """Number of states of a board where the game goes on: a column ``holder * splits + chips`` for each holder of
        the advantage, X first, and each number of X's chips.
        """
        return len(SIDES) * self.splits

    def column(self, state: BiddingState) -> int:
        """Return the column of a state."""
        return SIDES.index(state.holder) * self.splits + state.x_chips

    def bids(self, column: int) -> tuple[range, range]:
        """Return X's legal bids and O's."""
        x = column % self.splits
        o = self.splits - 1 - x
        return range(min(self.least, x), x + 1), range(min(self.least, o), o + 1)

    def rules(self) -> Rules:
        """Raise `SpecError`: bidding games have no rules of this kind."""
        from .families import FOR_BIDS

        raise SpecError(f"{self.spec} is a bidding game; {FOR_BIDS}, {self.base.spec}")

    @property
    def slug(self) -> str:
        """The folder name: the game on the board, the chips, and whatever else is not the default."""
        return "-".join(["bidding", self.base.slug, f"chips{self.chips}", *map("".join, self._others())])

    @property
    def spec(self) -> str:
        """The specification that makes this game again, without defaults."""
        return self._spec(self.base.spec)

    @property
    def lasting_spec(self) -> str:
        """The specification with the absolute path of a user game's file."""
        return self._spec(self.base.lasting_spec)

    def _spec(self, base: str) -> str:
        return f"bidding:game={base}," + ",".join([f"chips={self.chips}", *map("=".join, self._others())])

    def _others(self) -> list[tuple[str, str]]:
        """Return the parameters other than the game and the chips that differ from the default."""
        entries = [(f.name, str(getattr(self, f.name)), f.default) for f in self.parameter_fields()[2:]]
        return [(name, value) for name, value, default in entries if value != str(default)]

    @classmethod
    def parameter_items(cls, text: str) -> list[str]:
        """Split the parameters of a specification, leaving those of the game on the board joined to its name.

        >>> Bidding.parameter_items("game=mnk:rows=2,cols=3,chips=5")
        ['game=mnk:rows=2,cols=3', 'chips=5']
        >>> Bidding.parameter_items("tictactoe,5+3")
        ['game=tictactoe', 'chips=5+3']
        """
        names = [f.name for f in cls.parameter_fields()]
        items: list[str] = []
        for item in map(str.strip, text.split(",")):
            name, equals, _ = item.partition("=")
            if not items and item and name not in names and (not equals or ":" in name):  # by place
                items.append(f"{names[0]}={item}")
            elif len(items) == 1 and ":" not in items[0] and re.fullmatch(r"[0-9+ ]+", item):
                items.append(f"{names[1]}={item}")
            elif items and items[-1].startswith("game=") and name.strip() not in names:
                items[-1] += ("," if ":" in items[-1] else ":") + item
            else:
                items.append(item)
        return items

    def rules_hash(self) -> str:
        """Return a SHA-256 of the parameters and the rules of the game on the board, wherever its file is."""
        values = sorted((name, value) for name, value in self.parameters().items() if name != "game")
        parts = f"{values} {self.rules_version} {EitherSide(self.base).rules_hash()}"
        return hashlib.sha256(parts.encode()).hexdigest()

    # Text -------------------------------------------------------------------------------------------------------------

    @property
    def start(self) -> BiddingState:
        """The empty board and full purses."""
        start = EitherSide(self.base).rules().start
        return BiddingState(start, *self.budgets, self.first)

    def parse_state(self, text: str) -> BiddingState:
        """Return the state written as ``text``; the board alone means the chips and the advantage of the start. Raises
        `PositionError`.

        >>> Bidding().parse_state("XO?/???/??? X=5 O=3 advantage=o")
        BiddingState(board=1025, x_chips=5, o_chips=3, holder='O')
        """
        words = [re.fullmatch("(X|O|advantage)=(.*)", word, re.IGNORECASE) or word for word in text.split()]
        board = read_either_side(self.base, " ".join(word for word in words if isinstance(word, str)))
        pairs = [(word[1].lower(), word[2]) for word in words if isinstance(word, re.Match)]
        values = dict(pairs)
        if not pairs:
            return self.start._replace(board=board)
        if len(pairs) != len(values) or values.keys() != {"x", "o", "advantage"}:
            raise PositionError(f"state {text!r}: after the board write {self._form}, each once, or nothing")
        x, o = (self._purse(text, name, values[name]) for name in "xo")
        holder = values["advantage"]
        if holder.upper() not in SIDES:
            raise PositionError(f"state {text!r}: advantage={holder} names no player; write advantage=X or advantage=O")
        state = BiddingState(board, x, o, holder.upper())
        self.check_state(state, text)
        return state

    @property
    def _form(self) -> str:
        return "X={} O={} advantage={}".format(*self.budgets, self.first)

    def _purse(self, text: str, name: str, number: str) -> int:
        if not re.fullmatch("[0-9]{1,99}", number):
            raise PositionError(
                f"state {text!r}: {name.upper()}={number} is not a number of chips; write {name.upper()}=4"
            )
        return int(number)

    def check_state(self, state: BiddingState, text: str | None = None) -> None:
        """Raise `PositionError` for an impossible holder or numbers of chips, whose sum never changes."""
        (_, x, o, holder), (first, second) = state, self.budgets
        text = self.format_state(state) if text is None else text
        if holder not in SIDES:
            raise PositionError(f"state {text!r}: the advantage is held by X or O")
        if min(x, o) < 0:
            raise PositionError(f"state {text!r}: no player can have less than 0 chips")
        if x + o != first + second:
            raise PositionError(
                f"state {text!r} has {x} + {o} chips but {self.spec} has {first + second}; use chips={x}+{o} instead"
            )

    def format_state(self, state: BiddingState) -> str:
        """Return the state as text on one line.

        >>> Bidding().format_state(BiddingState(1025, 5, 3, "O"))
        'XO??????? X=5 O=3 advantage=O'
        """
        board = self.base.format_position(state.board)
        return f"{board} X={state.x_chips} O={state.o_chips} advantage={state.holder}"


def _canonical_chips(text: str) -> str:
    """Return both players' chips as one number if they are equal. Raises `SpecError`."""
    match = re.fullmatch(r"([0-9]{1,99})(?:\+([0-9]{1,99}))?", text)
    if not match:
        shown = text if len(text) < 20 else f"{text[:20]}..."
        raise SpecError(f"chips={shown} is not a number of chips; write chips=4, or chips=5+3 for X's and O's")
    x, o = int(match[1]), int(match[2] or match[1])
    if max(x, o) > MOST_CHIPS:
        raise SpecError(f"chips={text} is too many; each player may have at most {MOST_CHIPS:,}")
    return str(x) if x == o else f"{x}+{o}"
