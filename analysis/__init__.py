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
    "Solution": "analysis.solution.solution",
    "Position": "analysis.solution.position",
    "Move": "analysis.solution.position",
    "Games": "analysis.solution.position",
    "OptimalPaths": "analysis.solution.paths",
    "verify": "analysis.checks.solutions.verify",
    "solve_bidding": "analysis.bidding.bidding_solving",
    "bidding_to_directory": "analysis.bidding.bidding_solving",
    "find_bidding": "analysis.bidding.bidding_solving",
    "open_bidding": "analysis.bidding.bidding_store",
    "search_bidding": "analysis.bidding.bidding_solving",
    "BiddingSolution": "analysis.bidding.bidding_solution",
    "BiddingPosition": "analysis.bidding.bidding_position",
    "find_thresholds": "analysis.bidding.money.richman",
    "solve_matrix": "analysis.bidding.matrix_games",
    "write_report": "analysis.reports.report",
    "verify_bidding": "analysis.bidding.verification.bidding_verify",
    "check_game": "analysis.checks.rules.suite",
    "exploit": "analysis.audit.exploitability",
    "export": "analysis.exports.export",
    "find_player": "analysis.playing.players.levels",
    "play_match": "analysis.playing.matches.match",
    "expect": "analysis.playing.matches.expectation",
    "load_game": "analysis.games.families",
    "list_games": "analysis.games.families",
    "Game": "analysis.rules.game",
    "Rules": "analysis.rules.game",
    "Evaluation": "analysis.rules.game",
    "ONGOING": "analysis.rules.game",
    "popcount": "analysis.rules.game",
    "GametreeError": "analysis.errors",
}

if TYPE_CHECKING:
    from analysis.audit.exploitability import exploit
    from analysis.bidding.bidding_position import BiddingPosition
    from analysis.bidding.bidding_solution import BiddingSolution
    from analysis.bidding.bidding_solving import bidding_to_directory, find_bidding, search_bidding, solve_bidding
    from analysis.bidding.bidding_store import open_bidding
    from analysis.bidding.matrix_games import solve_matrix
    from analysis.bidding.money.richman import find_thresholds
    from analysis.bidding.verification.bidding_verify import verify_bidding
    from analysis.checks.rules.suite import check_game
    from analysis.checks.solutions.verify import verify
    from analysis.errors import GametreeError
    from analysis.exports.export import export
    from analysis.games.families import list_games, load_game
    from analysis.playing.matches.expectation import expect
    from analysis.playing.matches.match import play_match
    from analysis.playing.players.levels import find_player
    from analysis.reports.report import write_report
    from analysis.rules.game import ONGOING, Evaluation, Game, Rules, popcount
    from analysis.solution.paths import OptimalPaths
    from analysis.solution.position import Games, Move, Position
    from analysis.solution.solution import Solution
    from analysis.solving import Tables, find_paths, find_solution, open_solution, solve, solve_to_directory

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
