"""What the answers of all dialects have in common: whose they are, how they are written and how long they keep."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from analysis.explorer.asked import Asked
from analysis.explorer.exact_json import exact_json
from analysis.explorer.served import Served, Site

FLEETING = {"Cache-Control": "no-store"}
"""Of an answer that the next request may not get again."""


class Exact(JSONResponse):
    """JSON of ASCII characters alone, so that halves of characters are no matter, and of numbers nobody rounds."""

    def render(self, content: Any) -> bytes:
        """The bytes of an answer."""
        return exact_json(content).encode("ascii")


def site_of(request: Request) -> Site:
    """All that the server hands out."""
    site: Site = request.app.state.site
    return site


def served_by(request: Request) -> Served:
    """The solution that an address names. Raises `HTTPException` where there is none."""
    served = site_of(request).get(request.path_params["id"])
    if served is None:
        raise HTTPException(404, "there is no solution of that name; /api/v1/solutions lists them")
    return served


def fields_of(request: Request, *known: str, others: bool = False) -> Asked:
    """The fields of a request, see `Asked`."""
    return Asked(request.scope["query_string"], *known, others=others)


def kept(request: Request, served: Served, make: Callable[[], Response]) -> Response:
    """An answer that is the same as long as the solution is: it is not made for those who have it."""
    headers = {"ETag": served.etag, "Cache-Control": "no-cache"}
    known = [tag.strip().removeprefix("W/") for tag in request.headers.get("if-none-match", "").split(",")]
    if served.etag in known or known == ["*"]:
        return Response(status_code=304, headers=headers)
    response = make()
    response.headers.update(headers)
    return response
