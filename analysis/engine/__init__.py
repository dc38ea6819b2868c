"""Tiers of states, found forward and labelled backward: what solves every game."""
