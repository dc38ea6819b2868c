from analysis.tournaments import *
