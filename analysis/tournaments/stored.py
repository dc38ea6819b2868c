"""The directory of a tournament: what it is, and its games, each stored as soon as it is over."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
import random
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from analysis.errors import OptionError, StoreError
from analysis.machine.files import (
    as_store_error,
    check_writable,
    locked,
    make_directories,
    read_sealed_json,
    write_sealed_json,
)

HEADER, GAMES, JUDGED = "tournament.json", "games.jsonl", "judged.json"

SYNC_SECONDS = 1.0
"""Games are forced to the disk this often, so that a loss of power costs no more; a process that is killed costs none.
"""


@dataclasses.dataclass(frozen=True)
class PlayedGame:
    """A game that is over, a row of the file of games."""

    game: int
    """Its number."""
    x: str
    o: str
    path: str
    """All its moves, those of the opening included."""
    outcome: str
    """``X``, ``O``, ``tie`` or ``unfinished``."""
    payoff: int
    """The first player's; of a game lost without its being over -1 or 1."""
    plies: int
    opening_plies: int
    """Plies that the players did not choose."""
    fault: str | None = None
    """What the loser did wrong, if that decided it."""

    @property
    def points(self) -> float:
        """Those of X: 1, 1/2 or 0; an unfinished game counts as a draw."""
        return {"X": 1.0, "O": 0.0}.get(self.outcome, 0.5)


def is_tournament(path: Path) -> bool:
    """Return whether this is the directory of a tournament."""
    return (path / HEADER).is_file()


def read_header(directory: Path) -> dict[str, Any]:
    """Return what a tournament is. Raises `StoreError`."""
    if not is_tournament(directory):
        raise StoreError(f"{directory} does not hold a tournament: it has no {HEADER}")
    return _read(directory / HEADER)


def read_judgement(directory: Path, games: int) -> dict[str, Any] | None:
    """Return how a tournament of this many games was judged, None where it was not. Raises `StoreError`."""
    path = directory / JUDGED
    found = _read(path) if path.exists() else {}
    return found["judgement"] if found.get("games") == games else None


def store_judgement(directory: Path, games: int, judgement: Any) -> None:
    """Store how a tournament of this many games was judged. Raises `StoreError`."""
    write_sealed_json(directory / JUDGED, {"games": games, "judgement": judgement})


def _read(path: Path) -> dict[str, Any]:
    found, sound = read_sealed_json(path)
    if not sound or not isinstance(found, dict):
        raise StoreError(f"{path} is damaged: its checksum differs")
    return found


def read_games(directory: Path) -> list[PlayedGame]:
    """Return the games played so far, in order of their numbers. Raises `StoreError`."""
    path = directory / GAMES
    with as_store_error(path):
        data = path.read_bytes() if path.exists() else b""
    games = {}
    for number, line in enumerate(data[: data.rfind(b"\n") + 1].splitlines(), 1):
        try:
            game = PlayedGame(**json.loads(line))
        except (TypeError, ValueError):
            raise StoreError(f"{path}, line {number} is damaged: it is not a game") from None
        games[game.game] = game
    return [games[number] for number in sorted(games)]


def digest_of(files: list[Path]) -> str:
    """Return the SHA-256 of some files together. Raises `StoreError`."""
    found = hashlib.sha256()
    for file in files:
        with as_store_error(file):
            found.update(file.read_bytes())
    return found.hexdigest()


class GameFile:
    """Appends games to the file; any thread may."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file, self._lock, self._synced = file, threading.Lock(), 0.0

    def add(self, game: PlayedGame) -> None:
        """Store a game."""
        line = json.dumps(dataclasses.asdict(game), ensure_ascii=False).encode(errors="replace") + b"\n"
        with self._lock:
            self._file.write(line)
            self._file.flush()
            if time.monotonic() - self._synced > SYNC_SECONDS:
                self.sync()

    def sync(self) -> None:
        """Force the file to the disk."""
        os.fsync(self._file.fileno())
        self._synced = time.monotonic()


@contextmanager
def opened(directory: Path, header: dict[str, Any]) -> Iterator[tuple[dict[str, Any], GameFile]]:
    """Begin a tournament, or go on with the same one; if the ``seed`` of the header is None, any will do. Yields the
    stored header and the file of games. Raises `OptionError` where the directory holds another tournament,
    `InUseError` and `StoreError`.
    """
    check_writable(directory, folder=True)
    with as_store_error(directory):
        make_directories(directory)
    with locked(directory):
        if is_tournament(directory):
            header = _same(directory, read_header(directory), header)
        else:
            if (directory / GAMES).exists():
                raise StoreError(f"{directory} holds {GAMES} but no tournament; choose another --out")
            if header["seed"] is None:
                header = {**header, "seed": random.SystemRandom().randrange(1 << 32)}
            write_sealed_json(directory / HEADER, header)
        path = directory / GAMES
        with as_store_error(path):
            _cut_off(path)
            file = path.open("ab")
        with file:
            games = GameFile(file)
            yield header, games
            games.sync()


def _same(directory: Path, stored: dict[str, Any], header: dict[str, Any]) -> dict[str, Any]:
    if header["seed"] is None:
        header = {**header, "seed": stored.get("seed")}
    for name, value in json.loads(json.dumps(header)).items():
        if stored.get(name) != value:
            shown = f" ({stored.get(name)}, not {value})" if isinstance(value, (int, float, str)) else ""
            called = "players or files of theirs" if name == "players" else name.replace("_", " ")
            what = f"{directory} holds a tournament with other {called}{shown}"
            raise OptionError(f"{what}; choose another --out")
    return stored


def _cut_off(path: Path) -> None:
    """Remove half a line, which a process that was killed may have left at the end."""
    if path.exists():
        data = path.read_bytes()
        os.truncate(path, data.rfind(b"\n") + 1)
