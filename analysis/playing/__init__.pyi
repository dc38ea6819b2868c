from .matches.expectation import expect as expect
from .matches.match import Effort as Effort
from .matches.match import play_match as play_match
from .matches.results import MatchResult as MatchResult
from .players.levels import Level as Level
from .players.levels import Player as Player
from .players.levels import find_player as find_player
from .players.levels import parse_level as parse_level
