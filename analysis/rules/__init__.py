"""What a game is to the engine: its rules, its symmetries, its texts."""
