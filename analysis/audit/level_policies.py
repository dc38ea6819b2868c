"""The levels of play as policies: how likely each of their moves is, exactly."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from analysis.audit.judge import SolutionJudge
from analysis.errors import OptionError, TooLargeError
from analysis.playing.players.knowledge import Knowledge
from analysis.playing.players.levels import find_player, parse_level
from analysis.rules.game import Game

CERTAIN = 1.5
"""How many times too large a game is estimated that is refused before it is solved."""


def plays_everything(level: str) -> bool:
    """Whether a level may play any legal move, so that every position can arise. Raises `OptionError` where there is no
    such level.
    """
    parsed = parse_level(level)
    return parsed.kind == "random" or parsed.chance > 0


def check_size(game: Game, level: str, most: int) -> None:
    """Raise `TooLargeError` where every position of a game can arise against a ``level``, and that these are more than
    so many can be told before the game is solved.
    """
    by_ply = game.expected_positions() if plays_everything(level) else None
    if by_ply is not None and sum(by_ply) > CERTAIN * most:
        raise _too_large(game, level, f"about {sum(by_ply):,.0f}", most)


def check_positions(judge: SolutionJudge, level: str, most: int) -> None:
    """Raise `TooLargeError` where every position of a solved game can arise against a ``level``, and these are more
    than so many.
    """
    solution = judge.solution
    whole = judge.start.state == solution.engine.start and solution.symmetry != "residual"
    if whole and plays_everything(level) and len(solution) > most:
        raise _too_large(judge.game, level, f"{len(solution):,}", most)


def _too_large(game: Game, level: str, positions: str, most: int) -> TooLargeError:
    return TooLargeError(
        f"{level} may play any move, so a best response to it has to know all positions of {game.spec}, {positions}; "
        f"--max-positions allows {most:,}"
    )


def choices_of(judge: SolutionJudge, level: str) -> Callable[[int], dict[int, Fraction]]:
    """How likely each move of a level is in a state, by code; impossible ones are left out.

    In a loopy game the level may draw no lots: what it is then worth to go on and on no finite sum tells. The function
    raises `OptionError` there. Raises `OptionError` for a level that there is not.

    >>> from analysis.audit.judge import find_judge
    >>> judge = find_judge("tictactoe")
    >>> choices_of(judge, "perfect")(judge.state("X????????")), choices_of(judge, "random")(judge.state("XOXOXXO??"))
    ({4: Fraction(1, 1)}, {7: Fraction(1, 2), 8: Fraction(1, 2)})
    """
    knowledge = Knowledge(judge.game)
    knowledge.use(judge.solution, judge.start.state, judge.source())
    player = find_player(level, judge.game, knowledge=knowledge)

    def choose(state: int) -> dict[int, Fraction]:
        likely = {code: chance for code, chance in player.distribution(state).items() if chance}
        if judge.rules.loopy and len(likely) > 1:
            position = judge.game.format_position(state)
            raise OptionError(
                f"{player.level} draws lots in {position}, and {judge.game.spec} is loopy: exact best responses to "
                "chance are found only where play always ends"
            )
        return likely

    return choose
