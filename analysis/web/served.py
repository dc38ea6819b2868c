"""The solutions that a server serves, each under a name of its own."""

from __future__ import annotations

import functools
import random
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from ..common.wording import outcome_key
from ..errors import OptionError
from ..games.bidding import Bidding
from ..games.families import runs_a_file
from ..rules.either_side import EitherSide
from ..rules.game import ONGOING, Game
from ..rules.notation import Notation
from ..rules.picture import regular
from ..rules.positions import read_position
from ..solution.ranking import Ranking
from ..solution.solution import Solution
from .asked import Asked

if TYPE_CHECKING:
    from ..playing.player import Player

LONGEST = 60
"""Limit on the characters of a name in an address."""

PLAYERS = 20
"""Limit on the players that are kept, with what they remember."""

BOT_SECONDS = 1.0
"""Time of a bot for a move, for which others wait."""

LIST = "solutions"
"""The name of the list in addresses, which no solution may have."""

BID_FIELDS = ("p", "x", "o")
"""A state, and the bids of X and O there."""

BID_QUESTIONS = {"": (), "/position": BID_FIELDS, "/reply": (*BID_FIELDS, "side", "against", "seed")}
"""What is answered of bidding games, with the fields of the queries."""

MOST_BIDS = 100
"""Limit on the bids of a side, since a page has the value of each pair."""

Bidder = Callable[[Any, str], Any]
"""Makes the player of a level from a `BiddingSolution`."""

_FOREIGN = re.compile(r"[^a-z0-9]+")


class Served:
    """A solution with its name in addresses."""

    def __init__(self, solution: Solution, identifier: str, bots: Sequence[str] = ()) -> None:
        self.solution, self.id = solution, identifier
        self.bots = tuple(bots)
        """The programs that may play, which only whoever starts the server can name."""
        self._players: dict[str, Player] = {}
        self.game = solution.game

    @property
    def name(self) -> str:
        """The specification; for a user game, without the folders of its file."""
        return shown_spec(self.solution)

    @property
    def headline(self) -> tuple[str, str]:
        """The title, which says so if the game is misère, and the goal."""
        title, goal = self.game.headline
        return title + ", misère" * bool(self.game.parameters().get("misere")), goal

    @property
    def verdict(self) -> str:
        """What best play makes of the game."""
        outcome = outcome_key(self.solution.value, self.solution.remoteness_plies)
        if outcome in ("tie", "draw"):
            return outcome.capitalize()
        player = self.game.players[outcome == "O"]
        return f"The {player} player wins" if player in ("first", "second") else f"{player} wins"

    @functools.cached_property
    def notation(self) -> Notation:
        """The notation in which moves are typed."""
        return Notation(self.game)

    @functools.cached_property
    def statistics(self) -> dict[str, Any]:
        """The counts of `Solution.statistics`."""
        return {**self.solution.statistics(), "game": self.name}

    @functools.cached_property
    def ranking(self) -> Ranking:
        """The map, as far as it has been counted."""
        return Ranking(self.solution)

    def player(self, level: str) -> Player:
        """Return a player of this level, quick enough not to keep other requests waiting. Raises `OptionError` if there
        is no such level.
        """
        from ..playing.levels import find_player, parse_level
        from ..search.finding import Knowledge

        if level not in self._players:
            if len(self._players) == PLAYERS:
                self.close()
            parse_level(level, bots=level in self.bots)
            knowledge = Knowledge(self.game, self.solution)
            self._players[level] = find_player(level, self.game, knowledge=knowledge, seconds=BOT_SECONDS)
        return self._players[level]

    def close(self) -> None:
        """Forget the players, and end those that are programs."""
        for player in self._players.values():
            player.close()
        self._players.clear()

    def state_of(self, text: str | None) -> int:
        """Return the state of a position written as ``show`` takes it, reachable or not; without a text, the start.
        Raises `PositionError`.
        """
        if text is None:
            return self.solution.engine.start
        return read_position(self.game, text, self.notation if self.solution.engine.ruled else None)


class Auctioned:
    """A solution of a bidding game with its name in addresses."""

    def __init__(self, solution: Any, identifier: str, bidder: Bidder | None = None) -> None:
        """Take a `BiddingSolution` and what makes players, which this package may not import. Raises `OptionError` for
        too many bids.
        """
        if max(solution.game.budgets) >= MOST_BIDS:
            raise OptionError(f"{solution.game.spec} has more than {MOST_BIDS} bids of a side, too many for a page")
        self.solution, self.id, self.name = solution, identifier, shown_spec(solution)
        self.game, self.headline = solution.game, solution.game.headline
        value = solution.root.to_json()["value"]
        self.verdict = {1: "X wins", -1: "O wins"}.get(value, "")
        self._player = functools.lru_cache(PLAYERS)(functools.partial(bidder, solution) if bidder else _no_player)

    def head_json(self) -> dict[str, Any]:
        """Describe the whole solution, without its counts."""
        root = self.solution.root.to_json()
        title, goal = self.headline
        return {
            "id": self.id,
            "game": self.name,
            "description": self.game.description,
            "title": title,
            "goal": goal,
            "players": list(self.game.players),
            "board": board_json(self.game.base, self.solution.start.board),
            "start": root["position"],
            **{name: root[name] for name in ("value", "value_exact")},
        }

    def answer(self, path: str, asked: Asked) -> dict[str, Any]:
        """Answer with the whole solution, or with a state as `told`."""
        if not path:
            return self.head_json() | {"statistics": self.solution.statistics()}
        if path == "/reply":
            return self._reply(asked)
        return self.told(asked.text("p"), asked.number("x"), asked.number("o"))

    def _reply(self, asked: Asked) -> dict[str, Any]:
        """Let a level decide for a ``side``: a bid or, after two bids that it has won, the code of a move. Raises
        `OptionError` if there is nothing to decide.
        """
        text, bids, side = asked.text("p"), (asked.number("x"), asked.number("o")), asked.text("side")
        player = self._player(asked.text("against"))
        position = self.solution.root if text is None else self.solution[text]
        rules, state = player.table, position.state
        if bids == (None, None):
            turn = rules.bidding(state, side) if side in ("X", "O") else None
        else:
            self.told(text, *bids)  # refuses illegal bids
            turn = next((rules.placing(sale) for sale in rules.sales(state, *bids) if sale.winner == side), None)
        if position.terminal or turn is None:
            raise OptionError(f"{side} has nothing to decide at {self.game.format_state(state)}")
        return {"choice": player.choose(turn, random.Random(asked.number("seed"))), "level": player.level}

    def told(self, text: str | None, *bids: int | None) -> dict[str, Any]:
        """Tell a state, by default the start, and what follows two bids there. Raises `PositionError`, and
        `OptionError` for illegal bids.
        """
        position = self.solution.root if text is None else self.solution[text]
        base, board = self.game.base, position.state.board
        drawn = {"grid": base.grid(board), "picture": base.picture(board), "sales": None}
        found: dict[str, Any] = position.to_json() | drawn
        if bids == (None, None) or position.terminal:
            return found
        for side, bid, legal in zip("XO", bids, position.legal_bids(), strict=True):
            if bid not in legal:
                raise OptionError(f"{side} bids from {legal.start} to {legal.stop - 1} here, not {bid}")
        sales, rules = position.sales(*bids), EitherSide(base).rules()
        for sale in sales:
            for placement in sale["placements"]:
                code = 2 * placement["move"] + (sale["winner"] == "O")
                after = rules.play(board, code)
                placement["cell"] = EitherSide(base).cell_of(board, code)
                placement["terminal"] = rules.payoff(after) != ONGOING
                placement |= {"grid": base.grid(after), "picture": base.picture(after)}
        return found | {"sales": sales}

    def address(self, state: str, **fields: str | int) -> str:
        """Return the address of the page of a state, with the ``line`` played from there, and of two bids then."""
        return f"/game/{self.id}?{urlencode({'p': state, **fields})}"


def _no_player(level: str) -> Any:
    raise OptionError(f"nobody plays at level {level} here")


class Site(Sequence[Served]):
    """All that a server serves: a sequence of the games by turns, and the bidding games."""

    def __init__(self, solutions: Sequence[Any], bots: Sequence[str] = (), bidder: Bidder | None = None) -> None:
        """Name these solutions; ``bots`` may play in the games by turns, what ``bidder`` makes in bidding games."""
        self._served: dict[str, Served] = {}
        """The games by turns, by name."""
        self.auctions: dict[str, Auctioned] = {}
        """The bidding games, by name."""
        for solution in solutions:
            symmetry = "" if solution.symmetry == "geometric" else f"-{solution.symmetry}"
            wanted = plain_name(shown_spec(solution) + symmetry)[:LONGEST].strip("-")
            taken = (wanted if number == 1 else f"{wanted}-{number}" for number in range(1, len(solutions) + 3))
            identifier = next(name for name in taken if name not in {LIST, *self._served, *self.auctions})
            if isinstance(solution.game, Bidding):
                self.auctions[identifier] = Auctioned(solution, identifier, bidder)
            else:
                self._served[identifier] = Served(solution, identifier, bots)

    def __len__(self) -> int:
        return len(self._served)

    def __getitem__(self, place: Any) -> Any:
        return list(self._served.values())[place]

    def __iter__(self) -> Iterator[Served]:
        return iter(self._served.values())

    def get(self, identifier: str) -> Served | None:
        """Return the game by turns of this name."""
        return self._served.get(identifier)


def board_json(game: Game, start: int) -> dict[str, Any] | None:
    """Tell how grids are drawn; None for a game without a board."""
    if game.look != "heaps" and not regular(game.grid(start)):
        return None
    return {
        "look": game.look,
        "from_bottom": game.rows_from_bottom,
        "joined": [list(pair) for pair in game.joined],
        "in_row": game.in_row,
    }


def shown_spec(solution: Solution) -> str:
    """Return the specification; for a user game, without the folders of its file, which are private.

    >>> import analysis
    >>> shown_spec(analysis.solve("mnk:rows=2,cols=2,k=2"))
    'mnk:rows=2,cols=2,k=2'
    """
    spec = solution.game.spec
    if not runs_a_file(spec):
        return re.sub(r"=[^,=]*/", "=", spec)  # a board in a file
    file, found, rest = spec.partition(".py:")
    return Path(file + found[:3]).name + found[3:] + rest


def plain_name(text: str) -> str:
    """Return the part of a text that can stand in an address.

    >>> plain_name("mnk:rows=3,cols=4,k=3"), plain_name("../Ö <b>")
    ('mnk-rows-3-cols-4-k-3', 'b')
    """
    return _FOREIGN.sub("-", text.lower()).strip("-") or "game"
