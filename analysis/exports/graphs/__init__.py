"""Formats whose nodes are classes and whose edges are moves."""
