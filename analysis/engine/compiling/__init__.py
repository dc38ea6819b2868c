"""Compile the plain functions of rules, and explain in plain words what is wrong with them."""
