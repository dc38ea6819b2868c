"""The dialects of Lichess, ``/lichess``: its tablebase and its opening explorer."""
