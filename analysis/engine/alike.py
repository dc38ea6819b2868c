"""Explain in plain Python why positions that are solved as one are not alike, and check texts of positions."""

from __future__ import annotations

import contextlib
import dataclasses
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from ..common.time_limit import OvertimeError, TimeLimit
from ..rules.game import ONGOING
from .sample import SECONDS, Fault, Look, Sample, refuse

if TYPE_CHECKING:
    import numpy as np

    from .engine import Engine


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


def unlike(
    sample: Sample, look: Look, others: Sample, image: Look, words: str,
    children: Iterable[int], of_image: Iterable[int],
) -> Fault | None:  # fmt: skip
    """Return the difference between a state and its ``image`` among ``others``, described in ``words``: the images of
    its ``children``, by move, have to be the children ``of_image``, equally often.
    """
    if image.fault is not None:
        return image.fault
    words = f"{words} {others.text(image.state)!r}"
    facts = [("outcome()", look.payoff, image.payoff), ("to_move()", look.mover, image.mover)]
    if sample.rules.tier is not None and others.rules.tier is not None:
        facts.append(("tier()", sample.rules.tier(look.state), others.rules.tier(image.state)))
    for name, value, other in facts:
        if value != other:
            value, other = ("ONGOING" if each == ONGOING else each for each in (value, other))
            return sample.fault(f"{name} gives {value} here and {other} for {words}", look.state)
    counts, expected = Counter(children), Counter(of_image)
    for child in [*counts, *expected]:
        if counts[child] != expected[child]:
            fault = f"{counts[child]} of its moves lead to {others.text(child)!r}, but {expected[child]} of those of"
            return sample.fault(f"{fault} {words}", look.state)
    return None


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
