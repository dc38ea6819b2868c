"""Checks of rules and of stored solutions by other means than the solver's."""
