"""What `gametree.sweeps` offers, for editors and type checkers: Python finds `analysis.sweeps` instead."""

from analysis.sweeps import *
