"""What `gametree.bidding` offers, for editors and type checkers: Python finds `analysis.bidding` instead."""

from analysis.bidding import *
