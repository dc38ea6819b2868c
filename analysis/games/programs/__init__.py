"""Recognise games that other people have written in plain Python, check and explore them, and play them as a `Game`."""
