"""Solutions on the disk: directories that are whole or absent, and their tables."""
