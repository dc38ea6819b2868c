from analysis.playing import *
