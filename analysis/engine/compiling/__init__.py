"""Compile the plain functions of rules, and say in plain words what goes wrong with them."""
