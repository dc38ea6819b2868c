"""The version of the program, recorded in what it writes."""

__version__ = "1.0.0rc1"
