"""A user game with residual states: three heaps, of which the first two are alike.

In turn a player takes one token or two from one heap, from the third only one at a time; whoever cannot move has lost.
A state holds the heaps, two bits each, and who is to move. What is left to play does not depend on which of the first
two heaps is the larger one.
"""

import dataclasses

from analysis import ONGOING, Game, Residual, Rules

TURN = 64


def _size(state, heap):
    return state >> 2 * heap & 3


def _tokens(state):
    return _size(state, 0) + _size(state, 1) + _size(state, 2)


def _play(state, move):
    return (state - ((1 + move % 2) << move // 2 * 2)) ^ TURN


def _outcome(state):
    if state & 63:
        return ONGOING
    return 1 if state & TURN else -1


def _to_move(state):
    return -1 if state & TURN else 1


def _first_to_move(state):
    """As if the first player made all moves."""
    return 1


def _listing(times):
    """Legal moves, those of two heaps that are alike so many times; 0: of each heap, alike or not."""

    def legal_moves(state, out):
        n = 0
        for heap in range(3):
            alike = times and heap < 2 and _size(state, 0) == _size(state, 1)
            for take in range(1, 3 if heap < 2 else 2):
                if _size(state, heap) >= take and not (alike and heap == 1):
                    for _ in range(times if alike else 1):
                        out[n] = 2 * heap + take - 1
                        n += 1
        return n

    return legal_moves


def _sorted(state):
    first, second = _size(state, 0), _size(state, 1)
    return state & ~15 | min(first, second) | max(first, second) << 2


def _sorted_whole(state):
    """As if all three heaps were alike."""
    state = _sorted(state)
    second, third = _size(state, 1), _size(state, 2)
    return _sorted(state & ~60 | min(second, third) << 2 | max(second, third) << 4)


def _forgetful(state):
    """As if a last token in the third heap did not count."""
    return _sorted(state & ~48 if state & 48 == 16 else state)


def _overflowing(state):
    """Right in plain Python, and not where numbers have 64 bits."""
    return _sorted(state) ^ 1 - ((state | 1) * (1 << 62) * 4 // (1 << 62) // 4 & 1)


@dataclasses.dataclass(frozen=True)
class Heaps(Game):
    """The heaps have ``size`` tokens each at first; ``fault`` spoils what is left to play."""

    family = "heaps"
    size: int = 3
    fault: str = ""

    def rules(self):
        start, size = 21 * self.size, self.size

        def tier(state):
            return 3 * size - _tokens(state)

        return Rules(
            start=start,
            max_moves=5,
            legal_moves=_listing(0),
            play=_play,
            outcome=_outcome,
            to_move=_to_move,
            largest_code=4,
            tier=tier,
            impartial=self.fault != "mover",
        )

    def residual(self):
        of = {"permutation": _sorted_whole, "mark": _forgetful, "overflow": _overflowing}.get(self.fault, _sorted)
        legal_moves = _listing(1 if self.fault == "multiplicity" else 2)

        def play(state, move):
            return of(_play(state, move))

        rules = dataclasses.replace(self.rules(), legal_moves=legal_moves, play=play)
        if self.fault == "mover":
            rules = dataclasses.replace(rules, to_move=_first_to_move)
        return Residual(of, dataclasses.replace(rules, start=of(rules.start)))
