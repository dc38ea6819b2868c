"""The explorer: a server on this machine that hands solved positions out, as pages and as JSON."""
