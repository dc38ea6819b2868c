"""Two loopy games that are not on the shelf, as a user would write them: mu torere and pong hau k'i.

Published: mu torere has 1180 reachable positions and is a draw; pong hau k'i is a draw.
"""

import dataclasses
from typing import ClassVar

import pytest

import analysis
from analysis.rules.game import ONGOING, Game, Rules
from tests.support.graph_oracle import GraphOracle

RING = tuple(tuple(sorted(((i - 1) % 8, (i + 1) % 8, 8))) for i in range(8))
MU_TORERE = (*RING, tuple(range(8)))
PONG_HAU_KI = ((2, 4), (3, 4), (0, 3, 4), (1, 2, 4), (0, 1, 2, 3))  # one side of the square is open
SIDE = 1 << 18


@dataclasses.dataclass(frozen=True)
class Slide(Game):
    """Each player has half of the points but one; a piece slides to the free point; one who cannot move loses. In mu
    torere a piece may leave the ring for the centre only from beside an enemy.
    """

    family: ClassVar[str] = "slide"
    torere: bool = True

    @property
    def points(self):
        return MU_TORERE if self.torere else PONG_HAU_KI

    def rules(self):
        n, torere = len(self.points), self.torere
        near = tuple(sum(1 << other for other in others) for others in self.points)
        everywhere = (1 << n) - 1
        centre = n - 1

        def movers(state):
            own = state >> 9 & everywhere if state & SIDE else state & everywhere
            enemy = state & everywhere if state & SIDE else state >> 9 & everywhere
            free = everywhere & ~(own | enemy)
            found = 0
            for point in range(n):
                if own >> point & 1 and near[point] & free:
                    enemies = near[point] & enemy
                    if not torere or free != 1 << centre or enemies:
                        found |= 1 << point
            return found

        def legal_moves(state, out):
            pieces, count = movers(state), 0
            for point in range(n):
                if pieces >> point & 1:
                    out[count] = point
                    count += 1
            return count

        def play(state, move):
            free = everywhere & ~(state | state >> 9)
            shift = 9 if state & SIDE else 0
            return (state ^ (1 << move | free) << shift) ^ SIDE

        def to_move(state):
            return -1 if state & SIDE else 1

        def outcome(state):
            return ONGOING if movers(state) else -to_move(state)

        half = (n - 1) // 2
        first = (1 << half) - 1
        return Rules(first | first << half << 9, n, legal_moves, play, outcome, to_move, loopy=True)


@pytest.mark.slow
@pytest.mark.parametrize(("torere", "positions"), [(True, 1180), (False, 56)])
def test_slide_games(torere, positions):
    game = Slide(torere)
    rules = game.rules()
    solution = analysis.solve(game)
    assert solution.position_count == positions
    assert (solution.value, solution.remoteness_plies) == (0, None)
    oracle = GraphOracle(rules.start, rules.moves, rules.outcome, rules.to_move)
    assert len(oracle.positions) == positions
    for state in oracle.positions:
        record = solution.records.of(state)
        assert (record.value, record.remoteness_plies) == (oracle.value(state), oracle.remoteness(state))
