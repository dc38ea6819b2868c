from analysis.errors import *
