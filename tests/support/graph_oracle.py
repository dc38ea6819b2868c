"""The slow and obvious way for every kind of game: values, remoteness, nimbers and counts as a textbook defines them.

A game is a graph given by three functions (or dicts) of a state, which may be anything hashable. Dicts, recursion and
plain sweeps, and nothing of the library. Everything fast is compared with it.
"""

import functools
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any

State = Any
"""Anything hashable."""
Moves = list[tuple[int, Any]]
Path = tuple[int, ...]

OUTCOMES = {1: "x", -1: "o", 0: "tie"}


def sign(number: int) -> int:
    return (number > 0) - (number < 0)


def as_function(given: Any) -> Any:
    return given.__getitem__ if isinstance(given, Mapping) else given


class GraphOracle:
    """One game, from ``start`` on. ``moves(s)`` lists codes and children, nothing where the game is over;
    ``payoff(s)`` is the first player's where it is over; ``to_move(s)`` is +1 for the first player, -1 for the second.
    With ``by_rounds`` a game without cycles is solved the way that loopy games are.
    """

    value: Callable[[State], Any]
    """The payoff under best play, the first player's."""
    remoteness: Callable[[State], Any]
    """Plies to the end under best play; None for a draw."""

    def __init__(self, start: State, moves: Any, payoff: Any, to_move: Any, *, by_rounds: bool = False) -> None:
        self.start = start
        self.payoff, self.to_move = as_function(payoff), as_function(to_move)
        self.moves: dict[State, Moves] = {}
        self._explore(as_function(moves))
        self.positions = list(self.moves)
        self.move_count = sum(len(self.moves[s]) for s in self.positions)
        self.loopy = self._has_cycle()
        for name in ("nimber", "games", "optimal_paths", "shortest_paths"):
            setattr(self, name, functools.cache(getattr(self, name)))
        if self.loopy or by_rounds:
            values, remoteness = self._solve_by_rounds()
            self.value, self.remoteness = as_function(values), as_function(remoteness)
        else:
            self.value = functools.cache(self._value)
            self.remoteness = functools.cache(self._remoteness)

    def _explore(self, moves: Callable[[Any], Moves]) -> None:
        waiting = [self.start]
        while waiting:
            s = waiting.pop()
            if s not in self.moves:
                self.moves[s] = list(moves(s))
                waiting += self.children(s)

    def _has_cycle(self) -> bool:
        """Strike out states all of whose children are struck out; what can never be struck out leads into a cycle."""
        left = set(self.positions)
        while True:
            struck = {s for s in left if not any(child in left for child in self.children(s))}
            if not struck:
                return bool(left)
            left -= struck

    def children(self, s: State) -> list[State]:
        return [child for _, child in self.moves[s]]

    def over(self, s: State) -> bool:
        return not self.moves[s]

    # Games without cycles ---------------------------------------------------------------------------------------------

    def _value(self, s: State) -> Any:
        """v(s): the payoff where the game is over, else the mover's best child."""
        if self.over(s):
            return self.payoff(s)
        best = max if self.to_move(s) > 0 else min
        return best(self.value(child) for child in self.children(s))

    def _remoteness(self, s: State) -> int:
        """Plies to the end: the winner hurries, the loser delays, with value 0 both hurry."""
        if self.over(s):
            return 0
        chosen = min if self.value(s) * self.to_move(s) >= 0 else max
        return 1 + chosen(self.remoteness(child) for child in self.children(s) if self.value(child) == self.value(s))

    def nimber(self, s: State) -> int:
        """The least number that is no child's nimber (Sprague, Grundy)."""
        assert not self.loopy
        taken = {self.nimber(child) for child in self.children(s)}
        return next(n for n in range(len(taken) + 1) if n not in taken)

    # Games with cycles ------------------------------------------------------------------------------------------------

    def _solve_by_rounds(self) -> tuple[dict[State, int], dict[State, int | None]]:
        """Wins and losses, those of remoteness r in round r; all else has value 0. Of these, a state is a tie if play
        through states of value 0 can reach a tied end, in the fewest plies that it can; otherwise a draw, without
        remoteness. Payoffs are -1, 0 and 1.
        """
        assert all(self.payoff(s) in (-1, 0, 1) for s in self.positions if self.over(s))
        values = {s: self.payoff(s) for s in self.positions if self.over(s) and self.payoff(s) != 0}
        remoteness: dict[State, int | None] = dict.fromkeys(values, 0)
        plies = 0
        while any(r == plies for r in remoteness.values()) or plies == 0:
            plies += 1
            decided = {s: self._decided(s, values) for s in self.positions if s not in values and not self.over(s)}
            for s, value in decided.items():
                if value != 0:
                    values[s], remoteness[s] = value, plies
        level = {s for s in self.positions if s not in values}
        values |= dict.fromkeys(level, 0)
        reached, plies = {s for s in level if self.over(s)}, 0
        while reached:
            remoteness |= dict.fromkeys(reached, plies)
            plies += 1
            reached = {s for s in level if s not in remoteness and any(c in reached for c in self.children(s))}
        remoteness |= {s: None for s in level if s not in remoteness}
        return values, remoteness

    def _decided(self, s: State, known: dict[State, int]) -> int:
        """+1 or -1 if the mover has a child known to be won for it, or all children are known to be lost; else 0."""
        mover = self.to_move(s)
        children = [known.get(child, 0) for child in self.children(s)]
        if mover in children:
            return mover
        return -mover if all(value == -mover for value in children) else 0

    def best_first(self, s: State) -> list[int]:
        """Codes of moves by value; a win and a tie fast, draws after ties, a loss slow; then by code."""

        def preference(move: tuple[int, Any]) -> tuple[Any, float, int]:
            code, child = move
            worth, plies = self.value(child) * self.to_move(s), self.remoteness(child)
            return -worth, float("inf") if plies is None else plies if worth >= 0 else -plies, code

        return [code for code, _ in sorted(self.moves[s], key=preference)]

    # Paths and counts, without cycles ---------------------------------------------------------------------------------

    def out(self, s: State, *, shortest: bool = False, path: Path = ()) -> Iterator[Path]:
        """out(s): every game from s all of whose states have the value of s, in lexicographic order of codes. With
        ``shortest``, every move also takes one ply of remoteness.
        """
        assert not self.loopy
        if self.over(s):
            yield path
        for code, child in sorted(self.moves[s], key=lambda move: move[0]):
            if self._keeps(s, child, shortest):
                yield from self.out(child, shortest=shortest, path=(*path, code))

    def _keeps(self, s: State, child: State, shortest: bool) -> bool:
        if self.value(child) != self.value(s):
            return False
        return not shortest or self.remoteness(child) == self.remoteness(s) - 1

    def optimal_paths(self, s: State) -> int:
        """How many there are in `out`."""
        assert not self.loopy
        return self.over(s) + sum(self.optimal_paths(c) for c in self.children(s) if self._keeps(s, c, False))

    def shortest_paths(self, s: State) -> int:
        """How many of them are shortest."""
        assert not self.loopy
        return self.over(s) + sum(self.shortest_paths(c) for c in self.children(s) if self._keeps(s, c, True))

    def games(self, s: State) -> Counter[tuple[int, int]]:
        """Complete games from s, by their number of moves and their payoff."""
        assert not self.loopy
        if self.over(s):
            return Counter({(0, self.payoff(s)): 1})
        found: Counter[tuple[int, int]] = Counter()
        for child in self.children(s):
            for (plies, payoff), number in self.games(child).items():
                found[plies + 1, payoff] += number
        return found

    def quotient_paths(self, s: State, of: Callable[[State], State]) -> int:
        """Paths of the graph of classes, from that of s to the end of play; ``of`` names the class of a state."""
        assert not self.loopy
        known: dict[State, int] = {}

        def paths(s: State) -> int:
            if of(s) not in known:
                one_of_each = {of(child): child for child in self.children(s)}
                known[of(s)] = self.over(s) + sum(map(paths, one_of_each.values()))
            return known[of(s)]

        return paths(s)

    def games_by_outcome(self, s: State) -> dict[str, int]:
        """Complete games from s: all, those that the first player wins, that the second wins, and that are tied."""
        found = {"games": 0, "games_x": 0, "games_o": 0, "games_tie": 0}
        for (_, payoff), number in self.games(s).items():
            found["games"] += number
            found[f"games_{OUTCOMES[sign(payoff)]}"] += number
        return found

    def games_by_payoff(self, s: State) -> Counter[int]:
        found: Counter[int] = Counter()
        for (_, payoff), number in self.games(s).items():
            found[payoff] += number
        return found

    def games_by_length(self, s: State) -> list[dict[str, int]]:
        """One row for each length that a game from s has."""
        rows = {
            plies: {"plies": plies, "games": 0, "games_x": 0, "games_o": 0, "games_tie": 0}
            for plies in sorted({p for p, _ in self.games(s)})
        }
        for (plies, payoff), number in self.games(s).items():
            rows[plies]["games"] += number
            rows[plies][f"games_{OUTCOMES[sign(payoff)]}"] += number
        return list(rows.values())

    def histories_by_ply(self) -> list[Counter[State]]:
        """For each number of moves, the positions that so many moves from the start reach, each with the number of move
        sequences that do.
        """
        assert not self.loopy
        plies = [Counter({self.start: 1})]
        while plies[-1]:
            following: Counter[State] = Counter()
            for s, histories in plies[-1].items():
                for child in self.children(s):
                    following[child] += histories
            plies.append(following)
        return plies[:-1]

    def histories(self) -> Counter[State]:
        """For each position, the move sequences of every length that reach it."""
        return sum(self.histories_by_ply(), Counter())

    # Counts of positions ----------------------------------------------------------------------------------------------

    def terminal(self) -> dict[str, int]:
        """Positions where the game is over, by outcome."""
        found = dict.fromkeys((f"terminal_{name}" for name in OUTCOMES.values()), 0)
        for s in self.positions:
            if self.over(s):
                found[f"terminal_{OUTCOMES[sign(self.payoff(s))]}"] += 1
        return found

    def by_remoteness(self) -> Counter[tuple[int | None, str]]:
        """Positions by remoteness and by what they are for the mover: ``win``, ``lose``, ``tie``, ``draw``."""
        names = {1: "win", -1: "lose", 0: "tie"}
        found: Counter[tuple[int | None, str]] = Counter()
        for s in self.positions:
            plies = self.remoteness(s)
            found[plies, "draw" if plies is None else names[sign(self.value(s) * self.to_move(s))]] += 1
        return found

    def by_value(self) -> dict[int, tuple[int, int]]:
        """For each value that a position has: how many have it, and how many of these are over."""
        found: dict[int, tuple[int, int]] = {}
        for s in self.positions:
            positions, terminal = found.get(self.value(s), (0, 0))
            found[self.value(s)] = positions + 1, terminal + self.over(s)
        return found


def solved(oracle: GraphOracle) -> dict[Any, tuple[int, int | None]]:
    return {s: (oracle.value(s), oracle.remoteness(s)) for s in oracle.positions}


def oracle_of(game: Any, position: str | None = None) -> GraphOracle:
    """The oracle of a game of the library, whose plain rules it is given, from its start or from a position."""
    rules = game.rules()
    start = rules.start if position is None else game.parse_position(position)
    return GraphOracle(start, rules.moves, rules.outcome, rules.to_move)
