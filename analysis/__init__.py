"""gametree solves finite two-player games of perfect information completely.

>>> import analysis
>>> solution = analysis.solve("tictactoe")
>>> solution.value, solution.games.X, solution.games.O, solution.games.tie
(0, 131184, 77904, 46080)
>>> list(solution.optimal_paths("XOX?O????"))[:2]
['73586', '75368']
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from analysis.version import __version__

_HOMES = {
    "solve": "analysis.solving",
    "solve_to_directory": "analysis.solving",
    "open_solution": "analysis.solving",
    "find_paths": "analysis.solving",
    "find_solution": "analysis.solving",
    "Tables": "analysis.solving",
    "Solution": "analysis.solution",
    "Position": "analysis.position",
    "Move": "analysis.position",
    "Games": "analysis.position",
    "OptimalPaths": "analysis.paths",
    "verify": "analysis.verification.directory",
    "solve_bidding": "analysis.bidding.solving",
    "bidding_to_directory": "analysis.bidding.solving",
    "find_bidding": "analysis.bidding.solving",
    "open_bidding": "analysis.bidding.store",
    "search_bidding": "analysis.bidding.solving",
    "BiddingSolution": "analysis.bidding.solution",
    "BiddingPosition": "analysis.bidding.position",
    "find_thresholds": "analysis.bidding.money.richman",
    "solve_matrix": "analysis.bidding.matrix",
    "write_report": "analysis.reports.report",
    "verify_bidding": "analysis.bidding.verification.directory",
    "check_game": "analysis.contract.suite",
    "exploit": "analysis.audit.exploitability",
    "export": "analysis.exports.export",
    "find_player": "analysis.players.levels",
    "play_match": "analysis.match.match",
    "expect": "analysis.match.expectation",
    "load_game": "analysis.games",
    "list_games": "analysis.games",
    "Game": "analysis.rules",
    "Rules": "analysis.rules",
    "Evaluation": "analysis.rules",
    "ONGOING": "analysis.rules",
    "popcount": "analysis.rules",
    "GametreeError": "analysis.errors",
}

if TYPE_CHECKING:
    from analysis.audit.exploitability import exploit
    from analysis.bidding.matrix import solve_matrix
    from analysis.bidding.money.richman import find_thresholds
    from analysis.bidding.position import BiddingPosition
    from analysis.bidding.solution import BiddingSolution
    from analysis.bidding.solving import bidding_to_directory, find_bidding, search_bidding, solve_bidding
    from analysis.bidding.store import open_bidding
    from analysis.bidding.verification.directory import verify_bidding
    from analysis.contract.suite import check_game
    from analysis.errors import GametreeError
    from analysis.exports.export import export
    from analysis.games import list_games, load_game
    from analysis.match.expectation import expect
    from analysis.match.match import play_match
    from analysis.paths import OptimalPaths
    from analysis.players.levels import find_player
    from analysis.position import Games, Move, Position
    from analysis.reports.report import write_report
    from analysis.rules import ONGOING, Evaluation, Game, Rules, popcount
    from analysis.solution import Solution
    from analysis.solving import Tables, find_paths, find_solution, open_solution, solve, solve_to_directory
    from analysis.verification.directory import verify

__all__ = [
    "ONGOING",
    "BiddingPosition",
    "BiddingSolution",
    "Evaluation",
    "Game",
    "Games",
    "GametreeError",
    "Move",
    "OptimalPaths",
    "Position",
    "Rules",
    "Solution",
    "Tables",
    "__version__",
    "bidding_to_directory",
    "check_game",
    "expect",
    "exploit",
    "export",
    "find_bidding",
    "find_paths",
    "find_player",
    "find_solution",
    "find_thresholds",
    "list_games",
    "load_game",
    "open_bidding",
    "open_solution",
    "play_match",
    "popcount",
    "search_bidding",
    "solve",
    "solve_bidding",
    "solve_matrix",
    "solve_to_directory",
    "verify",
    "verify_bidding",
    "write_report",
]


def __getattr__(name: str) -> Any:
    """Import what is asked for, when it is: the compiler and the table formats take half a second to load."""
    if name not in _HOMES:
        raise AttributeError(f"module 'analysis' has no attribute {name!r}")
    import importlib

    value = getattr(importlib.import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """The public names, imported or not: what Tab offers in a notebook."""
    return __all__
