"""The page of a report: what it says, rendered by one template into one file that needs no other."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from analysis.reports import summary
from analysis.reports.figures.style import Picture
from analysis.reports.findings import Findings
from analysis.reports.inline_svg import recolouring, variables
from analysis.reports.report_table import ReportTable
from analysis.reports.report_words import elsewhere, printable
from analysis.reports.sections import make_sections
from analysis.reports.start_board import start_board
from analysis.version import __version__

TEMPLATES = Path(__file__).parent / "templates"


def render(
    findings: Findings, figures: Sequence[Picture], drawings: Mapping[str, str], tables: Mapping[str, ReportTable]
) -> str:
    """The page as HTML: no script, nothing fetched from elsewhere. The same findings give the same text. ``drawings``
    are the figures as SVG elements by name, trusted to be markup.
    """
    import jinja2
    from markupsafe import Markup, escape

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["breakable"] = lambda text: Markup(re.sub(r"([,_])(?=\w)", r"\1<wbr>", str(escape(text))))
    html = environment.get_template("page.html.j2").render(
        game=findings.game,
        title=re.findall(r"[^:,/]*[:,/]?", findings.game.spec),
        origin=findings.solution.start if elsewhere(findings) else None,
        version=__version__,
        summary=summary.summary(findings),
        tiles=summary.tiles(findings),
        outcome=summary.outcome(findings),
        board=start_board(findings),
        sections=make_sections(findings, figures, tables),
        drawings={name: Markup(svg) for name, svg in drawings.items()},
        colours=variables(),
        dark_colours=variables(dark=True),
        recolouring=Markup(recolouring()),
        style=Markup((TEMPLATES / "style.css").read_text(encoding="utf-8")),
    )
    return printable(html)
