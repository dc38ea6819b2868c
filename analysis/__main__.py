"""The command line as ``python -m gametree``."""

from .cli.main import main

main()
