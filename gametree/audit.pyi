from analysis.audit import *
