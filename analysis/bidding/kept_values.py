"""Values of states that a bot has found, kept in the user's cache folder: its next turn is another process."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from analysis.bidding.exact_values import Value
from analysis.errors import GametreeError
from analysis.games.bidding import Bidding
from analysis.machine.files import read_sealed_json, rules_folder, write_sealed_json
from analysis.machine.version import __version__


class KeptValues:
    """Values by board and column. A file that is damaged, or of other rules, counts as none; where there is no place
    for one nothing is kept.
    """

    def __init__(self, game: Bidding) -> None:
        name = hashlib.sha256(f"{__version__} {game.spec} {game.rules_hash()}".encode()).hexdigest()
        self._path = rules_folder().with_name("bids") / f"{name}.json"
        self._texts: dict[str, str] = self._read()
        self._new = False

    def of(self, board: int, find: Callable[[int], Value]) -> Callable[[int], Value]:
        """The value of each column of a board, as it was kept or as ``find`` tells."""

        def value(column: int) -> Value:
            key = f"{board} {column}"
            if key not in self._texts:
                self._texts[key], self._new = _text(find(column)), True
            return _value(self._texts[key])

        return value

    def write(self) -> None:
        """Keep what was found since."""
        if self._new:
            with contextlib.suppress(OSError, GametreeError):
                self._path.parent.mkdir(parents=True, exist_ok=True)
                write_sealed_json(self._path, {"values": self._texts})
            self._new = False

    def _read(self) -> dict[str, str]:
        with contextlib.suppress(GametreeError):
            data, sealed = read_sealed_json(self._path)
            if sealed:
                return dict(data["values"])
        return {}


def _text(value: Value) -> str:
    """An exact value as a fraction, a rounded one with its point."""
    return repr(value) if isinstance(value, float) else str(Fraction(value))


def _value(text: str) -> Any:
    """What `_text` wrote.

    >>> [_value(_text(value)) for value in (Fraction(2, 3), Fraction(-1), 0.1)]
    [Fraction(2, 3), Fraction(-1, 1), 0.1]
    """
    return float(text) if "." in text or "e" in text else Fraction(text)
