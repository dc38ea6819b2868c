"""A word where compiled rules of somebody's own do not return: nothing can stop them, but the person can be told."""

from __future__ import annotations

import contextlib
import logging
import shlex
import threading
import time
from collections.abc import Iterator

import numpy as np

from analysis.rules.game import Game
from analysis.wording import some

LOG = logging.getLogger("gametree")

SILENCE = 30.0
"""Seconds at a batch of positions after which it is said."""
STEP = 1.0
"""Seconds between two looks."""

_asked: dict[int, tuple[float, Game, np.ndarray]] = {}
"""By thread: since when it asks the rules of a game about some states."""
_told: set[str] = set()
"""The games of which it was said."""
_watch: threading.Thread | None = None
_starting = threading.Lock()


@contextlib.contextmanager
def watched_over(game: Game, states: np.ndarray) -> Iterator[None]:
    """Say it, once for each game, if what stands inside, which asks the rules about these states, takes long."""
    global _watch
    own = threading.get_ident()
    _asked[own] = (time.monotonic(), game, states)
    with _starting:
        if _watch is None or not _watch.is_alive():
            _watch = threading.Thread(target=_look, name="watch over rules", daemon=True)
            _watch.start()
    try:
        yield
    finally:
        del _asked[own]


def _look() -> None:
    """Look at all threads now and then, until none of them asks."""
    while _asked:
        time.sleep(STEP)
        for since, game, states in list(_asked.values()):
            if time.monotonic() - since > SILENCE and game.spec not in _told:
                _told.add(game.spec)
                LOG.warning(_words(game, states))


def _words(game: Game, states: np.ndarray) -> str:
    try:
        first = f", {game.format_position(int(states[0]))} the first," if len(states) else ""
    except Exception:  # the author's code may do anything
        first = ""
    return (
        f"the rules of {game.spec} have been at {some(len(states), 'position')}{first} for {SILENCE:g} s: an "
        f"endless loop? Ctrl-C ends this, `gametree check {shlex.quote(game.spec)}` may show where it is"
    )
