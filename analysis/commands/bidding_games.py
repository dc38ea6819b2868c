"""What solve, stats, show, play and match do for bidding games, in which both players bid at once."""

from __future__ import annotations

import random
import shlex
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from analysis.commands.app import progress_bar
from analysis.commands.dialogues import run

if TYPE_CHECKING:
    from analysis.bidding.terminal.bidding_dialogue import BiddingDialogue


def is_bidding(name: str) -> bool:
    """Whether a GAME or GAME_OR_DIR names a bidding game, or the directory of one's solution."""
    from analysis.storage.kinds import is_bidding

    return is_bidding(name)


def refuse_options(game: str, given: dict[str, bool]) -> None:
    """Raise `OptionError` for an option that is for other games."""
    from analysis.errors import OptionError

    for option, there in given.items():
        if there:
            raise OptionError(f"{option} is not for bidding games such as {game}; leave it out")


def require_depth(evaluation: str | None) -> None:
    """Raise `OptionError` for an evaluation where nothing is searched."""
    from analysis.errors import OptionError

    if evaluation is not None:
        raise OptionError(f"--evaluate {evaluation} is for searches to a depth; add --depth D")


def solve(game: str, out: Path | None, form: str, **options: Any) -> None:
    """``gametree solve bidding:...``."""
    from analysis.bidding.bidding_solving import bidding_to_directory
    from analysis.commands.display import bidding_tables as display
    from analysis.commands.display import printing

    began = time.perf_counter()
    with progress_bar() as progress:
        solution, was_there = bidding_to_directory(game, out, **options, progress=progress)
    seconds = time.perf_counter() - began
    row = display.solve_row(solution, seconds)
    printing.show(form, data=row, rows=[row], table=display.solve_summary(solution, was_there, seconds))


def stats(game: str, form: str, **options: Any) -> None:
    """``gametree stats``; as CSV the least chips for each total."""
    from analysis.bidding.bidding_solving import find_bidding
    from analysis.commands.display import bidding_tables as display
    from analysis.commands.display import printing

    with progress_bar() as progress:
        solution = find_bidding(game, **options, progress=progress)
        found = solution.statistics()
    printing.show(form, data=found, rows=found["least_chips"], table=display.stats_tables(solution, found))


def show(game: str, state: str, form: str, *, depth: int | None, evaluation: str | None) -> None:
    """``gametree show``; as CSV one row for each legal bid of each side."""
    from analysis.bidding.bidding_solving import find_bidding, named_bidding, search_bidding
    from analysis.commands.display import bidding_tables as display
    from analysis.commands.display import printing

    with progress_bar() as progress:
        if depth is not None:
            solution = search_bidding(named_bidding(game), state, depth, evaluation=evaluation, progress=progress)
        else:
            require_depth(evaluation)
            solution = find_bidding(game, progress=progress)
    found = solution[state]
    rows, table = display.bid_rows(found), display.position_tables(found)
    printing.show(form, data=found.to_json(), rows=rows, table=table, columns=display.BID_COLUMNS)


def refuse_audit(game: str) -> NoReturn:
    """Raise `OptionError`: a game played by bidding is no path of moves."""
    from analysis.errors import OptionError

    raise OptionError(
        f"audit judges moves, and in {game} both players also bid; `gametree play {game}` says where a game was decided"
    )


# Play -----------------------------------------------------------------------------------------------------------------


def play(
    game: str,
    *,
    you: str | None = None,
    opponent: str | None = None,
    position: str | None = None,
    seed: int | None = None,
    numbered: bool = False,
    **others: bool,
) -> None:
    """``gametree play``; ``others`` are options that bidding games do not have, and whether they were given."""
    from analysis.playing.terminal.console import Console

    refuse_options(game, {f"--{name}": given for name, given in others.items()})
    dialogue = set_up(
        game,
        you=you,
        opponent=opponent,
        position=position,
        seed=seed,
        numbered=numbered,
        console=Console(),
    )
    run(dialogue)


def set_up(
    name: str,
    *,
    you: str | None = None,
    opponent: str | None = None,
    position: str | None = None,
    seed: int | None = None,
    numbered: bool = False,
    console: Any,
) -> BiddingDialogue:
    """Who plays what, and the dialogue between them. Raises what finding a game, its players and a state raises."""
    from analysis.bidding.bidding_solving import named_bidding
    from analysis.bidding.contests.contest import Contest
    from analysis.bidding.players.bidding_rules import BiddingRules
    from analysis.bidding.terminal.bidding_dialogue import BiddingDialogue
    from analysis.bidding.terminal.bidding_opponents import BiddingMemory, find_opponent
    from analysis.commands.display.printing import program_name
    from analysis.commands.display.waiting import Waiting
    from analysis.playing.terminal.seats import human_sides

    game = named_bidding(name)
    contest = Contest(BiddingRules(game), None if position is None else game.parse_state(position))
    people = human_sides(game, you)
    sides = [side for side, sign in (("X", 1), ("O", -1)) if sign not in people]
    waiting = Waiting()
    memory = BiddingMemory(name, position, waiting)
    players = {}
    if sides and contest.payoff is None:
        with waiting:
            players = dict.fromkeys(sides, find_opponent(opponent, contest.table, memory))

    def resume(state: str) -> str:
        given = [("--you", you), ("--opponent", opponent), ("--from", state)]
        options = [word for option, value in given if value is not None for word in (option, value)]
        options += ["--numbered"] if numbered else []
        return f"{program_name()} {shlex.join(['play', name, *options])}"

    return BiddingDialogue(
        contest,
        players=players,
        console=console,
        know=memory.recall,
        resume=resume,
        rng=random.Random(seed),
        numbered=numbered,
        waiting=waiting,
    )


# Match ----------------------------------------------------------------------------------------------------------------


def match(
    game: str, a: str, b: str, form: str, *, games: int, swap: bool, seed: int | None, position: str | None,
    **others: bool,
) -> None:  # fmt: skip
    """``gametree match``; ``others`` as in `play`."""
    from analysis.bidding.bidding_solving import named_bidding
    from analysis.bidding.contests.bidding_match import play_match
    from analysis.bidding.players.bidding_rules import BiddingRules
    from analysis.bidding.terminal.bidding_opponents import BiddingMemory, find_opponent
    from analysis.commands.display import bidding_match_tables as display
    from analysis.commands.display import printing
    from analysis.playing.players.levels import parse_level

    printing.check_format(form)
    refuse_options(game, {f"--{name}": given for name, given in others.items()})
    for text in (a, b):
        parse_level(text)
    named = named_bidding(game)
    table, start = BiddingRules(named), None if position is None else named.parse_state(position)
    with progress_bar() as progress:
        memory = BiddingMemory(game, position, progress)
        players = [find_opponent(text, table, memory) for text in (a, b)]
        result = play_match(
            table, players[0], players[1], games=games, swap=swap, seed=seed, start=start, progress=progress
        )
    printing.show(form, data=result.to_json(), rows=result.rows(), table=display.match_tables(result))
