"""Bidding games: both players bid chips in secret before every move, and the higher bid buys it."""
