"""gametree solves finite two-player games of perfect information completely.

>>> import analysis
>>> solution = analysis.solve("tictactoe")
>>> solution.value, solution.games.X, solution.games.O, solution.games.tie
(0, 131184, 77904, 46080)
>>> list(solution.optimal_paths("XOX?O????"))[:2]
['73586', '75368']

solve           solve a game, in memory or into a directory
plan            what solving a game would take: memory, disk and time
open_solution   the solution in a directory
find_solution   the stored solution of a game or, if there is none, one made in memory
find_positions  what is known of many positions, one after the other
verify          derive every number of a stored solution again from the rules
load_game       the game that a specification names
list_games      the built-in games, their parameters, and what is known of them
check_game      whether the rules of a game keep what the solver relies on
compare         how many nodes each search visits, beside the least possible
export          write a solution, or a part of it, as a file of another tool's format
write_report    write a page with the figures and tables of a solution
plot            one of its figures
explore         a solution to walk through, in a notebook
Game            a family of games: subclass it to write a game
Rules           what `Game.rules` returns: plain functions over plain integers
Residual        what `Game.residual` returns: what is left to play, as rules of its own
Evaluation      a static evaluation for searches of limited depth
Output          where `solve` writes a solution, and what besides
ExportRequest   what of a solution `export` writes, and as what
running         what is called within a ``with`` takes so many workers and so much memory, and tells its progress
counting_from   counts cells, columns and codes of texts from 1, within a ``with``
ONGOING         what ``outcome`` returns while a game goes on
popcount        how many bits of a number are set, for use in rules
Solution        a solved game: values, counts, positions, optimal paths
Position        everything known of one position
Move            a legal move and what the position after it is worth
GametreeError   what all errors of gametree are
__version__     the version of gametree

audit           what each move of played games lost, and what a policy loses to a best response
bidding         bidding games, with functions of the names above
playing         levels of play, matches between them, traps
search          searches one by one, explicit trees, what is known of one position
sweeps          many games in one table
errors          all errors, by cause

``import gametree`` is the same under the name it is installed by.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
