"""Play a round robin: every two levels meet, with sides exchanged; what each scores, and what its moves lose."""

from __future__ import annotations

import dataclasses
import itertools
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import GametreeError, OptionError, StoreError
from ..machine.workers import tell_progress
from ..rules.game import ONGOING, GameLike
from .expectation import bounded
from .ground import Ground, forfeits, playing, told_apart
from .levels import Function, level_name
from .match import Match, checked, game_file
from .results import Scoreboard, Standing
from .simulation import Batch
from .terms import NO_LIMITS, USUAL_TERMS, Effort, Terms

if TYPE_CHECKING:
    import pandas as pd

SOLVING_SECONDS = 60.0
"""Time to solve the game for what the moves lose."""


class Lost(NamedTuple):
    """What the moves of a level lost."""

    moves: int = 0
    mistakes: int = 0
    """Moves that lost value."""
    value: int = 0
    """Value before each move less value after it, for the mover, in all."""

    def __add__(self, other: tuple[int, ...]) -> Lost:  # type: ignore[override]
        return Lost(*map(sum, zip(self, other, strict=True)))


@dataclasses.dataclass(frozen=True)
class RoundRobin:
    """The results of several levels, each of which met each other."""

    game: str
    position: str
    """Where games started."""
    names: tuple[str, ...]
    """The levels; equal ones are numbered."""
    games: int
    """Of each pair, half of them with sides exchanged."""
    seed: int
    standings: Mapping[tuple[int, int], Standing]
    """By the numbers of two levels, the results of the first one against the second."""
    lost: Mapping[int, Lost] = dataclasses.field(default_factory=dict)
    """By the number of a level, what its moves lost."""
    not_judged: str = ""
    """Why the moves are not judged, or empty."""
    forfeits: Mapping[str, Sequence[str]] = dataclasses.field(default_factory=dict)
    """By level, a line for each game that it lost by not moving as it should."""

    def points(self, a: int, b: int) -> float:
        """Return what a level scored against another: 1 for a win, 1/2 for a tie or an unfinished game."""
        found = self.standings[a, b]
        return found.wins + (found.ties + found.unfinished) / 2

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each level, best first, as ``--format csv`` prints it."""
        return sorted(map(self._row, range(len(self.names))), key=lambda row: -row["points"])

    def _row(self, number: int) -> dict[str, Any]:
        against = [other for other in range(len(self.names)) if other != number]
        met = [self.standings[number, other] for other in against]
        games, lost = sum(found.games for found in met), self.lost.get(number)
        return {
            "level": self.names[number],
            "points": sum(self.points(number, other) for other in against),
            "games": games,
            **{name: sum(getattr(found, name) for found in met) for name in ("wins", "ties", "losses", "unfinished")},
            "mean_plies": sum(found.plies for found in met) / games,
            "forfeits": len(self.forfeits.get(self.names[number], ())),
            "moves": lost and lost.moves,
            "mistakes": lost and lost.mistakes,
            "value_lost": lost and lost.value,
            "value_lost_a_move": lost and lost.value / lost.moves if lost and lost.moves else None,
        }

    def pairs(self) -> list[dict[str, Any]]:
        """Return a row for each pair, with the results of ``a``."""
        return [
            {"a": self.names[a], "b": self.names[b], "points": self.points(a, b), "games": found.games}
            | {name: getattr(found, name) for name in ("wins", "ties", "losses", "unfinished", "plies")}
            for (a, b), found in self.standings.items() if a < b
        ]  # fmt: skip

    def to_pandas(self) -> pd.DataFrame:
        """Return the `rows` as a data frame."""
        import pandas as pd

        return pd.DataFrame(self.rows()).convert_dtypes()

    def to_json(self) -> dict[str, Any]:
        """Return what ``gametree match --format json`` prints; the same for the same seed."""
        return {
            "game": self.game, "position": self.position, "games": self.games, "seed": self.seed,
            "levels": self.rows(), "pairs": self.pairs(), "not_judged": self.not_judged or None,
            "forfeits": {level: list(lines) for level, lines in self.forfeits.items()},
        }  # fmt: skip


def meetings(names: Sequence[str], meet: Callable[[int, int], Standing]) -> dict[tuple[int, int], Standing]:
    """Let every two levels meet, by what gives the results of one against another; return them in both views."""
    found: dict[tuple[int, int], Standing] = {}
    for a, b in itertools.combinations(range(len(names)), 2):
        found[a, b] = meet(a, b)
        found[b, a] = dataclasses.replace(found[a, b].other_side(names[b], names[b]), side="both")
    return found


def check_games(games: int) -> None:
    """Raise `OptionError` for a number of games that a pair cannot halve."""
    if games < 2 or games % 2:
        raise OptionError(f"{games} games of a pair cannot be shared by both orders; give an even number from 2 on")


def play_round_robin(
    game: GameLike,
    levels: Sequence[str | Function],
    terms: Terms = USUAL_TERMS,
    *,
    effort: Effort = NO_LIMITS,
) -> RoundRobin:
    """Play the games of every two of the ``levels`` in a GAME_OR_DIR, as `play_match` does with ``swap`` and the same
    ``terms``, and judge the moves by the solution if there is one within a minute. Raises what `play_match` raises.

    >>> found = play_round_robin("tictactoe", ["perfect", "random", "greedy"], Terms(games=100, seed=1))
    >>> [(row["level"], row["points"], row["value_lost"]) for row in found.rows()]
    [('perfect', 167.5, 0), ('greedy', 115.0, 138), ('random', 17.5, 254)]
    """
    levels = [level_name(each) if isinstance(each, str) else each for each in levels]
    if len(levels) < 2:
        raise OptionError("name two or more levels")
    check_games(terms.games)
    terms = dataclasses.replace(checked(terms, levels, effort.seconds), swap=True)
    ground = Ground(game, terms.position, effort)
    players = [ground.player(level) for level in levels]
    names = told_apart([player.level for player in players])
    for player, name in zip(players, names, strict=True):
        player.level = name
    judge, why = None, ""
    try:
        ground.solve(SOLVING_SECONDS)
        judge = _Judge(ground)
    except GametreeError as error:  # this must not cost the games
        why = str(error)
    terms, longest = dataclasses.replace(terms, judged=judge is not None), bounded(ground.game, terms.max_plies)
    count = itertools.count()
    with playing(players), game_file(terms.out) as write:

        def meet(a: int, b: int) -> Standing:
            first, pair = next(count) * terms.games, (names[a], names[b])
            match = Match(ground, (levels[a], levels[b]), (players[a], players[b]))
            match.prepare()
            board = Scoreboard(pair, swap=True, longest=longest)
            for batch in match.play(terms):
                board.add(batch)
                write(batch, pair, first, True)
                if judge is not None:
                    judge.add(batch, (a, b))
                done = first + batch.first + len(batch.plies)
                tell_progress("playing", done, terms.games * len(levels) * (len(levels) - 1) // 2)
            return board.standings()[2]

        standings = meetings(names, meet)
    return RoundRobin(
        game=ground.game.spec,
        position=ground.start,
        names=tuple(names),
        games=terms.games,
        seed=terms.seed or 0,
        standings=standings,
        lost=judge.lost if judge else {},
        not_judged=why,
        forfeits=forfeits(players),
    )


class _Judge:
    """Adds up what the moves of games lose by the solution of a ground."""

    def __init__(self, ground: Ground) -> None:
        self.rules, self.root, self.solution = ground.game.rules(), ground.root, ground.solve()
        self.joined = self.rules.largest_code > 9
        self.lost = defaultdict[int, Lost](Lost)
        """By the number of a level."""
        self._known: dict[int, tuple[int, int]] = {}
        """Who moves in a state, and its value."""

    def add(self, batch: Batch, pair: tuple[int, int]) -> None:
        """Judge the moves of the games of two levels that change sides after every game."""
        walks = [self._states(path) for path in batch.paths or ()]
        self._look_up({state for walk in walks for state in walk} - self._known.keys())
        for number, walk in enumerate(walks, batch.first):
            x, o = pair if number % 2 == 0 else pair[::-1]
            sums = {1: [0, 0, 0], -1: [0, 0, 0]}
            for (mover, before), (_, after) in itertools.pairwise(self._known[state] for state in walk):
                lost, of_side = mover * (before - after), sums[mover]
                of_side[0] += 1
                of_side[1] += lost > 0
                of_side[2] += lost
            self.lost[x] += tuple(sums[1])
            self.lost[o] += tuple(sums[-1])

    def _states(self, path: str) -> list[int]:
        codes = map(int, path.split("-") if self.joined and path else path)
        return [*itertools.accumulate(codes, self.rules.play, initial=self.root)]

    def _look_up(self, states: set[int]) -> None:
        over = {state: int(payoff) for state in states if (payoff := self.rules.payoff(state)) != ONGOING}
        self._known |= {state: (0, payoff) for state, payoff in over.items()}
        going_on = states - over.keys()
        worths = self.solution.worths(going_on)
        if len(worths) < len(going_on):
            raise StoreError("the solution does not hold positions that play reaches")
        self._known |= {state: (self.rules.mover(state), int(worth.value)) for state, worth in worths.items()}
