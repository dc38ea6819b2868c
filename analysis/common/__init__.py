"""The machine: memory, threads, files."""
