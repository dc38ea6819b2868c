"""Find tiers of states forward and label them backward, which solves every game."""
