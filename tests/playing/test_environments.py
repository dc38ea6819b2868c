"""Environments of Gymnasium and PettingZoo by their own checkers, a bot of OpenSpiel in its own tournament, and their
regrets by the solution.
"""

import random

import numpy as np
import pyspiel
import pytest
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import api_test, seed_test
from pettingzoo.utils.wrappers import TerminateIllegalWrapper

import analysis
from analysis.errors import MissingDataError, OptionError, PositionError
from analysis.playing import find_player
from analysis.playing.environments import GymnasiumEnv, OpenSpielBot, PettingZooEnv

WITH_BOARD = ["tictactoe", "connect:rows=3,cols=4,k=3", "hexapawn", "dodgem:n=2"]


# Gymnasium ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("spec", WITH_BOARD)
@pytest.mark.parametrize("side", ["X", "O", None])
def test_gymnasium_finds_nothing_wrong(spec, side):
    check_env(GymnasiumEnv(spec, "random", side, max_plies=20), skip_render_check=True)


@pytest.mark.parametrize("spec", WITH_BOARD)
@pytest.mark.parametrize("side", ["X", "O"])
def test_rewards_and_regrets_add_up(spec, side):
    """Against perfect play, an agent gets the value of the game less its regrets, unless it is cut off."""
    env, generator = GymnasiumEnv(spec, "perfect", side, max_plies=200), np.random.default_rng(1)
    lost = 0
    for seed in range(20):
        observation, info = env.reset(seed=seed)
        value, regrets, over, cut = info["value"], info["regret"], False, False
        assert regrets == 0
        while not over and not cut:
            assert (observation == env.table.game.planes([env.state])[0]).all()
            action = generator.choice(np.flatnonzero(info["action_mask"]))
            before, worth = env.state, info["value"]
            observation, reward, over, cut, info = env.step(action)
            assert env.table.rules.mover(before) == env.mine
            assert info["value"] == worth - info["regret"]
            regrets += info["regret"]
        assert not over or reward == value - regrets
        lost += regrets > 0
    assert lost or spec != "tictactoe"


def test_illegal_moves_end_the_game_of_an_agent():
    env = GymnasiumEnv("tictactoe", find_player("perfect:shortest", "tictactoe"))
    env.reset(seed=0)
    env.step(4)
    _, reward, over, cut, info = env.step(4)
    assert (reward, over, cut, info["regret"]) == (-1, True, False, 1)
    for each in (0, 1, 2, 3, 5, 6, 7, 8):
        if env.table.rules.moves(env.state):
            env.step(each)
    with pytest.raises(OptionError, match="the game is over"):
        env.step(0)


def test_sides_are_drawn_by_lot_and_games_by_seed():
    env = GymnasiumEnv("tictactoe", "random", None)
    first = [(env.reset(seed=seed)[0].tolist(), env.mine) for seed in range(20)]
    assert {mine for _, mine in first} == {1, -1}
    assert first == [(env.reset(seed=seed)[0].tolist(), env.mine) for seed in range(20)]


def test_what_cannot_be_an_environment():
    with pytest.raises(MissingDataError):
        GymnasiumEnv("nim:heaps=1-2")
    with pytest.raises(OptionError, match="unknown side"):
        GymnasiumEnv("tictactoe", side="Z")
    with pytest.raises(OptionError, match="is none of"):
        GymnasiumEnv("tictactoe", "rnadom")


# PettingZoo -----------------------------------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore::UserWarning")  # of observations with masks, unless they are PettingZoo's own
@pytest.mark.parametrize("spec", WITH_BOARD)
def test_pettingzoo_finds_nothing_wrong(spec, capsys):
    api_test(PettingZooEnv(spec, max_plies=50), num_cycles=100)
    seed_test(lambda: PettingZooEnv(spec, max_plies=50), num_cycles=10)


@pytest.mark.parametrize("spec", WITH_BOARD)
def test_turns_rewards_and_regrets(spec):
    env, generator = PettingZooEnv(spec, max_plies=100), random.Random(1)
    rules, values = env.table.rules, analysis.solve(spec)
    for _ in range(10):
        env.reset()
        while not any(env.terminations.values()) and not any(env.truncations.values()):
            agent, before = env.agent_selection, env.at
            side = rules.mover(before)
            assert agent == env.possible_agents[side < 0]
            seen = {each: env.observe(each)["action_mask"] for each in env.agents}
            codes = np.flatnonzero(seen.pop(agent)).tolist()
            assert codes == [code for code, _ in rules.moves(before)]
            assert not any(mask.any() for mask in seen.values())
            env.step(generator.choice(codes))
            assert env.infos[agent]["regret"] == side * (values.at(before).value - values.at(env.at).value)
        payoff = rules.outcome(env.at) if any(env.terminations.values()) else 0
        assert [*env.rewards.values()] == [payoff, -payoff]


def test_illegal_moves_raise_or_end_the_game(capsys):
    env = PettingZooEnv("tictactoe")
    env.reset()
    env.step(4)
    with pytest.raises(PositionError, match="move 4 is not legal"):
        env.step(4)
    wrapped = TerminateIllegalWrapper(PettingZooEnv("tictactoe"), illegal_reward=-1)
    wrapped.reset()
    wrapped.step(4)
    wrapped.step(4)
    assert wrapped.terminations == {"player_0": True, "player_1": True}
    assert wrapped.rewards == {"player_0": 0, "player_1": -1}


# OpenSpiel ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["tic_tac_toe", "connect_four(rows=3,columns=4,x_in_row=3)"])
def test_a_bot_plays_and_scores_every_state(name):
    """As OpenSpiel's own minimax does."""
    game, solved = pyspiel.load_game(name), analysis.solve(f"open_spiel:{name}")
    bots = [OpenSpielBot(solved, player) for player in (0, 1)]
    for seed in range(5):
        state, generator = game.new_initial_state(), random.Random(seed)
        while not state.is_terminal():
            bot = bots[state.current_player()]
            values = {each: minimax(state.child(each), bot.player_id()) for each in state.legal_actions()}
            best = max(values.values())
            assert bot.score(state) == best
            assert bot.regrets(state) == {each: best - value for each, value in values.items()}
            policy, action = bot.step_with_policy(state)
            assert values[action] == best
            assert dict(policy)[action] == sum(chance for _, chance in policy) == 1
            state.apply_action(generator.choice(state.legal_actions()))
        assert [bot.score(state) for bot in bots] == state.returns()


SEEN = {}


def minimax(state, player):
    """What a player gets by perfect play, by OpenSpiel's own states."""
    key = str(state), player
    if key not in SEEN:
        if state.is_terminal():
            SEEN[key] = state.returns()[player]
        else:
            best = max if state.current_player() == player else min
            SEEN[key] = best(minimax(state.child(each), player) for each in state.legal_actions())
    return SEEN[key]


def test_a_bot_plays_in_openspiels_own_loop():
    game = pyspiel.load_game("tic_tac_toe")
    bots = [OpenSpielBot("open_spiel:tic_tac_toe", 0), pyspiel.make_uniform_random_bot(1, 7)]
    for seed in range(10):
        assert pyspiel.evaluate_bots(game.new_initial_state(), bots, seed)[0] >= 0
