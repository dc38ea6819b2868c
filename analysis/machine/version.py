"""The version of the program, recorded in what it writes."""

__version__ = "0.1.0"
