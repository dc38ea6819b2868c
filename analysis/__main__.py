"""The command line as ``python -m analysis`` and ``python -m gametree``."""

import sys

if __spec__ is not None and __spec__.parent is not None:
    sys.modules["analysis"] = sys.modules[__spec__.parent]  # a file of the user's may have this name

from analysis.cli.main import main

main()
