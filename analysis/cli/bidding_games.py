"""Bidding games: the command bot, and how other commands show and play such games. For games by turns,
`turn_games` has the same functions.
"""

from __future__ import annotations

import random
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from ..errors import OptionError
from ..machine.context import options as run_options
from .app import PLAY, argument, command, option
from .display.printing import show as print_answer
from .progress import ProgressBar, waiting
from .reading import PlayOptions, ShowOptions

if TYPE_CHECKING:
    from ..bidding.bidding_dialogue import BiddingDialogue
    from ..playing.terms import Effort, Terms
    from .display.parts import Answer


@command("gametree bot bidding-tictactoe --strategy perfect < turn.txt", PLAY)
def bot(
    protocol: Annotated[str, argument("PROTOCOL", "bidding-tictactoe.")],
    strategy: Annotated[
        str, option("--strategy STRATEGY", "random, rules, minimax or perfect; depth:N is minimax to that depth.")
    ] = "perfect",
    depth: Annotated[int, option("--depth N", "Moves that minimax looks ahead.", min=1)] = 2,
    chips: Annotated[int, option("--chips N", "Chips per player at the start.", min=0)] = 4,
    seed: Annotated[int | None, option("--seed N", "Seed of random choices.")] = None,
    verbose: Annotated[bool, option("--verbose", "Explain the answer on standard error.")] = False,
) -> None:
    """Answer one turn of a referee, read from standard input: a bid, or row and column counted from 0.

    Line 1 is the player, X or O; line 2 BID or PLAY; lines 3 and 4 are the bids of X and of O so far; then three rows
    of X, O and _. PLAY is asked of the player who has won the last bid.
    """
    from ..bidding.bot import answer_turn, read_turn

    if sys.stdin is not None and sys.stdin.isatty():
        print("Type the seven lines of a turn; `gametree bot --help` says what they are.", file=sys.stderr)
    text = b"" if sys.stdin is None else read_turn(sys.stdin.buffer)
    line, explanation = answer_turn(protocol, text, strategy, depth=depth, chips=chips, seed=seed)
    if verbose:
        print(explanation, file=sys.stderr)
    print(line)


def show(game: str, position: str | None, options: ShowOptions) -> None:
    """Print one state (None: the start) as it is solved or, to a depth, as a search sees it. Raises `OptionError` for a
    file of states.
    """
    from ..bidding.bidding_solving import find_solution, named_bidding, search_bidding
    from ..solution.storage.stored_games import refuse_options
    from .display.bidding_tables import position_answer

    if position is not None and (position == "-" or Path(position).is_file()):
        raise OptionError(f"{game} is a bidding game, whose states are shown one at a time, not those in {position}")
    refuse_options(game, seconds=options.seconds is not None)
    with ProgressBar():
        named, depth, evaluation = named_bidding(game), options.depth, options.evaluation
        state = named.start if position is None else named.parse_state(position)  # before anything is solved
        text = named.format_state(state)
        if depth is not None:
            solution = search_bidding(named, text, depth, evaluation=evaluation)
        elif evaluation is not None:
            raise OptionError(f"--evaluate {evaluation} is for searches to a depth; add --depth N")
        else:
            solution = find_solution(game, symmetry=options.symmetry)
        answer = position_answer(solution[text])
    print_answer(options.form, answer, wide=options.wide)


def match(game: str, levels: list[str], terms: Terms, effort: Effort) -> Answer:
    """How a match between two levels ended, or a round robin of more."""
    from ..bidding.bidding_matches import play_match, play_round_robin
    from ..bidding.bidding_players import BiddingMemory, find_opponent
    from ..bidding.bidding_rules import BiddingRules
    from ..bidding.bidding_solving import named_bidding
    from ..playing.levels import parse_level
    from ..playing.terms import Terms
    from ..solution.storage.stored_games import refuse_options
    from .display.match_tables import BY_BIDS, match_answer

    foreign = {"seconds": effort.seconds, "out": terms.out, "dask": run_options().executor}
    given = {name: value is not None for name, value in foreign.items()}
    refuse_options(game, **given, max_plies=terms.max_plies != Terms.max_plies)
    for text in levels:
        parse_level(text)
    named = named_bidding(game)
    table, start = BiddingRules(named), None if terms.position is None else named.parse_state(terms.position)
    memory = BiddingMemory(game, terms.position, symmetry=effort.symmetry)
    players = [find_opponent(text, table, memory) for text in levels]
    if len(players) > 2:
        return match_answer(play_round_robin(table, players, games=terms.games, seed=terms.seed, start=start), BY_BIDS)
    result = play_match(table, *players, games=terms.games, swap=terms.swap, seed=terms.seed, start=start)
    return match_answer(result, BY_BIDS)


def set_up(name: str, options: PlayOptions, console: Any = None) -> BiddingDialogue:
    """Who plays what, and the dialogue between them, by default in this terminal. Raises what finding a game, its
    players and a state raises, and `OptionError` for options of other games.
    """
    from ..bidding.bidding_dialogue import BiddingDialogue
    from ..bidding.bidding_matches import Contest
    from ..bidding.bidding_players import BiddingMemory, find_opponent
    from ..bidding.bidding_rules import BiddingRules
    from ..bidding.bidding_solving import named_bidding
    from ..playing.conversation import Console
    from ..playing.dialogue import human_sides
    from ..solution.storage.stored_games import refuse_options
    from .display.printing import play_command

    turn = (options.you or "").strip().lower()
    first_or_second = {f"you {turn}": turn in ("first", "second")}
    refuse_options(name, seconds=options.seconds is not None, **first_or_second)
    game, position, opponent = named_bidding(name), options.position, options.opponent
    contest = Contest(BiddingRules(game), None if position is None else game.parse_state(position))
    people = human_sides(game, options.you)
    sides = [side for side, sign in (("X", 1), ("O", -1)) if sign not in people]
    memory = BiddingMemory(name, position, symmetry=options.symmetry)
    players = {}
    if sides and contest.payoff is None:
        with waiting():
            players = dict.fromkeys(sides, find_opponent(opponent, contest.table, memory))

    def resume(state: str) -> str:
        return play_command(name, game, state, you=options.you, opponent=opponent)

    return BiddingDialogue(
        contest, players=players, console=console or Console(), know=memory.recall, resume=resume,
        rng=random.Random(options.seed), waiting=waiting,
    )  # fmt: skip
