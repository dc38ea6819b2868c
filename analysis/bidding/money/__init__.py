"""Real-valued bids: the share of all money that X needs to win."""
