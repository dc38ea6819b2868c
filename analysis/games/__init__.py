"""The built-in families of games, one a file, and games that users write."""
