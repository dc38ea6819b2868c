from analysis.search import *
