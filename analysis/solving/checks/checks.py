"""The checks of the contract, in order: each yields a fault or None for everything it looks at."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

from ...engine import alike
from ...engine.compiling.plain_code import check_function, reached
from ...engine.sample import FEW, Fault, Found, Look, Sample
from ...errors import RulesError
from ...rules import fields
from ...rules.fields import ARGUMENTS, check_rules
from ...rules.game import is_users
from . import deeper_checks as deeper


@dataclasses.dataclass(frozen=True)
class ContractCheck:
    """One requirement on every game."""

    name: str
    function: Callable[[Sample], Found]
    """Its docstring states the requirement."""
    applies: Callable[[Sample], bool] = lambda sample: True
    needs: tuple[str, ...] = ()

    @property
    def about(self) -> str:
        """The requirement in a few words."""
        function = getattr(self.function, "func", self.function)
        return " ".join((function.__doc__ or "").split()).rstrip(".")


def rules_fields(sample: Sample) -> Found:
    """rules() returns what the engine can use."""
    check_rules(sample.rules)
    yield None


def code(sample: Sample) -> Found:
    """the functions use only what rules may use."""
    rules = sample.rules
    functions = [getattr(rules, name) for name in ARGUMENTS]
    functions += [evaluation.function for evaluation in rules.evaluations.values()]
    for function in reached(functions):
        check_function(function)
        yield None


def functions(sample: Sample) -> Found:
    """the functions raise no exceptions in plain Python, and give what they may."""
    for look in sample.each(raising=True):
        fault = look.fault
        try:
            fields.ask_all(sample.game, sample.rules, look.state) if fault is None else None
        except RulesError as error:
            fault = Fault(str(error), sample.text(look.state), excerpt=error.excerpt)
        yield fault


def some_move(sample: Sample) -> Found:
    """the game is not over at the start, and every unfinished position has a move."""
    for look in sample.each():
        stuck = not look.over and not look.codes and look.fault is None
        message = "there is no legal move, but outcome() says that the game is not over"
        own = sample.game.origin or is_users(sample.game)  # built-in boards may be too small to play on
        if look.over and look.state == sample.rules.start and own:
            stuck, message = True, fields.OVER
        yield sample.fault(message, look.state) if stuck else None


def tiers(sample: Sample) -> Found:
    """tier() rises with every move, or never falls in a loopy game; without it no state occurs at two plies."""
    tier, loopy = sample.rules.tier, sample.rules.loopy
    if tier is None:
        yield from _plies(sample)
        return
    wanted = "never fall" if loopy else "rise with every move"
    for look in sample.each():
        here = tier(look.state)
        fault = None
        if not isinstance(here, int) or here < 0:
            fault = sample.fault(f"tier() gives {here!r}; it must be a whole number, 0 or more", look.state)
        for code, child in look.moves if fault is None else ():
            there = tier(child)
            if there < here or (there == here and not loopy):
                fault = sample.fault(f"the tier goes from {here} to {there}; it must {wanted}", look.state, code)
                break
        yield fault


def _plies(sample: Sample) -> Found:
    """Check that no state occurs at two plies, in rules without a tier."""
    plies: dict[int, int] = {}
    for game in sample.games:
        for ply, state in enumerate(game):
            for state_there, now in ((state, ply), *((child, ply + 1) for child in sample.look(state).children)):
                before = plies.get(state_there)
                if before is None:
                    plies[state_there] = now
                    yield None
                elif before != now:
                    yield sample.fault(
                        f"it occurs after {before} and after {now} plies; give the rules a tier()", state_there
                    )


def loops(sample: Sample) -> Found:
    """no position recurs unless loopy=True."""
    for game in sample.games:
        again = game[-1] in game[:-1]
        message = f"the position recurs after {len(game) - 1} plies; set loopy=True"
        yield sample.fault(message, game[-1]) if again else None


def max_plies(sample: Sample) -> Found:
    """no game is longer than max_plies."""
    most = sample.rules.max_plies or 0
    for game in sample.games:
        message = f"a game takes {len(game) - 1} plies, but max_plies={most}"
        yield sample.fault(message, game[most + 1]) if len(game) - 1 > most else None


def position_texts(sample: Sample) -> Found:
    """parse_position() reads what format_position() writes."""
    for look in sample.each(most=4 * FEW):
        text = sample.game.format_position(look.state)
        if isinstance(text, str) and text.splitlines() != [text]:
            yield sample.fault(f"format_position() gives {text!r}; it must be one line of text", look.state)
        else:
            yield alike.misread_position(sample, look.state, text)


def move_texts(sample: Sample) -> Found:
    """parse_move() reads what format_move() writes."""
    game = sample.game
    seen: dict[int, int] = {}
    for look in sample.each():
        for code in look.codes:
            seen.setdefault(code, look.state)
    for code, state in sorted(seen.items()):
        sample.at = state
        text = game.format_move(code)
        if not isinstance(text, str) or text.splitlines() != [text] or not text.strip():
            yield sample.fault(f"format_move({code}) gives {text!r}; it must be one line of text", state)
        else:
            again = game.parse_move(text)
            message = f"format_move({code}) gives {text!r}, which is read as {again!r}"
            yield sample.fault(message, state, code) if again != code else None


def boards(sample: Sample) -> Found:
    """grid(), picture(), caption() and cell_of() can be drawn and pointed at."""
    game = sample.game
    for look in sample.each(most=FEW):
        grid = game.grid(look.state)
        answers = {"grid": grid, "picture": game.picture(look.state), "caption": game.caption(look.state)}
        fault = next(filter(None, (_misdrawn(sample, look, *answer) for answer in answers.items())), None)
        for code in look.codes if fault is None else ():
            fault = fault or _misdrawn(sample, look, "cell_of", game.cell_of(look.state, code), grid, code)
        yield fault


def _misdrawn(
    sample: Sample, look: Look, name: str, answer: Any, grid: list[list[str]] | None = None, code: int | None = None
) -> Fault | None:
    reason = fields.wrong_answer(name, answer, grid)
    return sample.fault(f"{name}() gives {answer!r}; {reason}", look.state, code) if reason else None


def evaluations(sample: Sample) -> Found:
    """evaluations stay within their bounds."""
    for name, evaluation in sample.rules.evaluations.items():
        least, greatest = evaluation.bounds
        for look in sample.each():
            value = evaluation.function(look.state)
            right = isinstance(value, int) and least <= value <= greatest
            message = f"the evaluation {name!r} gives {value!r}; its bounds are {least} and {greatest}"
            yield None if right else sample.fault(message, look.state)


SOUND = ("rules", "code", "functions", "some move")

SOLVABLE = ("loops", "tiers", "compiled", "residual()", "promises")

CHECKS = (
    ContractCheck("rules", rules_fields),
    ContractCheck("code", code),
    ContractCheck("functions", functions),
    ContractCheck("some move", some_move, needs=("functions",)),
    ContractCheck("loops", loops, lambda sample: not sample.rules.loopy, ("functions",)),
    ContractCheck("tiers", tiers, lambda of: of.rules.tier is not None or not of.rules.loopy, ("functions", "loops")),
    ContractCheck("max_plies", max_plies, lambda sample: sample.rules.max_plies is not None),
    ContractCheck("position texts", position_texts, needs=("functions",)),
    ContractCheck("move texts", move_texts, needs=("functions",)),
    ContractCheck("boards", boards, needs=("functions",)),
    ContractCheck("evaluations", evaluations, lambda sample: bool(sample.rules.evaluations)),
    ContractCheck("compiled", deeper.compiled, needs=SOUND),
    ContractCheck("residual()", deeper.residual_fields, deeper.has_residual, ("compiled",)),
    ContractCheck("promises", deeper.promises, needs=("compiled", "loops", "tiers", "residual()")),
    ContractCheck("solution", deeper.solution, needs=(*SOUND, *SOLVABLE)),
)

EVERYWHERE = (ContractCheck("every promise", deeper.every_promise, needs=(*SOUND, *SOLVABLE)),)
"""What takes as long as solving the game."""
