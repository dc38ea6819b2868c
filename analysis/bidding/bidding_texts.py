"""What is said while a game is played by bidding."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence

from analysis.bidding.bidding_matches import Mistake, Round, placement_values
from analysis.bidding.bidding_rules import BidOutcome
from analysis.bidding.bidding_solution import BiddingPosition
from analysis.bidding.exact_values import Value, value_text
from analysis.errors import PositionError
from analysis.games.bidding import OTHER, SIGN, Bidding, BiddingState
from analysis.playing.terminal import texts
from analysis.playing.terminal.texts import TypedWords, columns, wrapped
from analysis.wording import listed

Say = Callable[[str, int, int], str]
"""``say(side, board, code)``: a placement as people are told of it."""

LONGEST = 20
"""Characters of a text that are shown again."""

EXPLAINED = texts.EXPLAINED | {
    "take back": "take back this round, or the one before it",
    "hints": "hints: what the state is worth, each bid or each placement",
    "moves": "list the legal bids or placements",
    "board": "show the board and the chips again",
}


def read_bid(text: str, legal: range, *, secret: bool = False) -> int:
    """The bid that was typed; nothing will do where there is only one. Raises `PositionError` with the reason, which
    does not repeat a number that was typed in ``secret``.

    >>> read_bid("2", range(1, 5))
    2
    """
    typed = text.strip()
    if not typed and len(legal) == 1:
        return legal[0]
    if not (typed.isascii() and typed.isdecimal()):
        shown = typed if len(typed) <= LONGEST else f"{typed[:LONGEST]}..."
        raise PositionError(f"{shown!r} is no bid; write a number of chips, {bids_text(legal)}")
    bid, said = int(typed[:LONGEST]), "that" if secret else typed[:LONGEST]
    if bid > legal[-1]:
        raise PositionError(f"{said} is more than the chips there are; bid {bids_text(legal)}")
    if bid < legal[0]:
        raise PositionError(f"{said} is less than the least bid; bid {bids_text(legal)}")
    return bid


def bids_text(legal: range) -> str:
    """The legal bids.

    >>> bids_text(range(0, 5)), bids_text(range(0, 1))
    ('0 to 4', 'only 0')
    """
    return f"only {legal[0]}" if len(legal) == 1 else f"{legal[0]} to {legal[-1]}"


def chips_text(chips: int) -> str:
    """A number of chips.

    >>> chips_text(0), chips_text(1), chips_text(2)
    ('no chips', '1 chip', '2 chips')
    """
    return f"{chips or 'no'} {'chip' if chips == 1 else 'chips'}"


def purses(state: BiddingState) -> str:
    """Who has what."""
    held = "" if state.holder is None else f"; {state.holder} holds the tie advantage"
    return f"X has {chips_text(state.x_chips)}, O has {chips_text(state.o_chips)}{held}."


# A round --------------------------------------------------------------------------------------------------------------


def bought(game: Bidding, before: BiddingState, bids: tuple[int, int], sale: BidOutcome) -> str:
    """What both bid, and who has bought the move."""
    x_bid, o_bid = bids
    winner = sale.winner
    payee = OTHER[winner] if game.pays == "loser" else "the bank"
    pays = f"pays {payee} {sale.bid}" if sale.bid else "pays nothing"
    if x_bid != o_bid:
        return f"X bids {x_bid}, O bids {o_bid}: {winner} {pays} and places."
    if before.holder is None:
        return f"Both bid {x_bid}: the coin falls for {winner}, who {pays} and places."
    if winner == before.holder:
        other = OTHER[winner]
        return (
            f"Both bid {x_bid}: {winner}, who holds the advantage, {pays} and places; the advantage passes to {other}."
        )
    return f"Both bid {x_bid}: {before.holder} leaves it and keeps the advantage; {winner} {pays} and places."


def tie_question(game: Bidding, name: str, bid: int, side: str) -> str:
    """What the holder of the advantage is asked where he may choose."""
    other = OTHER[side]
    payee = other if game.pays == "loser" else "the bank"
    return wrapped(
        f"Both bid {bid}. {name} may take it: pay {payee} {bid}, place, and pass the advantage to {other}; or leave "
        f"it: keep the advantage, and {other} pays and places."
    )


def rounds_table(rounds: Sequence[Round], say: Say) -> str:
    """All rounds of a game."""
    held = any(one.before.holder is not None for one in rounds)
    head = ["round", "X has", "O has", *(["advantage"] if held else []), "X bids", "O bids", "bought by", "placed"]
    rows = []
    for number, one in enumerate(rounds, 1):
        before, side = one.before, one.sale.winner
        holder = [before.holder or ""] if held else []
        cells = [number, before.x_chips, before.o_chips, *holder, one.x_bid, one.o_bid, side]
        rows.append([*map(str, cells), say(side, before.board, one.move)])
    return columns(head, rows)


# What it is worth -----------------------------------------------------------------------------------------------------


def worth(position: BiddingPosition, value: Value) -> str:
    """A value in words: certain if no chance can come in between, otherwise what X can expect."""
    if position.searched:
        return value_text(value)
    least, greatest = position.payoffs
    certain = not position.chance or (value in (least, greatest) and value != 0)
    if not certain:
        return f"an expected {value_text(value)} for X"
    if not value:
        return "a tie"
    margin = f" by {abs(value)}" if least < -1 or greatest > 1 else ""
    return f"a win for {'X' if value > 0 else 'O'}{margin}"


def bid_hints(position: BiddingPosition, source: str, side: str, say: Say) -> str:
    """The value, the optimal bids, and each legal bid."""
    column = "X gets at least" if side == "X" else "X gets at most"
    rows = []
    for alike, found in itertools.groupby(position.each_bid(side), lambda b: (b.guarantee, b.probability, b.placement)):
        bids, (guarantee, probability, placement) = [legal.bid for legal in found], alike
        drawn = value_text(probability).lstrip("+") if probability else ""
        span = str(bids[0]) if len(bids) == 1 else f"{bids[0]} to {bids[-1]}"
        rows.append((span, value_text(guarantee), drawn, say(side, position.state.board, placement.move)))
    play = "" if position.searched else " under optimal play"
    return "\n".join(
        [
            wrapped(f"The state is worth {worth(position, position.value)}{play} ({source})."),
            wrapped(f"Optimal bids: {side} {_drawn(position, side)}; {OTHER[side]} {_drawn(position, OTHER[side])}."),
            columns(("bid", column, "drawn", "then place"), rows),
        ]
    )


def _drawn(position: BiddingPosition, side: str) -> str:
    bids = position.bids[side]
    if len(bids) == 1:
        return str(bids[0].bid)
    return ", ".join(f"{bid.bid} ({value_text(bid.probability).lstrip('+')})" for bid in bids)


def placement_hints(position: BiddingPosition, source: str, side: str, say: Say) -> str:
    """Every placement with its value, best first."""
    found = placement_values(position, side)
    order = sorted(found, key=lambda code: (-SIGN[side] * found[code], code))
    best = found[order[0]]
    rows = [
        (say(side, position.state.board, code), value_text(found[code]), worth(position, found[code]),
         "yes" if found[code] == best else "")
        for code in order
    ]  # fmt: skip
    return f"What X can expect after each placement ({source}):\n" + columns(
        ("place", "value", "that is", "best"), rows
    )


def decided(found: Mistake | None, position: BiddingPosition, say: Say, payoff: int) -> str:
    """Where a game was decided; ``position`` is that before the mistake, or the first one where there is none."""
    if found is None:
        if position.value == payoff:
            return "Every decision kept the value."
        start = worth(position, position.value)
        return wrapped(f"Every decision kept the value: {start} at the start, and the lots decided the rest.")
    before, after = worth(position, found.before), worth(position, found.after)
    if found.what == "bid":
        did, better = f"bid {found.chosen}", f"a bid of {listed([str(bid) for bid in found.better])}"
    elif found.what == "tie":
        did = ("took the tie", "left the tie")[found.chosen]
        better = ("taking it", "leaving it")[found.better[0]]
    else:
        board = position.state.board
        did = f"placed at {say(found.side, board, found.chosen)}"
        better = listed([say(found.side, board, code) for code in found.better])
    return wrapped(
        f"Decided in round {found.round}: {found.side} {did}, and {before} became {after}; {better} would have kept "
        "it.",
        "  ",
    )


# Help -----------------------------------------------------------------------------------------------------------------


def help_text(game: Bidding, words: TypedWords, example: str, *, secret: bool) -> str:
    """The game, what may be typed, and the words."""
    payee = "the other player" if game.pays == "loser" else "the bank"
    ties = {
        "passes": "Equal bids: the holder of the tie advantage wins, and the advantage passes to the other player.",
        "chooses": "Equal bids: the holder of the tie advantage takes it and passes the advantage on, or leaves it and "
        "keeps the advantage.",
        "coin": "Equal bids: a fair coin decides.",
    }[game.ties]
    least = f" The least bid is {game.least}; with fewer chips all are bid." if game.least else ""
    lines = [
        wrapped(f"{game.base.spec} ({game.base.description}), played by bidding."),
        wrapped(f"Before every move both bid chips; the higher bid is paid to {payee} and buys the move.{least}"),
        wrapped(ties),
        wrapped(f"Type a bid as a number of chips. Type a placement, {example}."),
    ]
    if secret:
        lines.append("Bids are not shown as they are typed.")
    return "\n".join([*lines, *texts.words_help(words, EXPLAINED)])
