"""The explorer over HTTP: pages for people, answers for programs, and guards before both.

The server is one thread, so nothing needs a lock.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Awaitable, Callable, Generator, Sequence
from typing import Any

from starlette.applications import Starlette
from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import HTTPConnection, Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ..common.wording import visible
from ..errors import GametreeError, MissingDataError, RulesNeededError
from .answers import QUESTIONS, Steps
from .asked import TOKEN, Asked, exact_json
from .pages import rendering
from .positions import head_json
from .served import BID_FIELDS, BID_QUESTIONS, LIST, Auctioned, Served, Site

HEADERS = {
    "Content-Security-Policy": (
        "default-src 'self'; img-src 'self' data: blob:; worker-src 'self' blob:; object-src 'none'; "
        "base-uri 'none'; form-action 'self'; frame-ancestors 'self'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "SAMEORIGIN",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-cache",
}
"""Of the server: pages run and load nothing from elsewhere; no other site may frame them or learn their addresses; and
browsers keep nothing of a solution that is no longer served.
"""

API = "/api/v1"
"""Where programs ask, which get JSON; people get pages."""

COOKIE = "gametree-token"


class Exact(JSONResponse):
    """A response as `exact_json` writes it."""

    def render(self, content: Any) -> bytes:
        """Return the bytes of an answer."""
        return exact_json(content).encode("ascii")


def make_app(
    site: Site, *, hosts: Sequence[str] = ("*",), origins: Sequence[str] = (), token: str | None = None
) -> Starlette:
    """Return the application that serves a site, to requests for these ``hosts``, to pages from these ``origins`` and
    its own, and if there is a ``token`` only to clients that know it.
    """
    guards = [Middleware(TrustedHostMiddleware, allowed_hosts=list(hosts), www_redirect=False)]
    if origins:
        known: dict[str, Any] = {"allow_origins": list(origins), "allow_headers": ["*"]}
        guards.append(Middleware(CORSMiddleware, **known, allow_private_network=True))
    if token is not None:
        guards.append(Middleware(WithToken, token=token))
    handlers: Any = {GametreeError: _refused, HTTPException: _not_found}
    routes = [*PAGES, Mount(API, routes=ANSWERS)]
    app = Starlette(routes=routes, middleware=guards, exception_handlers=handlers)
    app.state.site = site
    return app


# Refusals -------------------------------------------------------------------------------------------------------------


def _failed(request: Request, status: int, line: str, headers: dict[str, str] | None = None) -> Response:
    """Return a refusal: a page for people, JSON for programs."""
    line = visible(" ".join(line.split()))
    if request.url.path.startswith(f"{API}/"):
        return Exact({"error": line}, status, headers)
    return HTMLResponse(rendering.render("error.html.j2", status=status, line=line), status, headers)


async def _refused(request: Request, error: Exception) -> Response:
    missing = isinstance(error, (MissingDataError, RulesNeededError))
    return _failed(request, 404 if missing else 400 if getattr(error, "exit_code", 1) == 2 else 500, str(error))


async def _not_found(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return _failed(request, error.status_code, error.detail, dict(error.headers or {}))


# Guards ---------------------------------------------------------------------------------------------------------------


class WithToken:
    """An application that answers only requests with a token: in a field of the query, which sets a cookie, in that
    cookie, or in a header ``Authorization: Bearer TOKEN``.
    """

    def __init__(self, app: ASGIApp, token: str) -> None:
        self.app, self.token = app, token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        connection = HTTPConnection(scope)
        kind, _, bearer = connection.headers.get("authorization", "").partition(" ")
        sent = [bearer.strip() if kind.lower() == "bearer" else "", connection.cookies.get(COOKIE, "")]
        given = connection.query_params.getlist(TOKEN)
        if not any(secrets.compare_digest(text.encode(), self.token.encode()) for text in given or sent):
            refusal = "this server was started with --token; open the address that it printed\n"
            await PlainTextResponse(refusal, status_code=401)(scope, receive, send)
            return

        async def with_cookie(message: Message) -> None:
            if message["type"] == "http.response.start":
                kept = f"{COOKIE}={self.token}; Path=/; HttpOnly; SameSite=Strict"
                MutableHeaders(scope=message).append("set-cookie", kept)
            await send(message)

        await self.app(scope, receive, with_cookie if given else send)


# Answers --------------------------------------------------------------------------------------------------------------


def _site(request: Request) -> Site:
    site: Site = request.app.state.site
    return site


def _served(request: Request) -> Served:
    """Return the solution that an address names. Raises `HTTPException` if there is none."""
    served = _site(request).get(request.path_params["id"])
    if served is None:
        raise HTTPException(404, "there is no solution of that name; /api/v1/solutions lists them")
    return served


def _auctioned(request: Request) -> Auctioned | None:
    return _site(request).auctions.get(request.path_params["id"])


def _fields(request: Request, *known: str) -> Asked:
    return Asked(request.scope["query_string"], *known)


def _answering(path: str) -> Callable[[Request], Awaitable[Response]]:
    """Return the handler of a question."""
    make, fields = QUESTIONS[path]

    async def answer(request: Request) -> Response:
        if (auctioned := _auctioned(request)) and path in BID_QUESTIONS:
            asked = _fields(request, *BID_QUESTIONS[path])
            return Exact(auctioned.answer(path, asked))
        content = make(_served(request), _fields(request, *fields.split()))
        if isinstance(content, Generator):
            content = await _followed(content)
        return Exact(content)

    return answer


async def _followed(steps: Steps) -> dict[str, Any]:
    """Take the steps of an answer, and let other requests run between them."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return end.value  # type: ignore[no-any-return]
        await asyncio.sleep(0)


async def _solutions(request: Request) -> Response:
    site = _site(request)
    auctions = [each.head_json() for each in site.auctions.values()]
    return Exact({"solutions": [head_json(served) for served in site], "bidding": auctions})


ANSWERS = [Route(f"/{LIST}", _solutions), *(Route("/{id}" + path, _answering(path)) for path in QUESTIONS)]


# Pages ----------------------------------------------------------------------------------------------------------------


async def _index(request: Request) -> Response:
    site = _site(request)
    games: list[tuple[Any, str]] = [(each, f"/game/{each.id}") for each in site]
    games += [(each, each.address(each.head_json()["start"])) for each in site.auctions.values()]
    if len(games) == 1:
        return RedirectResponse(games[0][1], 303)
    return HTMLResponse(rendering.render("solutions.html.j2", games=games))


async def _page(request: Request) -> Response:
    if auctioned := _auctioned(request):
        asked = _fields(request, *BID_FIELDS, "line")
        return HTMLResponse(rendering.bidding_page(auctioned, asked))
    served = _served(request)
    state = served.state_of(_fields(request, "p").text("p"))
    served.solution.records.tier(state)  # refuses what play does not reach
    return HTMLResponse(
        rendering.render("position.html.j2", served=served, position=served.game.format_position(state))
    )


async def _script(request: Request) -> Response:
    script = next((path for path in rendering.SCRIPTS.iterdir() if path.name == request.path_params["name"]), None)
    if script is None:
        raise HTTPException(404, "there is no such script")
    return Response(script.read_bytes(), media_type="text/javascript")


async def _style(_: Request) -> Response:
    return Response(rendering.style(), media_type="text/css")


PAGES = [
    Route("/", _index),
    Route("/game/{id}", _page),
    Route("/static/style.css", _style),
    Route("/static/{name}", _script),
]
