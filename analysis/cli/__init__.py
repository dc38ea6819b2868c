"""The commands of gametree: each parses, calls one library function and prints. `cli` runs them."""
