"""Bots as functions of the position, found by asking: what they play wherever their own moves and any of the opponent's
can lead.
"""

from __future__ import annotations

import random
import time
from collections.abc import Mapping
from typing import Any

from analysis.errors import OptionError
from analysis.machine.workers import tell_progress
from analysis.playing.bots import Bot
from analysis.playing.levels import level_name
from analysis.playing.player import Player
from analysis.playing.terms import NO_LIMITS, Effort
from analysis.rules.game import Game, HasRules
from analysis.rules.notation import move_name
from analysis.rules.positions import read_position
from analysis.solving.find import named_game

MOST_ASKED = 5_000
"""Limit on the positions in which a bot is asked for one side."""

PATIENCE_SECONDS = 10.0
"""Time for these questions."""

SAID_EVERY = 64
"""Questions between two reports of progress."""


OTHERS_TAKE_IT = "; match and tournament take bots that draw their moves"
"""What can be done with a bot that is not a function."""


class PolicyPlayer(Player):
    """Plays as a table of moves by state says."""

    def __init__(self, game: Game, level: str, moves: Mapping[int, int]) -> None:
        super().__init__(game, level)
        self.moves = moves

    def preferred(self, state: int) -> list[int]:
        """Return the move of the table."""
        return [self.moves[state]]


def find_policy(
    bot: Bot,
    root: int,
    sides: tuple[int, ...] = (1, -1),
    *,
    most: int = MOST_ASKED,
    seconds: float = PATIENCE_SECONDS,
    advice: str = "",
) -> PolicyPlayer:
    """Return a bot as a function of the position for these sides (+1, -1) of the game that begins in the state
    ``root``.

    Each position is asked for twice, at the end of a game that may have led there: the second time in the opposite
    order, by a new process and, where there is one, after another game. Raises `OptionError` where the answers differ,
    followed by ``advice``, and for more than ``most`` positions of a side or ``seconds``; `ForfeitError`.
    """
    asking, moves = _Asking(bot, root, most, time.monotonic() + seconds, seconds), dict[int, int]()
    for side in sides:
        moves |= asking.explore(side)
    bot.close()
    for state, code in reversed(moves.items()):
        again = asking.ask(state, asking.last[state])
        if again != code:
            moves_of_both = " and ".join(move_name(bot.game, each) for each in (code, again))
            where = bot.game.format_position(state)
            raise OptionError(
                f"{bot.level}: it is not a function of the position: in {where} it plays {moves_of_both}{advice}"
            )
    return PolicyPlayer(bot.game, bot.level, moves)


def find_choices(
    game: str | HasRules, bot: str, position: str | None = None, effort: Effort = NO_LIMITS
) -> list[dict[str, Any]]:
    """Return what a bot plays in every position of a GAME_OR_DIR that it can meet from ``position`` (default: the
    start) on, as rows for `analysis.audit.audit`. Raises what `find_policy` raises.
    """
    named = named_game(game)
    root = named.rules().start if position is None else read_position(named, position)
    with Bot(named, level_name(bot), effort.seconds, effort.bots) as player:
        player.get_ready()
        moves = find_policy(player, root, advice=OTHERS_TAKE_IT).moves
    return [
        {"position": named.format_position(state), "code": code, "player": player.level}
        for state, code in moves.items()
    ]


class _Asking:
    """A bot that is asked, and the games that lead to each position."""

    def __init__(self, bot: Bot, root: int, most: int, ends: float, seconds: float) -> None:
        self.bot, self.root, self.most, self.ends, self.seconds = bot, root, most, ends, seconds
        self.rules, self.asked = bot.rules, 0
        self.first: dict[int, tuple[int, ...]] = {}
        """State -> the first game met that leads there."""
        self.last: dict[int, tuple[int, ...]] = {}
        """State -> the last one."""

    def explore(self, side: int) -> dict[int, int]:
        """Return the bot's move in each state that it can meet on this side."""
        found: dict[int, int] = {}
        self.first[self.root] = self.last[self.root] = ()
        queue, met = [self.root], {self.root}
        for state in queue:
            moves, path = self.rules.moves(state), self.first[state]
            if moves and self.rules.mover(state) == side:
                if len(found) == self.most:
                    raise OptionError(f"{self.bot.level}: it can meet more than {self.most:,} positions")
                found[state] = self.ask(state, path)
                moves = [(code, child) for code, child in moves if code == found[state]]
            for code, child in moves:
                self.last[child] = *path, code
                self.first.setdefault(child, self.last[child])
                if child not in met:
                    met.add(child)
                    queue.append(child)
        return found

    def ask(self, state: int, path: tuple[int, ...]) -> int:
        """Return the bot's move after a game."""
        if time.monotonic() > self.ends:
            raise OptionError(f"{self.bot.level}: it takes more than {self.seconds:g} s to ask it everywhere")
        self.asked += 1
        if self.asked % SAID_EVERY == 0:
            tell_progress(f"asking {self.bot.level}, positions", self.asked, None)
        self.bot.new_game(self.root)
        return self.bot.choose(state, random.Random(0), path)
