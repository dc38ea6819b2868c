"""Proof that a program can be taken as a game: random games show that positions tell all that matters, that copies are
independent, that nothing is left to chance, and what one player gains the other loses; or two histories show a fault.
"""

from __future__ import annotations

import collections
import dataclasses
import itertools
import random
import re
import sys
import time
import types
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ...errors import GametreeError, RulesError
from ...machine.workers import tell_progress
from ...wording import some
from .adapter import TURN, Adapter, Reply, Situation, attribute_of, join, said_moves, without
from .freezing import Attribute, freeze, opaque

GAMES = 200
"""Played at random, if there is time."""
SECONDS = 2.0
"""Seconds after which no further game is begun, and of which one may take as many."""
PLIES = 300
"""Of a game that does not end."""
DRAWN = "the rules draw random numbers, and games are without chance"


class Sighting(NamedTuple):
    """A position as it was met in a random game."""

    parts: tuple[Attribute, ...]
    behaviour: tuple[Any, ...]
    """Who moves, how it ended, and the moves, as texts."""
    children: tuple[tuple[Attribute, ...], ...]
    """After each of these moves."""
    history: tuple[Any, ...]


@dataclasses.dataclass
class Evidence:
    """What the random games have shown."""

    games: int
    seen: list[Sighting]
    harmless: tuple[str, ...]
    """Parts that have made no difference."""
    opaque: tuple[str, ...]
    """Kinds of what positions hold that cannot be looked into."""
    longest: int
    """Plies of the longest game."""

    def sentence(self) -> str:
        """Return what was shown, for people."""
        positions = some(len({join(each.parts) for each in self.seen}), "position")
        words = f"{self.games} random games, {positions}, no conflict"
        if self.harmless:
            words += f"; without {', '.join(self.harmless)} play is the same"
        if self.opaque:
            words += f"; not looked into: {', '.join(self.opaque)}"
        return words

    def advice(self) -> str:
        """Return how positions become fewer."""
        names = "+".join(self.harmless)
        return f"positions that differ in {names} alone played alike: --map drop={names} makes them one"


def audit(adapter: Adapter, *, drop: Sequence[str] = ()) -> Evidence:
    """Play random games and prove that the program is a game, without the parts of positions in ``drop``. Raises
    `RulesError` with the histories that show why it is none.
    """
    adapter.dropped = frozenset(drop)
    seen: list[Sighting] = []
    generator, until, games, longest = random.Random(0), time.process_time() + SECONDS, 0, 0
    first, again = adapter.start(), adapter.start()
    names = [name for name, _ in adapter.all_parts(first)]
    if unknown := next((name for name in drop if name not in {*names, *map(attribute_of, names)}), None):
        raise RulesError(f"positions have no part {unknown!r}; they have {', '.join(names)}")
    if join(adapter.parts(first)) != join(adapter.parts(again)):
        raise RulesError(
            f"the start is another one each time: {_differing(adapter.parts(first), adapter.parts(again))}"
        )
    outside = _held_outside(adapter)
    refused: RulesError | None = None
    while games < GAMES and (not games or time.process_time() < until) and refused is None:
        tell_progress("playing at random", games, GAMES)
        try:
            plies = _play(adapter, generator, seen, until + SECONDS)
        except RulesError as error:
            refused = error
        else:
            games, longest = games + 1, max(longest, plies)
    refused = refused or _conflict(seen) or _fault(adapter, seen, longest)
    if refused is not None:
        raise _changed_outside(outside, _held_outside(adapter)) or refused
    _refuse_endless(seen, adapter)
    harmless = list[str]()
    varying = [attribute_of(name) for name, texts in _values(seen).items() if len(texts) > 1 and name not in ("", TURN)]
    for name in dict.fromkeys(varying):
        if name not in harmless and _harmless(seen, {*harmless, name}, set(harmless)):
            harmless.append(name)
    return Evidence(games, seen, tuple(harmless), tuple(sorted(opaque(first.state))), longest)


def _fault(adapter: Adapter, seen: Sequence[Sighting], longest: int) -> RulesError | None:
    """Return the error of a game in which nothing changes, or only one player moves."""
    if longest > 1 and len({join(without(each.parts, {TURN})) for each in seen}) == 1:
        return RulesError(f"{adapter.target.names['play']} leaves the position as it was (is a return missing?)")
    if len(adapter.players) == 1 and longest > 1:
        return RulesError(
            f"only {freeze(adapter.players[0])} ever moves, by {adapter.target.names['mover']}; if players take turns, "
            "--map mover=none says so"
        )
    return None


def _held_outside(adapter: Adapter) -> dict[str, str]:
    """Return what the file and the class of a program hold besides positions, by name; dictionaries, which may be
    answers that are kept for later, are left out.
    """
    owner = adapter.target.owner
    kind = type(owner)
    module = owner if isinstance(owner, types.ModuleType) else sys.modules.get(kind.__module__)
    held = {**vars(kind), **(vars(module) if module else {})}
    kinds = (bool, int, float, str, list, set, tuple, collections.deque, np.ndarray)
    return {name: freeze(each) for name, each in held.items() if isinstance(each, kinds) and not name.startswith("__")}


def _play(adapter: Adapter, generator: random.Random, seen: list[Sighting], until: float) -> int:
    """Play one random game and note what is met; how many plies it has."""
    where, history = adapter.start(), list[Any]()
    while True:
        look, after = examine(adapter, where, history)
        children = tuple(tuple(adapter.parts(child)) for _, _, child in after)
        behaviour = (look.mover or "", look.ended, tuple(text for text, _, _ in after))
        seen.append(Sighting(tuple(adapter.parts(where)), behaviour, children, tuple(history)))
        if not after or len(history) == PLIES or time.process_time() > until:
            return len(history)
        _, move, where = generator.choice(after)
        history.append(move)


def examine(
    adapter: Adapter, where: Situation, history: Sequence[Any]
) -> tuple[Reply, list[tuple[str, Any, Situation]]]:
    """Return what the rules say of a position, and each move as text, as it is, and the position after it, ascending by
    text; all is asked twice. Raises `RulesError` where the answers differ, or where asking changes the position.
    """
    parts, drawn = adapter.parts(where), random.getstate()
    names = adapter.target.names

    def told(fault: str, now: Sequence[Attribute] | None = None) -> RulesError:
        more = f": {_differing(parts, now)}" if now is not None else ""
        return RulesError(f"{fault}{more}, {_at(history)}")

    def unchanged(fault: str) -> None:
        if (now := adapter.parts(where)) != parts:
            name = _first_differing(parts, now)
            raise told(f"{fault} (--map drop={name} if that makes no difference)" if name else fault, now)

    try:
        look = adapter.look(where)
        unchanged(f"asking {names['moves']} or who has won changes the position")
        again = adapter.look(where)
        if _said(look) != _said(again):
            raise told(f"asked twice, the rules say {_said(look)} and then {_said(again)}")
        after = {}
        for move in look.moves:
            text = freeze(move)
            child = adapter.play(where, move)
            unchanged(f"{names['play']}({text}) changes the position that it is given, or shares a part with it")
            twice = adapter.play(where, move)
            if adapter.parts(child) != adapter.parts(twice):
                fault = f"{names['play']}({text}) leads to two positions from one: chance, or state kept elsewhere"
                raise RulesError(f"{fault}: {_differing(adapter.parts(child), adapter.parts(twice))}, {_at(history)}")
            after[text] = (text, move, child)
        if after and _said(look) != (now := _said(adapter.look(where))):
            raise told(
                f"the rules say {_said(look)}, and once moves were tried {now}: state is kept outside of positions"
            )
    except (Exception, SystemExit) as error:
        if random.getstate() != drawn:
            raise told(DRAWN) from None
        if isinstance(error, GametreeError) and "the moves" in str(error):
            raise
        raise adapter.failure(error, history) from error
    if random.getstate() != drawn:
        raise told(DRAWN)
    return look, [after[text] for text in sorted(after)]


def _at(history: Sequence[Any]) -> str:
    return f"after the moves {said_moves(history)}"


def _said(look: Reply) -> str:
    moves = " ".join(sorted({freeze(move) for move in look.moves})) or "over"
    return f"{look.mover} {moves} {look.ended or ''}".strip()


def _values(seen: Sequence[Sighting]) -> dict[str, set[str]]:
    """Return the texts that each part of a position has had."""
    return {name: set(texts) for name, texts in _values_in_order(seen).items()}


def _harmless(seen: Sequence[Sighting], dropped: set[str], fewer: set[str]) -> bool:
    """Tell whether positions that differ in what is dropped alone play alike, and are fewer than with ``fewer``
    dropped.
    """
    if next(_conflicts(seen, dropped), None) is not None:
        return False
    before, now = (len({join(without(each.parts, names)) for each in seen}) for names in (fewer, dropped))
    return now < before


def _conflicts(seen: Sequence[Sighting], dropped: set[str]) -> Iterator[tuple[Sighting, Sighting, str]]:
    """Return pairs of equal positions from which play goes on in another way, and what differs."""
    met: dict[str, tuple[Sighting, list[str]]] = {}
    for each in seen:
        key = join(without(each.parts, dropped))
        after = [join(without(child, dropped)) for child in each.children]
        first, before = met.setdefault(key, (each, after))
        if first.behaviour != each.behaviour:
            yield (
                first,
                each,
                next(
                    what
                    for what, one, other in zip(
                        ("who moves", "the end", "the moves"), first.behaviour, each.behaviour, strict=True
                    )
                    if one != other
                ),
            )
        elif before != after:
            yield first, each, "what a move leads to"


def _conflict(seen: Sequence[Sighting]) -> RulesError | None:
    """Return the error with the two histories where equal positions are not equal, if there are some."""
    for one, other, what in _conflicts(seen, set()):
        return RulesError(
            f"positions do not tell all: after the moves {said_moves(one.history)} and after "
            f"{said_moves(other.history)} the position is the same, {join(one.parts)[:120]}, and {what} "
            "is not; is something kept outside of it, or left to chance?"
        )
    return None


def _changed_outside(before: Mapping[str, str], now: Mapping[str, str]) -> RulesError | None:
    """Return the error with what is kept outside of positions and has changed, if something has."""
    for name, was in before.items():
        if now.get(name) != was:
            return RulesError(
                f"{name} is kept outside of positions, and changes while games are played: it was {was[:60]}, and then "
                f"{now.get(name, 'nothing')[:60]}; positions have to hold it"
            )
    return None


def _refuse_endless(seen: Sequence[Sighting], adapter: Adapter) -> None:
    """Raise `RulesError` where a part of the positions of a game without an end counts moves, or lists them."""
    last = next((number for number, each in enumerate(seen) if len(each.history) == PLIES), None)
    if last is None:
        return
    for name, texts in _values_in_order(seen[last - PLIES : last + 1]).items():
        numbers = [int(text) if re.fullmatch("-?[0-9]+", text) else len(text) for text in texts]
        rising = all(one <= other for one, other in itertools.pairwise(numbers))
        if rising and numbers[-1] - numbers[0] > PLIES // 4:
            raise RulesError(
                f"{PLIES} random moves do not end the game, and {name} only rises: it would never end; "
                f"--map drop={name} leaves it out of positions"
            )


def _values_in_order(seen: Sequence[Sighting]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = collections.defaultdict(list)
    for each in seen:
        for name, text in each.parts:
            found[name].append(text)
    return found


def _differing(one: Sequence[Attribute], other: Sequence[Attribute]) -> str:
    """Return the first part in which two positions differ."""
    name = _first_differing(one, other)
    old, new = dict(one).get(name, "nothing"), dict(other).get(name, "nothing")
    return f"{name or 'it'} is {old[:60]} and then {new[:60]}"


def _first_differing(one: Sequence[Attribute], other: Sequence[Attribute]) -> str:
    before, after = dict(one), dict(other)
    return next(name for name in {**before, **after} if before.get(name) != after.get(name))
