"""What is taken as a game, a position or a policy, for type checkers."""

from pathlib import Path

import numpy as np

import gametree
from gametree import GameLike, GamePlan, Place, Solution, VerificationReport
from gametree.playing import Expectation, Function, Policy, Terms, audit, expect, exploit, find_player, play_match
from gametree.search import Target, find_position


class Plain:
    def legal_moves(self) -> list[int]:
        return [1]


def use(game: GameLike, place: Place, policy: Policy, function: Function, target: Target) -> Solution:
    plan: GamePlan = gametree.plan(game)
    report: VerificationReport = gametree.verify(Path("d"), game=game)
    expected: Expectation = expect(game, "perfect", "random", start=place)
    print(plan, report, expected, find_position(game, place).value, find_player("perfect", game).level)
    print(play_match(game, [function, "random"], Terms(games=10)), exploit(game, policy, "X"), audit(game, ["041"]))
    print(gametree.compare(target))
    return gametree.find_solution(game)


solution = gametree.solve("tictactoe")
for given in ("tictactoe", solution, gametree.load_game("tictactoe"), Path("d"), Plain(), Plain):
    print(gametree.find_solution(given), gametree.solve(given))
for where in ("XO?", [0, 1], [["X", "O"]], np.zeros((3, 3)), (0, 1), solution["0"], solution["0"].moves[0]):
    print(solution[where], find_position(solution, where), gametree.plot(solution, "position", where))
print(list(gametree.find_positions(solution, ["0", [0, 1], solution["0"]])))
gametree.export("tictactoe", "x.json")
gametree.explore(solution, (0, 1))
