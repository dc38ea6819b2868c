"""Search positions of games that are not solved: prove their values, or search to some depth.

All searches are iterative deepening: alpha-beta with null windows (MTD(f), see `depth_first.bounded`) to depth 1, 2,
3 ... on one table, under a limit of processor time. Without an evaluation, unfinished positions count 0. A value above
0 then means that the first player can force at least that much within the depth, since such a line never rests on the
horizon; likewise below 0 for the second player. So a value is proven where neither of its bounds rests on the horizon.
If it is the greatest or least payoff and not 0, the depth at which it first appears is the remoteness: the winner
cannot win sooner, nor the loser delay longer. This holds in loopy games too.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable
from typing import Any, NamedTuple

from ..common.results import Printable
from ..common.workers import tell_progress
from ..errors import OptionError
from ..rules.game import ONGOING, Game, GameLike
from ..rules.positions import Place, read_position
from ..solution.position import JudgedMove, Move, Worth, best_first, preference
from .catalogue import ALGORITHMS, UNBOUNDED, Order, Task
from .kernels import layout
from .problem import find_game, game_problem
from .workspace import Workspace

ROOT = -1
"""The number of the position itself; moves are numbered from 0."""

DEEPEST = 1000
"""The depth limit, in plies, of a search limited only by time."""

LEAST_SECONDS = 1.0
"""Time for the other moves once a value is proven, if there is that much."""

TABLE_BYTES = 1 << 29
"""The maximum size of a search's table."""


class Proof(NamedTuple):
    """The proven worth of an ongoing position."""

    worth: Worth
    moves: list[JudgedMove]
    """Best first. Some moves that keep the value are marked optimal; little may be known of the others."""
    nodes: int
    """Nodes searched."""


@dataclasses.dataclass(frozen=True)
class Advice(Printable):
    """The result of a search of limited depth."""

    game: str
    position: str
    to_move: int
    depth: int
    """Plies searched: fewer than requested if time ran out."""
    evaluation: str | None
    value: int
    best_move: int | None
    """The best move, the lowest code of equals; None if the game is over or the depth is 0."""
    nodes: int
    seconds: float
    """Processor time."""
    complete: bool
    """Whether no value rests on the depth limit, so that the values are those of the solved game."""
    moves: tuple[Move, ...]
    """Best first for the side to move; equals by code."""
    grid: list[list[str]] | None = dataclasses.field(repr=False)
    """The board, if the game has one."""
    players: tuple[str, str] = dataclasses.field(default=("X", "O"), repr=False)

    @property
    def terminal(self) -> bool:
        """Whether the game is over."""
        return self.complete and not self.moves

    def to_json(self) -> dict[str, Any]:
        """Return the object that ``gametree show --depth N --format json`` prints."""
        return super().to_json() | {"moves": self.csv_rows()}

    columns = ("move", "position", "value", "optimal", "name")

    def csv_rows(self) -> list[dict[str, Any]]:
        """Return a row for each move."""
        return [{name: getattr(move, name) for name in self.columns} for move in self.moves]


def search_table(game: Game, *, depth: int = DEEPEST, evaluation: str | None = None) -> Workspace:
    """Return the memory of searches of positions of a game to at most ``depth`` plies, where an ``evaluation`` may
    value leaves. Raises what `game_problem` raises, and `TooLargeError`.
    """
    settings = dataclasses.replace(UNBOUNDED, growing=True, max_memory=TABLE_BYTES)
    symmetry = "none" if evaluation else "geometric"  # an evaluation need not be symmetric
    task = Task(ALGORITHMS["iterative"], Order("history", layout.BY_HISTORY), symmetry=symmetry)
    return Workspace(game_problem(game, depth=depth, evaluation=evaluation), task, settings)


class Deepening:
    """A search of an ongoing ``state`` and its moves, ever deeper, which goes on where it stopped. Searches of
    positions of one game may share a `search_table`.
    """

    def __init__(self, game: Game, state: int, table: Workspace | None = None) -> None:
        from .algorithms.depth_first import bounded  # compiled when it is needed

        self._kernel, self._table = bounded, table or search_table(game)
        self.game, self.state, rules, problem = game, state, game.rules(), self._table.problem
        self.side, self.children = rules.mover(state), rules.moves(state)
        least, greatest = rules.payoffs if problem.evaluation is None else (0, 0)
        self._wins = {1: greatest if greatest > 0 else None, -1: least if least < 0 else None}
        """The best payoff of each side, if it is a win."""
        self.depth = self.seen = 0
        """Plies to which the moves, and the position itself, were searched so far."""
        self.values: dict[int, int] = {}
        """Values of the moves at the last depth, by number."""
        self._proven: dict[int, Worth] = {}
        if problem.evaluation is None:
            over = ((i, rules.payoff(child)) for i, (_, child) in enumerate(self.children))
            self._proven = {i: Worth(payoff, 0) for i, payoff in over if payoff != ONGOING}
            self.values = {i: worth.value for i, worth in self._proven.items()}
        self.nodes, self.seconds = 0, 0.0

    @property
    def decided(self) -> bool:
        """Whether the value is proven, and a move that keeps it."""
        return ROOT in self._proven

    @property
    def complete(self) -> bool:
        """Whether the values of all moves are proven."""
        return all(i in self._proven for i in range(len(self.children)))

    def decide(self, seconds: float) -> None:
        """Search until the value is proven or the ``seconds`` of processor time are over. Raises `RulesError`."""
        if not self.decided:
            self._run(self._decide, seconds)

    def prove(self, seconds: float, *, every_move: bool = False) -> None:
        """Search as `decide`, then until the values of all moves and the remoteness are known: for the rest of the
        ``seconds`` with ``every_move`` or in a lost position, else for as long again and at least `LEAST_SECONDS`. In a
        won position without ``every_move``, only the quickest wins are searched for.
        """
        began = self.seconds
        self.decide(seconds)
        value, spent = self._proven[ROOT].value if self.decided else None, self.seconds - began
        if value is not None:
            won, lost = value == self._wins[self.side], value == self._wins[-self.side]
            remaining = seconds - spent if every_move or lost else min(max(spent, LEAST_SECONDS), seconds - spent)
            self._run(self._quickest_wins if won and not every_move else self._value_moves, remaining)

    def value(self, seconds: float | None) -> None:
        """Value all moves, ever deeper, until the depth of the table is reached, all is proven, or the ``seconds`` of
        processor time are over.
        """
        self._run(self._value_moves, seconds)

    def proof(self) -> Proof | None:
        """Return what is proven; None if the value is not."""
        root = self._worth(ROOT)
        if root is None:
            return None
        worths = [self._worth(i) for i in range(len(self.children))]
        optimal = [worth for worth in worths if worth is not None and worth.value == root.value]
        if not root.known_remoteness and None not in worths and all(worth.known_remoteness for worth in optimal):
            plies = [worth.plies for worth in optimal]  # the winner hurries, the loser delays
            root = Worth(root.value, 1 + (min(plies) if self.side * root.value >= 0 else max(plies)))
        judged = [
            JudgedMove(code, worth, worth is not None and worth.value == root.value)
            for (code, _), worth in zip(self.children, worths, strict=True)
        ]
        return Proof(root, best_first(judged, self.side), self.nodes)

    def _worth(self, number: int) -> Worth | None:
        worth = self._proven.get(number)
        if worth is None or worth.known_remoteness:
            return worth
        state = self.state if number == ROOT else self.children[number][1]
        plies = self.game.plies_left(state, worth.value)
        return worth if plies is None else Worth(worth.value, plies)

    # Searching --------------------------------------------------------------------------------------------------------

    def _run(self, work: Callable[[Workspace], int], seconds: float | None) -> None:
        def tick(nodes: int) -> None:
            tell_progress(f"searching, {max(self.seen, self.depth)} plies done", self.nodes + nodes - before, None)

        before = self._table[layout.NODES]
        try:
            self._table.run(work, tick, seconds=seconds)
        finally:
            self.nodes += self._table[layout.NODES] - before
            self.seconds += self._table.seconds

    def _decide(self, table: Workspace) -> int:
        """Search the position ever deeper until its value is proven."""
        guess = 0
        while not self.decided and self.seen < DEEPEST:
            table.set_depth(self.seen + 1)
            guess, proven = self._value(self.state, 0, guess)
            if proven and guess == table.problem.payoffs[self.side < 0]:  # nothing is worse, so all moves keep it
                worst = Worth(guess, None, known_remoteness=False)
                self._proven = dict.fromkeys(range(len(self.children)), worst) | self._proven
            if proven and self._find_keeper(guess):
                self._proven[ROOT] = self._dated(guess, self.seen + 1)
            self.seen += 1
        return 0

    def _find_keeper(self, value: int) -> bool:
        """Return whether a move is proven to keep the value that the position is proven to have."""
        if any(worth.value == value for worth in self._proven.values()):
            return True
        bound = value if self.side > 0 else value + 1
        for i, (_, child) in enumerate(self.children):
            child_value, proven = self._table.ask(self._kernel, child, 1, bound)
            if proven and (child_value >= bound) == (self.side > 0):
                won = self.side * value > 0
                self._proven[i] = self._dated(value, self.seen) if won else Worth(value, None, known_remoteness=False)
                return True
        return False

    def _value_moves(self, table: Workspace) -> int:
        """Search the moves ever deeper, the best ones first."""
        most = table.problem.depth or 0
        while self.depth < most:
            unsettled = [i for i in range(len(self.children)) if not self._settled(i)]
            if not unsettled:
                break
            table.set_depth(self.depth + 1)
            values = {}
            for i in sorted(unsettled, key=lambda i: -self.side * self.values.get(i, 0)):
                values[i], proven = self._value(self.children[i][1], 1, self.values.get(i, 0))
                if proven:
                    self._proven[i] = self._dated(values[i], self.depth)
            self.values |= values
            self.depth += 1
        return 0

    def _quickest_wins(self, table: Workspace) -> int:
        """Find all moves that win as soon as the position is won, at the depth that showed it."""
        table.set_depth(self.seen)
        for i, (_, child) in enumerate(self.children):
            if i not in self._proven:
                value, proven = self._value(child, 1, self._proven[ROOT].value)
                if proven and value == self._proven[ROOT].value:
                    self._proven[i] = self._dated(value, self.seen - 1)
        return 0

    def _settled(self, number: int) -> bool:
        """Return whether no deeper search can tell more about a move."""
        worth = self._proven.get(number)
        return worth is not None and (worth.known_remoteness or worth.value not in self._wins.values())

    def _dated(self, value: int, plies: int) -> Worth:
        """Return the worth of a position whose value was first proven at this depth."""
        won = value in self._wins.values()
        return Worth(value, plies if won else None, known_remoteness=won)

    def _value(self, state: int, ply: int, value: int) -> tuple[int, bool]:
        """Return the value of a state at the current depth, near a guess of it, and whether it is proven."""
        low, high = self._table.problem.payoffs
        low -= low == high  # so that one value is searched for, too
        value, low_proven, high_proven = min(max(value, low), high), True, True
        while low < high:
            bound = value + 1 if value == low else value
            value, proven = self._table.ask(self._kernel, state, ply, bound)
            if value >= bound:
                low, low_proven = value, proven
            else:
                high, high_proven = value, proven
        return value, low_proven and high_proven


def prove(game: Game, state: int, seconds: float, *, every_move: bool = False) -> Proof | None:
    """Search an ongoing state as `Deepening.prove` does; return None if its value is not known after ``seconds``."""
    search = Deepening(game, state)
    search.prove(seconds, every_move=every_move)
    return search.proof()


def advise(
    game: GameLike,
    position: Place | None = None,
    *,
    depth: int | None = None,
    seconds: float | None = None,
    evaluation: str | None = None,
) -> Advice:
    """Value a position and each of its moves by iterative deepening until ``depth`` plies are reached or the
    ``seconds`` of processor time are over.

    ``position`` is a text (default: the start). At the depth limit, positions are valued by the game's ``evaluation``
    of that name; the default is its heuristic, or 0 if it has none or the name is ``none``. Raises what `game_problem`
    raises, `TooLargeError`, and `OptionError` if neither depth nor seconds are given or time runs out before depth 1.

    >>> advise("tictactoe", "X????????", depth=2, evaluation="lines").best_move
    4
    """
    if depth is None and seconds is None:  # only an evaluation was given
        raise OptionError(f"an evaluation needs a depth to search to: add --depth to --evaluate {evaluation}")
    if seconds is not None and not seconds > 0:
        raise OptionError(f"cannot search for {seconds} seconds; give more than 0")
    game = find_game(game)
    rules = game.rules()
    state = rules.start if position is None else read_position(game, position)
    evaluation = (rules.heuristic if evaluation is None else evaluation) if evaluation != "none" else None
    table = search_table(game, depth=DEEPEST if depth is None else depth, evaluation=evaluation)
    over = rules.payoff(state) != ONGOING
    described = functools.partial(
        Advice, game=game.spec, position=game.format_position(state), evaluation=evaluation, grid=game.grid(state),
        players=game.players,
    )  # fmt: skip
    if over or depth == 0:
        return described(
            to_move=rules.to_move(state), depth=depth or 0, nodes=1, seconds=0.0,
            value=int(table.problem.estimate(state)), best_move=None, complete=over, moves=(),
        )  # fmt: skip
    search = Deepening(game, state, table)
    search.value(seconds)
    if len(search.values) < len(search.children):
        raise OptionError(f"{seconds} seconds were too short for a search of depth 1; give it more")
    side, best = search.side, max(search.values.values(), key=lambda value: search.side * value)
    moves = [
        Move(code, game.format_position(child), search.values[i], None, search.values[i] == best,
             name=game.format_move(code))
        for i, (code, child) in enumerate(search.children)
    ]  # fmt: skip
    moves.sort(key=lambda move: preference(side, Worth(move.value, None), move.move))
    return described(
        to_move=side, depth=depth if depth is not None and search.complete else search.depth,
        value=best, best_move=moves[0].move, nodes=search.nodes, seconds=round(search.seconds, 6),
        complete=search.complete, moves=tuple(moves),
    )  # fmt: skip
