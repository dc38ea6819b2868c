"""Prove the promises of a user's rules for every class that a solve has found, or try them on many.

A solve expands one position of each class. So its results are right if the other positions of the class are like it:
the same payoff, mover and tier, and moves to the same classes, equally often. By induction from the start this holds
for all positions if it holds for all images of the classes found; if canonical() or residual() merges positions, if it
holds for all positions that moves lead to.
"""

from __future__ import annotations

import contextlib
import itertools
import math
import secrets
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NoReturn

import numpy as np

from ..common.workers import tell_progress
from ..errors import RulesError
from ..rules.fields import MOST_BITS
from ..rules.game import Rules, is_users
from ..rules.symmetry import permute
from . import alike
from .alike import Tried
from .columns import array
from .compiling.functions import compile_function, substituted
from .compiling.plain_code import reached
from .engine import Engine, make_engine
from .kernels import promises as kernels
from .kernels.radix_sort import sorted_keys
from .kernels.states import apply
from .kernels.types import legal_moves_signature
from .passes.forward_by_ply import EXACT, repetition, sorted_distinct
from .sample import Fault, Look, Sample, refuse
from .tiers import SolvedTier, Tier

MOST_CLASSES = 200_000
"""Up to this many classes of a solution, everything is proven."""
MOST_POSITIONS = 20_000_000
"""Up to this many positions, all that are merged with another one are looked at."""
TRIED = 100_000
"""Positions that are tried in a larger solution."""
PIECE = 1 << 19
"""Rows of a stored tier that are read at once."""
RANGE = 1 << 27
"""Classes whose ends are compared at once: if a quarter of them are ends, these take 256 MB."""
WALKS = 1024
"""Random games that are played together."""
FEW, FEW_WALKS, MANY_IMAGES = 10_000, 64, 64
"""The most first positions tried before a solve, the random games then, and symmetries from which on one is drawn."""
PROVING = "proving the rules' promises"


def prove(
    engine: Engine, tiers: Sequence[SolvedTier], positions: int, *, every: bool = False, key: int | None = None
) -> Tried:
    """Prove that the rules of a game keep their promises on the classes of ``tiers``, which stand for ``positions``
    positions. Of more than `MOST_CLASSES`, some are tried, unless ``every``, which leaves out merged positions. Random
    choices are drawn with the ``key`` (default: a new one). Raises `RulesError`, naming a position.
    """
    promises, classes = Promises(engine, key), sum(map(len, tiers))
    if engine.classes.by_ply:
        _refuse_plies(engine.classes, tiers)
        if classes > EXACT:
            refuse_repetition(engine.classes, tiers)
    if classes > MOST_CLASSES and not every:
        for states in _drawn(tiers, TRIED):
            promises.refuse_classes(states, one=True)
            alike.refuse_texts(engine, states)
        return Tried(min(TRIED, classes) + promises.refuse_walks(TRIED), positions if engine.sized else None)
    done = 0
    for states in itertools.chain.from_iterable(map(states_of, tiers)):
        tell_progress(PROVING, done, classes)
        promises.refuse_classes(states)
        alike.refuse_texts(engine, states)
        done += len(states)
    tell_progress(PROVING, classes, classes)
    if classes <= MOST_POSITIONS:
        promises.refuse_turns([tier.states for tier in tiers])
    return Tried(positions, positions) if every else promises.merged(positions if engine.sized else None)


def states_of(tier: SolvedTier) -> Iterator[np.ndarray]:
    """Yield the states of a tier, in pieces as they are read."""
    if isinstance(tier, Tier):
        yield tier.states
        return
    for table in tier.pieces(PIECE, ["state"]):
        yield np.array(array(table["state"]))


def _drawn(tiers: Sequence[SolvedTier], most: int) -> Iterator[np.ndarray]:
    """Yield states drawn from all tiers, in proportion to their sizes, about ``most`` in all."""
    random, total = np.random.default_rng(), sum(map(len, tiers))
    for tier in tiers:
        size, begin = min(len(tier), -(-most * len(tier) // total)), 0
        rows, drawn = np.unique(random.integers(len(tier), size=size)), [np.zeros(0, np.int64)]
        for states in states_of(tier):
            low, high = np.searchsorted(rows, [begin, begin + len(states)])
            drawn.append(states[rows[low:high] - begin])
            begin += len(states)
        yield np.concatenate(drawn)


def refuse_few(engine: Engine) -> None:
    """Refuse a user's rules by `RulesError` that break their promises in the first positions or in random games."""
    engine = engine.whole or engine
    if is_users(engine.game):
        Promises(engine).refuse_few()


class Promises:
    """The promises of a game's rules, and methods that refuse a broken one by `RulesError`."""

    def __init__(self, engine: Engine, key: int | None = None) -> None:
        """Use a ``key`` for random choices (default: a new one)."""
        self.engine, self.of_classes = engine, engine.classes
        key = secrets.randbits(128) if key is None else key
        self._key, self._random = np.uint64(key & (1 << 63) - 1), np.random.default_rng(key)
        self._opposed: Any = _asks_for_turn(self.of_classes.rules)

    @property
    def merges(self) -> bool:
        """Whether canonical() or residual() says which positions are solved as one."""
        return self.engine.reduces

    def refuse_few(self) -> None:
        """Refuse what the first positions and those of some random games show, before a game is solved."""
        engine, one = self.of_classes, self.of_classes.group.order > MANY_IMAGES
        first, _ = _first(engine)
        for states in (*first, *self._walks(engine, FEW, FEW_WALKS)):
            self.refuse_classes(states, one=one)
        self.refuse_turns(first)
        if self.merges:
            self.refuse_positions(self._first_of_classes())
            self.refuse_walks(FEW, FEW_WALKS)

    def _first_of_classes(self) -> list[np.ndarray]:
        """Return the first positions, as far as all others that may be merged with them are among these."""
        engine = self.whole
        first, all_of_them = _first(engine)
        if engine.by_ply or all_of_them:
            return first
        if engine.rules.tier is None:
            return []
        tier, states = engine.compiled.alone(engine.rules.tier), np.concatenate(first)
        return [states[self._apply(tier, states) < self._apply(tier, first[-1]).min()]]

    # Classes ----------------------------------------------------------------------------------------------------------

    def refuse_classes(self, states: np.ndarray, *, one: bool = False) -> None:
        """Refuse rules that are careless with the moves of these classes, or whose images, under all symmetries or
        ``one`` random symmetry each, are not like them.
        """
        engine = self.of_classes
        if not len(states):
            return
        successors, to_move, rules = engine.compiled.successors(), engine.compiled.to_move, engine.rules
        limits = rules.largest_code, rules.impartial
        if fault := _first_fault(engine, states, kernels.careless_moves, successors, to_move, states, *limits):
            self._refuse_careless(*fault)
        order = engine.group.order
        if order == 1:
            return
        elements = self._random.integers(1, order, size=len(states)) if one else np.empty(0, np.int64)
        arguments = successors, to_move, _tier(engine), states, elements, engine.board, self._key
        if fault := _first_fault(engine, states, kernels.unlike_images, *arguments):
            permutation, planes = engine.group.permutations[fault[1]], engine.group.planes
            with alike.plainly(engine) as sample:
                look, image = sample.look(fault[0]), sample.look(permute(fault[0], permutation, planes))
                children = [permute(child, permutation, planes) for child in look.children]
                words = f"its image under the symmetry {permutation}"
                _refuse_unlike(sample, look, sample, image, words, children, image.children)

    def _refuse_careless(self, state: int, kind: int, code: int) -> NoReturn:
        rules = self.of_classes.rules
        with alike.plainly(self.of_classes) as sample:
            if kind > 1:
                words = {
                    2: f"the move code {code} is above largest_code={rules.largest_code}",
                    3: "the same player moves again, but in an impartial game the players move in turn",
                    4: "the game ends, but in an impartial game the player to move at the end has lost",
                }[kind]
                _refuse(sample, state, words, move=code if kind < 4 else None)
            again = sample.difference(
                sample.look(state), sample.look_again(state, 77), "gives {}, but when called again {}"
            )
            words = "functions give another result when called again; does legal_moves() read what is in `out`?"
            _refuse(sample, state, words, again)

    # Turns of an impartial game ---------------------------------------------------------------------------------------

    def refuse_turns(self, tiers: Sequence[np.ndarray]) -> None:
        """Refuse an impartial game if the players have different moves in a position; ``tiers`` has all positions."""
        engine = self.of_classes
        if not engine.rules.impartial:
            return
        states, successors, faults = np.concatenate(tiers), engine.compiled.successors(), list[int]()
        if self._opposed is not None:
            other = compile_function(self._opposed, legal_moves_signature)
            faults = _first_fault(engine, states, kernels.unlike_codes, successors, other, states)
        turn = self._turn(states)
        if turn and _counts_plies(engine, tiers, turn):
            states = states[np.isin(states ^ turn, states)]
        if turn and len(states) and not faults:
            with contextlib.suppress(RulesError):  # the rules need not handle a state that is never reached
                faults = _first_fault(engine, states, kernels.unlike_turns, successors, states, turn, self._key)
        if faults:
            with alike.plainly(engine) as sample:
                words = "here the players have different moves, so the game is not impartial; leave out impartial=True"
                _refuse(sample, faults[0], words)

    def _turn(self, states: np.ndarray) -> int:
        """Return the bit of the states that holds only whose turn it is; 0 if there is none."""
        engine = self.of_classes
        if self.engine.residual is not None or len(states) < 3:  # with two states any bit may seem to be it
            return 0
        movers = self._apply(engine.compiled.to_move, states)
        first = movers[np.flatnonzero(states == engine.canonical(engine.start))[0]] == movers
        for bit in (1 << place for place in range(MOST_BITS)):
            if (((states & bit) == (engine.start & bit)) == first).all():
                with contextlib.suppress(RulesError):  # the rules need not handle a state that is never reached
                    if (self._apply(engine.compiled.to_move, states ^ bit) == -movers).all():
                        return bit
        return 0

    # Positions that are merged ----------------------------------------------------------------------------------------

    def merged(self, positions: int | None, *, few: bool = False) -> Tried:
        """Refuse canonical() or residual() if it merges positions that differ, and a wrong orbit_size(), on all
        ``positions`` (None if their number is unknown), or on some if they are too many or if ``few``.
        """
        if not self.merges:
            return Tried(positions or 0, positions or 0)
        if not few and (positions is None or positions <= MOST_POSITIONS):
            count = self.refuse_positions(_levels(self.whole), MOST_POSITIONS)
            if count is not None:
                return Tried(count, count)
        return Tried(self.refuse_walks(TRIED), positions)

    def refuse_positions(self, pieces: Iterable[np.ndarray], most: float = math.inf) -> int | None:
        """Refuse mergers among all positions of the game, or of the classes that a list of ``pieces`` has. Returns how
        many there are, or None as soon as they are more than ``most``.
        """
        done = surplus = 0
        for states in pieces:
            done += len(states)
            if done > most:
                return None
            tell_progress(PROVING, done, None)
            merged = self.refuse_merged(states)
            if self.engine.sized:
                surplus += self._surplus(states, merged)
        if surplus % (1 << 64):
            canonical, images = self.engine.compiled.alone(self.engine.rules.canonical or int), list[np.ndarray]()
            for states in pieces if isinstance(pieces, list) else _levels(self.whole):
                images.append(self._apply(canonical, states))
                if sum(map(len, images)) > MOST_POSITIONS:
                    break
            self._refuse_sizes(np.concatenate(images), complete=sum(map(len, images)) <= MOST_POSITIONS)
        return done

    def _surplus(self, states: np.ndarray, merged: np.ndarray) -> int:
        """Return the weights of the states that these are merged with, less those of canonical states times their orbit
        sizes: over all positions the sum is 0; if an orbit size is wrong, only with probability 2 ** -64.
        """
        least = states[merged == states]
        sizes = self._apply(self.engine.compiled.alone(self.engine.rules.orbit_size), least).astype(np.uint64)
        return int(self._weights(merged).sum()) - int((sizes * self._weights(least)).sum())

    def _refuse_sizes(self, merged: np.ndarray, *, complete: bool = False) -> None:
        """Refuse an orbit_size() below the number of positions with the same canonical state, given that of each; if
        they are ``complete``, also one above.
        """
        least, counts = np.unique(merged, return_counts=True)
        sizes = self._apply(self.engine.compiled.alone(self.engine.rules.orbit_size), least)
        wrong = np.flatnonzero(sizes != counts if complete else sizes < counts)
        if len(wrong):
            with alike.plainly(self.whole) as sample:
                number = f"{counts[wrong[0]]} positions{'' if complete else ' or more'}"
                words = f"orbit_size() gives {sizes[wrong[0]]}, but {number} have this canonical state"
                _refuse(sample, int(least[wrong[0]]), words)

    def _weights(self, states: np.ndarray) -> np.ndarray:
        weights = np.empty(len(states), np.uint64)
        kernels.digests(np.ascontiguousarray(states), self._key, weights)
        return weights

    def refuse_walks(self, most: int, together: int = WALKS) -> int:
        """Do the same for about ``most`` positions of random games; return how many."""
        done = 0
        for states in self._walks(self.whole, most, together) if self.merges else ():
            distinct = np.unique(states)
            merged = self.refuse_merged(distinct)
            if self.engine.sized:
                self._refuse_sizes(merged)
            done += len(states)
        return done

    def _walks(self, engine: Engine, most: int, together: int) -> Iterator[np.ndarray]:
        """Yield about ``most`` states of random games, of which some are played ``together``."""
        done, states = 0, np.empty(0, np.int64)
        while done < most:
            states = states if len(states) else np.full(together, engine.start, np.int64)
            yield states
            done += len(states)
            moves = engine.expand(states)
            ends = np.cumsum(moves.branching, dtype=np.int64)
            chosen = ends - 1 - self._random.integers(0, np.maximum(moves.branching, 1))
            states = moves.children[chosen[moves.branching > 0]]

    @property
    def whole(self) -> Engine:
        """The engine of the positions, without symmetries."""
        return make_engine(self.engine.game, symmetry="none", start=self.engine.start, workers=self.engine.workers)

    def refuse_merged(self, states: np.ndarray) -> np.ndarray:
        """Refuse a state that differs from the state that it is merged with; return the latter for each, int64[n]."""
        engine, classes, rules = self.engine, self.of_classes, self.engine.rules
        assert rules.canonical is not None
        merged = self._apply(engine.compiled.alone(rules.canonical), states)
        bad_rows = np.flatnonzero(merged < 0)
        if not len(bad_rows) and engine.residual is None:
            bad_rows = np.flatnonzero(self._apply(engine.compiled.alone(rules.canonical), merged) != merged)
        if len(bad_rows):
            name = "canonical()" if engine.residual is None else "of()"
            words = f"{name} gives {merged[bad_rows[0]]}, which is no state, or another one when applied again"
            with alike.plainly(self.whole) as sample:
                _refuse(sample, int(states[bad_rows[0]]), words)
        own = (engine.compiled.successors(reduced=True), engine.compiled.to_move, _tier(engine))
        others = (
            own
            if engine.residual is None
            else (classes.compiled.successors(), classes.compiled.to_move, _tier(classes))
        )
        arguments = *own, *others, states, merged, classes.board, self._key
        if fault := _first_fault(engine, states, kernels.unlike_merged, *arguments):
            self._refuse_merger(fault[0])
        return merged

    def _refuse_merger(self, state: int) -> NoReturn:
        """Refuse a position that is merged with another one, from which the game goes on differently."""
        engine, of = self.engine, self.engine.rules.canonical
        assert of is not None
        with alike.plainly(self.whole) as sample, alike.plainly(self.of_classes) as others:
            least = of if engine.residual is None else self.of_classes.canonical
            look, image = sample.look(state), others.look(least(of(state)))
            children = [[least(of(child)) for child in look.children], [least(child) for child in image.children]]
            name = "what canonical() merges it with," if engine.residual is None else "its residual"
            _refuse_unlike(sample, look, others, image, name, *children)

    def _apply(self, function: Any, states: np.ndarray) -> np.ndarray:
        results, states = np.empty(len(states), np.int64), np.ascontiguousarray(states)
        self.engine.call(states, apply, function, states, results)
        return results


def _first_fault(engine: Engine, states: np.ndarray, kernel: Callable[..., int], *arguments: Any) -> list[int]:
    """Return the first of the states at which a kernel finds a promise broken, and its further results; an empty list
    without one. Arguments with an entry for each state are cut into chunks.
    """

    def look(rows: slice) -> list[int]:
        at = np.zeros(3, np.int64)
        in_chunk = [a[rows] if isinstance(a, np.ndarray) and len(a) == len(states) else a for a in arguments]
        return [int(states[rows][at[0]]), *at[1:].tolist()] if engine.call(states[rows], kernel, *in_chunk, at) else []

    return next(filter(None, engine.workers.map(look, engine.chunks(len(states)))), [])


def _refuse(sample: Sample, state: int, words: str, fault: Fault | None = None, *, move: int | None = None) -> NoReturn:
    """Raise a fault or, without one, these words about a state as a `RulesError`."""
    refuse(sample.game, fault or sample.fault(words, state, move))


def _refuse_unlike(
    sample: Sample, look: Look, others: Sample, image: Look, words: str, children: list[int], of_image: Iterable[int]
) -> NoReturn:
    """Refuse a position that is not like its ``image`` among ``others``; see `alike.unlike`."""
    fault = alike.unlike(sample, look, others, image, words, children, of_image)
    _refuse(sample, look.state, f"{words} {others.text(image.state)!r} is not like it", fault)


def _refuse_plies(engine: Engine, tiers: Sequence[SolvedTier]) -> None:
    """Refuse a game that takes more plies than its rules say."""
    plies, most = len(tiers) - 1, engine.rules.max_plies
    if most is not None and plies > most:
        with alike.plainly(engine) as sample:
            _refuse(sample, tiers[-1].state_at(0), f"a game takes {plies} plies, but max_plies={most}")


def refuse_repetition(engine: Engine, tiers: Sequence[SolvedTier]) -> None:
    """Raise `RulesError` if a state of a game by plies is in two tiers, and so is counted twice: then the ends of the
    game after it are, too.
    """
    classes = sum(map(len, tiers))
    drawn = np.sort(np.concatenate([*_drawn(tiers, 1 << 12)]))
    cuts = drawn[:: -(-len(drawn) // (1 + classes // RANGE))][1:].tolist()
    for low, high in itertools.pairwise([0, *cuts, (1 << MOST_BITS) - 1]):
        ends = [(tier.number, states[(low <= states) & (states < high)]) for tier in tiers for states in _ends(tier)]
        states = sorted_keys(np.concatenate([ends_here for _, ends_here in ends]))
        repeated = states[1:][states[1:] == states[:-1]]
        if len(repeated):
            plies = [number for number, ends_here in ends if (ends_here == repeated[0]).any()]
            raise repetition(engine, int(repeated[0]), plies)


def _ends(tier: SolvedTier) -> Iterator[np.ndarray]:
    """Yield the states of a tier in which the game is over."""
    if isinstance(tier, Tier):
        yield tier.states[tier.branching == 0]
        return
    for table in tier.pieces(PIECE, ["state", "terminal"]):
        yield array(table["state"])[table["terminal"].to_numpy()]


def _tier(engine: Engine) -> Callable[[int], int]:
    """Return the compiled function of a state's tier; without one, the mover's, which changes nothing."""
    return engine.compiled.to_move if engine.rules.tier is None else engine.compiled.alone(engine.rules.tier)


def _levels(engine: Engine) -> Iterator[np.ndarray]:
    """Yield all positions, each once, in order of the number of moves that lead to them."""
    level, earlier = np.array([engine.start], np.int64), np.empty(0, np.int64)
    while len(level):
        yield level
        children = [engine.expand(level[rows]).children.copy() for rows in engine.chunks(len(level))]
        following = sorted_distinct(np.concatenate(children))
        if not engine.by_ply:
            earlier = sorted_keys(np.concatenate((earlier, level))).copy()
            places = np.minimum(np.searchsorted(earlier, following), len(earlier) - 1)
            following = following[earlier[places] != following]
        level = following


def _first(engine: Engine) -> tuple[list[np.ndarray], bool]:
    """Return the first of the `_levels`, at most `FEW` positions, and whether these are all."""
    first: list[np.ndarray] = []
    for states in _levels(engine):
        if sum(map(len, first)) + len(states) > FEW:
            return first, False
        first.append(states)
    return first, True


def _counts_plies(engine: Engine, tiers: Sequence[np.ndarray], turn: int) -> bool:
    """Return whether the bit is the lowest of a count of plies, on which moves may depend."""
    if not engine.by_ply:
        return False
    begin = engine.start // turn
    return all(((states // turn - begin - ply) % 4 == 0).all() for ply, states in enumerate(tiers))


def _asks_for_turn(rules: Rules) -> Callable[[int, Any], int] | None:
    """Return an impartial game's legal_moves() as it would be with the other player to move; None if it never asks."""
    to_move = rules.to_move
    if not rules.impartial or not any(function is to_move for function in reached([rules.legal_moves])):
        return None

    def opposed(state: int) -> int:
        return -to_move(state)

    return substituted(rules.legal_moves, to_move, opposed)
