"""A game in a file whose names, boards and texts are what formats, terminals and spreadsheets would act upon."""

from pathlib import Path

from analysis.games.families import load_game
from analysis.rules.game import Game

TEXTS = (
    "plain",
    "\"quoted\" 'twice'",
    "</script><script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "]]> --> <!-- <![CDATA[ <?pi?>",
    "&amp; &lt; &#27; &",
    "back\\slash \\N \\G \\",
    "two\nlines\r\nthree\rfour",
    "tab\there",
    "nul\x00here",
    "\x1b[31mred\x1b[0m",
    "\x1b]8;;http://example.org\x1b\\link\x1b]8;;\x1b\\",
    "bell\x07 back\x08\x08\x08\x08 \x9b31m \x9d0;title\x9c",
    "=1+1",
    "@SUM(A1)",
    "+1",
    "-1+1|cmd",
    "\t=1+1",
    "\r=1+1",
    "'=1+1",
    "%s %n %(x)s {0} {x!r}",
    "{{7*7}} {% raw %} {# c #}",
    "$x_$ \\frac{1}{2} $\\unknown$",
    "'); DROP TABLE positions; --",
    "half \ud800 pair",
    "turned \u202edrow\u202c \u2066on\u2069",
    "[red]rich[/red] [link=http://example.org]x[/link] [/] :smile:",
    "line\u2028apart\u0085next\x0b\x0c",
    "../../etc/passwd",
    "|{<f0>} %%EOF #! ${HOME} `id` $(id)",
    "long " + "x" * 600,
    "_hidden",
    " blank around ",
)
"""Of positions and of moves, one each."""

PLAYERS = ("_=1+1 <b>$x_$\x1b[31m\u202e{{7*7}}", "[red]%s\x9b31m&amp;\ud800'\"\\")
MARKS = ("<b>", "\x1b[1m", "$x$", "&lt;", "\u202e", "\\")

RULES = f"""
from dataclasses import dataclass

from analysis import ONGOING, Evaluation, Game, Rules

TEXTS = {TEXTS!r}
MARKS = {MARKS!r}


@dataclass(frozen=True)
class Hostile(Game):
    'Two plies: one of many moves, then one; what a position is called says what it is.'

    name: str = {TEXTS[3]!r}
    drawn: str = "grid"
    said: str = "a, <b> = 1+1:x "

    family = "hostile"
    players = {PLAYERS!r}
    description = "%s <b>[red]x[/red] \\x1b[31m{{{{7*7}}}}"
    notation = "[red]%s <i>\\x1b[31m\\u202e"

    def rules(self):
        n = len(TEXTS) - 1

        def legal_moves(state, out):
            if state:
                out[0] = state - 1
                return 1
            for i in range(n):
                out[i] = i
            return n

        def play(state, move):
            return state + n if state else 1 + move

        def outcome(state):
            return ONGOING if state <= n else state % 3 - 1

        def to_move(state):
            return -1 if 0 < state <= n else 1

        def guess(state):
            return state % 3

        names = {{"=1+1[red]<b>": Evaluation(guess, (0, 2))}}
        return Rules(0, n, legal_moves, play, outcome, to_move, largest_code=n - 1, evaluations=names)

    def format_position(self, state):
        return TEXTS[state] if state < len(TEXTS) else TEXTS[state - len(TEXTS) + 1] + " over"

    def parse_position(self, text):
        known = [self.format_position(state) for state in range(2 * len(TEXTS) - 1)]
        if text not in known:
            raise ValueError(f"no position {{text}}")
        return known.index(text)

    def format_move(self, move):
        return TEXTS[move + 1]

    def parse_move(self, text):
        if text not in TEXTS[1:]:
            raise ValueError(f"no move {{text}}")
        return TEXTS.index(text) - 1

    def grid(self, state):
        if self.drawn != "grid":
            return None
        cells = [MARKS[(state + i) % len(MARKS)] if i < state % 7 else " " for i in range(6)]
        return [cells[:3], cells[3:]]

    def picture(self, state):
        return f"-- {{self.format_position(state)}} --\\n\\x1b[31m=1+1" if self.drawn == "picture" else None

    def caption(self, state):
        return f"caption {{self.format_position(state)}}"

    def cell_of(self, state, move):
        return None
"""

SPEC = "hostile.py:Hostile"


def write_hostile(folder: Path = Path()) -> str:
    """Write the game into a folder; its specification from here."""
    (folder / "hostile.py").write_text(RULES, encoding="utf-8", errors="surrogatepass")
    return str(folder / SPEC)


def hostile_game(folder: Path, **parameters: str) -> Game:
    """The game, loaded from a file in the folder."""
    return load_game(
        write_hostile(folder) + ":" * bool(parameters) + ",".join(f"{k}={v}" for k, v in parameters.items())
    )
