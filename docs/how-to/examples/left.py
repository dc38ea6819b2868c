"""What is left to play in Cram: a free square without a free neighbour is as good as covered.

A residual state holds the covered squares and, in higher bits, the number of dominoes, which squares no longer tell.
"""

from dataclasses import dataclass, replace

from cram import Cram

from analysis import ONGOING, Residual, popcount


@dataclass(frozen=True)
class Left(Cram):
    def residual(self) -> Residual:
        rules, cells = self.rules(), self.rows * self.cols
        whole, moves_on = (1 << cells) - 1, rules.legal_moves
        dominoes = tuple(after for _, after in rules.moves(0))

        def left(covered: int, number: int) -> int:
            free = 0
            for domino in dominoes:
                if covered & domino == 0:
                    free |= domino
            return whole & ~free | number << cells

        def of(state: int) -> int:
            return left(state, popcount(state) // 2)

        def legal_moves(state: int, out: list[int]) -> int:
            return moves_on(state & whole, out)

        def play(state: int, move: int) -> int:
            return left(state & whole | dominoes[move], (state >> cells) + 1)

        def to_move(state: int) -> int:
            return 1 - 2 * (state >> cells & 1)

        def outcome(state: int) -> int:
            return ONGOING if state & whole != whole else -to_move(state)

        own = replace(
            rules,
            start=of(0),
            legal_moves=legal_moves,
            play=play,
            outcome=outcome,
            to_move=to_move,
            evaluations={},
        )
        return Residual(of, own)
