"""Every file and every number of a solution directory, checked by other means than the solver's."""
