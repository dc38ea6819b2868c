"""The command line as ``python -m analysis``."""

from analysis.commands.main import main

main()
