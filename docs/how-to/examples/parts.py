"""Cram, which falls into parts: free squares that are not connected are games of their own.

A part is a position in which all other squares are covered, moved to the upper left corner: the more parts are equal,
the faster.
"""

from dataclasses import dataclass, replace

from cram import Cram

from analysis import Parts, Rules


@dataclass(frozen=True)
class Split(Cram):
    def rules(self) -> Rules:
        return replace(super().rules(), impartial=True)

    def parts(self) -> Parts:
        rows, cols = self.rows, self.cols
        whole = (1 << rows * cols) - 1

        def split(state: int) -> list[int]:
            free = {(i // cols, i % cols) for i in range(rows * cols) if not state >> i & 1}
            found = []
            while free:
                part, front = set(), [free.pop()]
                while front:
                    r, c = square = front.pop()
                    part.add(square)
                    near = {(r, c + 1), (r, c - 1), (r + 1, c), (r - 1, c)} & free
                    free -= near
                    front += near
                top, left = min(r for r, _ in part), min(c for _, c in part)
                found.append(whole - sum(1 << (r - top) * cols + c - left for r, c in part))
            return found

        return Parts(split)
