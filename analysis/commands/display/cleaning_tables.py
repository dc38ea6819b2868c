"""What ``gametree clean`` prints."""

from __future__ import annotations

import time

from analysis.commands.display.printing import Answer, Columns, Paragraph
from analysis.machine.memory import readable
from analysis.storage.leftovers import GOES_ON, KEEP, Cleaned, Leftover
from analysis.wording import some

UNITS = ((86400, "day"), (3600, "hour"), (60, "minute"), (1, "second"))


def clean_answer(found: Cleaned, dry_run: bool) -> Answer:
    """What is left, with its size and age and what is done with it, and what that frees; as CSV a row for each."""
    now = time.time()
    rows = [
        {
            "what": each.what,
            "path": str(each.path),
            "bytes": each.bytes,
            "age_seconds": round(max(0, now - each.modified)),
            "action": each.action,
        }
        for each in found.leftovers
    ]
    data = {"dry_run": dry_run, "freed_bytes": found.freed, "leftovers": rows}
    columns = ("what", "path", "bytes", "age_seconds", "action")
    if not rows:
        return Answer(data, rows, [Paragraph("Nothing is left of work that was cut off.")], columns)
    table = Columns(
        ("what", "where", "size", "age", "action"),
        (
            (each.what, str(each.path), readable(each.bytes), _age(now - each.modified), _action(each))
            for each in found.leftovers
        ),
        words=("what", "where", "action"),
    )
    would = "would be freed; --dry-run removes nothing" if dry_run else "freed"
    return Answer(data, rows, [table, "", Paragraph(f"{readable(found.freed)} {would}.")], columns)


def _age(seconds: float) -> str:
    """About how long ago.

    >>> _age(0), _age(119), _age(7200)
    ('0 seconds', '1 minute', '2 hours')
    """
    size, name = next((unit for unit in UNITS if seconds >= unit[0]), UNITS[-1])
    return some(int(max(0, seconds) // size), name)


def _action(each: Leftover) -> str:
    return "keep: in use" if each.action == KEEP and each.what != GOES_ON else each.action
