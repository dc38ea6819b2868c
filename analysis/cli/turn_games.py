"""How the commands show and play games by turns; `bidding_games` has the same functions for bidding games."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .display import solution_tables as tables
from .display.printing import show as print_answer
from .progress import ProgressBar, waiting
from .reading import PlayOptions, ShowOptions, how_read

if TYPE_CHECKING:
    import pandas as pd

    from ..audit.reading import RowTable
    from ..playing.dialogue import Dialogue
    from ..playing.player import Player
    from ..playing.terms import Effort, Terms
    from ..solving.planning.plan import GamePlan
    from .display.parts import Answer


def show(game: str, position: str | None, options: ShowOptions) -> None:
    """Print what can be known of one position or, to a depth, what a search says of it; or of all in a file."""
    if position is not None and _holds_positions(game, position):
        _show_all(game, position, options)
        return
    with ProgressBar():
        answer = _known(game, position, options)
    print_answer(options.form, answer, wide=options.wide)


def _known(game: str, position: str | None, options: ShowOptions) -> Answer:
    depth, seconds, evaluation, read_as = options.depth, options.seconds, options.evaluation, how_read(game, position)
    if depth is not None or evaluation is not None:
        from ..search.proving import advise
        from .display.pruning_tables import advice_answer

        advice = advise(game, position, depth=depth, seconds=seconds, evaluation=evaluation)
        return advice_answer(advice, read_as=read_as)
    from ..search.finding import find_position

    found = find_position(game, position, seconds=seconds, symmetry=options.symmetry)
    if hasattr(found.known, "histories"):
        return tables.position_answer(found, read_as, wide=options.wide)
    from .display.pruning_tables import advice_answer

    return advice_answer(found.known, found, read_as=read_as)


def _holds_positions(game: str, text: str) -> bool:
    """Whether a text is a file, or ``-``, and no position of the game; the suffix says so of a missing one too."""
    from ..audit.reading import SUFFIXES
    from ..errors import PositionError
    from ..rules.positions import read_position
    from ..solving.find import named_game

    if text == "-":
        return True
    with contextlib.suppress(OSError):  # too long for a name
        if Path(text).suffix.lower() in SUFFIXES or Path(text).is_file():
            try:
                read_position(named_game(game), text)
            except PositionError:
                return True
    return False


def _show_all(game: str, file: str, options: ShowOptions) -> None:
    """Print what can be known of the positions in a file, and what is wrong with the first rows that are none."""
    from ..audit.reading import read_table
    from ..errors import OptionError, PositionError
    from ..search.finding import TOGETHER, find_positions
    from ..solving.find import named_game
    from .app import tell_left_out

    if options.depth is not None or options.evaluation is not None:
        raise OptionError(f"--depth and --evaluate are for one position; {file} holds several")
    table = read_table(file)
    column = _position_column(table)
    values = [str(value) if type(value) is int else value for value in column]
    given: dict[int, Any] = dict(zip(column.index.tolist(), values, strict=True))
    given |= {number: PositionError(fault) for number, fault in table.faults.items()}
    numbers = sorted(given)
    texts = [PositionError("the position is missing") if given[n] in (None, "") else given[n] for n in numbers]
    rows = find_positions(game, texts, seconds=options.seconds, symmetry=options.symmetry)
    writer = tables.Writer(options.form, named_game(game), wide=options.wide)
    for start in range(0, len(numbers), TOGETHER):
        with ProgressBar():
            block = list(zip(numbers[start : start + TOGETHER], rows, strict=False))
        writer.write(block)
        table.faults |= {number: row.error for number, row in block if row.error is not None}
    writer.finish()
    if table.faults:
        tell_left_out(list(map(str, table.errors)), len(table.faults), table.name)


def _position_column(table: RowTable) -> pd.Series:
    """The column of a table that holds positions. Raises `RowError` where there is none, and where there is no row."""
    from ..audit.reading import RowError

    names = list(table.frame.columns)
    column = next((name for name in ("position", "path", "backtracker") if name in names), None)
    if column is None:
        what = f"has columns {', '.join(names[:12])}; one is needed that is called position"
        raise RowError(f"{table.name} {what if names else 'is empty'}")
    if table.frame.empty and not table.faults:
        raise RowError(f"{table.name} holds no position")
    return table.frame[column]


def plan_answer(plan: GamePlan) -> Answer:
    """What solving a game would take."""
    from .display.solving_tables import plan_answer as answer

    return answer(plan)


def match(game: str, levels: list[str], terms: Terms, effort: Effort) -> Answer:
    """How a match between two levels ended, or a round robin of more."""
    from ..playing import play_match
    from .display.match_tables import BY_TURNS, match_answer

    return match_answer(play_match(game, levels, terms, effort=effort), BY_TURNS)


def set_up(name: str, options: PlayOptions, console: Any = None) -> Dialogue:
    """Who plays what, and the dialogue between them, by default in this terminal. Raises what finding a game, its
    players and a position raises.
    """
    from ..playing.conversation import Console
    from ..playing.dialogue import (
        Dialogue,
        OpponentMemory,
        Session,
        find_opponent,
        human_sides,
        searching_opponent,
    )
    from ..playing.terms import Effort
    from ..solving.find import named_game
    from .display.printing import play_command

    opponent, seconds = options.opponent, options.seconds
    session = Session(named_game(name), options.position)
    people = human_sides(session.game, options.you, begins=session.side)
    sides = [side for side in (1, -1) if side not in people]
    effort = Effort(symmetry=options.symmetry)
    memory = OpponentMemory(name, session, effort)
    players: dict[int, Player] = {}
    if sides and not session.over:
        with waiting():
            players = {side: find_opponent(opponent, memory, seconds) for side in sides}

    def resume(position: str) -> str:
        first, second = session.game.players
        seat = "both" if len(people) == 2 else "none" if not people else first if 1 in people else second
        limit = None if seconds is None else f"{seconds:g}"
        given = {"you": seat, "opponent": opponent, "seconds": limit}
        return play_command(name, session.game, position, **given)

    from random import Random

    return Dialogue(
        session, players=players, console=console or Console(), know=memory.consult, resume=resume,
        rng=Random(options.seed), waiting=waiting,
        substitute=(lambda: searching_opponent(session.game, seconds)) if opponent is None else None,
    )  # fmt: skip
