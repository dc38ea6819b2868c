"""The searches, one algorithm a file, each a textbook loop and a ``run``."""
