"""Check the promises of a user's rules on the classes of a stored solution."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from ...common.workers import Workers, tell_progress
from ...engine.alike import Tried
from ...engine.engine import make_engine
from ...engine.promises import MOST_POSITIONS, PROVING, Promises
from ...rules.game import Game, is_users
from .rows import TierRows

if TYPE_CHECKING:
    from .verify import Draw

MOST_IMAGES = 10**8
"""Up to this many images of positions, all are looked at."""
BATCH = 1 << 16
"""Rows read together."""


def try_promises(
    game: Game, kind: str, tiers: Sequence[TierRows], positions: int | None, key: int, workers: Workers,
    draw: Draw | None = None,
) -> Tried | None:  # fmt: skip
    """Check the promises of the rules on all classes of some tiers, or on those that ``draw`` chooses: symmetries under
    all elements or, for more than `MOST_IMAGES` images, under one drawn with the ``key`` for each class.

    ``positions`` is the number of positions, None if unknown. Returns None for a built-in game. Raises `RulesError`,
    naming a position.
    """
    if not is_users(game):
        return None
    engine = make_engine(game, symmetry=kind, workers=workers)
    promises, classes = Promises(engine, key), sum(map(len, tiers))
    single = draw is not None or classes * engine.classes.group.order > MOST_IMAGES
    done, total = 0, round(classes * (1 if draw is None else draw.share))
    for states in _states(tiers, draw):
        tell_progress(PROVING, done, total)
        promises.refuse_classes(states, one=single)
        done += len(states)
    tell_progress(PROVING, done, done)
    if engine.rules.impartial and draw is None and classes <= MOST_POSITIONS:
        promises.refuse_turns([np.concatenate([*_states([tier], None)]) for tier in tiers])
    if promises.merges:
        return promises.merged(positions, few=draw is not None)
    return Tried(done if single else positions or done, positions or classes)


def _states(tiers: Sequence[TierRows], draw: Draw | None) -> Iterator[np.ndarray]:
    begin = 0
    for tier in tiers:
        chosen = None if draw is None else functools.partial(draw.between, begin)
        for rows in tier.batches(BATCH, ["state"], chosen):
            yield rows.states
        begin += len(tier)
