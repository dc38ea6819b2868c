"""The server: where it listens, for whom, and how it ends."""

from __future__ import annotations

import asyncio
import dataclasses
import errno
import ipaddress
import os
import re
import secrets
import signal
import socket
import sys
import threading
import webbrowser
from collections.abc import Callable, Sequence

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from analysis.errors import OptionError
from analysis.solution.solution import Solution
from analysis.web.http import make_app
from analysis.web.served import Site

PORT, NEXT = 8460, 10
"""The port by default, and how many after it are tried."""

REFUSED = frozenset(
    {
        1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109,
        110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530,
        531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190,
        5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
    }
)  # fmt: skip
"""Ports that browsers do not open: the WHATWG's Fetch standard, section 2.9, "Port blocking"."""

LOCAL = "127.0.0.1"

WAITING = 128
"""Connections that wait to be accepted."""

GRACE_SECONDS = 1
"""For answers that are being given when the server ends."""

REQUEST_SECONDS = 5
"""That a request may take to arrive: for a batch of 4 MB a line of 7 megabits a second will do."""

SIGNALS = (signal.SIGINT, signal.SIGTERM)

_ORIGIN = re.compile(r"https?://(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9.-]+)(:[0-9]{1,5})?")


@dataclasses.dataclass(frozen=True)
class Listening:
    """Where a server listens, and who is let in."""

    socket: socket.socket
    url: str
    """What a browser opens."""
    hosts: tuple[str, ...]
    """The names that requests may call it by: a page from elsewhere that has its own name lead here is sent away."""
    token: str | None


def listen(host: str = LOCAL, port: int | None = None, *, token: bool = False) -> Listening:
    """Listen at a ``port``, or at the first free one of `PORT` and the next ones; 0 is any that is free. Raises
    `OptionError` for a port that is taken or that browsers refuse, for a host that is not of this machine, and for one
    that others reach without a ``token``.
    """
    if port in REFUSED:
        raise OptionError(f"browsers refuse to open port {port}; choose another, such as {PORT}")
    family, place = _place(host)
    local = ipaddress.ip_address(place.partition("%")[0]).is_loopback
    if not local and not token:
        raise OptionError(f"--host {host} lets others in; add --token, and only those who know the token are answered")
    bound = _bind(family, place, host, port)
    number = bound.getsockname()[1]
    known = secrets.token_urlsafe(24) if token else None
    shown = f"[{place}]" if family == socket.AF_INET6 else place
    anywhere = ipaddress.ip_address(place.partition("%")[0]).is_unspecified
    names = ("*",) if anywhere else (LOCAL, "localhost", "[::1]") if local else ()
    url = f"http://{socket.gethostname() if anywhere else shown}:{number}/" + (f"?token={known}" if known else "")
    return Listening(bound, url, tuple(dict.fromkeys((*names, shown, host))), known)


def _place(host: str) -> tuple[socket.AddressFamily, str]:
    """The address of a host. Raises `OptionError` where there is none."""
    try:
        found = socket.getaddrinfo(host.strip("[]"), None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise OptionError(f"there is no host {host!r}; --host is an address of this machine, such as {LOCAL}") from None
    return found[0][0], str(found[0][4][0])


def _bind(family: socket.AddressFamily, place: str, host: str, port: int | None) -> socket.socket:
    ports = range(PORT, PORT + NEXT + 1) if port is None else [port]
    for number in ports:
        # asyncio sends answers at once, without waiting for more to send, where a socket says that it is of TCP
        bound = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        try:
            if os.name == "posix":  # elsewhere it would take a port away
                bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            bound.bind((place, number))
            bound.listen(WAITING)
        except OSError as error:
            bound.close()
            if error.errno not in (errno.EADDRINUSE, errno.EACCES):
                raise OptionError(f"cannot listen at {host}: {error.strerror}") from None
            if port is not None:
                why = "is taken" if error.errno == errno.EADDRINUSE else "may not be used"
                raise OptionError(f"port {port} {why}; choose another --port, or leave it out") from None
        else:
            return bound
    raise OptionError(f"ports {ports[0]} to {ports[-1]} are taken; choose another with --port")


def check_origin(origin: str) -> None:
    """Raise `OptionError` for what is no origin of pages."""
    if origin != "*" and not _ORIGIN.fullmatch(origin):
        raise OptionError(f"{origin!r} is no origin; one is written like https://example.org or http://localhost:5173")


class Prompt(H11Protocol):
    """A connection that is closed where a request that has begun, or the first one, has not arrived in time."""

    _late: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override] # as in uvicorn
        """Wait for the first request."""
        super().connection_made(transport)
        self._wait()

    def data_received(self, data: bytes) -> None:
        """Wait for the rest of a request, if there is more to come."""
        super().data_received(data)
        self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait for nothing any more."""
        super().connection_lost(exc)
        if self._late is not None:
            self._late.cancel()

    def _wait(self) -> None:
        state = self.conn.their_state
        begun = state is h11.IDLE and (self.cycle is None or self.conn.trailing_data[0])
        if not begun and state is not h11.SEND_BODY:
            if self._late is not None:
                self._late.cancel()
            self._late = None
        elif self._late is None:
            self._late = self.loop.call_later(REQUEST_SECONDS, self.transport.close)


def serve(
    solutions: Sequence[Solution],
    listening: Listening,
    *,
    origins: Sequence[str] = (),
    begun: Callable[[], object] = lambda: None,
) -> None:
    """Hand solutions out until the process is told to end by Ctrl-C or SIGTERM; ``begun`` is called once requests are
    taken. Answers that are being given then have `GRACE_SECONDS`.
    """
    app = make_app(Site(solutions), hosts=listening.hosts, origins=origins, token=listening.token)
    config = uvicorn.Config(
        app,
        lifespan="off",
        ws="none",
        http=Prompt,
        log_config=None,
        log_level="critical",  # what is no HTTP is answered, and who is cut off at the end is no news
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=GRACE_SECONDS,
    )
    server = uvicorn.Server(config)

    def end(*_: object) -> None:
        server.should_exit = True

    before = {number: signal.signal(number, end) for number in SIGNALS}  # uvicorn gives signals that it got back to us
    try:
        begun()
        server.run(sockets=[listening.socket])
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def open_browser(url: str) -> None:
    """Open a page in the browser of this screen, if there is one; a browser in the terminal would take that over."""
    seen = sys.platform in ("win32", "darwin") or any(map(os.environ.get, ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")))
    if seen:
        threading.Thread(target=webbrowser.open, args=(url,), daemon=True).start()
