"""Levels of play in bidding games: who bids and places."""
