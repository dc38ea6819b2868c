"""The other programs, each behind one function: board -> what it can do with it. Nothing is imported before that."""

from __future__ import annotations

import dataclasses
import functools
import importlib
import math
import runpy
from collections.abc import Callable
from typing import Any

from common import ROOT


@dataclasses.dataclass(frozen=True)
class Found:
    """The value of the start for the first player, how many states got a value, and how many nodes a search visited;
    None where nobody can say. A note says what went wrong.
    """

    value: int | None
    states: int | None
    note: str = ""
    nodes: int | None = None


@dataclasses.dataclass(frozen=True)
class Peer:
    """One program, what it computes, and how; without ``solve`` the row only says something."""

    program: str
    computes: str
    solve: Callable[[], Found] | None


ORACLE = ROOT / "tests" / "support" / "oracle.py"


def oracle_class() -> Any:
    """The class of the tests' oracle."""
    return runpy.run_path(str(ORACLE))["Oracle"]


def limited_oracle() -> Any:
    """The same with an alpha-beta that stops at a depth."""

    class Limited(oracle_class()):  # type: ignore[misc]
        def limited(self, s: str, depth: int, alpha: float, beta: float) -> tuple[float, int]:
            """The oracle's alpha-beta, line by line; where the depth is spent a position counts 0."""
            outcome = self.outcome(s)
            if outcome is not None or depth == 0:
                return outcome or 0, 1
            first = self.to_move(s) == "X"
            best, nodes = (-math.inf if first else math.inf), 1
            for child in self.children(s):
                value, visited = self.limited(child, depth - 1, alpha, beta)
                nodes += visited
                best = max(best, value) if first else min(best, value)
                alpha, beta = (max(alpha, best), beta) if first else (alpha, min(beta, best))
                if alpha >= beta:
                    break
            return best, nodes

        def forget(self) -> None:
            """Work the rules out at every node, as a search without a table does."""
            del self.outcome, self.children  # what was cached; the plain methods come to light

    return Limited


def oracle(rows: int, cols: int, k: int) -> list[Peer]:
    """The tests' oracle: dicts, strings and recursion in plain Python."""
    if not ORACLE.exists():
        return [Peer("tests/support/oracle.py", "not there", None)]
    plain = oracle_class()

    def solve() -> Found:
        game = plain(rows, cols, k)
        tiers = game.tiers()  # with histories
        for tier in tiers:
            for position in tier:
                for what in (game.value, game.remoteness, game.outcomes, game.optimal_paths):
                    what(position)
        return Found(game.value(game.start), sum(map(len, tiers)))

    computes = "value and remoteness of every position; games by winner, histories, optimal paths"
    return [Peer("tests/support/oracle.py (plain Python)", computes, solve)]


def open_spiel(rows: int, cols: int, k: int) -> list[Peer]:
    """OpenSpiel's own solvers, Python over games in C++; its m counts columns, its n rows."""
    try:
        import pyspiel
    except ImportError:
        return [Peer("OpenSpiel", "not installed: pip install open_spiel", None)]
    from open_spiel.python.algorithms import minimax, minimax_solver

    small, name = (rows, cols, k) == (3, 3, 3), _open_spiel_name(rows, cols, k)
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


def oracle_search(rows: int, cols: int, k: int) -> list[Peer]:
    """The oracle's alpha-beta: an oracle made anew remembers nothing yet."""
    if not ORACLE.exists():
        return [Peer("tests/support/oracle.py", "not there", None)]
    plain = oracle_class()

    def search() -> Found:
        game = plain(rows, cols, k)
        value, nodes = game.alphabeta(game.start, -math.inf, math.inf)
        return Found(int(value), None, nodes=nodes)

    computes = "alpha-beta; remembers who has won, and what follows, of each position"
    return [Peer("tests/support/oracle.py (plain Python)", computes, search)]


def open_spiel_search(rows: int, cols: int, k: int) -> list[Peer]:
    """OpenSpiel's alpha-beta."""
    try:
        import pyspiel
    except ImportError:
        return [Peer("OpenSpiel", "not installed: pip install open_spiel", None)]
    from open_spiel.python.algorithms import minimax

    game = pyspiel.load_game(_open_spiel_name(rows, cols, k))
    nodes = _calls(minimax, "_alpha_beta", lambda: minimax.alpha_beta_search(game))

    def search() -> Found:
        value, _ = minimax.alpha_beta_search(game)
        return Found(round(value), None, nodes=nodes)

    return [Peer("OpenSpiel alpha_beta_search", "alpha-beta, and the best move; Python over a game in C++", search)]


def _open_spiel_name(rows: int, cols: int, k: int) -> str:
    return "tic_tac_toe" if (rows, cols, k) == (3, 3, 3) else f"mnk(m={cols},n={rows},k={k})"


def _calls(module: Any, name: str, program: Callable[[], object]) -> int:
    """How often a program calls this function of a module, which calls itself by that name."""
    function, calls = getattr(module, name), 0

    def counting(*arguments: Any, **named: Any) -> Any:
        nonlocal calls
        calls += 1
        return function(*arguments, **named)

    setattr(module, name, counting)
    try:
        program()
    finally:
        setattr(module, name, function)
    return calls


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
    except ImportError:
        return [Peer("easyAI", "not installed: pip install easyAI", None)]
    if (rows, cols, k) != (3, 3, 3):
        return []

    def depth_first() -> Found:
        table = easyAI.TranspositionTable()
        value = easyAI.solve_with_depth_first_search(_easyai_start(), win_score=100, tt=table)
        return Found(value, len(table.d))

    def deepening() -> Found:
        table = easyAI.TranspositionTable()
        value, _, _ = easyAI.solve_with_iterative_deepening(
            _easyai_start(), ai_depths=range(1, 10), win_score=100, tt=table, verbose=False
        )
        return Found(value, None)

    return [
        Peer("easyAI solve_with_depth_first_search", "value of the start and of what it needs; table", depth_first),
        Peer("easyAI solve_with_iterative_deepening", "value of the start; table", deepening),
        Peer("easyAI Negamax(9)", "value of the start; no table", lambda: _easyai_run(easyAI.Negamax(9))),
    ]


def easyai_search(rows: int, cols: int, k: int) -> list[Peer]:
    """easyAI's alpha-beta, and its SSS*: null windows from above the greatest value down, which with a table visit
    what SSS* does.
    """
    try:
        import easyAI
    except ImportError:
        return [Peer("easyAI", "not installed: pip install easyAI", None)]
    if (rows, cols, k) != (3, 3, 3):
        return []

    def peer(name: str, computes: str, make: Callable[[], Any], counted: tuple[str, str]) -> Peer:
        nodes = _calls(importlib.import_module(counted[0]), counted[1], lambda: _easyai_run(make()))
        return Peer(name, computes, lambda: dataclasses.replace(_easyai_run(make()), nodes=nodes))

    alphabeta, test = ("easyAI.AI.Negamax", "negamax"), ("easyAI.AI.MTdriver", "mt")
    quickest = "of wins the quickest, and the best move"
    return [
        peer("easyAI Negamax(9)", f"alpha-beta; {quickest}", lambda: easyAI.Negamax(9), alphabeta),
        peer("easyAI SSS(9)", f"null windows, no table; {quickest}", lambda: easyAI.SSS(9), test),
        peer(
            "easyAI SSS(9)",
            f"null windows, table; {quickest}",
            lambda: easyAI.SSS(9, tt=easyAI.TranspositionTable()),
            test,
        ),
    ]


@functools.cache
def _easyai_game() -> Any:
    """easyAI's tic-tac-toe, with what a table calls a position."""
    from easyAI.games.TicTacToe import TicTacToe

    class Game(TicTacToe):  # type: ignore[misc]
        def ttentry(self) -> tuple[tuple[int, ...], int]:
            return tuple(self.board), self.current_player

    return Game


def _easyai_start() -> Any:
    import easyAI

    return _easyai_game()([easyAI.AI_Player(None), easyAI.AI_Player(None)])


def _easyai_run(search: Any) -> Found:
    """One search of tic-tac-toe; it leaves its value behind, where a win counts about 100."""
    search(_easyai_start())
    return Found((search.alpha > 0) - (search.alpha < 0), None)
