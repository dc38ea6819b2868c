"""Define what the engine needs of a game: its rules, its symmetries, its texts."""
