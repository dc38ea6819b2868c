"""Graphs of boards, drawn by Graphviz."""
