"""The application: every dialect under its address, and what stands before them all."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Mount

from analysis.errors import GametreeError, MissingDataError, RulesNeededError
from analysis.explorer.answering import Exact
from analysis.explorer.guards import Guarded, WithToken
from analysis.explorer.lichess.routes import ROUTES as LICHESS
from analysis.explorer.native.routes import ROUTES as NATIVE
from analysis.explorer.pages.rendering import error_page
from analysis.explorer.pages.routes import ROUTES as PAGES
from analysis.explorer.served import Site
from analysis.explorer.uwapi.routes import ROUTES as UWAPI
from analysis.explorer.work import BusyError, GoneError
from analysis.wording import visible

DIALECTS = {"/api/v1": NATIVE, "/uwapi": UWAPI, "/lichess": LICHESS}
"""Which answer programs, in JSON; people get pages."""

METHODS = ("GET", "POST")
"""Those of pages from elsewhere, where they are let in."""


def make_app(
    site: Site, *, hosts: Sequence[str] = ("*",), origins: Sequence[str] = (), token: str | None = None
) -> Starlette:
    """The application that hands a site out: to requests for these ``hosts``, to pages from these ``origins`` beside
    its own, and where there is a ``token`` to those who know it.
    """
    guards = [Middleware(Guarded), Middleware(TrustedHostMiddleware, allowed_hosts=list(hosts), www_redirect=False)]
    if origins:
        guards.append(
            Middleware(
                CORSMiddleware,
                allow_origins=list(origins),
                allow_methods=METHODS,
                allow_headers=["*"],
                allow_private_network=True,
            )
        )
    if token is not None:
        guards.append(Middleware(WithToken, token=token))
    app = Starlette(
        routes=[*PAGES, *(Mount(path, routes=routes) for path, routes in DIALECTS.items())],
        middleware=guards,
        exception_handlers={
            GametreeError: _refused,
            HTTPException: _not_found,
            BusyError: _busy,
            GoneError: _gone,
            ClientDisconnect: _gone,
        },
    )
    app.state.site, app.state.turn = site, asyncio.Lock()
    return app


def _failed(request: Request, status: int, line: str, headers: dict[str, str] | None = None) -> Response:
    """A refusal, as a page to people and as JSON to programs."""
    line = visible(" ".join(line.split()))
    if request.url.path.startswith(tuple(f"{path}/" for path in DIALECTS)):
        return Exact({"error": line}, status, headers)
    return HTMLResponse(error_page(status, line), status, headers)


async def _refused(request: Request, error: Exception) -> Response:
    missing = isinstance(error, (MissingDataError, RulesNeededError))
    return _failed(request, 404 if missing else 400 if getattr(error, "exit_code", 1) == 2 else 500, str(error))


async def _not_found(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return _failed(request, error.status_code, error.detail, dict(error.headers or {}))


async def _busy(request: Request, _: Exception) -> Response:
    return _failed(request, 503, "too many searches at once; ask again in some seconds", {"Retry-After": "5"})


async def _gone(_: Request, __: Exception) -> Response:
    return Response(status_code=499)
