"""The command line without installing anything: ``python cli.py solve tictactoe``."""

import sys

try:
    from analysis.cli.main import main
except ModuleNotFoundError as error:
    sys.exit(f"gametree needs {error.name}, which this Python does not have; `make solve` installs all into .venv")

if __name__ == "__main__":
    main()
