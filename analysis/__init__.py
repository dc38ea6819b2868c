"""gametree solves finite two-player games of perfect information completely.

>>> import analysis
>>> solution = analysis.solve("tictactoe")
>>> solution.value, solution.games_x, solution.games_o, solution.games_tie
(0, 131184, 77904, 46080)
>>> list(solution.optimal_paths("XOX?O????"))[:2]
['73586', '75368']

solve           solve a game, in memory or into a directory
plan            predict the memory, disk and time that solving a game takes
open_solution   open the solution in a directory
find_solution   return the stored solution of a game or, if there is none, one made in memory
find_positions  look up many positions, one after the other
verify          derive every number of a stored solution again from the rules
load_game       load the game that a specification names
list_games      list the built-in games, their parameters, and what is known of them
check_game      check that the rules of a game meet what the solver relies on
compare         count the nodes that each search visits, and the least without a table
export          write a solution, or a part of it, as a file of another tool's format
write_report    write a page with the figures and tables of a solution
plot            draw one of its figures
explore         walk through a solution in a notebook
Game            a family of games: subclass it to write a game
Rules           what `Game.rules` returns: plain functions over plain integers
Residual        what `Game.residual` returns: what is left to play, as rules of its own
Evaluation      a static evaluation for searches of limited depth
Output          where `solve` writes a solution, and what else
running         set workers, memory and progress for what is called within a ``with``
ONGOING         what ``outcome`` returns while a game goes on
popcount        count the bits set in a number, for use in rules
Solution        a solved game: values, counts, positions, optimal paths
Position        everything known of one position
LookUp          arrays of what is known of many states
Move            a legal move and the value of the position after it
GameLike        what is taken as a game, and Place what is taken as a position
GametreeError   the base of all errors of gametree
__version__     the version of gametree

bidding         bidding games, with functions of the names above
playing         levels of play, matches, what each move of played games lost, what a policy loses to a best response
search          single searches, explicit trees, what is known of one position
errors          all errors, by cause

The package is ``gametree``, also for pickle, whatever else is called ``analysis``; ``import analysis`` gives the same
modules under a second name.
"""

if __name__ == "analysis":
    from gametree.common.attaching import add_name

    add_name(__name__)
else:
    from .common.attaching import attach

    __getattr__, __dir__, __all__ = attach(__name__, __file__)
