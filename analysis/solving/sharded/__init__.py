"""Solve a game in shards on the disk, by tasks that any executor runs."""
