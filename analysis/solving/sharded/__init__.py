"""Solve a game in shards on the disk, by tasks that any executor runs; docs/explanation/engine.md explains how."""
