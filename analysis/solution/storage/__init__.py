"""Solutions on disk: directories that are complete or absent, and their tables."""
