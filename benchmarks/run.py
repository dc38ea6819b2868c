"""How fast gametree is: ``python benchmarks/run.py`` measures and prints everything, in one run."""

from __future__ import annotations

import argparse
import importlib
import sys
import time
import traceback

from common import OtherWork, Settings, machine
from rich.console import Console

SECTIONS = (
    "startup",
    "memory",
    "speed",
    "kinds",
    "loops",
    "growth",
    "reading",
    "sharded",
    "verifying",
    "bidding",
    "playing",
    "exporting",
    "search",
    "proofs",
    "peers",
)
"""Each is a module with a function of its own name; the cheap ones come first."""

BUSY = 0.1
"""The share of the processors that others may take."""


def main() -> int:
    """Run the sections; 1 if one of them could not be measured."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="at most 3 repetitions, and no large board")
    parser.add_argument("--repeat", type=int, default=5, metavar="N", help="repetitions to take medians of (default 5)")
    parser.add_argument("--workers", type=int, default=2, metavar="N", help="threads where not said otherwise")
    parser.add_argument("--only", choices=SECTIONS, metavar="SECTION", help=f"only one of {', '.join(SECTIONS)}")
    arguments = parser.parse_args()
    if arguments.repeat < 1 or arguments.workers < 1:
        parser.error("--repeat and --workers are at least 1")

    console = Console(width=None if sys.stdout.isatty() else 140)
    repeat = min(arguments.repeat, 3) if arguments.quick else arguments.repeat
    settings = Settings(repeat, arguments.workers, arguments.quick, console)
    settings.print(machine())
    settings.print(f"Medians of {repeat} where not said otherwise, {arguments.workers} threads.")

    failed = []
    for name in (arguments.only,) if arguments.only else SECTIONS:
        began, others = time.perf_counter(), OtherWork()
        try:
            getattr(importlib.import_module(name), name)(settings)
        except Exception:  # whatever ends one section is printed, and the others are still measured
            failed.append(name)
            settings.print(f"\n{name} could not be measured:\n{traceback.format_exc()}")
        seconds, share = time.perf_counter() - began, others.share()
        settings.print(f"({name} took {seconds:.0f} s; meanwhile other processes took {share:.0%} of the processors)")
        if share > BUSY:
            settings.print("The machine was busy: do not quote these figures, run this section again.")
    if failed:
        settings.print(f"\nNot measured: {', '.join(failed)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
