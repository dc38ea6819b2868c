"""Predict how large a game is, and what solving it would take."""
