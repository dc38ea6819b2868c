"""Bidding games: what is answered of their states, and a page of plain links for each."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from analysis.errors import OptionError
from analysis.web.asked import Asked
from analysis.web.pages.rendering import render
from analysis.web.served import digest, shown_spec

FIELDS = ("p", "x", "o")
"""A state, and what both have bid there."""

MOST_BIDS = 100
"""Of a side: a page has the value of each pair of them."""


class Auctioned:
    """A solution of a bidding game, and what it is called in addresses."""

    def __init__(self, solution: Any, identifier: str) -> None:
        """Of a `BiddingSolution`, which this room does not know."""
        if max(solution.game.budgets) >= MOST_BIDS:
            raise OptionError(f"{solution.game.spec} has more than {MOST_BIDS} bids of a side, too many for a page")
        self.solution, self.id, self.name = solution, identifier, shown_spec(solution)
        self.game = solution.game
        self.etag = f'"{digest(solution)}"'

    def head_json(self) -> dict[str, Any]:
        """What is known of the whole solution, but for its counts."""
        root = self.solution.root.to_json()
        about = {
            "id": self.id,
            "game": self.name,
            "description": self.game.description,
            "players": list(self.game.players),
        }
        return about | {"start": root["state"], **{name: root[name] for name in ("value", "value_exact")}}

    def answer(self, path: str, asked: Asked) -> dict[str, Any]:
        """The whole solution, or a state and what follows two bids there. Raises `PositionError`, and `OptionError` for
        bids that are not legal.
        """
        if not path:
            return self.head_json() | {"statistics": self.solution.statistics()}
        text = asked.text("p")
        position = self.solution.root if text is None else self.solution[text]
        found: dict[str, Any] = position.to_json() | {"grid": self.game.base.grid(position.state.board), "sales": None}
        bids = asked.number("x"), asked.number("o")
        if bids == (None, None) or position.over:
            return found
        for side, bid, legal in zip("XO", bids, position.legal_bids(), strict=True):
            if bid not in legal:
                raise OptionError(f"{side} bids from {legal.start} to {legal.stop - 1} here, not {bid}")
        return found | {"sales": [sale.to_json() for sale in position.sales(*bids)]}

    def address(self, state: str, **bids: int) -> str:
        """The page of a state, or of two bids there."""
        return f"/game/{self.id}?{urlencode({'p': state, **bids})}"

    def page(self, asked: Asked) -> str:
        """A state as a page: both purses, what each bid is worth, the value of each pair of bids and, where both have
        bid, the moves of who has won.
        """
        told = self.answer("/position", asked)
        bids = {side: [each["bid"] for each in (told["legal_bids"] or {}).get(side, ())] for side in "XO"}
        drawn = {
            side: {each["bid"]: each["probability_exact"] or each["probability"] for each in told["bids"].get(side, ())}
            for side in "XO"
        }
        return render(
            "bidding.html.j2",
            served=self,
            told=told,
            bids=bids,
            drawn=drawn,
            chosen=(asked.number("x"), asked.number("o")),
        )
