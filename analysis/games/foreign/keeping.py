"""Graphs of programs, kept in the user's cache directory, so that what takes long is explored once."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import io
import json
import os
import sys
import time
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from analysis.errors import GametreeError
from analysis.games.foreign.exploring import RulesGraph
from analysis.machine.files import graphs_folder, write_bytes
from analysis.machine.version import __version__

SLOW = 3.0
"""Seconds of processor time from which on a graph is kept: what takes less is explored and proved anew."""
MOST_POSITIONS = 2_000_000
"""Of a graph that is kept; one beyond takes long to read, too."""
MOST_BYTES = 1 << 30
"""Of all that are kept; beyond that, the least recently used are removed."""
TEXTS = ("keys", "labels", "players", "notes")


def kept_graph(digest: str, limit: int, explore: Callable[[], RulesGraph]) -> RulesGraph:
    """Return the graph of a program: the one that is kept, if it has at most ``limit`` positions, or else what
    ``explore`` returns, which is kept then. An entry that is damaged is ignored; if none can be written, nothing is
    kept.

    Args:
        digest: Of all that the graph depends on, but for versions; nothing where it cannot be kept.
        limit: Positions that are explored at most.
        explore: Finds the graph.
    """
    if not digest:
        return explore()
    name = hashlib.sha256(f"{__version__} {sys.version} {_own_source()} {digest}".encode()).hexdigest()
    path = graphs_folder() / f"{name}.graph"
    with contextlib.suppress(OSError, ValueError, KeyError, TypeError, zlib.error):
        graph = _unpacked(path.read_bytes())
        if len(graph.keys) <= limit:
            os.utime(path)
            return graph
    began = time.process_time()
    graph = explore()
    if len(graph.keys) <= MOST_POSITIONS and time.process_time() - began >= SLOW:
        with contextlib.suppress(OSError, GametreeError):
            path.parent.mkdir(parents=True, exist_ok=True)
            write_bytes(path, _packed(graph))
            _remove_oldest(path.parent)
    return graph


@functools.cache
def _own_source() -> str:
    """Return a hash of the code that makes graphs."""
    files = sorted(Path(__file__).parent.glob("*.py"))
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()


def _packed(graph: RulesGraph) -> bytes:
    """Return a graph as bytes: the SHA-256 of all that follows, and compressed arrays, texts as JSON in one of them."""
    parts = graph._asdict()
    texts = json.dumps({name: list(parts.pop(name)) for name in TEXTS} | {"named": parts.pop("named")}).encode()
    arrays: dict[str, Any] = {name: array for name, array in parts.items() if array is not None}
    file = io.BytesIO()
    np.savez(file, texts=np.frombuffer(texts, np.uint8), **arrays)
    body = zlib.compress(file.getbuffer(), 1)
    return hashlib.sha256(body).digest() + body


def _unpacked(data: bytes) -> RulesGraph:
    """Return the graph that `_packed` has packed. Raises `ValueError` and what else damaged data may cause."""
    seal, body = data[:32], data[32:]
    if hashlib.sha256(body).digest() != seal:
        raise ValueError("its checksum is another one")
    with np.load(io.BytesIO(zlib.decompress(body)), allow_pickle=False) as arrays:
        parts: dict[str, Any] = dict(arrays)
    texts = json.loads(parts.pop("texts").tobytes())
    return RulesGraph(**parts, **texts | {name: tuple(texts[name]) for name in ("players", "notes")})


def _remove_oldest(folder: Path) -> None:
    """Remove the least recently used entries beyond `MOST_BYTES`."""
    entries = sorted((path.stat().st_mtime, path.stat().st_size, path) for path in folder.glob("*.graph"))
    excess = sum(size for _, size, _ in entries) - MOST_BYTES
    for _, size, path in entries:
        if excess <= 0:
            return
        path.unlink(missing_ok=True)
        excess -= size
