"""Games as people write them for courses and for fun, each in the manner of one interface."""
