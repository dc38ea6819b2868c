"""Levels of play: who chooses moves, one level a file."""

from analysis.playing.players.levels import Level, find_player, parse_level
from analysis.playing.players.player import Player

__all__ = ["Level", "Player", "find_player", "parse_level"]
