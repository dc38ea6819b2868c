"""Checks that a game's rules keep the engine's contract."""
