"""Solve a game in memory or in shards on the disk, plan a solve, or find a solution."""
