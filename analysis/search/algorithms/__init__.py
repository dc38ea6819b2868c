"""The searches, each a textbook loop called by its name; see `catalogue.Algorithm.load`."""
