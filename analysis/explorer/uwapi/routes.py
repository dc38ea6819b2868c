"""What is asked for by the addresses of the Universal Web API."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from analysis.errors import PositionError
from analysis.explorer.answering import Exact, fields_of, kept, site_of
from analysis.explorer.served import Served
from analysis.explorer.uwapi import answers


async def _games(request: Request) -> Response:
    return Exact(answers.games_json(site_of(request)))


async def _game(request: Request) -> Response:
    return Exact(answers.game_json(site_of(request), request.path_params["game"]))


async def _variant(request: Request) -> Response:
    return _of_variant(request, answers.variant_json)


async def _instructions(request: Request) -> Response:
    return _of_variant(request, answers.instructions_json)


async def _position(request: Request) -> Response:
    def told(served: Served) -> dict[str, Any]:
        text = request.path_params["position"].removesuffix("/") or fields_of(request, "p", others=True).text("p")
        try:
            return answers.position_json(served, served.state_of(text or ""))
        except PositionError:
            return {"error": "Invalid Position"}

    return _of_variant(request, told)


def _of_variant(request: Request, told: Callable[[Served], dict[str, Any]]) -> Response:
    found = answers.variant_of(site_of(request), request.path_params["game"], request.path_params["id"])
    if not isinstance(found, Served):
        return Exact(found)
    return kept(request, found, lambda: Exact(told(found)))


ROUTES = [
    Route("/", _games),
    Route("/{game}/", _game),
    Route("/{game}/{id}/", _variant),
    Route("/{game}/{id}/instructions/", _instructions),
    Route("/{game}/{id}/positions/{position:path}", _position),
]
