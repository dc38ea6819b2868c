"""What is asked for by addresses as Lichess has them."""

from __future__ import annotations

import re

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from analysis.errors import PositionError
from analysis.explorer.answering import Exact, fields_of, kept, served_by
from analysis.explorer.lichess import answers
from analysis.explorer.served import Served
from analysis.explorer.work import one_by_one
from analysis.rules.positions import play_on


async def _tablebase(request: Request) -> Response:
    served, state = _fen(request)
    return kept(request, served, lambda: Exact(answers.tablebase_json(served, state)))


async def _main_line(request: Request) -> Response:
    served, state = _fen(request)
    value = served.solution.lookup(state).value
    moves = [move async for move in one_by_one(request, served.solution.best_line(state))]
    return kept(request, served, lambda: Exact(answers.main_line_json(value, moves)))


async def _explorer(request: Request) -> Response:
    served, state = _fen(request)
    return kept(request, served, lambda: Exact(answers.explorer_json(served, state)))


def _fen(request: Request) -> tuple[Served, int]:
    """What is asked for: the position ``fen``, with underscores for blanks, after the moves ``play``, their codes."""
    served, asked = served_by(request), fields_of(request, "fen", "play", others=True)
    text, play = asked.text("fen"), asked.text("play")
    try:
        state = served.state_of(text)
    except PositionError:
        if text is None or "_" not in text:
            raise
        state = served.state_of(text.replace("_", " "))
    if play:
        served.solution.lookup(state)  # rules are made for positions that play reaches
        codes = [int(code) if re.fullmatch("[0-9]{1,3}", code) else code for code in play.split(",")]
        state = play_on(served.game, state, codes)
    return served, state


ROUTES = [
    Route("/{id}", _tablebase),
    Route("/{id}/mainline", _main_line),
    Route("/{id}/explorer", _explorer),
]
