"""What a machine has: memory, threads, files."""
