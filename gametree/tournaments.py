"""What `gametree.tournaments` offers, for editors and type checkers: Python finds `analysis.tournaments` instead."""

from analysis.tournaments import *
