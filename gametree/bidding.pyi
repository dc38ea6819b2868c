from analysis.bidding import *
