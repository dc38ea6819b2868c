"""The page's scripts as one module, for where there is no server to hand them out one by one.

They import by single lines from each other and export declarations, nothing else; so each becomes a function that
returns what it exports, and they follow one another.
"""

from __future__ import annotations

import functools
import re
from pathlib import Path

SCRIPTS = Path(__file__).parent / "scripts"

_IMPORT = re.compile(r'^import (\{ [\w, ]+ \}) from "\./(\w+)\.js";$', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function\*?|class|const) (\w+))", re.MULTILINE)

_COMMENT = re.compile(r"^ *(?://[^\n]*|/\*\*.*?\*/)\n", re.MULTILINE | re.DOTALL)
"""Lines of nothing but comment, a sixth of the scripts."""


@functools.cache
def bundle(entry: str) -> str:
    """All that a script needs, itself last; what it exports is in the constant ``$entry``.

    >>> lines = bundle("line").splitlines()
    >>> lines[0], lines[-2:]
    ('const $line = (() => {', ['return { Line, readHash };', '})();'])
    """
    done: dict[str, str] = {}
    _add(entry, done)
    return "".join(done.values())


def _add(name: str, done: dict[str, str]) -> None:
    """Add a script after those that it imports from."""
    source = _COMMENT.sub("", (SCRIPTS / f"{name}.js").read_text(encoding="utf-8"))
    for _, other in _IMPORT.findall(source):
        if other not in done:
            _add(other, done)
    exported = ", ".join(_EXPORT.findall(source))
    body = _EXPORT.sub("", _IMPORT.sub(r"const \1 = $\2;", source))
    done[name] = f"const ${name} = (() => {{\n{body}return {{ {exported} }};\n}})();\n"
