"""The server: its socket, its clients, and its end."""

from __future__ import annotations

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

import uvicorn

from ..errors import OptionError
from ..solution.solution import Solution
from .http import HEADERS, make_app
from .served import Bidder, Site

PORT, NEXT = 8460, 10
"""The default port, and how many further ones are tried."""

LOCAL = "127.0.0.1"

WAITING = 128
"""Limit on connections waiting to be accepted."""

GRACE_SECONDS = 1
"""Time for unfinished answers when the server ends."""

REQUEST_SECONDS = 20
"""Limit on the time until the next request on a connection that stays open."""

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
    port that is taken, for a host that is not this machine's, and for one that other machines
    can reach if there is no ``token``.
    """
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


def serve(
    solutions: Sequence[Solution],
    listening: Listening,
    *,
    origins: Sequence[str] = (),
    bots: Sequence[str] = (),
    bidder: Bidder | None = None,
    begun: Callable[[], object] = lambda: None,
) -> None:
    """Serve solutions, with these ``bots`` and what ``bidder`` makes to play against, until Ctrl-C or SIGTERM, and then
    finish answers for `GRACE_SECONDS`; call ``begun`` once requests are accepted.
    """
    site = Site(solutions, bots, bidder)
    app = make_app(site, hosts=listening.hosts, origins=origins, token=listening.token)
    config = uvicorn.Config(
        app,
        lifespan="off",
        ws="none",
        http="h11",
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
