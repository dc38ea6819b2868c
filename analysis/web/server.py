"""The server: its socket, its clients, and its end."""

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

from ..errors import OptionError
from ..solution.solution import Solution
from .http import HEADERS, make_app
from .served import Site

PORT, NEXT = 8460, 10
"""The default port, and how many further ones are tried."""

REFUSED = frozenset(
    {
        1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109,
        110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530,
        531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190,
        5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
    }
)  # fmt: skip
"""Ports that browsers refuse to open (WHATWG, Fetch standard, section 2.9, "Port blocking")."""

LOCAL = "127.0.0.1"

WAITING = 128
"""Limit on connections waiting to be accepted."""

GRACE_SECONDS = 1
"""Time for unfinished answers when the server ends."""

REQUEST_SECONDS = 20
"""Limit on the time in which a request must arrive, and until the next one on a connection that stays open: a busy
machine may take seconds to send one, and a batch of 4 MB needs 2 megabits a second.
"""

SIGNALS = (signal.SIGINT, signal.SIGTERM)

_ORIGIN = re.compile(r"https?://(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9.-]+)(:[0-9]{1,5})?")


@dataclasses.dataclass(frozen=True)
class Listening:
    """An open socket, and who is let in."""

    socket: socket.socket
    url: str
    """The address to open in a browser."""
    hosts: tuple[str, ...]
    """The host names that requests may use; other sites could make theirs lead here."""
    token: str | None


def listen(host: str = LOCAL, port: int | None = None, *, token: bool = False) -> Listening:
    """Listen at a ``port``, by default the first free one from `PORT` on; 0 is any free one. Raises `OptionError` for a
    port that is taken or that browsers refuse, for a host that is not this machine's, and for one that other machines
    can reach if there is no ``token``.
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
    """Return the address of a host. Raises `OptionError`."""
    try:
        found = socket.getaddrinfo(host.strip("[]"), None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise OptionError(f"there is no host {host!r}; --host is an address of this machine, such as {LOCAL}") from None
    return found[0][0], str(found[0][4][0])


def _bind(family: socket.AddressFamily, place: str, host: str, port: int | None) -> socket.socket:
    ports = range(PORT, PORT + NEXT + 1) if port is None else [port]
    for number in ports:
        # asyncio sends answers without delay only if the socket is said to be of TCP
        bound = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        try:
            if os.name == "posix":  # elsewhere it would take over a port in use
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
    """Raise `OptionError` if this is no origin of pages."""
    if origin != "*" and not _ORIGIN.fullmatch(origin):
        raise OptionError(
            f"{origin!r} is not an origin; one is written like https://example.org or http://localhost:5173"
        )


class Prompt(H11Protocol):
    """A connection that is closed if its first request, or one that has begun, does not arrive in time."""

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
        """Stop waiting."""
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
    bots: Sequence[str] = (),
    begun: Callable[[], object] = lambda: None,
) -> None:
    """Serve solutions, with these ``bots`` to play against, until Ctrl-C or SIGTERM, and then finish answers for
    `GRACE_SECONDS`; call ``begun`` once requests are accepted.
    """
    site = Site(solutions, bots)
    app = make_app(site, hosts=listening.hosts, origins=origins, token=listening.token)
    config = uvicorn.Config(
        app,
        lifespan="off",
        ws="none",
        http=Prompt,
        log_config=None,
        log_level="critical",  # neither invalid requests nor connections cut off at the end are worth a message
        access_log=False,
        headers=list(HEADERS.items()),
        server_header=False,
        proxy_headers=False,
        timeout_keep_alive=REQUEST_SECONDS,
        timeout_graceful_shutdown=GRACE_SECONDS,
    )
    server = uvicorn.Server(config)

    def end(*_: object) -> None:
        server.should_exit = True

    before = {number: signal.signal(number, end) for number in SIGNALS}  # uvicorn raises signals again
    try:
        begun()
        server.run(sockets=[listening.socket])
    finally:
        for served in site:
            served.close()
        for number, handler in before.items():
            signal.signal(number, handler)


def open_browser(url: str) -> None:
    """Open a page in a browser, unless only a browser in this terminal could show it."""
    seen = sys.platform in ("win32", "darwin") or any(map(os.environ.get, ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")))
    if seen:
        threading.Thread(target=webbrowser.open, args=(url,), daemon=True).start()
