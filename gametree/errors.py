"""What `gametree.errors` offers, for editors and type checkers: Python finds `analysis.errors` instead."""

from analysis.errors import *
