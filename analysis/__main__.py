"""The command line as ``python -m analysis``."""

from analysis.cli.main import main

main()
