"""Searches of users: run beside the built-in ones, compared with them, and what differs is named."""
