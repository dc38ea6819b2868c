"""Work that takes longer, a step of some milliseconds at a time: between two steps others get their answers.

All of the server is one thread: nothing in it waits for a lock, and what nobody waits for any more ends at its next
step.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable
from typing import TypeVar

from starlette.requests import Request

from analysis.explorer.pace import Work, in_time

T = TypeVar("T")

TURN_SECONDS = 15.0
"""That a search waits for its turn: they go on one after the other, since two at once would take twice as long each."""

ASKED = 16
"""Steps after which it is asked whether somebody still waits for the answer."""


class GoneError(Exception):
    """Nobody waits for the answer any more."""


class BusyError(Exception):
    """No search has ended for so long."""


async def one_by_one(request: Request, things: Iterable[T]) -> AsyncIterator[T]:
    """The things, with a chance for others after each. Raises `GoneError`."""
    for number, thing in enumerate(things):
        yield thing
        await _pause(request, number)


async def follow(request: Request, work: Work) -> None:
    """Work as far as there is time. Raises `GoneError`, and `BusyError` where its turn does not come."""
    turn: asyncio.Lock = request.app.state.turn
    try:
        await asyncio.wait_for(turn.acquire(), TURN_SECONDS)
    except TimeoutError:
        raise BusyError from None
    try:
        for number, _ in enumerate(in_time(work)):
            await _pause(request, number)
    finally:
        turn.release()


async def _pause(request: Request, number: int) -> None:
    if number % ASKED == 0 and await request.is_disconnected():
        raise GoneError
    await asyncio.sleep(0)
