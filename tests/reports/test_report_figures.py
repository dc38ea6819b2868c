"""Figures of reports: numbers, places and words; as SVG in a page: ids, fonts, colours and contrast."""

import math
import re
from xml.etree import ElementTree

import pytest

import analysis
from analysis.common.pages import ROLES, variables
from analysis.reports import charts, figures
from analysis.reports.facts import gather
from analysis.reports.page import inline, recolouring
from analysis.reports.style import TEXT_ROLES, TINT, Picture, picture_bytes
from analysis.reports.words import compact
from analysis.search.comparison import SearchRequest, compare
from tests.support.figure_cases import GAMES, QUICK, SLOW, Drawn, boxes, find, overlapping, sizes, texts

_found: dict[str, Drawn] = {}


@pytest.fixture
def drawn():
    """Findings and pictures of a game, drawn once."""

    def draw(name: str):
        if name not in _found:
            _found[name] = Drawn(gather(find(name)))
        return _found[name].findings, _found[name]

    return draw


def check(name: str, wanted: list[str], drawn) -> None:
    findings, pictures = drawn(name)
    pictures |= figures.draw_figures(findings)
    assert [name for name in figures.FIGURES if name in pictures] == wanted
    for picture in (pictures[name] for name in wanted):
        shown = texts(picture)
        assert shown
        assert not any(re.search(r"\b(nan|inf|None)\b", text) for text in [*shown, picture.caption])
        assert picture.title
        assert picture.caption.endswith(".")
        width, height = picture.figure.get_size_inches()
        assert width == charts.WIDTH or (picture.name == "position" and width <= charts.WIDTH + 0.05)
        assert height < 16
        assert len(sizes(picture)) == len(shown)
        assert min(sizes(picture)) >= 10, picture.name
        found = boxes(picture.figure)
        assert overlapping(found) == [], picture.name
        for text, left, low, right, high in found:
            inside = left > -0.02 and low > -0.02 and right < width + 0.02 and high < height + 0.02
            assert inside, (picture.name, text)


@pytest.mark.parametrize("name", QUICK)
def test_every_figure_is_drawn_within_its_sheet_and_no_text_covers_another(name, drawn):
    check(name, GAMES[name], drawn)


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in {**GAMES, **SLOW} if name not in QUICK])
def test_every_kind_of_game_is_drawn(name, drawn):
    check(name, {**GAMES, **SLOW}[name], drawn)


def lines(picture) -> list[tuple[list[float], list[float]]]:
    """The data of the lines, those with two points or more, in the order in which they were drawn."""
    found = [line.get_xydata().tolist() for axes in picture.figure.axes for line in axes.lines]
    found = [[(x, y) for x, y in points if not math.isnan(y)] for points in found]
    return [([x for x, _ in points], [y for _, y in points]) for points in found if len(points) > 1]


def test_growth_has_the_counts_of_the_statistics(drawn):
    findings, pictures = drawn("tictactoe")
    rows = findings.statistics["by_ply"]
    moves, positions, classes, terminal = (dict(zip(*line, strict=True)) for line in lines(pictures["growth"]))
    assert moves == {row["ply"]: row["moves"] for row in rows[:-1]}  # none at the last ply: no point on a log scale
    assert positions == {row["ply"]: row["positions"] for row in rows}
    assert classes == {row["ply"]: row["classes"] for row in rows}
    ended = {row["ply"]: row["terminal_x"] + row["terminal_o"] + row["terminal_tie"] for row in rows}
    assert terminal == {ply: number for ply, number in ended.items() if number}
    assert [text for text in texts(pictures["growth"]) if text in ("moves", "positions", "classes", "terminal")]


def test_lengths_have_the_games_of_the_statistics(drawn):
    findings, pictures = drawn("tictactoe")
    rows = findings.statistics["games_by_length"]
    ((plies, totals),) = lines(pictures["lengths"])
    assert dict(zip(plies, totals, strict=True)) == {r["plies"]: r["games"] for r in rows}


def shares(picture, panel: int = -1) -> dict[float, list[float]]:
    """The heights of the stacked bars, by step."""
    found: dict[float, list[float]] = {}
    for container in picture.figure.axes[panel].containers:
        for bar in container:
            found.setdefault(bar.get_x() + bar.get_width() / 2, []).append(bar.get_height())
    return found


@pytest.mark.parametrize(("name", "keys"), [("tictactoe", ("x", "tie", "o")), ("dodgem", ("x", "o"))])
def test_values_are_shares_of_the_positions(name, keys, drawn):
    findings, pictures = drawn(name)
    bars = shares(pictures["growth"])
    assert len(bars) == len(findings.rows)
    for row, heights in zip(findings.rows, bars.values(), strict=True):
        numbers = [row[f"value_{key}"] for key in keys]
        assert sum(heights) == pytest.approx(100)
        assert heights == pytest.approx([100 * number / row["positions"] for number in numbers])


def test_a_position_says_the_value_of_each_move(drawn):
    _, pictures = drawn("tictactoe")
    shown = texts(pictures["position"])
    assert [shown.count(text) for text in ("tie", "in 9", *"045678")] == [9, 9, *[1] * 6]
    figure = analysis.plot(analysis.solve("tictactoe"), "position", "XOX?O????")
    shown = texts(Picture("position", "", "", figure))
    assert [shown.count(text) for text in ("X", "O", "tie", "in 5")] == [2, 2 + 4, 1, 1]


def test_openings_say_games_and_paths(drawn):
    findings, pictures = drawn("tictactoe")
    shown = texts(pictures["openings"])
    assert len([text for text in shown if text.endswith("tie in 9")]) == 9
    for row in findings.moves:
        assert compact(row["games"]) in shown
    assert [shown.count(n) for n in ("82", "758", "224")] == [4, 4, 1]


def test_the_principal_variation_has_a_board_for_each_step(drawn):
    findings, pictures = drawn("dodgem")
    shown = texts(pictures["principal"])
    for row in findings.line[1:]:
        assert f"{row['ply']}. {row['mover']} {row['name']}" in shown
    assert shown.count("X has won") == 1
    marks = [mark for step in findings.line for row in findings.game.grid(step["state"]) for mark in row]
    assert [sum(text == player for text in shown) for player in "XO"] == [marks.count(player) for player in "XO"]


def test_names_that_markup_would_take_for_its_own_stay_text(drawn):
    _, pictures = drawn("take.py:Take")
    shown = texts(pictures["openings"])
    for words in ('<b>&"$x$ wins', '</text>&"…', "one two··"):
        assert any(words in text for text in shown)
    assert any('1. <b>&"$x$ ' in text for text in texts(pictures["principal"]))


def test_pruning_has_every_search_and_the_least_possible():
    game = "mnk:rows=2,cols=3,k=3"
    found = compare(game, SearchRequest(max_nodes=300))
    picture = figures.FIGURES["pruning"](gather(analysis.solve(game), found))
    shown = texts(picture)
    assert found.least["full"] is not None
    least = found.least["full"].nodes
    assert f"least, no table, full window: {least:,}" in shown
    assert least in [line.get_xdata()[0] for line in picture.figure.axes[0].lines if len(set(line.get_xdata())) == 1]
    for text in (picture.caption,):
        assert "with the window (\N{MINUS SIGN}∞, +∞), that is, without using the bounds of payoffs" in text
    assert "hollow point" in picture.caption
    assert any(row.stopped for row in found.rows)
    assert found.tree is not None
    for row in found.rows:
        over = row.stopped and row.nodes != found.tree.nodes
        assert row.algorithm in shown
        assert ("> " if over else "") + f"{row.nodes:,}" in shown
    assert overlapping(boxes(picture.figure)) == []


def test_settings_of_the_user_change_nothing(drawn):
    import matplotlib

    _, pictures = drawn("dodgem")
    before = dict(matplotlib.rcParams)
    with matplotlib.rc_context({"font.size": 30, "axes.facecolor": "red", "text.parse_math": True}):
        again = figures.FIGURES["growth"](drawn("dodgem")[0])
        assert picture_bytes(again.figure, "svg") == picture_bytes(pictures["growth"].figure, "svg")
    assert dict(matplotlib.rcParams) == before


SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def files():
    """The SVG files of a game with hatches, clips, markers and boards."""
    drawn = figures.draw_figures(gather(analysis.solve("dots_and_boxes:rows=1,cols=2")))
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


def luminance(colour) -> float:
    """Relative luminance as WCAG 2.2 defines it; ``colour`` is #rrggbb or three channels from 0 to 1."""
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)] if isinstance(colour, str) else colour
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return sum(weight * c for weight, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(one, other) -> float:
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def tinted_inline(colour: str, opacity: float, paper: str) -> list[float]:
    pairs = [(int(colour[i : i + 2], 16), int(paper[i : i + 2], 16)) for i in (1, 3, 5)]
    return [(opacity * over + (1 - opacity) * under) / 255 for over, under in pairs]


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
        cell = tinted_inline(scheme[role], TINT, scheme["paper"])
        assert contrast(scheme["ink"], cell) >= 4.5, role
    for role, mark in (("first", "first"), ("second", "second-text")):  # large bold marks: 3:1
        assert contrast(scheme[mark], tinted_inline(scheme[role], TINT, scheme["paper"])) >= 3, role


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
