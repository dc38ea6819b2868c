"""Judge a tournament by the complete solution: what the moves of each player lost, where it errs most, and what a bot
that is a function of the position is worth.
"""

from __future__ import annotations

import dataclasses
import functools
from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from analysis.audit import audit
from analysis.audit.audit_file import RowOptions
from analysis.audit.exploitability import as_json, best_response
from analysis.audit.judge import SolutionJudge, find_judge
from analysis.audit.judged import JudgedChoice, JudgedGame
from analysis.audit.rows import Recorder
from analysis.errors import GametreeError, OptionError, TooLargeError
from analysis.machine.workers import Workers, patient, tell_progress
from analysis.playing.bots import Bot, PolicyPlayer, files_of_others, find_policy
from analysis.playing.expectation import searched_expectation
from analysis.playing.knowledge import Knowledge
from analysis.playing.levels import Perfect, Uniform
from analysis.playing.player import is_bot
from analysis.playing.terms import Effort
from analysis.rules.game import Game, HasRules
from analysis.tournaments.stored import PlayedGame

SOLVING_SECONDS = 60.0
"""Time to solve the game for the judgement."""

WORST = 3
"""Positions kept for each player in which it lost most."""


@dataclasses.dataclass
class Judgement:
    """What is known of each player's moves."""

    why: str = ""
    """Why the moves are not judged."""
    moves: Mapping[str, dict[str, Any]] = dataclasses.field(default_factory=dict)
    """By player, sums over its moves."""
    worst: Mapping[str, list[dict[str, Any]]] = dataclasses.field(default_factory=dict)
    """By player, the moves that lost most in all, with the positions where it made them."""
    exact: Mapping[str, dict[str, Any]] = dataclasses.field(default_factory=dict)
    """By bot, its mean score against perfect and random play over both sides, and its exploitability; or ``why`` not.
    """

    def row(self, player: str) -> dict[str, Any]:
        """Return what is known of a player."""
        return {
            **self.moves.get(player, dict.fromkeys(MOVE_SUMS)),
            "worst": self.worst.get(player, []),
            **{name: self.exact.get(player, {}).get(name) for name in EXACT_COLUMNS},
        }


MOVE_SUMS = ("moves", "mistakes", "value_lost", "value_lost_mean", "first_mistakes")
EXACT_COLUMNS = ("against_perfect", "against_random", "exploitability_x", "exploitability_o", "why")


def judge_tournament(
    name: str | HasRules,
    game: Game,
    header: Mapping[str, Any],
    games: Sequence[PlayedGame],
    effort: Effort,
) -> Judgement:
    """Judge the games of a tournament, and ask its bots for all their moves, within the limits of the ``effort``."""
    root = game.parse_position(header["position"])
    try:
        with patient(SOLVING_SECONDS, TooLargeError(f"{game.spec} takes more than {SOLVING_SECONDS:g} s to solve")):
            judge = find_judge(name, position=None if root == game.rules().start else header["position"])
    except GametreeError as error:  # this must not lose the games that were played
        return Judgement(str(error))
    worst: dict[str, Counter[Any]] = {}

    def collect(_: Recorder, number: int, judged: JudgedGame | JudgedChoice) -> None:
        for verdict in judged.verdicts:
            if verdict.value_lost:
                player = str(judged.x if verdict.side == "X" else judged.o)
                worst.setdefault(player, Counter())[verdict] += verdict.value_lost

    rows = [dataclasses.asdict(each) for each in games]
    found = audit(judge, rows, RowOptions(by=()), each=collect)
    sums = {row["player"]: {column: row[column] for column in MOVE_SUMS} for row in found.by_player()}
    shown = {player: _worst(found.recorder, counts) for player, counts in worst.items()}
    bots, exact = [level for player in header["players"] if is_bot(level := player["level"])], dict[str, Any]()
    appraise = functools.partial(_appraise, judge, header, games, effort)
    with Workers() as workers:
        for bot, worth in zip(bots, workers.map(appraise, bots), strict=True):
            exact[bot] = worth
            tell_progress("bots asked for all moves", len(exact), len(bots))
    return Judgement("", sums, shown, exact)


def _worst(recorder: Recorder, counts: Counter[Any]) -> list[dict[str, Any]]:
    most = sorted(counts.items(), key=lambda item: (-item[1], item[0].before.state, item[0].code))[:WORST]
    return [{**recorder.mistake(verdict), "value_lost_in_all": lost} for verdict, lost in most]


def _appraise(
    judge: SolutionJudge, header: Mapping[str, Any], games: Sequence[PlayedGame], effort: Effort, level: str
) -> dict[str, Any]:
    """Return what a bot is worth, or ``why`` that is not known."""
    try:
        if any(game.fault for game in games if level == (game.o if game.outcome == "X" else game.x)):
            raise OptionError("it lost games by its own fault")
        hidden = files_of_others(level, [player["level"] for player in header["players"]])
        with Bot(judge.game, level, effort.seconds, dataclasses.replace(effort.bots, hidden=hidden)) as bot:
            policy = find_policy(bot, judge.start.state)
        for game in games:
            _compare(judge, policy, game)
        return _worth(judge, policy, header["max_plies"])
    except GametreeError as error:
        return {"why": str(error).removeprefix(f"{level}: ")}


def _compare(judge: SolutionJudge, policy: PolicyPlayer, game: PlayedGame) -> None:
    """Raise `OptionError` where the player of a policy moved otherwise in a game."""
    joined, state = judge.rules.largest_code > 9, judge.start.state
    codes = [int(code) for code in (game.path.split("-") if joined else game.path) if code]
    for ply, code in enumerate(codes):
        player = game.x if judge.rules.mover(state) > 0 else game.o
        if player == policy.level and ply >= game.opening_plies and policy.moves.get(state, code) != code:
            where = judge.game.format_position(state)
            raise OptionError(f"it is not a function of the position: game {game.game} differs in {where}")
        state = judge.rules.play(state, code)


def _worth(judge: SolutionJudge, policy: PolicyPlayer, max_plies: int) -> dict[str, Any]:
    """Return the scores and the exploitability of a policy."""
    root, knowledge, found = judge.start.state, Knowledge(judge.game), dict[str, Any]()
    knowledge.use(judge.solution, root, "the solution")
    for opponent in (Perfect(judge.game, "perfect", knowledge), Uniform(judge.game, "random")):
        scores = []
        for side, pair in (("X", (policy, opponent)), ("O", (opponent, policy))):
            seen = searched_expectation(pair, root, max_plies).seen_by(side)
            scores.append(seen["wins"] + (seen["ties"] + seen["unfinished"]) / 2)
        found[f"against_{opponent.level}"] = as_json((scores[0] + scores[1]) / 2)
    for side in ("X", "O"):
        exact = best_response(judge, policy.moves.get, side).exact
        found[f"exploitability_{side.lower()}"] = as_json(exact if exact is None else Fraction(exact))
    return found
