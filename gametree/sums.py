"""What `gametree.sums` offers, for editors and type checkers: Python finds `analysis.sums` instead."""

from analysis.sums import *
