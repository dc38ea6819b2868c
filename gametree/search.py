"""What `gametree.search` offers, for editors and type checkers: Python finds `analysis.search` instead."""

from analysis.search import *
