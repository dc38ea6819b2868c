"""Playing a game in a terminal."""
