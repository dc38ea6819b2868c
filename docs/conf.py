"""How Sphinx builds these pages into a site: ``make docs`` writes it to build/docs."""

from __future__ import annotations

import ast
import builtins
import functools
import importlib.util
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))  # the pages of the library describe this checkout

from analysis.common.version import __version__  # noqa: E402

project, release = "gametree", __version__
extensions = ["myst_nb", "sphinx.ext.autodoc"]
exclude_patterns = ["make"]
smartquotes = False  # which would make a dash of the two hyphens of an option
default_role = "any"  # `name` in a docstring is a link, and must lead somewhere
nb_execution_mode = "off"  # the tour holds what it printed; `make pictures` runs it again
myst_heading_anchors = 4
autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
python_maximum_signature_line_length = 100
python_display_short_literal_types = True

html_theme = "furo"
html_title = "gametree"
html_copy_source = html_show_sourcelink = html_show_copyright = False
html_theme_options = {"footer_icons": []}


@functools.cache
def names() -> set[str]:
    """All names that the package defines, public or not."""
    found = set(dir(builtins))
    for path in (ROOT / "analysis").rglob("*.py"):
        found.add(path.stem)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef | ast.FunctionDef):
                found.add(node.name)
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                found.add(node.id)
    return found


def show_as_code(app, env, node, shown):
    """What a docstring names without a link: something within the package, of Python or of another library.

    A name that none of them has remains a warning.
    """
    del app, env
    target = node["reftarget"].removesuffix("()")
    first, _, rest = target.partition(".")
    inside = {*target.split(".")} <= names() | {"analysis"}
    return shown if inside or (rest and importlib.util.find_spec(first)) else None


def keep_introduction(app, what, name, obj, options, lines):
    """Of a module's docstring, leave out the table of its names, which the page itself lists."""
    del app, name, obj, options
    table = [place for place, line in enumerate(lines) if re.match(r"\w+ {2,}\w", line)]
    if what == "module" and table:
        del lines[table[0] :]


def read_sections(app, what, name, obj, options, lines):
    """Read ``Args:`` and the like. Of an attribute, Napoleon would take a colon for that of a type."""
    from sphinx.ext.napoleon import Config, GoogleDocstring

    if what == "class" and "Fields:" in lines:  # which have entries of their own here
        del lines[lines.index("Fields:") :]
    if what not in ("attribute", "data", "property"):
        lines[:] = GoogleDocstring(lines, Config(), app, what, name, obj, options).lines()
    lines[:] = [re.sub(r"docs/([\w/-]+)\.md", r":doc:`/\1`", line) for line in lines]


def draw_dashes(app, doctree):
    """Set the dash between a parameter and its description, which is left to smart quotes otherwise."""
    from docutils import nodes

    del app
    for text in list(doctree.findall(nodes.Text)):
        if text == " -- ":
            text.parent.replace(text, nodes.Text(" \N{EN DASH} "))


def unlink_repository(app, docname, content):
    """Turn links to files of the repository that are not part of the site into their text; a missing file warns."""

    def unlinked(match: re.Match[str]) -> str:
        target = (Path(app.srcdir, docname).parent / match[2]).resolve()
        return match[1] if target.exists() and not target.is_relative_to(app.srcdir) else match[0]

    content[0] = re.sub(r"\[([^\]]*)\]\((\.\./[^)#\s]*)[^)]*\)", unlinked, content[0])


def setup(app):
    """Connect what is above."""
    app.connect("source-read", unlink_repository)
    app.connect("missing-reference", show_as_code)
    app.connect("autodoc-process-docstring", keep_introduction)
    app.connect("autodoc-process-docstring", read_sections)
    app.connect("doctree-read", draw_dashes)
