from analysis.sweeps import *
