"""A bidding game in a terminal."""
