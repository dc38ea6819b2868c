"""Every file and every number of a bidding solution, derived again without the solver and its kernels."""
