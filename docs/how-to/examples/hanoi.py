"""The tower of Hanoi: take the topmost disc of a peg to a free peg or onto a larger disc, until all are on the last."""


class Hanoi:
    def __init__(self, discs: int = 4) -> None:
        self.pegs = [list(range(discs, 0, -1)), [], []]

    def moves(self) -> list[tuple[int, int]]:
        tops = [peg[-1] if peg else 99 for peg in self.pegs]
        return [(a, b) for a in range(3) for b in range(3) if tops[a] < tops[b]]

    def move(self, a: int, b: int) -> None:
        self.pegs[b].append(self.pegs[a].pop())

    def solved(self) -> bool:
        return not self.pegs[0] and not self.pegs[1]
