"""Proof that a program can be taken as a game: random games show that positions tell all that matters, that copies are
independent, that nothing is left to chance, and that nothing that matters is unread; or two histories show a fault.
"""

from __future__ import annotations

import ast
import collections
import dataclasses
import itertools
import random
import re
import time
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from ...common.context import options
from ...common.wording import with_count
from ...common.workers import tell_progress
from ...errors import RulesError, TooSlowError
from .adapter import TURN, Adapter, Reply, Situation, attribute_of, in_a_row, join, without
from .freezing import Attribute, freeze, opaque
from .protocol import MARKS

GAMES = 200  # played at random, if there is time
SECONDS = 2.0  # seconds of processor time after which no further game is begun, and of which one may take as many
PLIES = 300  # of a game that does not end
LIKE_MOVER = re.compile("player|turn|mover|side|current|active", re.IGNORECASE)
"""What is called so, and has two values, may say who moves."""


class Sighting(NamedTuple):
    """A position as it was met in a random game."""

    parts: tuple[Attribute, ...]
    behaviour: tuple[Any, ...]  # who moves, how it ended, and the moves, as texts
    children: tuple[tuple[Attribute, ...], ...]  # after each of these moves
    history: tuple[Any, ...]
    result: float | None  # what the first player would get if the game, which goes on, were over


@dataclasses.dataclass
class Evidence:
    """What the random games have shown."""

    games: int
    seen: list[Sighting]
    harmless: tuple[str, ...]  # parts that have made no difference
    opaque: tuple[str, ...]  # kinds of what positions hold that cannot be looked into

    def sentence(self) -> str:
        """Return what was shown, for people."""
        positions = with_count(len({join(each.parts) for each in self.seen}), "position")
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
    first = adapter.start()
    names = [name for name, _ in adapter.all_parts(first)]
    if unknown := next((name for name in drop if name not in {*names, *map(attribute_of, names)}), None):
        raise RulesError(f"positions have no part {unknown!r}; they have {', '.join(names)}")
    adapter.dropped = frozenset(drop)
    if (again := adapter.parts(adapter.start())) != adapter.parts(first):
        raise RulesError(f"the start is another one each time: {_differing(adapter.parts(first), again)}")
    walk = list[Any]()
    try:
        adapter.prepare(walk)
    except (Exception, SystemExit) as error:
        raise adapter.failure(error, walk) from error
    seen: list[Sighting] = []
    generator, games, last = random.Random(0), 0, options().until
    until = min(time.process_time() + SECONDS, last)
    while games < GAMES and (not games or time.process_time() < until):
        tell_progress("playing at random", games, GAMES)
        _play(adapter, generator, seen, min(until + SECONDS, last))
        games += 1
    if time.process_time() > last:
        raise TooSlowError("--seconds allows less than games at random take")
    for one, other, what in _conflicts(seen, frozenset()):
        raise RulesError(
            f"positions do not tell all: after the moves {in_a_row(one.history)} and after "
            f"{in_a_row(other.history)} the position is the same, {join(one.parts)[:120]}, and {what} "
            "is not; is something kept outside of it, or left to chance?"
        )
    _refuse_standstill(adapter, seen)
    _refuse_unread(adapter, seen)
    _refuse_play_after_the_end(adapter, seen)
    _refuse_endless(seen)
    return Evidence(games, seen, _harmless(seen), tuple(sorted(opaque(first.state))))


def _play(adapter: Adapter, generator: random.Random, seen: list[Sighting], until: float) -> None:
    """Play one random game and note what is met."""
    where, history = adapter.start(), list[Any]()
    while True:
        look, after = examine(adapter, where, history)
        children = tuple(tuple(adapter.parts(child)) for _, _, child in after)
        behaviour = (look.mover, look.ended, tuple(text for text, _, _ in after))
        result = adapter.result(where, look.mover) if after else None
        seen.append(Sighting(tuple(adapter.parts(where)), behaviour, children, tuple(history), result))
        if not after or len(history) == PLIES or time.process_time() > until:
            return
        _, move, where = generator.choice(after)
        history.append(move)


def examine(
    adapter: Adapter, where: Situation, history: Sequence[Any]
) -> tuple[Reply, list[tuple[str, Any, Situation]]]:
    """Return what the rules say of a position, and each move as text, as it is, and the position after it, ascending by
    text; all is asked twice. Raises `RulesError` where the answers differ, or where asking changes the position.
    """
    parts, names = adapter.parts(where), adapter.reading.names

    def fault(what: str, one: Sequence[Attribute] = (), other: Sequence[Attribute] = ()) -> RulesError:
        more = f": {_differing(one, other)}" if one else ""
        return _FaultError(f"{what}{more}, after the moves {in_a_row(history)}")

    def unchanged(what: str) -> None:
        if (now := adapter.parts(where)) != parts:
            name = _first_differing(parts, now)
            raise fault(f"{what} (--map drop={name} if that makes no difference)" if name else what, parts, now)

    try:
        look = adapter.look(where)
        unchanged(f"asking {names['moves']} or who has won changes the position")
        if _in_words(look) != (now := _in_words(adapter.look(where))):
            raise fault(f"asked twice, the rules say {_in_words(look)} and then {now}")
        after, drawn = {}, random.getstate()
        for move in look.moves:
            text = freeze(move)
            child = adapter.play(where, move)
            unchanged(f"{names['play']}({text}) changes the position that it is given, or shares a part with it")
            once, twice = adapter.parts(child), adapter.parts(adapter.play(where, move))
            if once != twice:
                what = f"{names['play']}({text}) leads to two positions from one: chance, or something kept outside"
                raise fault(what, once, twice)
            after[text] = (text, move, child)
        if random.getstate() != drawn:
            raise fault(f"{names['play']} draws random numbers, and games are without chance")
        if after and _in_words(look) != (now := _in_words(adapter.look(where))):
            raise fault(f"the rules say {_in_words(look)}, and once moves were tried {now}: something is kept outside")
    except _FaultError:
        raise
    except (Exception, SystemExit) as error:
        raise adapter.failure(error, history) from error
    return look, [after[text] for text in sorted(after)]


class _FaultError(RulesError):
    """What a comparison has shown, with the moves that led there."""


def _in_words(look: Reply) -> str:
    moves = " ".join(sorted({freeze(move) for move in look.moves})) or "over"
    return f"{look.mover} {moves} {look.ended or ''}".strip()


def _conflicts(seen: Sequence[Sighting], dropped: frozenset[str]) -> Iterable[tuple[Sighting, Sighting, str]]:
    """Yield pairs of equal positions from which play goes on in another way, and what differs."""
    firsts: dict[str, tuple[Sighting, list[str]]] = {}
    for each in seen:
        after = [join(without(child, dropped)) for child in each.children]
        first, before = firsts.setdefault(join(without(each.parts, dropped)), (each, after))
        pairs = [*zip(first.behaviour, each.behaviour, strict=True), (before, after)]
        names = ("who moves", "the end", "the moves", "what a move leads to")
        if what := next((name for name, (one, other) in zip(names, pairs, strict=True) if one != other), ""):
            yield first, each, what


def _harmless(seen: Sequence[Sighting]) -> tuple[str, ...]:
    """Return parts of positions without which these are fewer, and equal ones play alike."""
    harmless: frozenset[str] = frozenset()
    count = len({join(each.parts) for each in seen})
    varying = {attribute_of(name): name for name, texts in _texts(seen).items() if len({*texts}) > 1}
    for name in varying:
        fewer = harmless | {name}
        now = len({join(without(each.parts, fewer)) for each in seen})
        if name not in ("", TURN) and now < count and next(iter(_conflicts(seen, fewer)), None) is None:
            harmless, count = fewer, now
    return tuple(name for name in varying if name in harmless)


def _texts(seen: Sequence[Sighting]) -> Mapping[str, list[str]]:
    """Return the texts that each part of the positions has had, in order."""
    texts: dict[str, list[str]] = collections.defaultdict(list)
    for each in seen:
        for name, text in each.parts:
            texts[name].append(text)
    return texts


# What is refused ------------------------------------------------------------------------------------------------------


def _refuse_standstill(adapter: Adapter, seen: Sequence[Sighting]) -> None:
    """Raise `RulesError` for a game in which nothing changes."""
    names, longest = adapter.reading.names, max(len(each.history) for each in seen)
    if longest > 1 and len({join(without(each.parts, frozenset({TURN}))) for each in seen}) == 1:
        raise RulesError(f"{names['play']} leaves the position as it was (is a return missing?)")


def _refuse_unread(adapter: Adapter, seen: Sequence[Sighting]) -> None:
    """Raise `RulesError` where gametree has players take turns, and a part of the positions may say otherwise."""
    if not adapter.turns or adapter.reading.puzzle or "mover" in adapter.reading.given:
        return
    usual = [{freeze(mark) for mark in pair} for pair in MARKS if isinstance(pair[0], str) and not pair[0].isdecimal()]
    going = [each for each in seen if each.children]
    rows = [_items(each) for each in going]
    for name in rows[0] if rows else ():
        texts = [row.get(name, "") for row in rows]
        if len({*texts}) != 2:
            continue
        kept = any(
            len(after.history) == len(before.history) + 1 and one == other
            for (before, after), (one, other) in zip(itertools.pairwise(going), itertools.pairwise(texts), strict=True)
        )
        if {*texts} in usual or (kept and LIKE_MOVER.search(name)):
            raise RulesError(
                f"{name} is {' or '.join(sorted({*texts}))}, and nothing reads it: --map mover={name} says that it is "
                f"who moves, mover=not:{name} that it is who has just moved, and mover=none that players take turns"
            )


def _items(sighting: Sighting) -> dict[str, str]:
    """Return the parts of a position that are not within others, or the items of a tuple."""
    parts = {name: text for name, text in sighting.parts if attribute_of(name) == name != TURN}
    if "" in parts:
        try:
            state = ast.literal_eval(parts[""])
        except (ValueError, SyntaxError):
            return {}
        return {f"[{at}]": freeze(each) for at, each in enumerate(state)} if isinstance(state, tuple) else {}
    return parts


def _refuse_play_after_the_end(adapter: Adapter, seen: Sequence[Sighting]) -> None:
    """Raise `RulesError` where somebody has won, and play goes on: not where that is said from the first move on, and
    asked too early, nor with scores, which somebody leads, nor where ``--map over`` has said what ends the game.
    """
    names, given = adapter.reading.names, adapter.reading.given
    judge = next((names[role] for role in ("winner", "win", "payoff") if role in names), "")
    first = seen[0]
    if first.behaviour[1] and "over" not in names and adapter.moves(adapter.start()):
        raise RulesError(
            f"{judge} ends the game at the start, where there are moves: --map over=NAME says what ends it"
        )
    results = {each.result for each in seen if each.result}
    results |= {adapter.payoff(each.behaviour[1]) for each in seen if each.behaviour[1]} - {0}
    unnamed = "over" in names and judge == names.get("payoff") and not adapter.reading.takes_player("payoff")
    early = any(each.result for each in seen if len(each.history) < 2)
    if "over" in given or early or not results <= {1, -1} or (unnamed and all(each > 0 for each in results)):
        return  # payoffs of 1, 0.5 and 0 are never negative, and may be asked too early
    if won := next((each for each in seen if each.result), None):
        over = names.get("over", "")
        says = f"{over} says that the game goes on" if over else "nothing ends the game while there are moves"
        hint = f"over={over} says that it goes on" if over else "over=none says that it goes on"
        more = ", and over=none that this ends it" * (over != "" and judge == names.get("winner"))
        raise RulesError(
            f"{judge} says who has won after the moves {in_a_row(won.history)}, and {says}: --map over=NAME says what "
            f"ends it; {hint}{more}"
        )


def _refuse_endless(seen: Sequence[Sighting]) -> None:
    """Raise `RulesError` where a part of the positions of a game without an end counts moves, or lists them."""
    last = next((number for number, each in enumerate(seen) if len(each.history) == PLIES), None)
    for name, texts in _texts(seen[last - PLIES : last + 1]).items() if last is not None else ():
        numbers = [int(text) if re.fullmatch("-?[0-9]+", text) else len(text) for text in texts]
        if numbers == sorted(numbers) and numbers[-1] - numbers[0] > PLIES // 4:
            raise RulesError(
                f"{PLIES} random moves do not end the game, and {name} only rises: it would never end; "
                f"--map drop={name} leaves it out of positions"
            )


def _differing(one: Sequence[Attribute], other: Sequence[Attribute]) -> str:
    """Return the first part in which two positions differ."""
    name = _first_differing(one, other)
    old, new = dict(one).get(name, "nothing"), dict(other).get(name, "nothing")
    return f"{name or 'it'} is {old[:60]} and then {new[:60]}"


def _first_differing(one: Sequence[Attribute], other: Sequence[Attribute]) -> str:
    before, after = dict(one), dict(other)
    return next(name for name in {**before, **after} if before.get(name) != after.get(name))
