"""The one form that all searches take: a game from a position, or an explicit tree."""

from __future__ import annotations

import bisect
import dataclasses
import functools
import math
from collections.abc import Callable, Sequence
from typing import Any

import numba
import numpy as np

from ..engine.compiling.functions import Compiled, compile_plain, pointer_to
from ..engine.engine import uses_own_canonical
from ..engine.kernels.raw import array_at, memory
from ..engine.sample import try_out
from ..errors import OptionError
from ..games.families import load_game
from ..rules.fields import check_rules
from ..rules.game import ONGOING, Evaluation, Game, GameLike
from ..rules.positions import Place, read_position
from ..rules.symmetry import Group, find_group
from .kernels.layout import FAULT, MOST, REDUCE
from .kernels.steps import expand_signature


@dataclasses.dataclass(frozen=True)
class SearchProblem:
    """A root and the rules for expanding it."""

    name: str
    """The game's specification, or the tree's file."""
    expand: Callable[..., int]
    """The compiled rules, see `steps.Expand`."""
    root: int
    most: int
    """The maximum number of moves in any state."""
    codes: int
    """Move codes are below this."""
    payoffs: tuple[int, int]
    """The least and greatest value of a leaf, as numbers of the kernels; see ``ranks``."""
    label: Callable[[int], Any]
    """Returns a state as users see it: the node of an explicit tree, or the text of a position."""
    moves: Callable[[int], list[tuple[int, int]]]
    """Returns move codes and the states they lead to, in natural order, in plain Python; empty if the game is over."""
    side: Callable[[int], int]
    """Returns who moves: 1 the first player, -1 the second; meaningless if the game is over."""
    group: Callable[[str], Group]
    """Returns the symmetry group of a kind, restricted to the stabiliser of the root; unused if ``reduces``."""
    estimate: Callable[[int], float]
    """Returns the first player's value of a state if a search stops there."""
    depth: int | None = None
    """Plies from the root at which a search stops; None to play to the end."""
    longest: int | None = None
    """Plies of the longest line of play, if known."""
    evaluation: str | None = None
    """The evaluation that values leaves instead of payoffs."""
    game: Game | None = None
    """None for an explicit tree."""
    tree: np.ndarray | None = None
    """The records of an explicit tree, int64[words]; see `targets`."""
    notes: Sequence[str] = ()
    """How an explicit tree was read."""
    ranks: Sequence[Any] | None = None
    """The distinct values, ascending, if kernels use their indices in this list; None if they use the values."""
    reduces: Callable[[str], bool] = lambda kind: False
    """Returns whether the rules' own canonical() is used for symmetries of a kind."""
    recipe: Callable[[], SearchProblem] | None = None
    """Rebuilds the problem when it is unpickled, since compiled rules cannot be pickled."""

    def __reduce__(self) -> tuple[Any, ...]:
        return self.recipe, ()

    def shown(self, number: int) -> Any:
        """Return the value that a kernel number stands for; infinite beyond the ranks."""
        if self.ranks is None:
            return number
        return -math.inf if number < 0 else math.inf if number >= len(self.ranks) else self.ranks[number]

    def place(self, value: float) -> int:
        """Return the least kernel number whose value is at least ``value``."""
        return math.ceil(value) if self.ranks is None else bisect.bisect_left(self.ranks, value)

    def describe(self, state: int) -> str:
        """Return the printable text of a state."""
        return "".join(mark if mark.isprintable() else "\ufffd" for mark in str(self.label(state)))


def check_depth(depth: int | None) -> None:
    """Raise `OptionError` unless ``depth`` is None or a number of plies."""
    if depth is not None and (isinstance(depth, bool) or not isinstance(depth, (int, np.integer)) or depth < 0):
        raise OptionError(f"depth {depth} is not valid; give a whole number of plies, 0 or more")


def game_problem(
    game: GameLike, position: Place | None = None, *, depth: int | None = None, evaluation: str | None = None
) -> SearchProblem:
    """Return the search problem of a game from a position (default: its start) to a depth in plies (default: to the
    end).

    At the depth limit a position counts 0, or its value by the named evaluation; an evaluation also values finished
    games, so that all values share one scale. Raises `SpecError` for an unknown game, `PositionError` for an invalid
    position, `RulesError` for rules that do not compile, and `OptionError` for an invalid depth or unknown evaluation,
    and for a loopy game or an evaluation without a depth.
    """
    game = load_game(game)
    rules = game.rules()
    root = rules.start if position is None else read_position(game, position)
    check_depth(depth)
    if rules.loopy and depth is None:
        raise OptionError(f"{game.spec} is loopy: its lines of play have no end, so a search needs a --depth")
    if evaluation is not None and evaluation not in rules.evaluations:
        choices = f"choose from {', '.join(rules.evaluations)}" if rules.evaluations else "it has none"
        raise OptionError(f"{game.spec} has no evaluation {evaluation!r}; {choices}")
    chosen = None if evaluation is None else rules.evaluations[evaluation]
    if chosen is not None and depth is None:
        raise OptionError(f"an evaluation needs a depth to search to: add --depth to --evaluate {evaluation}")
    worth = _worth(chosen)
    least, greatest = chosen.bounds if chosen else rules.payoffs
    if depth is not None and chosen is None:
        least, greatest = min(least, 0), max(greatest, 0)
    return SearchProblem(
        name=game.spec,
        expand=compile_rules(game, evaluation),
        root=root,
        most=rules.max_moves,
        codes=rules.largest_code + 1,
        payoffs=(least, greatest),
        label=game.format_position,
        moves=rules.moves,
        side=rules.to_move,
        group=lambda kind: find_group(rules, kind, start=root),
        estimate=lambda state: worth(state, rules.payoff(state)),
        depth=depth,
        longest=rules.max_plies,
        evaluation=evaluation,
        game=game,
        reduces=lambda kind: uses_own_canonical(rules, kind, root),
        recipe=functools.partial(game_problem, game, position, depth=depth, evaluation=evaluation),
    )


@functools.lru_cache(maxsize=64)
def compile_rules(game: Game, evaluation: str | None) -> Callable[..., int]:
    """Compile a game's rules and one of its evaluations into one function, see `steps.Expand`. Raises `RulesError`."""
    rules = check_rules(game.rules())
    try_out(game, rules)
    jitted: Compiled = {}
    functions = (rules.outcome, rules.legal_moves, rules.play, rules.to_move)
    outcome, legal_moves, play, to_move = (compile_plain(function, jitted) for function in functions)
    largest = rules.largest_code
    canonical = compile_plain(rules.canonical or _itself, jitted)
    worth = compile_plain(_worth(rules.evaluations[evaluation] if evaluation else None), jitted)

    def expand(lab: int, state: int, stop: int, at: int) -> int:
        if stop != REDUCE:
            memory(at)[0] = memory(at)[1] = 0
        if memory(lab)[FAULT]:  # everything is a leaf, so that the search comes to an end
            return 0
        if stop == REDUCE:
            memory(lab)[FAULT] = state + 1
            least = canonical(state)
            memory(lab)[FAULT] = 0
            return least
        memory(lab)[FAULT] = state + 1  # if a function raises, or its moves are invalid
        payoff = outcome(state)
        if payoff != ONGOING or stop:
            memory(at)[0] = worth(state, payoff)
            memory(at)[1] = payoff == ONGOING
            memory(lab)[FAULT] = 0
            return 0
        most = memory(lab)[MOST]
        children, codes = array_at(at, most), array_at(at + 8 * most, most)
        n = legal_moves(state, codes)
        if n <= 0 or n > most or codes[0] < 0 or codes[n - 1] > largest:
            return 0
        for i in range(n):
            if i > 0 and codes[i] <= codes[i - 1]:
                return 0
            children[i] = play(state, codes[i])
        mover = to_move(state)
        if mover != 1 and mover != -1:
            return 0
        memory(lab)[FAULT] = 0
        return n * mover

    return expand if numba.config.DISABLE_JIT else pointer_to(expand, expand_signature, "the rules")


def _itself(state: int) -> int:
    return state


def _worth(evaluation: Evaluation | None) -> Callable[[int, int], int]:
    """Return the function that values a leaf, given its state and its payoff or `ONGOING`."""
    if evaluation is None:
        return lambda state, payoff: 0 if payoff == ONGOING else payoff
    evaluate = evaluation.function
    return lambda state, payoff: evaluate(state)
