"""Exercises for courses: read them, run hand-ins in confined processes, and grade them."""
