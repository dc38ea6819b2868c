"""Independent checks of rules and stored solutions, by other means than the solver's."""
