"""Loops over the states of bidding games. This module has what they share with their callers; it loads no compiler."""

NO_BID = -1
"""The bid if there is no saddle point."""
