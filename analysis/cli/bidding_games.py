"""What the commands do with bidding games; `turn_games` has the same functions for games by turns."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from analysis.cli.display import bidding_tables as tables
from analysis.cli.kinds import PlayOptions, ShowOptions
from analysis.errors import OptionError
from analysis.playing.terms import Terms

if TYPE_CHECKING:
    from analysis.bidding.bidding_dialogue import BiddingDialogue
    from analysis.bidding.bidding_solution import BiddingSolution
    from analysis.bidding.bidding_verify import BiddingReport
    from analysis.cli.display.printing import Answer
    from analysis.playing.terms import Effort
    from analysis.solution.storage.store import Tables
    from analysis.solving.resources import Resources


def refuse_options(game: str, given: dict[str, bool]) -> None:
    """Raise `OptionError` for an option that is ``given`` and is for games by turns."""
    for option, there in given.items():
        if there:
            raise OptionError(f"{option} is not for bidding games such as {game}; leave it out")


def solve(
    game: str, out: Path | None, stored: Tables, resources: Resources, **options: Any
) -> tuple[BiddingSolution, bool]:
    """The solution, in its directory, and whether it was there already; of the tables only the text can be chosen."""
    from analysis.bidding.bidding_solving import bidding_to_directory
    from analysis.machine.memory import within_memory

    shards = {"--sharded": resources.sharded, "--scratch": resources.scratch is not None, "--anyway": resources.anyway}
    shards["--dask"] = resources.executor is not None
    tables = {"--moves": stored.moves, "--paths": stored.paths, "--no-counts": not stored.counts}
    refuse_options(game, tables | shards)
    with within_memory(resources.memory):
        return bidding_to_directory(game, out, text=stored.text, workers=resources.workers, **options)


def plan(game: str, *_: Any, **__: Any) -> NoReturn:
    """Raise `OptionError`: solving one begins with all of its boards, and is refused before that."""
    raise OptionError(f"plan is for games by turns; `gametree solve {game}` refuses it at once where it does not fit")


def check_symmetries(game: str, kinds: Sequence[str]) -> None:
    """Raise `OptionError` where one of these is no kind of symmetry."""
    from analysis.rules.symmetry import check_kind

    for kind in kinds:
        check_kind(kind)


def find(game: str, **options: Any) -> BiddingSolution:
    """The solution of a GAME_OR_DIR, stored or solved now."""
    from analysis.bidding.bidding_solving import find_solution

    return find_solution(game, **options)


def show(game: str, position: str | None, options: ShowOptions) -> Answer:
    """One state (None: the start) as it is solved or, to a depth, as a search sees it."""
    from analysis.bidding.bidding_solving import named_bidding, search_bidding

    refuse_options(game, {"--seconds": options.seconds is not None})
    named, depth, evaluation = named_bidding(game), options.depth, options.evaluation
    state = named.start if position is None else named.parse_state(position)  # before anything is solved
    text = named.format_state(state)
    if depth is not None:
        solution = search_bidding(named, text, depth, evaluation=evaluation)
    elif evaluation is not None:
        raise OptionError(f"--evaluate {evaluation} is for searches to a depth; add --depth N")
    else:
        solution = find(game, symmetry=options.symmetry, workers=options.workers)
    return tables.position_answer(solution[text])


def holds_positions(game: str, text: str) -> bool:
    """Whether a text is a file, or ``-``, and no state."""
    return text == "-" or Path(text).is_file()


def show_all(game: str, file: str, *_: Any, **__: Any) -> NoReturn:
    """Raise `OptionError`: states of bidding games are shown one by one."""
    raise OptionError(f"{game} is a game of bids, whose states are shown one at a time; {file} would hold several")


def verify(directory: Path, given: dict[str, Any], _: int | None) -> BiddingReport:
    """What a check of a stored solution found, which is always one of all states, in one thread."""
    refuse_options(str(directory), {f"--{name}": value is not None for name, value in given.items()})
    from analysis.bidding.bidding_verify import verify

    return verify(directory)


def audit(game: str, *_: Any, **__: Any) -> NoReturn:
    """Raise `OptionError`: a game played by bidding is no path of moves."""
    raise OptionError(
        f"audit judges moves, and in {game} both players also bid; `gametree play {game}` says where a game was decided"
    )


def match(game: str, a: str, b: str, terms: Terms, effort: Effort) -> Answer:
    """How a match between two levels ended."""
    from analysis.bidding.bidding_matches import play_match
    from analysis.bidding.bidding_players import BiddingMemory, find_opponent
    from analysis.bidding.bidding_rules import BiddingRules
    from analysis.bidding.bidding_solving import named_bidding
    from analysis.cli.display.match_tables import BY_BIDS, match_answer
    from analysis.playing.levels import parse_level

    foreign = {"--move-seconds": effort.seconds, "--out": terms.out, "--dask": effort.executor}
    given = {name: value is not None for name, value in foreign.items()}
    refuse_options(game, given | {"--max-plies": terms.max_plies != Terms.max_plies})
    for text in (a, b):
        parse_level(text)
    named = named_bidding(game)
    table, start = BiddingRules(named), None if terms.position is None else named.parse_state(terms.position)
    memory = BiddingMemory(game, terms.position, symmetry=effort.symmetry, workers=effort.workers)
    first, second = (find_opponent(text, table, memory) for text in (a, b))
    result = play_match(table, first, second, games=terms.games, swap=terms.swap, seed=terms.seed, start=start)
    return match_answer(result, BY_BIDS)


def set_up(name: str, options: PlayOptions, console: Any = None) -> BiddingDialogue:
    """Who plays what, and the dialogue between them, by default in this terminal. Raises what finding a game, its
    players and a state raises, and `OptionError` for options of other games.
    """
    from analysis.bidding.bidding_dialogue import BiddingDialogue
    from analysis.bidding.bidding_matches import Contest
    from analysis.bidding.bidding_players import BiddingMemory, find_opponent
    from analysis.bidding.bidding_rules import BiddingRules
    from analysis.bidding.bidding_solving import named_bidding
    from analysis.cli.display.printing import play_command
    from analysis.cli.progress import Waiting
    from analysis.playing.conversation import Console
    from analysis.playing.dialogue import human_sides

    turn = (options.you or "").strip().lower()
    refuse_options(name, {"--move-seconds": options.seconds is not None, f"--you {turn}": turn in ("first", "second")})
    game, position, opponent = named_bidding(name), options.position, options.opponent
    contest = Contest(BiddingRules(game), None if position is None else game.parse_state(position))
    people = human_sides(game, options.you)
    sides = [side for side, sign in (("X", 1), ("O", -1)) if sign not in people]
    waiting = Waiting()
    memory = BiddingMemory(name, position, symmetry=options.symmetry, workers=options.workers)
    players = {}
    if sides and contest.payoff is None:
        with waiting:
            players = dict.fromkeys(sides, find_opponent(opponent, contest.table, memory))

    def resume(state: str) -> str:
        given = {"you": options.you, "opponent": opponent, "from": state, "numbered": options.numbered}
        return play_command(name, game, **given)

    return BiddingDialogue(
        contest, players=players, console=console or Console(), know=memory.recall, resume=resume,
        rng=random.Random(options.seed), numbered=options.numbered, waiting=waiting,
    )  # fmt: skip
