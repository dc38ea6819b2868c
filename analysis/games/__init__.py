"""Define the built-in families of games, one in each file, and load games that users write."""
