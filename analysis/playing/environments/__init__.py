"""Solved games as environments of Gymnasium and PettingZoo, and as a bot of OpenSpiel, with the regret of each move.

``pip install 'gametree[envs]'`` installs what the first two need, ``gametree[openspiel]`` the third.
"""

from ...common.attaching import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
