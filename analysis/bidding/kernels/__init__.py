"""Loops over the states of bidding games."""
