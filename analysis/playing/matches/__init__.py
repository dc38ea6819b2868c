"""Two levels of play against each other: sampled, and exactly."""
