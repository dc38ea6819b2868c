"""What the searches are made of: loops over memory, with no word of games or files."""
