"""What to expect of two levels of play, without playing: exact where the game is small, else to rounding."""

from __future__ import annotations

import dataclasses
from typing import ClassVar

from analysis.errors import MissingDataError, OptionError, PositionError, RulesError
from analysis.machine.arguments import checked
from analysis.machine.workers import Progress, Workers, no_progress, patient
from analysis.playing.matches.match_graph import Ends, Graph
from analysis.playing.matches.results import Expectation, Number
from analysis.playing.matches.simulation import Pairing, SolvedArrays
from analysis.playing.matches.walked_levels import walk
from analysis.playing.players.knowledge import Perfect, find_knowledge
from analysis.playing.players.levels import Player, find_player, parse_level
from analysis.rules.game import ONGOING, Game, HasRules
from analysis.rules.positions import read_position
from analysis.solution.solution import Solution
from analysis.solving.find import find_values, named_game
from analysis.storage.stored_games import refuse_bidding

BY_SEARCHING = "perfect play by searching prefers the quickest wins; expectations are of solved games"

MAX_PLIES = 1000
"""Plies after which a game counts as unfinished, unless told otherwise."""


@dataclasses.dataclass(frozen=True)
class LevelExpectation(Expectation):
    """What to expect of two levels; ``payoff`` counts an unfinished game as 0, ``plies`` as ``max_plies``."""

    numbers: ClassVar[tuple[str, ...]] = ("x_wins", "o_wins", "tie", "unfinished", "payoff", "plies")

    unfinished: Number
    """The probability that a game goes on after ``max_plies``."""
    game: str
    position: str
    """Where games start."""
    max_plies: int


@checked
def expect(
    game: str | HasRules,
    a: str,
    b: str,
    *,
    position: str | None = None,
    max_plies: int = MAX_PLIES,
    workers: int | None = None,
    progress: Progress = no_progress,
) -> LevelExpectation:
    """What to expect where level ``a`` moves first and ``b`` second, from ``position`` (default: the start) on.

    The game (a GAME_OR_DIR) is solved unless its solution is stored; with a level that searches, ``depth:N``, each
    position that play reaches is searched instead, see `walked_levels.walk`. A game that goes on after ``max_plies`` is
    unfinished; ``workers`` work at once (default: one a core), and ``progress`` is told how far they are. Raises
    `OptionError` for another level, `TooLargeError` for a game that is too large, and what solving raises.

    >>> result = expect("tictactoe", "perfect", "random")
    >>> result.x_wins, result.tie
    (Fraction(75257, 77760), Fraction(2503, 77760))
    >>> expect("tictactoe", "depth:1", "random", position="XO?XO????").x_wins
    Fraction(1, 1)
    """
    pairing = Pairing.of(a, b)
    state = root_of(game, position)
    if pairing is None:
        knowledge = None
        if any(parse_level(level).kind in ("perfect", "blunder") for level in (a, b)):
            knowledge = find_knowledge(game, position, workers=workers, progress=progress)
        players = [find_player(level, game, knowledge=knowledge) for level in (a, b)]
        return searched_expectation((players[0], players[1]), state, max_plies, progress)
    solution = solution_from(game, state, workers=workers, progress=progress)
    with Workers(workers) as pool:
        arrays = SolvedArrays.solved(solution, state)
        graph = Graph.build(arrays, pairing, pool, progress)
    return expectation(graph, arrays, pairing, 0, max_plies, progress)


def searched_expectation(
    players: tuple[Player, Player], root: int, max_plies: int, progress: Progress = no_progress
) -> LevelExpectation:
    """What to expect where the first of two players moves first, by asking both at every position, see
    `walked_levels.walk`. Raises `OptionError` where one is perfect by searches, which tell quick wins only.
    """
    game = players[0].game
    if any(isinstance(player, Perfect) and player.knowledge.solution is None for player in players):
        raise OptionError(BY_SEARCHING)
    ends = walk(players, root, bounded(game, max_plies), progress)
    return _expectation(game, (players[0].level, players[1].level), root, ends, max_plies)


def expectation(
    graph: Graph, arrays: SolvedArrays, pairing: Pairing, first: int, max_plies: int, progress: Progress = no_progress
) -> LevelExpectation:
    """What to expect where level ``first`` of a pairing (0 is A) moves first."""
    game = arrays.engine.game
    ends = graph.play(first, bounded(game, max_plies), progress)
    return _expectation(game, (pairing.names[first], pairing.names[1 - first]), arrays.root, ends, max_plies)


def _expectation(game: Game, names: tuple[str, str], root: int, ends: Ends, max_plies: int) -> LevelExpectation:
    most = bounded(game, max_plies)
    if ends.unfinished and most < max_plies:
        raise too_long(game, most)
    return LevelExpectation(
        x=names[0],
        o=names[1],
        x_wins=ends.won[0],
        o_wins=ends.won[1],
        tie=ends.won[2],
        payoff=ends.payoff,
        plies=ends.plies,
        unfinished=ends.unfinished,
        game=game.spec,
        position=game.format_position(root),
        max_plies=max_plies,
    )


def bounded(game: Game, max_plies: int) -> int:
    """The plies of a game, as its rules bound them too."""
    longest = game.rules().max_plies
    return max_plies if longest is None else min(max_plies, longest)


def too_long(game: Game, most: int) -> RulesError:
    """What to say of a game that is longer than its rules say."""
    return RulesError(f"games of {game.spec} go on after {most} plies, but its rules say max_plies={most}")


def game_of(game: str | HasRules) -> Game:
    """The game that a GAME_OR_DIR names. Raises `OptionError` for a bidding game."""
    refuse_bidding(game, "these levels are", "levels also bid there: in Python, use analysis.bidding.play_match")
    return named_game(game)


def root_of(game: str | HasRules, position: str | None) -> int:
    """The state of a position. Raises `PositionError` where no move can be made in it. Without a position it is the
    start, even of a game that is over there.
    """
    found = game_of(game)
    rules = found.rules()
    if position is None:
        return rules.start
    state = read_position(found, position)
    if rules.outcome(state) != ONGOING:
        raise PositionError(f"the game is over at {found.format_position(state)}; start from where it goes on")
    return state


def solution_from(
    game: str | HasRules,
    state: int,
    *,
    seconds: float | None = None,
    symmetry: str | None = None,
    workers: int | None = None,
    progress: Progress = no_progress,
) -> Solution:
    """A solution that holds a state, see `find_values`. Raises `MissingDataError` where it takes more than so many
    ``seconds`` to make one, and what solving raises.
    """
    found = game_of(game)
    too_slow = MissingDataError(f"{found.spec} is not solved, and takes more than {seconds or 0:g} s to solve")
    position = None if state == found.rules().start else found.format_position(state)
    told = patient(progress, seconds, too_slow)
    return find_values(game, position, symmetry=symmetry, workers=workers, progress=told)
