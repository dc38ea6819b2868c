"""The command line without installing anything: ``python cli.py solve tictactoe``."""

from analysis.cli.main import main

if __name__ == "__main__":
    main()
