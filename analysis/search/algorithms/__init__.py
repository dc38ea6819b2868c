"""The searches, one algorithm a file, each a textbook loop; see `catalogue.Algorithm.load`."""
