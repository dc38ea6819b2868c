"""Referee games of bidding tic-tac-toe between a hand-in and a strategy of `analysis.bidding.bot`, by its protocol."""

from __future__ import annotations

import dataclasses
import functools
import re
from collections.abc import Callable

from analysis.bidding.bidding_solution import BiddingSolution
from analysis.bidding.bot import CHIPS, LINES, PROTOCOLS, RefereeTurn, answer_turn, format_cell, parse_turn
from analysis.bidding.plain_bidding import KeptValues, load_bidding, solve_lazily
from analysis.games.bidding import OTHER, SIGN
from analysis.wording import signed

Ask = Callable[[str], str]
"""Gives a turn, as text, to a hand-in; returns what it answers."""

MOST_CHIPS = 8
"""Chips of each player up to which mistakes are found."""


@dataclasses.dataclass
class RefereedGame:
    """One game."""

    winner: str | None = None
    """``X``, ``O``, or None for a tie."""
    moves: int = 0
    """Turns that the hand-in was asked."""
    forfeit: str = ""
    """Why the hand-in has lost before the end."""
    mistakes: list[str] = dataclasses.field(default_factory=list)
    """The turns in which the hand-in gave value away."""


@functools.lru_cache(maxsize=4)
def _solution(chips: int) -> BiddingSolution:
    """Return the solution of the game with so many chips each, found as far as it is asked."""
    spec = f"bidding:game=tictactoe,chips={chips}"
    return solve_lazily(spec, kept=KeptValues(load_bidding(spec)))


def play_game(ask: Ask, side: str, opponent: str, chips: int = CHIPS, seed: int = 0) -> RefereedGame:
    """Play a game in which a hand-in is ``side``, X or O, against a strategy of `make_strategy` with a ``seed``."""
    game, bids = RefereedGame(), {"X": list[int](), "O": list[int]()}
    board, winner = "_" * 9, None

    def told(player: str, phase: str) -> str:
        lines = [player, phase, *(" ".join(map(str, bids[each])) for each in "XO")]
        return "\n".join([*lines, board[:3], board[3:6], board[6:], ""])

    def turn(player: str, phase: str) -> int | None:
        """Return a player's bid or cell; None if the hand-in forfeits."""
        text = told(player, phase)
        now = parse_turn(text, chips)
        if player != side:
            line, _ = answer_turn(PROTOCOLS[0], text, opponent, chips=chips, seed=seed)
            return _read(line, now)
        game.moves += 1
        line = ask(text).strip()
        found = _read(line, now)
        if found is None:
            game.forfeit = f"{_asked(now)} it answers {line[:40]!r}, which is not allowed"
        elif chips <= MOST_CHIPS:
            game.mistakes += _mistake(now, found)
        return found

    while winner is None and "_" in board:
        offers = {player: turn(player, "BID") for player in "XO"}
        if None in offers.values():
            break
        now = parse_turn(told("X", "BID"), chips)
        x_bid, o_bid = (offers[player] or 0 for player in "XO")
        mover = now.holder if x_bid == o_bid else "X" if x_bid > o_bid else "O"
        for player, bid in (("X", x_bid), ("O", o_bid)):
            bids[player].append(bid)
        cell = turn(mover, "PLAY")
        if cell is None:
            break
        board = board[:cell] + mover + board[cell + 1 :]
        winner = mover if any(all(board[each] == mover for each in line) for line in LINES) else None
    game.winner = OTHER[side] if game.forfeit else winner
    return game


def _read(line: str, turn: RefereeTurn) -> int | None:
    """Return the bid or cell that an answer names, or None if it is not allowed."""
    if turn.phase == "BID":
        return int(line) if re.fullmatch("[0-9]{1,9}", line) and int(line) <= turn.chips(turn.player) else None
    if not re.fullmatch("[0-2] [0-2]", line):
        return None
    cell = 3 * int(line[0]) + int(line[2])
    return cell if cell in turn.free() else None


def _asked(turn: RefereeTurn) -> str:
    return f"in {turn.position()}, asked as {turn.player} to {'bid' if turn.phase == 'BID' else 'place'},"


def _mistake(turn: RefereeTurn, chosen: int) -> list[str]:
    """Return a line about an answer that gives value away, or nothing."""
    state, sign = _solution(turn.x_chips + turn.o_chips >> 1)[turn.position()], SIGN[turn.player]
    if turn.phase == "BID":
        sure = {bid.bid: bid.guarantee for bid in state.each_bid(turn.player)}
        best = state.value
        good = [str(bid) for bid, value in sure.items() if sign * (value - best) >= 0]
        value, answer = sure[chosen], str(chosen)
    else:
        found = state.placements(turn.player)
        best, value = found[0].value, next(each.value for each in found if each.move == chosen)
        good = [format_cell(each.move) for each in found if each.value == best]
        answer = format_cell(chosen)
    if sign * (value - best) >= 0 or not good:
        return []
    worth, kept = (signed(int(each) if each == int(each) else float(each)) for each in (value, best))
    return [f"{_asked(turn)} it answers {answer}: {worth} for X, not {kept}, which {' or '.join(good[:5])} keeps"]
