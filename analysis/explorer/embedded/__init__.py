"""A part of a solution, or all of it, as a table that a page carries."""
