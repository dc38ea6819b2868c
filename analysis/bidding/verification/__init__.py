"""Every file and every number of a bidding solution, checked by other means than the solver's."""

from analysis.bidding.verification.bidding_verify import BiddingReport, verify_bidding

__all__ = ["BiddingReport", "verify_bidding"]
