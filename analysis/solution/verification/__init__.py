"""Check every file and number of a solution directory by other means than the solver's."""
