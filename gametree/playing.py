"""What `gametree.playing` offers, for editors and type checkers: Python finds `analysis.playing` instead."""

from analysis.playing import *
