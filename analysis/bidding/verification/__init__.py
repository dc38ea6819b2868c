"""Every file and every number of a bidding solution, checked by other means than the solver's."""
