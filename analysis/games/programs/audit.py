"""Play random games of a program, which show that positions contain all that matters, that copies are independent and
that nothing is left to chance; else two histories show the fault.
"""

from __future__ import annotations

import itertools
import random
import re
import time
from collections.abc import Sequence
from typing import Any, NamedTuple

from ...common.context import options
from ...common.wording import with_count
from ...common.workers import tell_progress
from ...errors import RulesError, TooSlowError
from .adapter import TURN, Adapter, Reply, Situation, attribute_of, in_a_row, join, without
from .freezing import Attribute, freeze

GAMES = 200  # played at random, if there is time
SECONDS = 2.0  # seconds of processor time after which no further game is begun, and of which one may take as many
PLIES = 300  # of a game that does not end
LIKE_MOVER = re.compile("player|turn|mover|side|current|active", re.IGNORECASE)
"""What is called so, and has two values, may say who moves."""


class Sighting(NamedTuple):
    """A position as it was met in a random game."""

    parts: tuple[Attribute, ...]
    behaviour: tuple[Any, ...]  # who moves, how it ended, and the moves as texts with the positions after them
    history: tuple[Any, ...]
    result: float | None  # what the first player would get if the game, which goes on, were over


class Evidence(NamedTuple):
    """What the random games have shown."""

    games: int
    seen: list[Sighting]

    def sentence(self) -> str:
        """Return what was shown, for people."""
        positions = with_count(len({join(each.parts) for each in self.seen}), "position")
        return f"{self.games} random games, {positions}, no conflict"


def audit(adapter: Adapter, *, drop: Sequence[str] = ()) -> Evidence:
    """Play random games and prove that the program is a game, without the parts of positions in ``drop``. Raises
    `RulesError` with the histories that show why it is none.
    """
    first = adapter.start()
    names = [name for name, _ in adapter.all_parts(first)]
    if unknown := next((name for name in drop if name not in {*names, *map(attribute_of, names)}), None):
        raise RulesError(f"positions have no part {unknown!r}; they have {', '.join(names)}")
    adapter.dropped = frozenset(drop)
    if adapter.parts(adapter.start()) != adapter.parts(first):
        raise RulesError("the start is another one each time")
    walk = list[Any]()
    try:
        adapter.prepare(walk)
    except (Exception, SystemExit) as error:
        raise adapter.failure(error, walk) from error
    seen, firsts = list[Sighting](), dict[str, Sighting]()
    generator, games, last = random.Random(0), 0, options().until
    until = min(time.process_time() + SECONDS, last)
    while games < GAMES and (not games or time.process_time() < until):
        tell_progress("playing at random", games, GAMES)
        for each in _game(adapter, generator, min(until + SECONDS, last)):
            other = firsts.setdefault(join(each.parts), each)
            if other.behaviour != each.behaviour:
                raise unequal(each.history, in_a_row(other.history), join(each.parts))
            seen.append(each)
        games += 1
    if time.process_time() > last:
        raise TooSlowError("--seconds allows less than games at random take")
    _refuse_unread(adapter, seen)
    _refuse_play_after_the_end(adapter, seen)
    return Evidence(games, seen)


def unequal(history: Sequence[Any], other: str, key: str) -> RulesError:
    """Return the error for equal positions after two histories, from which play does not go on in the same way."""
    return RulesError(
        f"positions do not tell all: after the moves {in_a_row(history)} and after {other} the position is the same, "
        f"{key[:120]}, and play does not go on in the same way; is something kept outside of it, or left to chance?"
    )


def _game(adapter: Adapter, generator: random.Random, until: float) -> list[Sighting]:
    """Return the positions of a random game. Raises `RulesError` where it goes on and never comes back to one."""
    where, history, game = adapter.start(), list[Any](), list[Sighting]()
    while True:
        look, after = examine(adapter, where, history)
        behaviour = (look.mover, look.ended, tuple((text, adapter.key(child)) for text, _, child in after))
        result = adapter.result(where, look.mover) if after else None
        game.append(Sighting(tuple(adapter.parts(where)), behaviour, tuple(history), result))
        if len(history) == PLIES and len({each.parts for each in game}) > PLIES:
            raise RulesError(
                f"{PLIES} random moves neither end the game nor return to a position: it would never end; --map "
                "drop=NAME leaves out of positions what only counts moves"
            )
        if not after or len(history) == PLIES or time.process_time() > until:
            if len(game) > 2 and len({join(without(each.parts, frozenset({TURN}))) for each in game}) == 1:
                raise RulesError(f"{adapter.reading.names['play']} leaves the position as it was (return missing?)")
            return game
        _, move, where = generator.choice(after)
        history.append(move)


def examine(
    adapter: Adapter, where: Situation, history: Sequence[Any]
) -> tuple[Reply, list[tuple[str, Any, Situation]]]:
    """Return what the rules say of a position, and each move as text, as it is, and the position after it, ascending by
    text; all is asked twice. Raises `RulesError` where the answers differ, or where asking changes the position.
    """
    parts, names = adapter.parts(where), adapter.reading.names

    def compare(what: str, one: Any, other: Any) -> None:
        if one != other:
            was, now = next((pair for pair in itertools.zip_longest(one, other) if pair[0] != pair[1]), (one, other))
            raise _FaultError(f"{what}: {_text(was)} and then {_text(now)}, after the moves {in_a_row(history)}")

    try:
        look = adapter.look(where)
        compare(f"asking {names['moves']} or who has won changes the position", parts, adapter.parts(where))
        compare("asked twice, the rules say", _plain(look), _plain(adapter.look(where)))
        after, drawn = {}, random.getstate()
        for move in look.moves:
            text = freeze(move)
            call = f"{names['play']}({text})"
            child = adapter.play(where, move)
            compare(f"{call} changes the position that it is given, or shares a part", parts, adapter.parts(where))
            once, twice = adapter.parts(child), adapter.parts(adapter.play(where, move))
            compare(f"{call} leads to two positions: chance, or something kept outside", once, twice)
            after[text] = (text, move, child)
        if random.getstate() != drawn:
            raise _FaultError(f"{names['play']} draws random numbers, and games are without chance")
        if after:
            compare("once moves were tried (is something kept outside?)", _plain(look), _plain(adapter.look(where)))
    except _FaultError:
        raise
    except (Exception, SystemExit) as error:
        raise adapter.failure(error, history) from error
    return look, [after[text] for text in sorted(after)]


class _FaultError(RulesError):
    """What a comparison has shown, with the moves that led there."""


def _plain(look: Reply) -> list[str]:
    """Return what the rules say of a position, as texts."""
    moves = " ".join(sorted({freeze(move) for move in look.moves})) or "over"
    return [f"{look.mover} {moves} {look.ended or ''}".strip()]


def _text(part: Any) -> str:
    return " is ".join(map(str, part))[:80] if isinstance(part, tuple) else str(part)[:80]


# What is refused ------------------------------------------------------------------------------------------------------


def _refuse_unread(adapter: Adapter, seen: Sequence[Sighting]) -> None:
    """Raise `RulesError` where gametree has players take turns, and a part called like a mover says otherwise."""
    if not adapter.turns or adapter.reading.puzzle or "mover" in adapter.reading.given:
        return
    going = [each for each in seen if each.behaviour[2]]
    rows = [dict(each.parts) for each in going]
    for name in rows[0] if rows else ():
        texts = [row.get(name, "") for row in rows]
        if name == TURN or not LIKE_MOVER.search(name) or len({*texts}) != 2:
            continue
        if any(
            len(after.history) == len(before.history) + 1 and one == other
            for (before, after), (one, other) in zip(itertools.pairwise(going), itertools.pairwise(texts), strict=True)
        ):
            raise RulesError(
                f"nothing reads {name}: --map mover={name} says that it is who moves, mover=none that they take turns"
            )


def _refuse_play_after_the_end(adapter: Adapter, seen: Sequence[Sighting]) -> None:
    """Raise `RulesError` where somebody has won, and play goes on: not where that is said from the first move on, and
    asked too early, nor with scores, which somebody leads, nor where ``--map over`` has said what ends the game.
    """
    names, given = adapter.reading.names, adapter.reading.given
    judge = next((names[role] for role in ("winner", "win", "payoff") if role in names), "")
    if seen[0].behaviour[1] and "over" not in names and adapter.moves(adapter.start()):
        raise RulesError(f"{judge} ends the game at the start, where there are moves: --map over=NAME says what does")
    results = {each.result for each in seen if each.result}
    results |= {adapter.payoff(each.behaviour[1]) for each in seen if each.behaviour[1]} - {0}
    unnamed = "over" in names and judge == names.get("payoff") and not adapter.reading.takes_player("payoff")
    early = any(each.result for each in seen if len(each.history) < 2)
    if "over" in given or early or not results <= {1, -1} or (unnamed and all(each > 0 for each in results)):
        return  # payoffs of 1, 0.5 and 0 are never negative, and may be asked too early
    if won := next((each for each in seen if each.result), None):
        raise RulesError(
            f"{judge} says who has won after the moves {in_a_row(won.history)}, and the game goes on: --map over=NAME "
            f"says what ends it; over={names.get('over', 'none')} says that it goes on"
        )
