"""What stands before every answer: headers that keep pages from being used against their reader, and the token."""

from __future__ import annotations

import secrets
from urllib.parse import parse_qsl, urlencode

from starlette.datastructures import MutableHeaders
from starlette.requests import HTTPConnection
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

HEADERS = {
    "Content-Security-Policy": (
        "default-src 'self'; img-src 'self' data: blob:; worker-src 'self' blob:; object-src 'none'; "
        "base-uri 'none'; form-action 'self'; frame-ancestors 'self'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "SAMEORIGIN",
    "Referrer-Policy": "no-referrer",
}
"""Pages run no script and load nothing from elsewhere; no other page may frame them, or learns of their addresses."""

TOKEN, COOKIE = "token", "gametree-token"


class Guarded:
    """An application whose answers all have `HEADERS`."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        await self.app(scope, receive, guarded)


class WithToken:
    """An application that answers only those who know a token: from a field of the query, which sets a cookie, from
    that cookie, or from a header ``Authorization: Bearer TOKEN``.
    """

    def __init__(self, app: ASGIApp, token: str) -> None:
        self.app, self.token = app, token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        fields = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True, errors="surrogateescape")
        given = [text for name, text in fields if name == TOKEN]
        if not any(map(self._fits, given or _sent(HTTPConnection(scope)))):
            refusal = "this server was started with --token; open the address that it printed\n"
            await PlainTextResponse(refusal, status_code=401)(scope, receive, send)
            return
        if not given:
            await self.app(scope, receive, send)
            return

        async def with_cookie(message: Message) -> None:
            if message["type"] == "http.response.start":
                kept = f"{COOKIE}={self.token}; Path=/; HttpOnly; SameSite=Strict"
                MutableHeaders(scope=message).append("set-cookie", kept)
            await send(message)

        rest = urlencode([field for field in fields if field[0] != TOKEN], errors="surrogateescape")
        await self.app({**scope, "query_string": rest.encode("ascii")}, receive, with_cookie)

    def _fits(self, text: str) -> bool:
        return secrets.compare_digest(text.encode("utf-8", "surrogateescape"), self.token.encode())


def _sent(connection: HTTPConnection) -> list[str]:
    """The tokens in the headers of a request."""
    kind, _, bearer = connection.headers.get("authorization", "").partition(" ")
    return [bearer.strip() if kind.lower() == "bearer" else "", connection.cookies.get(COOKIE, "")]
