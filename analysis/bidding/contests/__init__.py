"""Bidding games played by levels against each other: one game, many games, and what is to be expected of them."""
