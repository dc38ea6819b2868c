"""Every position of a program, found in plain Python, as a graph of ranks: 0 is the start, and positions are numbered
as a breadth-first search with moves in the order of their codes meets them, whatever order the program has them in.
"""

from __future__ import annotations

import array
import collections
import dataclasses
import itertools
import logging
import math
import random
import re
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ...errors import RulesError, TooLargeError
from ...machine.memory import Budget, taken_bytes
from ...machine.workers import tell_progress
from ...wording import rough
from ..graphs.graph import MOST_CODES, NO_PAYOFF, Graph, by_rank, shortest
from ..graphs.move_texts import as_text, joined
from .adapter import Adapter, Ended, Situation, join, said_moves
from .audit import GAMES, PLIES, Evidence, examine
from .freezing import freeze

LOG = logging.getLogger("gametree")

LIMIT = 10_000_000
"""Positions that are explored unless more are asked for."""
BATCH = 256
"""Positions between two words of progress."""
DEEP = 3_000
"""Random games that tell at least how large a game is, where a few do not tell that it is small."""
SMALL = 100_000
PATIENCE = 5.0
"""Seconds for these games."""
CONFIRMED = 0.1
"""Of the time of exploring, spent on comparing the graph with further random games,"""
LEAST_CONFIRMED = 0.5
"""and at least so many seconds."""


@dataclasses.dataclass
class Exploration:
    """What exploring has found, in the order in which it was met."""

    keys: dict[str, int] = dataclasses.field(default_factory=dict)
    """Positions by their texts."""
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
    samples: list[Any] = dataclasses.field(default_factory=list)
    """One move of each text, as the program has it."""
    ways: dict[Ended, int] = dataclasses.field(default_factory=dict)


def refuse_size(adapter: Adapter, proof: Evidence, limit: int) -> int:
    """Return at least how many positions a game has, as far as random games tell (Knuth's estimate counts games, and
    not positions: instead, of n positions of a ply c pairs are equal where there are n²/2c of them, or more if some
    come oftener). Raises `TooLargeError` for more than ``limit``.
    """
    plies: dict[int, collections.Counter[str]] = collections.defaultdict(collections.Counter)
    for each in proof.seen:
        plies[len(each.history)].update([join(each.parts)])
    least = _least(plies)
    if least > SMALL or proof.games < GAMES:
        plies.clear()
        generator, until = random.Random(1), time.process_time() + PATIENCE
        for game in range(DEEP):
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
    if least > limit:
        raise TooLargeError(
            f"it has at least some {rough(least)} positions, as random games show, and {limit:,} are explored at most "
            f"in plain Python; a smaller board, or --map limit={10 ** len(str(least))} begins all the same"
        )
    return least


def _least(plies: dict[int, collections.Counter[str]]) -> int:
    """Return the least size that the positions of random games suggest, ply by ply."""
    found = 0
    for counter in plies.values():
        games = counter.total()
        pairs = sum(n * (n - 1) // 2 for n in counter.values())
        found += max(len(counter), games * (games - 1) // (2 * (pairs + 3)))  # 3: zero pairs are likely below that
    return found


def explore(adapter: Adapter, limit: int) -> Exploration:
    """Find all positions, depth first, so that few wait as objects. Raises `RulesError` where the rules fail, and
    `TooLargeError` beyond ``limit`` positions, or where memory does not do.
    """
    found, budget, began = Exploration(), Budget.of_machine(), taken_bytes()
    start = adapter.start()
    found.keys[adapter.key(start)] = 0
    waiting = [(0, start)]
    while waiting:
        tell_progress("exploring positions", len(found.looked), None)
        budget.require(
            1.5 * (taken_bytes() - began), f"a game of more than {len(found.keys):,} positions", "a smaller board"
        )
        if len(found.keys) > limit:
            raise TooLargeError(f"it has more than {limit:,} positions; --map limit=N explores more of them")
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
    if len(moves) and moves.max() >= MOST_CODES:
        raise RulesError(f"a position has {moves.max() + 1} moves; at most {MOST_CODES} are possible")
    movers, payoffs = np.empty(n, np.int8), np.empty(n, np.int16)
    movers[looked] = np.array([1, -1, 0], np.int8)[np.frombuffer(found.movers, np.int8)]
    values, more = _payoffs(adapter, list(found.ways))
    payoffs[looked] = np.array([*values, NO_PAYOFF], np.int16)[np.frombuffer(found.ends, np.int32)]
    players = tuple(_said(each) for each in adapter.pair())
    return by_rank(Graph(first, moves, children, movers, payoffs, [*found.keys], labels, players, (*notes, *more)))


def coded(found: Exploration, in_order: Callable[[Any], Any]) -> tuple[list[str], np.ndarray]:
    """Return the texts of the moves by their codes, none where there are more than codes, and the code of each move by
    its number: whole numbers from 0 to 254 are their own codes, others follow each other as ``in_order`` says.
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


def _payoffs(adapter: Adapter, ends: Sequence[Ended]) -> tuple[list[int], list[str]]:
    """Return the first player's payoff for each way in which the game ends, and what is to be said of them."""
    paid = [adapter.payoff(end) for end in ends]
    if not any(paid) and (nobody := next((end.whose for end in ends if end.whose), "")):
        LOG.warning(f"{adapter.target.names['winner']} never names a player, and gives {nobody} at an end: only ties")
    sizes = {abs(each) for each in paid} - {0}
    guessed = adapter.target.interface == "easyAI" or math.inf in sizes  # evaluations, not scores
    if guessed and len(sizes) == 1 and sizes != {1}:
        return [(each > 0) - (each < 0) for each in paid], [f"its payoffs of {sizes.pop():g} are counted as 1"]
    wrong = next((each for each in paid if math.isinf(each) or each != int(each) or abs(each) > 32000), None)
    if wrong is not None:
        raise RulesError(f"a game ends with {wrong:g} points; payoffs are whole numbers from -32000 to 32000")
    return [int(each) for each in paid], []


def _said(player: Any) -> str:
    """Return what a player is called: the name of an object that has one."""
    if isinstance(player, bool):
        return "white" if player else "black"
    named = (getattr(player, name, None) for name in ("name", "symbol", "mark"))
    return next((each for each in (player, *named) if isinstance(each, str) and each), freeze(player))


def confirm(adapter: Adapter, graph: Graph, seconds: float) -> int:
    """Compare the graph with random games for so long; how many positions were compared. Raises `RulesError` with two
    histories where the program says something else of a position than when that was explored.
    """
    ranks = {key: rank for rank, key in enumerate(graph.keys)}
    generator, until, compared = random.Random(2), time.process_time() + seconds, 0
    while time.process_time() < until:
        with adapter.asking():
            compared += _confirm_game(adapter, graph, ranks, generator)
    return compared


def _confirm_game(adapter: Adapter, graph: Graph, ranks: Mapping[str, int], generator: random.Random) -> int:
    """Compare the graph with one random game; how many positions were compared."""
    where, rank, history = adapter.start(), 0, list[Any]()
    while len(history) < PLIES:
        look, after = examine(adapter, where, history)
        span = slice(int(graph.first[rank]), int(graph.first[rank + 1]))
        told = [ranks.get(adapter.key(child), -1) for _, _, child in after]
        same = sorted(told) == sorted(graph.children[span].tolist()) and (look.ended is None) == bool(told)
        if look.ended is not None:
            same &= bool(np.sign(adapter.payoff(look.ended)) == np.sign(graph.payoffs[rank]))
        if not same or (look.mover and adapter.index(look.mover) != (graph.movers[rank] < 0)):
            names = [name.replace(" ", "") for name in graph.labels or map("number{}".format, range(256))]
            other = " ".join(shortest(graph, rank, names.__getitem__)) or "(none)"
            raise RulesError(
                f"positions do not tell all: after the moves {said_moves(history)} and after {other} the position "
                f"is the same, {graph.keys[rank][:120]}, and play does not go on in the same way"
            )
        if not after:
            break
        number = generator.randrange(len(after))
        _, move, where = after[number]
        rank = told[number]
        history.append(move)
    return len(history) + 1
