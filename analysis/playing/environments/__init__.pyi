from .gymnasium_env import GymnasiumEnv as GymnasiumEnv
from .open_spiel_bot import OpenSpielBot as OpenSpielBot
from .pettingzoo_env import PettingZooEnv as PettingZooEnv
