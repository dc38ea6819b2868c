"""Rules of somebody's own, tried in plain Python before they are compiled: what is compiled cannot be stopped, and what
raises there may be lost.
"""

from __future__ import annotations

import contextlib
import re
import sys
import threading
import time

from analysis.engine.compiling.plain_code import check_function, reached
from analysis.engine.sample import SECONDS, Sample
from analysis.errors import RulesError
from analysis.machine.time_limit import TimeLimit
from analysis.rules.fields import ARGUMENTS, ask_all
from analysis.rules.game import Game, Rules, is_users

GAMES = 20
"""That are played at random, if there is time."""
PATIENCE = 0.1
"""Seconds after which no further position is tried."""


def try_out(game: Game, rules: Rules) -> None:
    """Play a few games at random by the rules of a user's game. Raises `RulesError` where a function fails or does not
    return, as ``gametree check`` tells it; the rules of built-in games are not tried, nor any outside of the main
    thread, where nothing could stop them.
    """
    if not is_users(game) or threading.current_thread() is not threading.main_thread():
        return
    for function in reached([getattr(rules, name) for name in ARGUMENTS]):
        check_function(function)
    limit = TimeLimit(SECONDS, more="`gametree check` tells more")
    with limit(), contextlib.redirect_stdout(sys.stderr):
        sample = Sample(game, rules, GAMES, 0, limit, until=time.monotonic() + PATIENCE)
    fault = next((look.fault for look in sample.looks.values() if look.fault), None)
    if fault:
        position = f", at position {fault.position}" if fault.position else ""
        at, line, what = re.match(r"(.+?:\d+, in \w+\(\))?(: )?(.*)", fault.message, re.DOTALL).groups()  # type: ignore[union-attr]
        raise RulesError(f"{at if line else game.spec}{position}: {what}").showing(fault.excerpt)
    for state in sample.visited:
        ask_all(game, rules, state)
