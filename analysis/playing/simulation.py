"""Play the games of a match: thousands at a time by NumPy, or one by one by players that search or are functions, here
or on an executor. A game is the same wherever it is played, and whatever is played before it.

A level prefers some moves, and chooses uniformly among them or, with the probability of its blunders, among all moves.
Random numbers are `random_bits` of the seed, the number of the game and the ply, so a game does not depend on those
before it. One of n moves is drawn with 32 bits, so probabilities differ by at most n in 2**32.
"""

from __future__ import annotations

import dataclasses
import functools
import math
import random
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..common.workers import Workers, in_order, slots_of
from ..engine.engine import CHUNK_MOVES, Engine, make_engine
from ..engine.kernels import walk
from ..engine.kernels.states import as_payoff
from ..errors import StoreError
from ..rules.backtracker import backtracker
from ..rules.game import ONGOING, Game
from ..solution.solution import Solution
from ..solution.storage.stored_games import is_named, load_same
from .levels import Level, find_player
from .player import ForfeitError, Player
from .terms import Effort, Terms

if TYPE_CHECKING:
    from concurrent.futures import Executor

X_WON, O_WON, TIED, UNFINISHED = 0, 1, 2, 3
"""Kinds of ends."""

ENDS = ("X", "O", "tie", "unfinished")
"""The kinds of ends in words."""


def ends_of(payoffs: np.ndarray) -> np.ndarray:
    """Return the kinds of ends of finished games, uint8[n]."""
    return np.select([payoffs > 0, payoffs < 0], [X_WON, O_WON], TIED).astype(np.uint8)


class Batch(NamedTuple):
    """Games played, in order."""

    first: int
    """The number of the first one."""
    payoffs: np.ndarray  # int16[n], the first player's; 0 of an unfinished game
    plies: np.ndarray  # int32[n]
    ends: np.ndarray  # uint8[n], such as `X_WON`
    paths: list[str] | None
    """Backtrackers, if wanted."""


# Which moves a level prefers ------------------------------------------------------------------------------------------

ABOVE_REMOTENESS = 1 << 17
"""Weight of a value against a remoteness, which is at most 65,535."""


Pairing = tuple[Level, Level]
"""Two levels, A and B, that do not think."""


class MovesAhead(NamedTuple):
    """The moves of n states, one state after the other."""

    branching: np.ndarray  # int64[n]
    movers: np.ndarray  # int64[n]
    payoffs: np.ndarray  # int64[n], the first player's where the game is over, else 0
    children: np.ndarray  # int64[m], states


@dataclasses.dataclass(frozen=True)
class LevelView:
    """A game from one of its states on, as levels see it."""

    engine: Engine
    root: int
    solution: Solution | None

    @classmethod
    def of(cls, game: Game, root: int, solution: Solution | None = None, *, symmetry: str = "none") -> LevelView:
        """Return a game from a state on, with a solution if there is one: its positions, or its classes, between which
        games end as they do between positions.
        """
        engine = make_engine(game, symmetry=symmetry, start=root)
        return cls(engine, engine.canonical(root), solution)

    def moves(self, states: np.ndarray) -> MovesAhead:
        """Return the moves of states. Raises `RulesError`."""
        moves = self.engine.expand(states)
        branching, movers, payoffs = (each.astype(np.int64) for each in moves[:3])
        return MovesAhead(branching, movers, np.where(branching == 0, payoffs, 0), moves.children.copy())

    def preferred(self, level: Level, states: np.ndarray) -> np.ndarray:
        """Return which moves of positions a level prefers, bool[moves]."""
        size = max(1, CHUNK_MOVES // self.engine.rules.max_moves ** (2 if level.kind == "greedy" else 1))
        parts = [self._preferred(level, self.moves(states[low : low + size])) for low in range(0, len(states), size)]
        return np.concatenate(parts) if parts else np.empty(0, bool)

    def _preferred(self, level: Level, moves: MovesAhead) -> np.ndarray:
        """In a loopy game a winner may never win unless every move lowers the remoteness; all moves that do lower it by
        the same, since a won position's remoteness is one more than the least among its winning moves.
        """
        if level.kind == "random" or len(moves.children) == 0:
            return np.ones(len(moves.children), bool)
        movers = np.repeat(moves.movers, moves.branching)
        if level.kind == "greedy":
            after, places = np.unique(moves.children, return_inverse=True)
            replies = self.moves(after)
            wins = np.repeat(replies.movers, replies.branching) * self.moves(replies.children).payoffs > 0
            can_win = np.bincount(np.repeat(np.arange(len(after)), replies.branching)[wins], minlength=len(after)) > 0
            lets = can_win[places] & (replies.movers[places] != movers)
            scores = np.sign(movers * replies.payoffs[places]) - lets
        else:
            assert self.solution is not None
            found = self.solution.lookup(moves.children)
            worth, plies = movers * found.value.astype(np.int64), found.remoteness_plies.astype(np.int64)
            hurries = (worth > 0) & self.engine.loopy | level.shortest
            scores = worth * ABOVE_REMOTENESS + np.where(worth < 0, plies, -plies) * hurries
        moving = moves.branching > 0
        best = np.maximum.reduceat(scores, begins_of(moves.branching)[moving])
        return scores == np.repeat(best, moves.branching[moving])


def begins_of(branching: np.ndarray) -> np.ndarray:
    """Return where the moves of each state begin, int64[n]."""
    return np.cumsum(branching) - branching


# Many games at once ---------------------------------------------------------------------------------------------------

BATCH_GAMES = 1 << 16
"""Limit on the games played at once."""

BATCH_PLIES = 1 << 22
"""Limit on the plies of a batch, whose moves are kept."""

BLUNDERS = 1 << 40
"""Added to the ply for the random number that decides on a blunder; no game is so long."""

CERTAIN = 1 << 53
"""The probability of a blunder is a 53-bit number; this one means always."""


def random_bits(number: Any, seed: Any) -> np.ndarray:
    """Return 64 random bits for each pair of whole numbers, uint64[n]: the finaliser of splitmix64 (Steele, Lea, Flood:
    "Fast splittable pseudorandom number generators", 2014).
    """
    z = np.atleast_1d(np.asarray(number, np.uint64)) + np.asarray(seed, np.uint64) + np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def drawn(bits: np.ndarray, n: np.ndarray) -> np.ndarray:
    """Return numbers below each of ``n``, from random ones of 64 bits, int64[n]."""
    return ((bits >> np.uint64(32)) * n.astype(np.uint64) >> np.uint64(32)).astype(np.int64)


def simulate(view: LevelView, pairing: Pairing, terms: Terms, workers: Workers) -> Iterator[Batch]:
    """Play the games of a pairing; the ``terms`` must have a seed. Raises `RulesError`, `StoreError`."""
    size = max(1, min(BATCH_GAMES, BATCH_PLIES // max(1, terms.max_plies))) if terms.keeps else BATCH_GAMES
    tasks = ((first, min(size, terms.games - first)) for first in range(0, terms.games, size))
    _ = view.engine.compiled  # here, since rules are tried only in the main thread
    return workers.map(functools.partial(_play, view, pairing, terms), tasks)


def _play(view: LevelView, pairing: Pairing, terms: Terms, task: tuple[int, int]) -> Batch:
    first, n = task
    numbers = np.arange(first, first + n)
    keys = random_bits(numbers, random_bits(terms.seed, 0) >> np.uint64(1)) >> np.uint64(1)
    opens = numbers & 1 if terms.swap else np.zeros(n, np.int64)  # the level that moves first
    payoffs, plies = np.zeros(n, np.int16), np.full(n, terms.max_plies, np.int32)
    ends = np.full(n, UNFINISHED, np.uint8)
    paths = np.zeros((n, terms.max_plies if terms.keeps else 0), np.uint16)
    going, states, which = np.arange(n), np.array([view.root]), np.zeros(n, np.int64)
    for ply in range(terms.max_plies + 1):  # each game that goes on is in one of the states
        moves = view.moves(states)
        over = moves.branching[which] == 0
        ended = going[over]
        payoffs[ended], plies[ended] = moves.payoffs[which[over]], ply
        ends[ended] = ends_of(payoffs[ended])
        going, which = going[~over], which[~over]
        if len(going) == 0 or ply == terms.max_plies:
            break
        levels = np.where(moves.movers[which] > 0, opens[going], 1 - opens[going])
        chosen = _choose(view, pairing, ply, (keys[going], levels, which), states, moves.branching)
        if terms.keeps:
            paths[going, ply] = view.engine.expand_moves(states)[1][chosen]
        states, which = np.unique(moves.children[chosen], return_inverse=True)
    return Batch(
        first, payoffs, plies, ends, _texts(paths, plies, view.engine.rules.largest_code) if terms.keeps else None
    )


def _choose(
    view: LevelView,
    pairing: Pairing,
    ply: int,
    games: tuple[np.ndarray, ...],
    states: np.ndarray,
    branching: np.ndarray,
) -> np.ndarray:
    """Return the number of the move that is chosen in each game, int64[games]; of the ``games`` there are the key, the
    level to move, and at which of the ``states`` each is.
    """
    keys, levels, which = games
    bits = random_bits(ply, keys)
    chosen = begins_of(branching)[which] + drawn(bits, branching[which])
    for number, level in enumerate(pairing):
        own = np.flatnonzero(levels == number)
        if level.chance:
            own = own[random_bits(ply + BLUNDERS, keys[own]) >> np.uint64(11) >= round(level.chance * CERTAIN)]
        if level.kind == "random" or len(own) == 0:
            continue
        rows, inverse = np.unique(which[own], return_inverse=True)
        begins = begins_of(branching[rows])
        liked = np.flatnonzero(view.preferred(level, states[rows]))
        lows = np.searchsorted(liked, begins)
        counts = np.diff(lows, append=len(liked))
        picked = liked[lows[inverse] + drawn(bits[own], counts[inverse])]
        chosen[own] = begins_of(branching)[rows][inverse] + picked - begins[inverse]
    return chosen


def _texts(paths: np.ndarray, plies: np.ndarray, largest_code: int) -> list[str]:
    """Format move codes [games, plies] as backtrackers."""
    short = np.ascontiguousarray(paths[:, : max(1, int(plies.max()))])
    text = np.empty(6 * int(plies.sum()) + len(plies), dtype=np.uint8)
    written = walk.spell(short, plies.astype(np.int64), len(plies), int(largest_code > 9), text)
    return text[:written].tobytes().decode("ascii").split("\n")[:-1]


# One game after the other ---------------------------------------------------------------------------------------------

PlayOne = Callable[[tuple[Any, Any], Any, random.Random, int], tuple[int, int, list[int]]]
"""Plays a game of two players from a state with so many plies at most: see `play_one`."""

TASKS = 8
"""Tasks for each slot of an executor."""

BATCH_SECONDS = 0.2
"""Games are passed on in batches of about this duration."""


def play_by_turns(
    players: tuple[Any, Any],
    root: Any,
    terms: Terms,
    numbers: range | None = None,
    seconds: float = BATCH_SECONDS,
    play: PlayOne | None = None,
) -> Iterator[Batch]:
    """Play the games of these numbers (default: all) from a state, each independently unless the searches are limited
    by time, as `play_one` does or another ``play``. A batch takes about so many ``seconds``.
    """
    play, played, began = play or play_one, [], time.monotonic()
    numbers = range(terms.games) if numbers is None else numbers
    for number in numbers:
        x, o = players[::-1] if terms.swap and number & 1 else players
        played.append(play((x, o), root, random.Random(f"{terms.seed} {number}"), terms.max_plies))
        if number == numbers[-1] or time.monotonic() - began > seconds:
            payoffs, ends, codes = zip(*played, strict=True)
            plies = np.array([len(path) for path in codes], np.int32)
            paths = [backtracker(path, players[0].rules.largest_code) for path in codes] if terms.keeps else None
            first = number + 1 - len(played)
            yield Batch(first, np.array(payoffs, np.int16), plies, np.array(ends, np.uint8), paths)
            played, began = [], time.monotonic()


def play_elsewhere(
    executor: Executor, game: Game, levels: tuple[str, str], root: int, terms: Terms, effort: Effort
) -> Iterator[Batch]:
    """Yield the games of a match in order, played by an executor. Raises `StoreError` where the game is neither
    built-in nor from a file, and `ClusterError`.
    """
    if not is_named(game):
        raise StoreError(f"{game.spec} is neither built-in nor from a file, so other processes cannot play it")
    size = max(1, -(-terms.games // (TASKS * slots_of(executor))))
    play = functools.partial(play_some, game.lasting_spec, game.rules_hash(), levels, root, terms, effort.seconds)
    numbers = range(terms.games)
    yield from in_order(executor, play, (numbers[n : n + size] for n in range(0, terms.games, size)))


def play_some(
    spec: str, rules_hash: str, levels: tuple[str, str], root: int, terms: Terms, seconds: float | None, numbers: range
) -> Batch:
    """Play the games of a match with these numbers. Raises `StoreError` if the game has other rules here."""
    game = load_same(spec, rules_hash)
    a, b = (find_player(level, game, seconds=seconds) for level in levels)
    (batch,) = play_by_turns((a, b), root, terms, numbers, math.inf)
    return batch


def play_one(order: tuple[Player, Player], root: int, rng: random.Random, max_plies: int) -> tuple[int, int, list[int]]:
    """Play one game from the state ``root``; return the first player's payoff, the kind of end, and all moves. A bot
    that does not play as it should loses by 1.
    """
    rules, codes, state = order[0].rules, list[int](), root
    for player in order:
        player.new_game(root)
    while (payoff := rules.payoff(state)) == ONGOING:
        if len(codes) == max_plies:
            return 0, UNFINISHED, codes
        side = rules.mover(state)
        try:
            codes.append(order[0 if side > 0 else 1].choose(state, rng, codes))
        except ForfeitError:
            return -side, O_WON if side > 0 else X_WON, codes
        state = rules.play(state, codes[-1])
    payoff = int(as_payoff(payoff))
    return payoff, end_of(payoff), codes


def end_of(payoff: int) -> int:
    """Return the kind of end with a payoff of the first player."""
    return int(ends_of(np.array(payoff)))
