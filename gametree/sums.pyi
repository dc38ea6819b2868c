from analysis.sums import *
