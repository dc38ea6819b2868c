"""Solve a game, or find its solution: what ties the passes together, in memory or in shards on the disk."""
