"""The addresses of pages."""

from __future__ import annotations

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from analysis.explorer.answering import fields_of, kept, served_by, site_of
from analysis.explorer.pages import rendering
from analysis.explorer.pages.bundle import SCRIPTS


async def _index(request: Request) -> Response:
    site = site_of(request)
    if len(site) == 1:
        return RedirectResponse(rendering.address(site[0], site[0].solution.start), 303)
    return HTMLResponse(rendering.list_page(site))


async def _page(request: Request) -> Response:
    served = served_by(request)
    state = served.state_of(fields_of(request, "p").text("p"))
    return kept(request, served, lambda: HTMLResponse(rendering.position_page(served, state)))


async def _script(request: Request) -> Response:
    name = request.path_params["name"]
    if name not in rendering.script_names():
        raise HTTPException(404, "there is no such script")
    return Response((SCRIPTS / name).read_bytes(), media_type="text/javascript")


async def _style(_: Request) -> Response:
    return Response(rendering.style(), media_type="text/css")


ROUTES = [
    Route("/", _index),
    Route("/game/{id}", _page),
    Route("/static/style.css", _style),
    Route("/static/{name}", _script),
]
