"""Check in plain Python that positions that are solved as one are alike: under the symmetries of the rules, by their
own canonical() and orbit_size(), by what is left to play, and, in an impartial game, whoever is to move.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from random import Random
from typing import TYPE_CHECKING

from ..common.time_limit import OvertimeError, TimeLimit
from ..errors import SymmetryError
from ..rules.fields import MOST_BITS, is_state
from ..rules.game import ONGOING, Game, Permutation
from ..rules.symmetry import RESIDUAL, ResidualGame, find_group, over_planes, permute, residual_of
from .sample import FEW, SECONDS, Fault, Found, Look, Sample, can_try, refuse, trial

if TYPE_CHECKING:
    import numpy as np

    from .engine import Engine

PERMUTATIONS = 8
"""Symmetries tried on each position, drawn anew for each; the group itself is checked as a whole."""
LEFT_GAMES, LEFT = 20, 4 * FEW
"""Random games of residual states to play, and the most positions to check."""
SMALL = 3000
"""The most positions of the first tiers that are listed."""
TRIAL_POSITIONS, TRIAL_SECONDS = 400, 2.0
"""The most positions that a check of `try_alike` looks at, so that a busy machine finds the same, and the seconds after
which it stops in any case.
"""


@dataclasses.dataclass(frozen=True)
class Tried:
    """How many positions were ``tried`` for the promises of the rules, ``of`` how many (None if unknown)."""

    tried: int
    of: int | None

    @property
    def proven(self) -> bool:
        """Whether these are all positions."""
        return self.tried == self.of

    def words(self) -> str:
        """Return the text in the summary of a solve.

        >>> Tried(5478, 5478).words(), Tried(100_000, 3_450_240).words()
        ('proven for all 5,478 positions', 'tried on 100,000 of 3,450,240 positions')
        """
        if self.proven:
            return f"proven for all {self.tried:,} positions"
        return f"tried on {self.tried:,}" + ("" if self.of is None else f" of {self.of:,}") + " positions"


@functools.lru_cache(maxsize=64)
def try_alike(game: Game, kind: str) -> None:
    """Test, on a few random games, that the positions of a user's game which a ``kind`` of symmetry merges are
    equivalent. Raises `RulesError` if they are not.
    """
    if not can_try(game):
        return
    rules = game.rules()
    rules = rules if kind == "full" else dataclasses.replace(rules, lines=())
    uses_canonical = kind == "geometric" and rules.canonical is not None
    checks = {
        symmetric_play: kind in ("geometric", "full") and bool(rules.symmetries or rules.exchange or rules.lines),
        own_canonical: uses_canonical,
        own_orbit_size: uses_canonical,
        what_is_left: kind == RESIDUAL,
        impartial: rules.impartial,
    }
    if not any(checks.values()):
        return
    with trial(game, rules) as sample:
        if any(look.fault for look in sample.looks.values()):  # compiling the rules reports it
            return
        for check in (check for check, applies in checks.items() if applies):
            sample.left, sample.until, fault = TRIAL_POSITIONS, time.monotonic() + TRIAL_SECONDS, None
            try:
                fault = next(filter(None, check(sample)), None)
            except (Exception, OvertimeError) as error:  # whatever the author's functions raise
                fault = sample.raised(error, sample.at)
            if fault is not None:
                refuse(game, fault)


def symmetric_play(sample: Sample) -> Found:
    """symmetries, also those of lines, preserve outcome, turn and moves."""
    rules = sample.rules
    identity = tuple(range(rules.cells))
    group = {*rules.symmetries}
    with contextlib.suppress(SymmetryError):  # those of lines may be too many to be used
        group |= (
            {*find_group(dataclasses.replace(rules, exchange=False), "full").permutations} if rules.lines else set()
        )
    others, random = sorted(group - {identity}), Random(len(group))
    exchanged = [("with the marks exchanged", over_planes(identity, rules.planes, exchange=True), 1)]
    for look in sample.each(most=FEW):
        chosen = random.sample(others, min(PERMUTATIONS, len(others)))
        images = [(f"under the symmetry {permutation}", permutation, rules.planes) for permutation in chosen]
        for description, permutation, planes in images + exchanged * rules.exchange:
            yield unlike_image(sample, look, permutation, planes, description)


def unlike_image(sample: Sample, look: Look, permutation: Permutation, planes: int, description: str) -> Fault | None:
    """Return the difference between a state and its image under a ``permutation`` of each of ``planes`` planes."""
    image = sample.look(permute(look.state, permutation, planes))
    image_name = f"the image {sample.text(image.state)!r} {description}"
    children = [permute(child, permutation, planes) for child in look.children]
    return unlike(sample, look, sample, image, image_name, children, image.children)


def in_words(answer: object) -> str:
    """Return the result of a function of the rules as text."""
    return "ONGOING" if answer == ONGOING else str(answer)


def own_canonical(sample: Sample, states: Sequence[int] | None = None) -> Found:
    """canonical() is idempotent, leaves the start alone, and preserves outcome, turn, tier and moves."""
    canonical = sample.rules.canonical
    assert canonical is not None
    for look in sample.each([sample.rules.start, *sample.visited] if states is None else states, most=2 * FEW):
        least = canonical(look.state)
        if not is_state(least):
            yield sample.fault(f"canonical() gives {least!r}, which is not a state", look.state)
        elif canonical(least) != least:
            yield sample.fault(f"canonical() gives {least}, but applied again {canonical(least)}", look.state)
        elif look.state == sample.rules.start != least:
            yield sample.fault(f"canonical() gives {least} for the start; symmetries must leave it alone", look.state)
        else:
            image = sample.look(least)
            words = f"the image {sample.text(least)!r} by canonical()"
            yield unlike(
                sample, look, sample, image, words, map(canonical, look.children), map(canonical, image.children)
            )


def own_orbit_size(sample: Sample) -> Found:
    """orbit_size() is constant on an orbit, and the number of its positions."""
    canonical, orbit_size = sample.rules.canonical, sample.rules.orbit_size
    assert canonical is not None
    assert orbit_size is not None
    merged: dict[int, set[int]] = {}
    for look in sample.each():
        least, size = canonical(look.state), orbit_size(look.state)
        orbit = merged.setdefault(least, set())
        orbit.add(look.state)
        if not isinstance(size, int) or not 1 <= size < 1 << 16:
            yield sample.fault(f"orbit_size() gives {size!r}; it must be a whole number from 1 to 65,535", look.state)
        elif orbit_size(least) != size:
            fault = f"orbit_size() gives {size} here and {orbit_size(least)} for the canonical state {least}"
            yield sample.fault(fault, look.state)
        else:
            fault = f"orbit_size() gives {size}, but {len(orbit)} states have the canonical state {least}"
            yield sample.fault(fault, look.state) if len(orbit) > size else None
    for positions in _first_tiers(sample):
        orbits = Counter(map(canonical, positions))
        for look in sample.each(orbits, most=2 * FEW):
            size, count = orbit_size(look.state), orbits[look.state]
            fault = f"orbit_size() gives {size}, but the number of positions with this canonical state is {count}"
            yield sample.fault(fault, look.state) if size != count else None


def _first_tiers(sample: Sample) -> Iterator[list[int]]:
    """Yield all positions of the first tiers (of a loopy game or without tiers: plies) until they are too many."""
    rules = sample.rules
    tier = None if rules.loopy else rules.tier
    reached, waiting, number = {rules.start}, {0: [rules.start]}, 0
    while waiting and len(reached) <= SMALL:
        number = min(waiting)
        positions = waiting.pop(number)
        yield positions
        for state in positions:
            look = sample.look(state)
            if look.fault or sample.ended:
                return
            new = {*look.children} - reached
            reached |= new
            for child in new:
                waiting.setdefault(number + 1 if tier is None else tier(child), []).append(child)


def unlike(
    sample: Sample, look: Look, others: Sample, image: Look, words: str,
    children: Iterable[int], of_image: Iterable[int],
) -> Fault | None:  # fmt: skip
    """Return the difference between a state and its ``image`` among ``others``, described in ``words``: the images of
    its ``children``, by move, have to be the children ``of_image``, equally often.
    """
    if image.fault is not None:
        return image.fault
    facts = [("outcome()", look.payoff, image.payoff), ("to_move()", look.mover, image.mover)]
    tier_of, tier_of_image = sample.rules.tier, others.rules.tier
    if tier_of is not None and tier_of_image is not None:
        facts.append(("tier()", tier_of(look.state), tier_of_image(image.state)))
    for name, value, other in facts:
        if value != other:
            return sample.fault(f"{name} gives {in_words(value)} here and {in_words(other)} for {words}", look.state)
    images = [*children]
    counts, expected = Counter(images), Counter(of_image)
    for code, child in zip(look.codes, images, strict=True):
        if counts[child] != expected[child]:
            fault = f"{counts[child]} of its moves lead to {others.text(child)!r}, but {expected[child]} of those of"
            return sample.fault(f"{fault} {words}", look.state, code)
    return sample.fault(f"{words} has more moves", look.state) if expected - counts else None


def what_is_left(sample: Sample, states: Sequence[int] | None = None) -> Found:
    """a position and its residual have the same outcome, turn and tier, and lead to the same residuals as often."""
    residual, left = residual_of(sample.game), left_sample(sample)
    canonical = find_group(left.rules, "geometric").canonical
    for look in sample.each(states, most=LEFT):
        residuals = [residual.of(state) for state in (look.state, *look.children)]
        invalid = next((state for state in residuals if not is_state(state)), None)
        if invalid is not None:
            yield sample.fault(f"of() gives {invalid!r}, which is not a state", look.state)
            continue
        state, *children = map(canonical, residuals)
        image, text = left.look(state), residual.text(state)
        if image.fault is None and (not isinstance(text, str) or text.splitlines() != [text]):
            yield sample.fault(f"text() of residual() gives {text!r}; it must be one line of text", look.state)
        else:
            words = f"its residual {left.text(state)!r}"
            yield unlike(sample, look, left, image, words, children, map(canonical, image.children))


def left_sample(sample: Sample) -> Sample:
    """Games of residual states."""
    game = ResidualGame(sample.game)
    return Sample(game, game.rules(), LEFT_GAMES, 0, sample.limit, most=sample.left, until=sample.until)


def impartial(sample: Sample) -> Found:
    """the player who cannot move has lost, and both players have the same moves."""
    bit = _turn_bit(sample)
    reached = set(sample.visited) if bit and _counts(sample, bit) else None
    for look in sample.each():
        not_lost = look.over and look.payoff * look.mover >= 0
        message = f"the game ends with {look.payoff}, but in an impartial game the player to move at the end has lost"
        yield sample.fault(message, look.state) if not_lost else _partial(sample, look, bit, reached) if bit else None


def _turn_bit(sample: Sample) -> int:
    """Return the bit of the states that holds only whose turn it is, as far as the games show; 0 if there is none.

    Residual states get 0: their moves are compared with those of positions instead.
    """
    looks = [look for look in map(sample.look, sample.visited) if look.fault is None]
    if isinstance(sample.game, ResidualGame) or max(map(len, sample.games)) < 3:  # with two states any bit may seem to
        return 0
    bits = [1 << place for place in range(MOST_BITS)]
    for look in looks:
        first = look.mover == sample.looks[sample.rules.start].mover
        bits = [bit for bit in bits if (look.state & bit == sample.rules.start & bit) == first]
    return next((bit for bit in bits if all(_exchanges(sample, look, bit) for look in looks)), 0)


def _exchanges(sample: Sample, look: Look, bit: int) -> bool:
    """Return whether flipping this bit gives a state with the other player to move, or no valid state."""
    other = sample.look(look.state ^ bit)
    return other.fault is not None or bool(other.mover == -look.mover)


def _counts(sample: Sample, bit: int) -> bool:
    """Return whether the bit is the lowest of a count of plies, on which moves may depend."""
    start = sample.rules.start // bit
    return all((state // bit - start - ply) % 4 == 0 for game in sample.games for ply, state in enumerate(game))


def _partial(sample: Sample, look: Look, bit: int, reached: set[int] | None) -> Fault | None:
    """Return a fault if the players have different moves in a position, which must be ``reached``, if that is given."""
    other = sample.look(look.state ^ bit)
    if other.fault is not None or (reached is not None and other.state not in reached):
        return None
    by_turn = [{child & ~bit for child in each.children} for each in (look, other)]
    by_ply = [{child - each.state for child in each.children} for each in (look, other)]
    if by_turn[0] == by_turn[1] or by_ply[0] == by_ply[1]:
        return None
    mine, its = (" ".join(map(sample.move, each.codes)) or "none" for each in (look, other))
    message = f"its moves are {mine}, but with the other player to move {its}; leave out impartial=True"
    return sample.fault(message, look.state)


def misread_position(sample: Sample, state: int, text: object) -> Fault | None:
    """Return a fault if the ``text`` of a state is not read as this state."""
    if not isinstance(text, str):
        return sample.fault(f"format_position() gives {text!r}; it must be a text", state)
    again = sample.game.parse_position(text)
    if again == state:
        return None
    return sample.fault(f"format_position() gives {text!r} for the state {state}, which is read as {again!r}", state)


def refuse_texts(engine: Engine, states: np.ndarray) -> None:
    """Raise `RulesError` if texts of these positions of a game are not read back, or differ when asked for together."""
    game = engine.game
    if engine.residual is not None or not len(states):  # what is left to play is not read
        return
    with plainly(engine) as sample:
        sample.at = int(states[0])
        try:
            fault = _wrong_text(sample, states)
        except (Exception, OvertimeError) as error:  # whatever the author's functions raise
            sample.limit.stop()
            fault = sample.raised(error, sample.at)
        if fault is not None:
            refuse(game, fault)


def _wrong_text(sample: Sample, states: np.ndarray) -> Fault | None:
    game, texts = sample.game, list[str]()
    for state in states.tolist():
        sample.at = state
        sample.limit.start()
        texts.append(game.format_position(state))
        fault = misread_position(sample, state, texts[-1])
        sample.limit.stop()
        if fault is not None:
            return fault
    together = game.format_positions(states)
    if len(together) != len(states):
        words = f"format_positions() gives {len(together)} texts for {len(states)} positions"
        return sample.fault(words, int(states[0]))
    for state, text, other in zip(states.tolist(), texts, together, strict=True):
        if text != other:
            words = f"format_positions() gives {str(other)!r}, but format_position() gives {text!r}"
            return sample.fault(words, state)
    return None


@contextlib.contextmanager
def plainly(engine: Engine) -> Iterator[Sample]:
    """Yield a `Sample` without games, to look at single states in plain Python."""
    limit = TimeLimit(SECONDS, more="`gametree check` tells more")
    with limit():
        yield Sample(engine.game, engine.rules, 0, 0, limit)
