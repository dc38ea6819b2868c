"""SVG in a page: unique ids that hold together, the page's fonts and colours, and enough contrast in both."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

import analysis
from analysis.pictures.style import MOST_TINT, OUTCOMES, ROLES, TEXT_ROLES, TINT, picture_bytes, variables
from analysis.reports.figures import gallery
from analysis.reports.findings import gather
from analysis.reports.page import inline, recolouring

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def files():
    """The SVG files of a game with hatches, clips, markers and boards."""
    drawn = gallery.draw_figures(gather(analysis.solve("dots_and_boxes:rows=1,cols=2")))
    return {name: picture_bytes(picture.figure, "svg") for name, picture in drawn.items()}


@pytest.fixture(scope="module")
def page(files):
    """All of them as elements of one page."""
    markup = [inline(svg, name, f"The <{name}> & more", "What it says") for name, svg in files.items()]
    return ElementTree.fromstring(f"<body>{''.join(markup)}</body>")


@pytest.mark.slow
def test_ids_are_unique_and_everything_that_is_referred_to_is_there(files, page):
    ids = [element.get("id") for element in page.iter() if element.get("id")]
    assert len(ids) == len(set(ids))
    assert all(id_.split("-")[0] in files for id_ in ids)
    values = [value for element in page.iter() for value in element.attrib.values()]
    referred = {found for value in values for found in re.findall(r"url\(#([^)]*)\)", value)}
    referred |= {value[1:] for element in page.iter() if (value := element.get("href")) is not None}
    referred |= {value for element in page for key, value in element.attrib.items() if key.startswith("aria-")}
    assert len(referred) > 10
    assert referred <= set(ids)


def test_nothing_of_the_file_is_left_that_a_page_must_not_have(files):
    for name, svg in files.items():
        markup = inline(svg, name, "T", "D")
        for left in ("<?xml", "<!DOCTYPE", "metadata", "xmlns", "xlink", "ns0:", "http"):
            assert left not in markup, (name, left)


def test_shapes_and_texts_are_those_of_the_file(files):
    for name, svg in files.items():
        before, after = ElementTree.fromstring(svg), ElementTree.fromstring(inline(svg, name, "T", "D"))
        assert after.get("viewBox") == before.get("viewBox")
        assert "width" not in after.attrib
        texts = ["".join(text.itertext()) for text in before.iter(SVG + "text")]
        assert ["".join(text.itertext()) for text in after.iter("text")] == texts
        paths = [path.get("d") for path in before.iter(SVG + "path")]
        assert [path.get("d") for path in after.iter("path")] == paths
        places = [(text.get("x"), text.get("y")) for text in before.iter(SVG + "text")]
        assert [(text.get("x"), text.get("y")) for text in after.iter("text")] == places


def test_every_colour_has_a_role_and_the_page_a_rule_for_it(files):
    """Wherever matplotlib writes a colour: the rules of the page find it there."""
    lights = {light for light, _ in ROLES.values()}
    rules = recolouring()
    for svg in files.values():
        text = svg.decode()
        assert set(re.findall(r"#[0-9a-fA-F]{6}\b", text)) <= lights
        for key, colour in re.findall(r"\b([\w-]+)(?:: |=\")(#[0-9a-fA-F]{6})", text):
            role = next(role for role, (light, _) in ROLES.items() if light == colour)
            rule = f'[style*="{key}: {colour}"], [{key}="{colour}"] {{ {key}: var(--{role}) !important; }}'
            assert rule in rules


def test_screen_readers_get_a_title_and_a_description_or_nothing(page, files):
    for element, name in zip(page, files, strict=True):
        assert element.get("role") == "img"
        by_id = {inner.get("id"): inner for inner in element.iter()}
        assert by_id[element.get("aria-labelledby")].text == f"The <{name}> & more"
        assert by_id[element.get("aria-describedby")].text == "What it says"
        assert [inner.tag for inner in element][:2] == ["title", "desc"]


def test_the_same_file_gives_the_same_text(files):
    assert inline(files["values"], "values", "T", "D") == inline(files["values"], "values", "T", "D")


# Contrast -------------------------------------------------------------------------------------------------------------


def luminance(colour) -> float:
    """Relative luminance as WCAG 2.2 defines it; ``colour`` is #rrggbb or three channels from 0 to 1."""
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)] if isinstance(colour, str) else colour
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return sum(weight * c for weight, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(one, other) -> float:
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def tinted(colour: str, opacity: float, paper: str) -> list[float]:
    pairs = [(int(colour[i : i + 2], 16), int(paper[i : i + 2], 16)) for i in (1, 3, 5)]
    return [(opacity * over + (1 - opacity) * under) / 255 for over, under in pairs]


def test_contrast_is_computed_as_it_is_defined():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)  # the known example that just fails


@pytest.fixture(params=["light", "dark"])
def scheme(request):
    """Colours by role, as a page declares them."""
    declared = dict(pair.split(": ") for pair in variables(dark=request.param == "dark").split("; "))
    assert set(declared) == {f"--{role}" for role in ROLES}
    return {role.removeprefix("--"): colour for role, colour in declared.items()}


def test_text_and_marks_stand_out(scheme):
    for role, colour in scheme.items():
        least = 4.5 if role in TEXT_ROLES else 3 if role not in ("paper", "rule") else 0
        assert contrast(colour, scheme["paper"]) >= least, role


def test_text_stands_out_on_every_tint(scheme):
    for role in ("first", "second", "tie", "muted"):
        cell = tinted(scheme[role], TINT, scheme["paper"])
        assert contrast(scheme["ink"], cell) >= 4.5, role
    deepest = tinted(scheme["heat"], MOST_TINT, scheme["paper"])
    assert contrast(scheme["ink"], deepest) >= 4.5
    for role, mark in (("first", "first"), ("second", "second-text")):  # large bold marks: 3:1
        assert contrast(scheme[mark], tinted(scheme[role], TINT, scheme["paper"])) >= 3, role


def test_text_is_written_in_colours_for_text_alone(files):
    allowed = {ROLES[role][0] for role in TEXT_ROLES}
    for svg in files.values():
        for text in ElementTree.fromstring(svg).iter(SVG + "text"):
            assert re.search(r"fill: (#\w+)", text.get("style"))[1] in allowed


# Colours that the colour-blind see ------------------------------------------------------------------------------------

DICHROMATS = {
    "protan": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deutan": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "tritan": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
}
"""Machado, Oliveira and Fernandes (2009), severity 1, for linear RGB."""


def seen(colour: str, matrix) -> tuple[float, ...]:
    """The colour in CIE L*a*b*, as somebody with this deficiency sees it."""
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    shown = [min(max(sum(m * c for m, c in zip(row, linear, strict=True)), 0), 1) for row in matrix]
    to_xyz = ((0.4124, 0.3576, 0.1805), (0.2126, 0.7152, 0.0722), (0.0193, 0.1192, 0.9505))
    xyz = [sum(m * c for m, c in zip(row, shown, strict=True)) for row in to_xyz]
    x, y, z = ((t / white) ** (1 / 3) for t, white in zip(xyz, (0.9505, 1.0, 1.089), strict=True))
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


@pytest.mark.parametrize("kind", DICHROMATS)
def test_outcomes_are_told_apart_by_the_colour_blind(kind, scheme):
    outcomes = [seen(scheme[role], DICHROMATS[kind]) for role in ("first", "tie", "second")]
    lines = [seen(scheme[role], DICHROMATS[kind]) for role in ("ink", "amber", "heat", "purple")]
    for colours in (outcomes, lines):
        for number, one in enumerate(colours):
            for other in colours[number + 1 :]:
                distance = sum((a - b) ** 2 for a, b in zip(one, other, strict=True)) ** 0.5
                assert distance > 12, (kind, one, other)


def test_outcomes_and_lines_are_told_apart_without_colour():
    hatches = [outcome.hatch for outcome in OUTCOMES]
    assert len(set(hatches)) == len(hatches)
