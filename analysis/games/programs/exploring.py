"""Every position of a program, found in plain Python, as a graph of ranks: 0 is the start, and positions are numbered
as a breadth-first search with moves in the order of their codes meets them, whatever order the program has them in.
"""

from __future__ import annotations

import array
import collections
import dataclasses
import itertools
import math
import random
import re
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ...common.context import options
from ...common.memory import Budget, taken_bytes
from ...common.wording import rough
from ...common.workers import tell_progress
from ...errors import RulesError, TooLargeError, TooSlowError
from ..graphs.graph import MOST_CODES, MOST_MOVES, NO_PAYOFF, Graph, by_rank, shortest
from ..graphs.move_texts import as_text, joined
from .adapter import Adapter, Ended, Situation, join
from .audit import GAMES, PLIES, Evidence, examine, unequal
from .freezing import freeze

LIMIT = 10_000_000  # positions that are explored unless more are asked for
BATCH = 256  # positions between two words of progress
SURE = 10_000  # positions that tell how much memory one takes
DEEP = 3_000  # random games that tell at least how large a game is, where a few do not tell that it is small
SMALL = 100_000
PATIENCE = 5.0  # seconds of processor time for these games
CONFIRMED = 0.1
"""Of the time of exploring, spent on comparing the graph with further random games,"""
LEAST_CONFIRMED = 0.5  # and at least so many seconds
POSITION_BYTES = 150  # what a position takes besides its text, while it is explored


@dataclasses.dataclass
class Exploration:
    """What exploring has found, in the order in which it was met."""

    keys: dict[str, int] = dataclasses.field(default_factory=dict)  # positions by their texts
    looked: array.array[int] = dataclasses.field(default_factory=lambda: array.array("i"))
    """Of each position that was expanded, its number."""
    movers: array.array[int] = dataclasses.field(default_factory=lambda: array.array("b"))
    """0 and 1 the players, -1 where nobody moves; in the order of ``looked``, as the next."""
    ends: array.array[int] = dataclasses.field(default_factory=lambda: array.array("i"))
    """The number of the way in which the game ended, -1 while it goes on."""
    degrees: array.array[int] = dataclasses.field(default_factory=lambda: array.array("i"))
    moves: array.array[int] = dataclasses.field(default_factory=lambda: array.array("i"))
    """The number of each move by its text."""
    children: array.array[int] = dataclasses.field(default_factory=lambda: array.array("i"))
    parents: array.array[int] = dataclasses.field(default_factory=lambda: array.array("i", [0]))
    """From which position each was first met, and by which move."""
    by: array.array[int] = dataclasses.field(default_factory=lambda: array.array("i", [0]))
    labels: dict[str, int] = dataclasses.field(default_factory=dict)
    samples: list[Any] = dataclasses.field(default_factory=list)  # one move of each text, as the program has it
    ways: dict[Ended, int] = dataclasses.field(default_factory=dict)


def refuse_size(adapter: Adapter, proof: Evidence, limit: int) -> int:
    """Return at least how many positions a game has, as far as random games tell. Raises `TooLargeError` for more than
    ``limit``, or than fit in memory.

    Of n positions that a ply has in as many games, c pairs are equal where there are n²/2c of them, or more if some
    come oftener (Knuth's estimate counts games, and not positions).
    """
    plies: dict[int, collections.Counter[str]] = collections.defaultdict(collections.Counter)
    for each in proof.seen:
        plies[len(each.history)].update([join(each.parts)])
    generator, until = random.Random(1), min(time.process_time() + PATIENCE, options().until)
    for game in range(DEEP) if _least(plies) > SMALL or proof.games < GAMES else ():
        tell_progress("playing at random", game, DEEP)
        if time.process_time() > until:
            break
        where = adapter.start()
        for ply in range(PLIES):
            plies[ply][adapter.key(where)] += 1
            moves = sorted(adapter.look(where).moves, key=freeze)
            if not moves:
                break
            where = adapter.play(where, generator.choice(moves))
    least = _least(plies)
    what = f"it has at least some {rough(least)} positions, as random games show"
    if least > limit:
        raise TooLargeError(f"{what}, and --map limit={limit} explores no more; take a smaller board, or raise it")
    if not options().anyway:
        text = sum(sys.getsizeof(key) for counter in plies.values() for key in counter)
        size = POSITION_BYTES + text / max(1, sum(map(len, plies.values())))
        Budget.of_machine().require(
            size * least, f"a game of at least some {rough(least)} positions", "a smaller board"
        )
    return least


def _least(plies: Mapping[int, collections.Counter[str]]) -> int:
    """Return the least size that the positions of random games suggest: of all plies together, unless positions of
    one ply come again at another.
    """
    sizes = [0]
    for counter in plies.values():
        games = counter.total()
        pairs = sum(n * (n - 1) // 2 for n in counter.values())
        sizes.append(max(len(counter), games * (games - 1) // (2 * (pairs + 3))))  # 3: zero pairs are likely below that
    different = set().union(*plies.values())
    return sum(sizes) if len(different) == sum(map(len, plies.values())) else max(*sizes, len(different))


def explore(adapter: Adapter, limit: int, least: int = 0) -> Exploration:
    """Find all positions, depth first, so that few wait as objects; at ``least`` so many are expected. Raises
    `RulesError` where the rules fail, `TooLargeError` beyond ``limit`` positions or once it is clear that memory does
    not do, and `TooSlowError` likewise of the time.
    """
    found, budget, taken = Exploration(), Budget.of_machine(), taken_bytes()
    start, began = adapter.start(), time.process_time()
    found.keys[adapter.key(start)] = 0
    waiting = [(0, start)]
    while waiting:
        done, positions = len(found.looked), len(found.keys)
        tell_progress("exploring positions", done, None)
        share = max(least, positions) / positions if positions > SURE and not options().anyway else 1
        size = 1.5 * (taken_bytes() - taken) * share
        budget.require(size, f"a game of {positions:,} positions and more", "a smaller board")
        if positions > limit:
            raise TooLargeError(f"it has more than {limit:,} positions; --map limit=N explores more of them")
        now = time.process_time()
        if now + (now - began > 1) * (now - began) * (max(least, positions) / max(1, done) - 1) > options().until:
            raise TooSlowError(f"exploring {positions:,} positions and more takes longer than --seconds allows")
        with adapter.asking():
            for _ in range(min(BATCH, len(waiting))):
                if not waiting:
                    break
                _expand(adapter, found, *waiting.pop(), waiting)
    return found


def _expand(
    adapter: Adapter, found: Exploration, number: int, where: Situation, waiting: list[tuple[int, Situation]]
) -> None:
    keys, labels = found.keys, found.labels
    try:
        look = adapter.look(where)
        met: set[int] = set()
        for move in look.moves:
            label = labels.setdefault(freeze(move), len(labels))
            if label == len(found.samples):
                found.samples.append(move)
            if label in met:
                continue
            met.add(label)
            child = adapter.play(where, move)
            key = adapter.key(child)
            after = keys.get(key)
            if after is None:
                keys[key] = after = len(keys)
                found.parents.append(number)
                found.by.append(label)
                waiting.append((after, child))
            found.moves.append(label)
            found.children.append(after)
    except (Exception, SystemExit) as error:
        raise adapter.failure(error, history_of(found, number)) from error
    found.looked.append(number)
    found.degrees.append(len(met))
    found.movers.append(adapter.index(look.mover))
    found.ends.append(-1 if look.ended is None else found.ways.setdefault(look.ended, len(found.ways)))


def history_of(found: Exploration, number: int) -> list[Any]:
    """Return the moves by which a position was first met."""
    history: list[Any] = []
    while number:
        history.append(found.samples[found.by[number]])
        number = found.parents[number]
    return history[::-1]


# The graph ------------------------------------------------------------------------------------------------------------


def as_graph(adapter: Adapter, found: Exploration, notes: Sequence[str]) -> Graph:
    """Return what was found, by rank. Raises `RulesError` where payoffs are no whole numbers, or too many moves are
    legal.
    """
    n = len(found.keys)
    looked = np.frombuffer(found.looked, np.int32).astype(np.int64)
    labels, codes_of = coded(found, adapter.in_order)
    sources = np.repeat(looked, np.frombuffer(found.degrees, np.int32))
    moves = codes_of[np.frombuffer(found.moves, np.int32)] if len(found.moves) else np.zeros(0, np.int64)
    children = (
        np.frombuffer(found.children, np.int32).astype(np.int64) if len(found.children) else np.zeros(0, np.int64)
    )
    order = np.lexsort((moves, sources))
    sources, moves, children = sources[order], moves[order], children[order]
    first = np.searchsorted(sources, np.arange(n + 1))
    if not labels:  # more moves than codes: they are numbered in each position
        moves = np.arange(len(moves)) - np.repeat(first[:-1], np.diff(first))
    if (most := np.diff(first).max(initial=0)) > MOST_MOVES:
        raise RulesError(f"a position has {most} moves; at most {MOST_MOVES} are possible")
    movers, payoffs = np.empty(n, np.int8), np.empty(n, np.int16)
    movers[looked] = np.array([1, -1, 0], np.int8)[np.frombuffer(found.movers, np.int8)]
    values = _payoffs(adapter, found)
    adapter.paid = dict(zip(found.ways, values, strict=True))
    payoffs[looked] = np.array([*values, NO_PAYOFF], np.int16)[np.frombuffer(found.ends, np.int32)]
    if not adapter.reading.puzzle and len({*movers[sources].tolist()}) == 1 and len({*sources.tolist()}) > 1:
        raise RulesError(
            "only one player ever moves: --map goal=NAME says what solves a puzzle, mover=none that players take turns"
        )
    if adapter.by_last:
        _refuse_two_last(found, movers[sources], children, payoffs)
    players = tuple(_said(each) for each in adapter.pair())
    return by_rank(Graph(first, moves, children, movers, payoffs, [*found.keys], labels, players, (*notes,)))


def _refuse_two_last(found: Exploration, movers: np.ndarray, children: np.ndarray, payoffs: np.ndarray) -> None:
    """Raise `RulesError` where both players move into one end, and who has made the last move says who wins."""
    into = np.flatnonzero((payoffs[children] != NO_PAYOFF) & (payoffs[children] != 0))
    last = np.zeros((2, len(payoffs)), bool)
    last[(movers[into] < 0).astype(int), children[into]] = True
    if both := np.flatnonzero(last.all(axis=0)).tolist():
        key = next(key for key, number in found.keys.items() if number == both[0])
        raise RulesError(f"both players move into the end {key[:120]}, and whoever moves last decides it")


def coded(found: Exploration, in_order: Callable[[Any], Any]) -> tuple[list[str], np.ndarray]:
    """Return the texts of the moves by their codes, none where there are more than codes, and the code of each move by
    its number: whole numbers from 0 to 65,535 are their own codes, others follow each other as ``in_order`` says.
    """
    moves = [each.tolist() if isinstance(each, (np.ndarray, np.generic)) else each for each in found.samples]
    texts = list(found.labels)
    if all(type(each) is int and 0 <= each < MOST_CODES for each in moves):
        names = [""] * (max(moves, default=-1) + 1)
        for each in moves:
            names[each] = str(each)
        return names or [""], np.array(moves, np.int64)
    try:
        places = [in_order(each) for each in moves]
        order = sorted(range(len(moves)), key=places.__getitem__)
        if any(not places[one] < places[other] for one, other in itertools.pairwise(order)):
            raise TypeError  # ordered in part only, as sets are
    except (TypeError, ValueError):
        order = sorted(range(len(moves)), key=lambda number: (len(texts[number]), texts[number]))
    codes = np.empty(len(order), np.int64)
    codes[order] = np.arange(len(order))
    return (texts_of([moves[number] for number in order]) if len(order) <= MOST_CODES else []), codes


def texts_of(moves: Sequence[Any]) -> list[str]:
    """Return moves as people write them: without blanks and commas, which part moves.

    >>> texts_of([(0, 1), (0, 2)]), texts_of([("a1", "b2"), None]), texts_of(["left", "far left", "x(0, 1)"])
    (['0:1', '0:2'], ['a1:b2', 'pass'], ['left', 'far_left', 'x(0:1)'])
    """
    found = [joined(as_text(move, freeze)) for move in moves]
    return (
        found if len(set(found)) == len(found) and all(found) else [re.sub(r"\s*,\s*", ":", freeze(m)) for m in moves]
    )


def _payoffs(adapter: Adapter, found: Exploration) -> list[int]:
    """Return the first player's payoff for each way in which the game ends; payoffs of 1, 0.5 and 0 as 1, 0 and -1.
    Raises `RulesError` where they are no whole numbers, or where it is not clear what they mean.
    """
    reading, ends = adapter.reading, [*found.ways]
    names, points = reading.names, {end.points for end in ends}
    anonymous = "payoff" in names and not any(end.whose for end in ends)
    lost = reading.names.get("draw", "") == "" and "draw" in reading.given
    if adapter.asks_made_up and not any(points):
        raise RulesError("nobody ever wins: --map players=A+B says how the players are called")
    if anonymous and "payoff" not in reading.given:
        if points == {0, 1} and not lost:
            raise RulesError(
                f"{names['payoff']} gives 1 and 0, and never 0.5 or -1: --map draw=none says that 0 is a loss, "
                f"payoff={names['payoff']} that it is a draw"
            )
        movers = {mover for mover, end in zip(found.movers, found.ends, strict=True) if end >= 0}
        if points in ({1}, {-1}, {0, 0.5}) and {0, 1} <= movers:
            raise RulesError(
                f"{names['payoff']} says at the ends of both players that the same one wins: --map "
                f"payoff={names['payoff']} says that it is of the first player, if it is not of the player to move"
            )
    if anonymous and points <= {0, 0.5, 1} and points != {0} and (lost or 0.5 in points):
        ends = [Ended(2 * end.points - 1, "") for end in ends]
    paid = [adapter.payoff(end) for end in ends]
    wrong = next((each for each in paid if math.isinf(each) or each != int(each) or abs(each) > 32000), None)
    if wrong is not None:
        raise RulesError(f"a game ends with {wrong:g} points; payoffs are whole numbers from -32000 to 32000")
    return [*map(int, paid)]


def _said(player: Any) -> str:
    """Return what a player is called: the name of an object that has one."""
    if isinstance(player, bool):
        return "white" if player else "black"
    named = (getattr(player, name, None) for name in ("name", "symbol", "mark"))
    return next((each for each in (player, *named) if isinstance(each, str) and each), freeze(player))


def confirm(adapter: Adapter, graph: Graph, seconds: float) -> int:
    """Compare the graph with random games for a limited time; return how many positions were compared. Raises
    `RulesError` with two histories where the program says something else of a position than when that was explored.
    """
    ranks = {key: rank for rank, key in enumerate(graph.keys)}
    generator, until, compared = random.Random(2), time.process_time() + seconds, 0
    while time.process_time() < until:
        where, rank, history = adapter.start(), 0, list[Any]()
        while len(history) < PLIES:
            with adapter.asking():
                look, after = examine(adapter, where, history)
                following = [ranks.get(adapter.key(child), -1) for _, _, child in after]
            span = slice(int(graph.first[rank]), int(graph.first[rank + 1]))
            same = sorted(following) == sorted(graph.children[span].tolist())
            same &= (look.ended is None) == (graph.payoffs[rank] == NO_PAYOFF)
            same = same and (look.ended is None or adapter.paid.get(look.ended) == graph.payoffs[rank])
            if not same or (look.mover and adapter.index(look.mover) != (graph.movers[rank] < 0)):
                names = [name.replace(" ", "") for name in graph.labels or map("number{}".format, range(256))]
                other = " ".join(shortest(graph, rank, names.__getitem__)) or "(none)"
                raise unequal(history, other, graph.keys[rank])
            compared += 1
            if not after:
                break
            number = generator.randrange(len(after))
            history.append(after[number][1])
            where, rank = after[number][2], following[number]
    return compared
