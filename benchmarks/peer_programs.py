"""The other programs, each behind one function: board -> what it can do with it. Nothing is imported before that."""

from __future__ import annotations

import dataclasses
import runpy
from collections.abc import Callable
from typing import Any

from common import ROOT


@dataclasses.dataclass(frozen=True)
class Found:
    """The value of the start for the first player, and how many states got a value; None where nobody can say. A note
    says what went wrong.
    """

    value: int | None
    states: int | None
    note: str = ""


@dataclasses.dataclass(frozen=True)
class Peer:
    """One program, what it computes, and how; without ``solve`` the row only says something."""

    program: str
    computes: str
    solve: Callable[[], Found] | None


def oracle(rows: int, cols: int, k: int) -> list[Peer]:
    """The tests' oracle: dicts, strings and recursion in plain Python."""
    path = ROOT / "tests" / "oracle.py"
    if not path.exists():
        return [Peer("tests/oracle.py", "not there", None)]
    module = runpy.run_path(str(path))

    def solve() -> Found:
        game = module["Oracle"](rows, cols, k)
        tiers = game.tiers()  # with histories
        for tier in tiers:
            for position in tier:
                for what in (game.value, game.remoteness, game.outcomes, game.optimal_paths):
                    what(position)
        return Found(game.value(game.start), sum(map(len, tiers)))

    computes = "value and remoteness of every position; games by winner, histories, optimal paths"
    return [Peer("tests/oracle.py (plain Python)", computes, solve)]


def open_spiel(rows: int, cols: int, k: int) -> list[Peer]:
    """OpenSpiel's own solvers, Python over games in C++; its m counts columns, its n rows."""
    try:
        import pyspiel
    except ImportError:
        return [Peer("OpenSpiel", "not installed: pip install open_spiel", None)]
    from open_spiel.python.algorithms import minimax, minimax_solver

    small = (rows, cols, k) == (3, 3, 3)
    name = "tic_tac_toe" if small else f"mnk(m={cols},n={rows},k={k})"
    game = pyspiel.load_game(name)

    def memoised() -> Found:
        table = minimax_solver.MinimaxSolver(name).solve()
        return Found(round(table[str(game.new_initial_state())].value), len(table))

    def alpha_beta() -> Found:
        value, _ = minimax.alpha_beta_search(game)
        return Found(round(value), None)

    found = [Peer("OpenSpiel MinimaxSolver", "value of every position that is not an end, and of its moves", memoised)]
    found.append(_value_iteration(game))
    if small:  # without a table it walks the tree, not the graph: on 3x4 for minutes
        found.append(Peer("OpenSpiel alpha_beta_search", "value of the start", alpha_beta))
    return found


def _value_iteration(game: Any) -> Peer:
    try:
        from open_spiel.python.algorithms import value_iteration
    except ImportError as error:
        return Peer("OpenSpiel value_iteration", f"not installed: pip install {error.name}", None)

    def solve() -> Found:
        # cyclic_game=True only makes it visit each position once instead of once for each way there
        values = value_iteration.value_iteration(game, depth_limit=-1, threshold=1e-6, cyclic_game=True)
        return Found(round(values[str(game.new_initial_state())]), len(values))

    return Peer("OpenSpiel value_iteration", "value of every position", solve)


def easyai(rows: int, cols: int, k: int) -> list[Peer]:
    """easyAI's solvers on the tic-tac-toe it ships, with a table of positions as its manual has it."""
    try:
        import easyAI
        from easyAI.games.TicTacToe import TicTacToe
    except ImportError:
        return [Peer("easyAI", "not installed: pip install easyAI", None)]
    if (rows, cols, k) != (3, 3, 3):
        return []

    class Game(TicTacToe):  # type: ignore[misc]
        def ttentry(self) -> tuple[tuple[int, ...], int]:
            return tuple(self.board), self.current_player

    def start() -> Any:
        return Game([easyAI.AI_Player(None), easyAI.AI_Player(None)])

    def depth_first() -> Found:
        table = easyAI.TranspositionTable()
        value = easyAI.solve_with_depth_first_search(start(), win_score=100, tt=table)
        return Found(value, len(table.d))

    def deepening() -> Found:
        table = easyAI.TranspositionTable()
        value, _, _ = easyAI.solve_with_iterative_deepening(
            start(), ai_depths=range(1, 10), win_score=100, tt=table, verbose=False
        )
        return Found(value, None)

    def negamax() -> Found:
        search, game = easyAI.Negamax(9), start()
        search(game)
        return Found(round(search.alpha) // 100, None)

    return [
        Peer("easyAI solve_with_depth_first_search", "value of the start and of what it needs; table", depth_first),
        Peer("easyAI solve_with_iterative_deepening", "value of the start; table", deepening),
        Peer("easyAI Negamax(9)", "value of the start; no table", negamax),
    ]
