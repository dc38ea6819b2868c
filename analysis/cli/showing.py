"""Show positions, set up games in the terminal, and play matches, by turns or by bids."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import OptionError
from ..solution.storage.stored_games import is_bidding, refuse_options
from .display import solution_tables as tables
from .display.printing import show as print_answer
from .progress import ProgressBar, waiting
from .reading import PlayOptions, ShowOptions

if TYPE_CHECKING:
    from ..playing.conversation import Conversation
    from ..playing.terms import Effort, Terms
    from ..rules.game import Game
    from .display.parts import Answer


def show(game: str, position: str | None, options: ShowOptions) -> None:
    """Print the value and moves of one position, or of all in a file; with a depth, the result of a search."""
    answer_of = _bidding_answer if is_bidding(game) else _turns_answer
    if position is not None and answer_of is _turns_answer and _holds_positions(position):
        _show_all(game, position, options)
        return
    with ProgressBar():
        answer = answer_of(game, position, options)
    print_answer(options.form, answer, wide=options.wide)


def _bidding_answer(game: str, position: str | None, options: ShowOptions) -> Answer:
    """Describe a state of a bidding game. Raises `OptionError` for a file of states."""
    from ..bidding import find_solution, search_bidding
    from ..bidding.bidding_solving import named_bidding
    from .display.bidding_tables import position_answer

    if position is not None and (position == "-" or Path(position).is_file()):
        raise OptionError(f"{game} is a bidding game, whose states are shown one at a time, not those in {position}")
    refuse_options(game, seconds=options.seconds is not None)
    bidding_game, depth, evaluation = named_bidding(game), options.depth, options.evaluation
    state = bidding_game.start if position is None else bidding_game.parse_state(position)  # before anything is solved
    text = bidding_game.format_state(state)
    if depth is not None:
        return position_answer(search_bidding(bidding_game, text, depth, evaluation=evaluation)[text])
    if evaluation is not None:
        raise OptionError(f"--evaluate {evaluation} is for searches to a depth; add --depth N")
    return position_answer(find_solution(game, symmetry=options.symmetry)[text])


def _turns_answer(game: str, position: str | None, options: ShowOptions) -> Answer:
    depth, seconds, evaluation = options.depth, options.seconds, options.evaluation
    if depth is not None or evaluation is not None:
        from ..search.finding import advise

        finding = advise(game, position, depth=depth, seconds=seconds, evaluation=evaluation)
    else:
        from ..search.finding import find_position

        finding = find_position(game, position, seconds=seconds, symmetry=options.symmetry)
    return tables.position_answer(finding, wide=options.wide)


def _holds_positions(text: str) -> bool:
    """Return whether a text is ``-`` or names a file, rather than a position."""
    from ..playing.records import SUFFIXES

    return text == "-" or Path(text).suffix.lower() in SUFFIXES


def _show_all(game: str, file: str, options: ShowOptions) -> None:
    """Print the value and moves of the positions in a file, and what is wrong with the first invalid rows."""
    from ..errors import PositionError
    from ..playing.records import RowError, read_table
    from ..search.finding import find_positions
    from ..solving.find import named_game
    from .app import tell_left_out

    if options.depth is not None or options.evaluation is not None:
        raise OptionError(f"--depth and --evaluate are for one position; {file} holds several")
    table = read_table(file)
    column = next((name for name in ("position", "path", "backtracker") if name in table.frame), None)
    if column is None or table.frame.empty:
        has = f"{len(table.frame)} rows of columns {', '.join(map(str, table.frame))}"
        raise RowError(f"{table.name} has {has}; one is needed that is called position")
    numbers: list[int] = table.frame.index.tolist()
    cells = [str(cell) if type(cell) is int else cell for cell in table.frame[column]]
    texts = [PositionError("the position is missing") if cell in (None, "") else cell for cell in cells]
    rows = find_positions(game, texts, seconds=options.seconds, symmetry=options.symmetry)
    with ProgressBar():
        found = list(zip(numbers, rows, strict=True))
    table.faults |= {number: row.error for number, row in found if row.error is not None}
    short = options.form == "table" and not options.wide
    print_answer(options.form, tables.positions_answer(found, named_game(game), short=short), wide=options.wide)
    if table.faults:
        tell_left_out(list(map(str, table.errors)), len(table.faults), table.name)


# Play -----------------------------------------------------------------------------------------------------------------


class _Table(NamedTuple):
    """A game to be played."""

    game: Game
    begins: int
    """The side to move."""
    over: bool
    opponent: Callable[[], Any]
    """Returns a player."""
    dialogue: Callable[..., Conversation]
    """Returns the dialogue between players, by side."""


def set_up(name: str, options: PlayOptions, console: Any = None) -> Conversation:
    """Return the dialogue of a game between players and people, by default in this terminal. Raises what finding a
    game, its players and a position raises, and `OptionError` for options of other games.
    """
    from random import Random

    from ..playing.conversation import Console
    from ..playing.dialogue import human_sides
    from .display.printing import play_command

    table = _by_bids(name, options) if is_bidding(name) else _by_turns(name, options)
    people = human_sides(table.game, options.you, begins=table.begins)
    sides, players = [side for side in (1, -1) if side not in people], {}
    if sides and not table.over:
        with waiting():
            players = {side: table.opponent() for side in sides}

    def resume(position: str) -> str:
        first, second = table.game.players
        seat = "both" if len(people) == 2 else "none" if not people else first if 1 in people else second
        limit = None if options.seconds is None else f"{options.seconds:g}"
        choices = {"you": seat, "opponent": options.opponent, "seconds": limit}
        return play_command(name, table.game, position, **choices)

    return table.dialogue(
        players=players, console=console or Console(), resume=resume, rng=Random(options.seed), waiting=waiting
    )


def _by_turns(name: str, options: PlayOptions) -> _Table:
    from ..playing.dialogue import Dialogue, OpponentMemory, Session, find_opponent
    from ..solving.find import named_game

    opponent, seconds = options.opponent, options.seconds
    session = Session(named_game(name), options.position)
    memory = OpponentMemory(name, session, options.symmetry)
    dialogue = functools.partial(Dialogue, session, know=lambda: memory.knowledge)
    return _Table(session.game, session.side, session.over, lambda: find_opponent(opponent, memory, seconds), dialogue)


def _by_bids(name: str, options: PlayOptions) -> _Table:
    from ..bidding.bidding_dialogue import BiddingDialogue
    from ..bidding.bidding_players import BiddingMemory, find_bidder
    from ..bidding.bidding_rules import BiddingRules, Contest
    from ..bidding.bidding_solving import named_bidding

    turn = (options.you or "").strip().lower()
    refuse_options(name, seconds=options.seconds is not None, **{f"you {turn}": turn in ("first", "second")})
    game, position = named_bidding(name), options.position
    contest = Contest(BiddingRules(game), None if position is None else game.parse_state(position))
    memory = BiddingMemory(name, position, symmetry=options.symmetry)

    def dialogue(players: dict[int, Any], **how: Any) -> BiddingDialogue:
        by_side = {"XO"[side < 0]: player for side, player in players.items()}
        return BiddingDialogue(contest, players=by_side, know=memory.recall, **how)

    over, opponent = contest.payoff is not None, options.opponent
    return _Table(game, 1, over, lambda: find_bidder(opponent, contest.table, memory), dialogue)


# Matches --------------------------------------------------------------------------------------------------------------


def match_of(game: str, levels: list[str], terms: Terms, effort: Effort) -> Answer:
    """Return the results of a match between levels."""
    from .. import bidding
    from .. import playing as by_turns
    from .display.match_tables import BY_BIDS, BY_TURNS, match_answer

    room, words = (bidding, BY_BIDS) if is_bidding(game) else (by_turns, BY_TURNS)
    return match_answer(room.play_match(game, levels, terms, effort=effort), words)
