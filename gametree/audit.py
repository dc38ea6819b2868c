"""What `gametree.audit` offers, for editors and type checkers: Python finds `analysis.audit` instead."""

from analysis.audit import *
