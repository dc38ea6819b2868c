"""The slow and obvious way: v(s), out(s) and all counts of an m,n,k game as a textbook writes them.

Dicts and recursion, positions as strings row by row, and nothing of the library. Everything fast is compared with it.
"""

import functools
import itertools
from collections import Counter
from collections.abc import Callable, Iterator


@functools.cache
def line_cells(rows: int, cols: int, k: int) -> list[tuple[int, ...]]:
    """The cells of every line; a line of one cell is there in each direction."""
    found = []
    for r, c, (dr, dc) in itertools.product(range(rows), range(cols), ((0, 1), (1, 0), (1, 1), (1, -1))):
        cells = [(r + i * dr, c + i * dc) for i in range(k)]
        if all(0 <= a < rows and 0 <= b < cols for a, b in cells):
            found.append(tuple(a * cols + b for a, b in cells))
    return found


class Oracle:
    """One m,n,k game. Positions are strings of X, O and ?, row by row."""

    def __init__(self, rows: int, cols: int, k: int, misere: bool = False) -> None:
        self.rows, self.cols, self.k, self.misere = rows, cols, k, misere
        self.start = "?" * (rows * cols)
        self.lines = line_cells(rows, cols, k)
        for name in ("outcome", "children", "value", "remoteness", "outcomes", "optimal_paths", "shortest_paths"):
            setattr(self, name, functools.cache(getattr(self, name)))

    # The rules --------------------------------------------------------------------------------------------------------

    def to_move(self, s: str) -> str:
        return "X" if s.count("X") == s.count("O") else "O"

    def outcome(self, s: str) -> int | None:
        """+1, 0 or -1 where the game is over, else None."""
        for side, payoff in (("X", 1), ("O", -1)):
            if any(all(s[cell] == side for cell in line) for line in self.lines):
                return -payoff if self.misere else payoff
        return None if "?" in s else 0

    def moves(self, s: str) -> list[int]:
        return [] if self.outcome(s) is not None else [cell for cell, mark in enumerate(s) if mark == "?"]

    def play(self, s: str, cell: int) -> str:
        return s[:cell] + self.to_move(s) + s[cell + 1 :]

    def children(self, s: str) -> list[str]:
        return [self.play(s, cell) for cell in self.moves(s)]

    # The course's definitions -----------------------------------------------------------------------------------------

    def value(self, s: str) -> int:
        """v(s): the outcome of a terminal state, else the max (X) or min (O) over its successors."""
        outcome = self.outcome(s)
        if outcome is not None:
            return outcome
        best = max if self.to_move(s) == "X" else min
        return best(self.value(child) for child in self.children(s))

    def remoteness(self, s: str) -> int:
        """The winner hurries, the loser delays, and in a tie both hurry."""
        if self.outcome(s) is not None:
            return 0
        mover_wins = self.value(s) == (1 if self.to_move(s) == "X" else -1)
        chosen = min if mover_wins or self.value(s) == 0 else max
        return 1 + chosen(self.remoteness(child) for child in self.children(s) if self.value(child) == self.value(s))

    def out(self, s: str, path: tuple[int, ...] = ()) -> Iterator[tuple[int, ...]]:
        """out(s): follow every successor of the same value, print the order of the cells at a terminal state."""
        if self.outcome(s) is not None:
            yield path
        for cell in self.moves(s):
            child = self.play(s, cell)
            if self.value(child) == self.value(s):
                yield from self.out(child, (*path, cell))

    def optimal_paths(self, s: str) -> int:
        if self.outcome(s) is not None:
            return 1
        return sum(self.optimal_paths(child) for child in self.children(s) if self.value(child) == self.value(s))

    def shortest_paths(self, s: str) -> int:
        if self.outcome(s) is not None:
            return 1
        return sum(
            self.shortest_paths(child)
            for child in self.children(s)
            if self.value(child) == self.value(s) and self.remoteness(child) == self.remoteness(s) - 1
        )

    # Counting ---------------------------------------------------------------------------------------------------------

    def outcomes(self, s: str) -> Counter[int]:
        """Complete games from s, by outcome."""
        outcome = self.outcome(s)
        if outcome is not None:
            return Counter({outcome: 1})
        return sum((self.outcomes(child) for child in self.children(s)), Counter())

    def tiers(self, start: str | None = None) -> list[dict[str, int]]:
        """Every position reachable from the start, by ply, with the number of histories that reach it."""
        tiers = [{self.start if start is None else start: 1}]
        while tiers[-1]:
            following: dict[str, int] = Counter()
            for s, histories in tiers[-1].items():
                for child in self.children(s):
                    following[child] += histories
            tiers.append(following)
        return tiers[:-1]

    def minimax_nodes(self, s: str) -> int:
        """Calls of plain minimax."""
        return 1 + sum(self.minimax_nodes(child) for child in self.children(s))

    def alphabeta(
        self, s: str, alpha: float, beta: float, depth: int = -1, leaf: Callable[[str], int] | None = None
    ) -> tuple[float, int]:
        """Fail-soft value to a depth (-1: to the end), and the number of calls; leaves count what ``leaf`` says."""
        outcome = self.outcome(s)
        if outcome is not None or depth == 0:
            return (leaf(s) if leaf else outcome or 0), 1
        first = self.to_move(s) == "X"
        best, nodes = (-float("inf") if first else float("inf")), 1
        for child in self.children(s):
            value, visited = self.alphabeta(child, alpha, beta, depth - 1, leaf)
            nodes += visited
            best = max(best, value) if first else min(best, value)
            alpha, beta = (max(alpha, best), beta) if first else (alpha, min(beta, best))
            if alpha >= beta:
                break
        return best, nodes

    def evaluate(self, s: str) -> int:
        """10 ** (j - 1) for each line with j marks of one side and none of the other, as courses have it."""
        total = 0
        for line in self.lines:
            marks = [s[cell] for cell in line if s[cell] != "?"]
            if len(set(marks)) == 1:
                total += (1 if marks[0] == "X" else -1) * 10 ** (len(marks) - 1)
        return -total if self.misere else total

    # Symmetry ---------------------------------------------------------------------------------------------------------

    def permutations(self, kind: str, start: str | None = None) -> list[tuple[int, ...]]:
        """All cell permutations of the kind that leave the start alone; for ``full``, found by trying every one."""
        start = self.start if start is None else start
        lines = {frozenset(line) for line in self.lines}
        cells = range(len(start))
        if kind == "none":
            candidates = [tuple(cells)]
        elif kind == "full":
            candidates = list(itertools.permutations(cells))
        else:
            candidates = list(dict.fromkeys(self._turned(*how) for how in itertools.product((0, 1), repeat=3)))
        return [
            p
            for p in candidates
            if len(set(p)) == len(start)
            and {frozenset(p[cell] for cell in line) for line in lines} == lines
            and self.moved(start, p) == start
        ]

    def _turned(self, transpose: int, down: int, across: int) -> tuple[int, ...]:
        if transpose and self.rows != self.cols:
            return ()
        found = []
        for r, c in itertools.product(range(self.rows), range(self.cols)):
            r, c = (self.rows - 1 - r if down else r), (self.cols - 1 - c if across else c)
            found.append(c * self.cols + r if transpose else r * self.cols + c)
        return tuple(found)

    @staticmethod
    def moved(s: str, permutation: tuple[int, ...]) -> str:
        image = [""] * len(s)
        for cell, target in enumerate(permutation):
            image[target] = s[cell]
        return "".join(image)

    def _by_value(self, tiers: list[dict[str, int]]) -> list[dict[str, int]]:
        """Positions worth each value, those of them that are terminal, and the games that end there."""
        rows = {value: {"value": value, "positions": 0, "terminal": 0, "games": 0} for value in (-1, 0, 1)}
        for tier in tiers:
            for s, histories in tier.items():
                row = rows[self.value(s)]
                row["positions"] += 1
                if self.outcome(s) is not None:
                    row["terminal"] += 1
                    row["games"] += histories
        return [row for row in rows.values() if row["positions"]]

    def statistics(self, kind: str = "geometric", start: str | None = None) -> dict:
        """What ``gametree stats`` says, with every symmetric count by brute force."""
        start = self.start if start is None else start
        group = self.permutations(kind, start)

        def of(s: str) -> str:
            return min(self.moved(s, p) for p in group)

        tiers = self.tiers(start)
        by_ply, by_length, by_remoteness = [], [], Counter()
        for ply, tier in enumerate(tiers):
            over = {s: self.outcome(s) for s in tier if self.outcome(s) is not None}
            values = Counter(self.value(s) for s in tier)
            ended = Counter()
            for s, outcome in over.items():
                ended[outcome] += tier[s]
            if ended:
                games = {"games": ended.total(), "games_x": ended[1], "games_o": ended[-1], "games_tie": ended[0]}
                by_length.append({"plies": ply} | games)
            terminal = Counter(over.values())
            for s in tier:
                seen = self.value(s) * (1 if self.to_move(s) == "X" else -1)
                by_remoteness[self.remoteness(s), seen] += 1
            by_ply.append(
                {
                    "ply": ply,
                    "positions": len(tier),
                    "classes": len({of(s) for s in tier}),
                    "terminal_x": terminal[1],
                    "terminal_o": terminal[-1],
                    "terminal_tie": terminal[0],
                    "value_x": values[1],
                    "value_tie": values[0],
                    "value_o": values[-1],
                    "moves": sum(len(self.moves(s)) for s in tier),
                    "histories": sum(tier.values()),
                }
            )
        outcomes = self.outcomes(start)
        return {
            "value": self.value(start),
            "remoteness_plies": self.remoteness(start),
            "positions": sum(row["positions"] for row in by_ply),
            "classes": sum(row["classes"] for row in by_ply),
            "symmetry_order": len(group),
            **{name: sum(row[name] for row in by_ply) for name in ("terminal_x", "terminal_o", "terminal_tie")},
            "moves": sum(row["moves"] for row in by_ply),
            "games": sum(outcomes.values()),
            "games_x": outcomes[1],
            "games_o": outcomes[-1],
            "games_tie": outcomes[0],
            "games_by_length": by_length,
            "by_value": self._by_value(tiers),
            "histories": sum(row["histories"] for row in by_ply),
            "optimal_paths": self.optimal_paths(start),
            "quotient_paths": self.quotient_paths(start, of),
            "games_up_to_symmetry": self.game_orbits(start, group),
            "by_ply": by_ply,
            "by_remoteness": [
                {
                    "remoteness_plies": plies,
                    "win": by_remoteness[plies, 1],
                    "lose": by_remoteness[plies, -1],
                    "tie": by_remoteness[plies, 0],
                    "draw": 0,
                }
                for plies in sorted({plies for plies, _ in by_remoteness})
            ],
        }

    def quotient_paths(self, start: str, of) -> int:
        """Paths of the graph of classes, from the class of the start to a terminal class."""

        @functools.cache
        def paths(s: str) -> int:
            if self.outcome(s) is not None:
                return 1
            return sum(paths(child) for child in {of(child) for child in self.children(s)})

        return paths(of(start))

    def game_orbits(self, start: str, group: list[tuple[int, ...]]) -> int:
        """Complete games that differ by no symmetry: a game counts if it is the least of its images."""

        @functools.cache
        def orbits(s: str, alike: frozenset[tuple[int, ...]]) -> int:
            # ``alike``: the permutations that leave every move so far alone
            if self.outcome(s) is not None:
                return 1
            total = 0
            for cell in self.moves(s):
                if all(p[cell] >= cell for p in alike):
                    total += orbits(self.play(s, cell), frozenset(p for p in alike if p[cell] == cell))
            return total

        return orbits(start, frozenset(group))


def boards(most_cells: int) -> list[tuple[int, int, int]]:
    """Every (rows, cols, k) with at most so many cells."""
    return [
        (rows, cols, k)
        for rows in range(1, most_cells + 1)
        for cols in range(1, most_cells // rows + 1)
        for k in range(1, max(rows, cols) + 1)
    ]
