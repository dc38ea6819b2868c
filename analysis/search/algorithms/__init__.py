"""The searches, each a textbook loop found by its name; see `catalogue.Algorithm.load`."""
