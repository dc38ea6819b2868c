"""Games of every kind for the figures of reports, and what is looked at in a figure."""

import itertools
import re
from pathlib import Path
from unittest import mock
from xml.etree import ElementTree

import analysis
from analysis.reports.figures import FIGURES
from analysis.reports.style import picture_bytes
from tests.support.own_game import own_game

SVG = "{http://www.w3.org/2000/svg}"

TAKE = own_game(
    "Take(Game)",
    fields="""
family = "take"
n: int = 6
grids: bool = True
players = ('<b>&"$x$', "two\\nlines and more")
""",
    more="""
def format_move(self, move):
    return ["", '</text>&"<$1$\\\\', "one\\ntwo\\x00\\x1b"][move]

def parse_move(self, text):
    return 1 if text.startswith("<") else 2

def grid(self, state):
    return [["<" if i < state >> 1 else " " for i in range(self.n)]] if self.grids else None
""",
    start="2 * self.n",
    legal_moves="out[0] = 1\nout[1] = 2\nreturn 1 if state >> 1 == 1 else 2",
    play="(state >> 1) - move << 1 | 1 - (state & 1)",
    outcome="ONGOING if state >> 1 else -to_move(state)",
    to_move="1 - 2 * (state & 1)",
    tier="200 - (state >> 1)",
)
"""Take one or two; whoever takes the last wins. Names that markup would take for its own."""

LONG = (
    TAKE.replace("take", "long")
    .replace("Take", "Long")
    .replace("""('<b>&"$x$', "two\\nlines and more")""", '("Wilhelmina WWWWWWW Montgomery", "MMMMMMMMMMMMMMMMMM")')
)
"""The same with players whose names are long and wide."""

COINS = "H 5 10\n5 1* 5\n10 5 C\n"

FULL = ["position", "principal", "growth", "lengths", "openings"]
ENDLESS = [name for name in FULL if name != "lengths"]
NO_BOARD = [name for name in FULL if name not in ("position", "principal")]

GAMES = {
    "tictactoe": FULL,
    "tictactoe from XOX?O????": FULL,
    "tictactoe from XXXOO????": ["position"],
    "tictactoe without counts": ENDLESS,
    "tictactoe without symmetry": FULL,
    "mnk:rows=1,cols=1,k=1": FULL,
    "mnk:rows=1,cols=31,k=1": NO_BOARD,  # a very wide board
    "nim:heaps=60,take=1": NO_BOARD,  # one game
    "long.py:Long": FULL,
    "hex:n=2": FULL,
    "nim:heaps=100,take=1-2": NO_BOARD,  # counts beyond 64 bits, and 68 remotenesses
    "domineering:rows=2,cols=3": FULL,
    "dots_and_boxes:rows=1,cols=2": FULL,
    "dodgem": ENDLESS,
    "morris:variant=nine_holes": ENDLESS,  # drawn
    "take.py:Take": FULL,
    "take.py:Take:grids=false": NO_BOARD,
}
SLOW = {
    "othello": FULL,
    "coin_grabber:board=coins.txt,threshold=15": ENDLESS,
    "kayles:pins=28": NO_BOARD,  # wider than marks of ten points allow
    "morris": ENDLESS,
}
QUICK = ("long.py:Long", "dots_and_boxes:rows=1,cols=2")
"""The others are drawn in the slow step."""


def find(name: str):
    Path("take.py").write_text(TAKE, encoding="utf-8")
    Path("long.py").write_text(LONG, encoding="utf-8")
    Path("coins.txt").write_text(COINS, encoding="utf-8")
    game, _, position = name.partition(" from ")
    game, _, without = game.partition(" without ")
    if without == "counts":
        return analysis.solve(game, counts=False)
    return analysis.find_solution(game, start=position or None, symmetry="none" if without else None)


class Drawn(dict):
    """The pictures of some findings by name, each drawn when it is asked for."""

    def __init__(self, findings) -> None:
        super().__init__()
        self.findings = findings

    def __missing__(self, name: str):
        self[name] = FIGURES[name](self.findings)
        return self[name]


def texts(picture) -> list[str]:
    root = ElementTree.fromstring(picture_bytes(picture.figure, "svg"))
    return ["".join(text.itertext()) for text in root.iter(SVG + "text")]


def sizes(picture) -> list[float]:
    """Of every text of the SVG file, in its units: a figure is as many pixels wide on a phone as it has units."""
    root = ElementTree.fromstring(picture_bytes(picture.figure, "svg"))
    found = (re.search(r"font(?:-size)?:[^;]*?([\d.]+)px", text.get("style", "")) for text in root.iter(SVG + "text"))
    return [float(size[1]) for size in found if size is not None]


def boxes(figure):
    """Every text that is drawn, with its box in inches, in the font that the file is drawn with."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.text import Text

    drawn, draw = [], Text.draw
    with mock.patch.object(Text, "draw", lambda text, renderer: (drawn.append(text), draw(text, renderer))):
        canvas = FigureCanvasAgg(figure)
        canvas.draw()
    shown = [text for text in dict.fromkeys(drawn) if text.get_text().strip()]
    return [(t.get_text(), *(t.get_window_extent(canvas.get_renderer()).extents / figure.dpi)) for t in shown]


def overlapping(found) -> list[tuple[str, str]]:
    """Pairs of texts of which one covers more than a hair of the other."""

    def common(a, b):
        width, height = min(a[3], b[3]) - max(a[1], b[1]), min(a[4], b[4]) - max(a[2], b[2])
        return width > 0.01 and height > 0.035  # boxes include room for accents and descenders

    return [(a[0], b[0]) for a, b in itertools.combinations(found, 2) if common(a, b)]
