"""Nim with heaps of 1, 2 and 3; a state is changed by a move and given back; rewards are 1 and 0."""

import random
from enum import Enum


class Player(Enum):
    ONE = 0
    TWO = 1


class NimState:
    def __init__(self, heaps=(1, 2, 3)):
        self.heaps = list(heaps)
        self.current_player = Player.ONE
        self.rng = random.Random()

    def legal_actions(self):
        return {(h, n) for h in range(3) for n in range(1, self.heaps[h] + 1)}

    def apply_action(self, action):
        self.heaps[action[0]] -= action[1]
        self.current_player = Player.TWO if self.current_player == Player.ONE else Player.ONE
        return self

    def is_terminal(self):
        return not any(self.heaps)

    def reward(self, player):
        return 0 if player == self.current_player else 1
