"""Played games and chosen moves, judged by the solution."""
