"""Games as other people write them, in plain Python: recognised, proved, explored, and then a `Game` like any other."""
