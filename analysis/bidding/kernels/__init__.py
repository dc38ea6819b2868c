"""Loops over the states of bidding games. What they share with their callers is here; it loads no compiler."""

NO_BID = -1
"""The bid where there is no saddle point."""
