"""What all stored solutions of the process hold together, within bounds: open files, and row groups that were decoded.

What was used longest ago goes first; what a solution holds goes with it. Threads may share it.
"""

from __future__ import annotations

import threading
import weakref
from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from typing import Any


class Own(dict[Hashable, Any]):
    """What one owner holds on a `Shelf`."""


class Shelf:
    """Things that several owners hold, all together no more than ``most``, counted in whatever their sizes are."""

    def __init__(self, most: int) -> None:
        self.most, self.held = most, 0
        self._lock = threading.Lock()
        self._order: OrderedDict[tuple[int, Hashable], tuple[weakref.ref[Own], int]] = OrderedDict()
        """The sizes, what was used longest ago first; of an owner that is gone until it is their turn."""

    def get(self, own: Own, key: Hashable, make: Callable[[], tuple[Any, int]]) -> Any:
        """What the owner holds under a ``key``; if it is not there, what ``make`` returns, with its size. Whoever uses
        it may go on when it has been put away.
        """
        return self.take(own, (key,), lambda _: [make()])[0]

    def take(
        self, own: Own, keys: Sequence[Hashable], make: Callable[[list[Any]], Sequence[tuple[Any, int]]]
    ) -> list[Any]:
        """The same of several ``keys``: ``make`` is asked for those that are not there."""
        with self._lock:
            found = {key: own[key] for key in keys if key in own}
            for key in found:
                self._order.move_to_end((id(own), key))
        missing = [key for key in keys if key not in found]
        if missing:
            made = make(missing)
            with self._lock:
                for key, (thing, size) in zip(missing, made, strict=True):
                    found[key] = thing
                    self._put(own, key, thing, size)
                while self.held > self.most and len(self._order) > 1:
                    self._put_away()
        return [found[key] for key in keys]

    def _put(self, own: Own, key: Hashable, thing: Any, size: int) -> None:
        place = (id(own), key)
        self.held += size - self._order.pop(place, (None, 0))[1]
        self._order[place] = weakref.ref(own), size
        own[key] = thing

    def _put_away(self) -> None:
        (_, key), (owner, size) = self._order.popitem(last=False)
        self.held -= size
        own = owner()
        if own is not None:
            del own[key]


FILES = Shelf(128)
"""Open files, each of the size 1."""

FOOTERS = Shelf(1 << 27)
"""What the footers of files say, in bytes: to read them takes most of the time of opening one."""

ROW_GROUPS = Shelf(1 << 28)
"""Decoded columns of row groups, in bytes."""
