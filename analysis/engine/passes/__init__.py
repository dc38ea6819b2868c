"""Run the passes over the tiers of a game: forward, counting, and backward."""
