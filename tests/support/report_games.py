"""Games whose reports differ in what they can show, and one that tries to break out of its page."""

import dataclasses

from analysis.rules.game import ONGOING, Game, Rules
from tests.support.own_game import HEAD, own_game

GAMES = {
    "a tie with puzzles": ("tictactoe", {"puzzles": 6}),
    "a tie": ("tictactoe", {}),
    "stones that fall": ("connect:rows=3,cols=3,k=3", {}),
    "heaps without a board": ("nim:heaps=1-2-3", {}),
    "a row wider than a phone": ("kayles:pins=20", {}),
    "loops": ("dodgem", {}),
    "margins": ("dots_and_boxes:rows=1,cols=2", {}),
    "from a position": ("tictactoe", {"start": "XOX?O????"}),
    "over at the start": ("chomp:rows=1,cols=1", {}),
    "a slanted board": ("hex:n=2", {}),
    "one's own": ("evil.py", {}),
}

EVIL = own_game(
    "Evil(Game)",
    head=HEAD + "SCRIPT = \"<script>document.title = 'broken'</script>\"\n",
    fields=r"""
coins: int = 4
family = "evil"
description = SCRIPT + " & \"quoted\" $x$ {{ 7 * 7 }}"
players = ("<b>me</b>", "O'Brien & \\ Sons")
notation = "</style></title></svg>" + SCRIPT
known = "<!-- &lt; \x01 \ud800 \u202e"
""",
    setup="coins = self.coins",
    more=r"""
def format_position(self, state):
    return f"<img src=x onerror=alert({state})>"

def parse_position(self, text):
    return int(text.split("(")[1].split(")")[0])

def format_move(self, move):
    return f"<script>document.title = '{move}'</script>"

def parse_move(self, text):
    return int(text.split("'")[1])

def caption(self, state):
    return f"\"'><script>{state}</script>"
""",
    start="2 * coins",
    legal_moves="for i in range(min(2, state >> 1)):\n    out[i] = i\nreturn min(2, state >> 1)",
    play="(state >> 1) - move - 1 << 1 | (state & 1 ^ 1)",
    outcome="ONGOING if state >> 1 else -to_move(state)",
    to_move="1 - 2 * (state & 1)",
    tier="coins - (state >> 1)",
)
"""Take one or two coins; whoever takes the last wins."""


@dataclasses.dataclass(frozen=True)
class Endless(Game):
    """Two places and one step between them, for ever."""

    family = "endless"

    def rules(self) -> Rules:
        def legal_moves(state, out):
            out[0] = 0
            return 1

        def play(state, move):
            return state ^ 1

        def outcome(state):
            return ONGOING

        def to_move(state):
            return 1 - 2 * (state & 1)

        return Rules(0, 1, legal_moves, play, outcome, to_move, loopy=True)


@dataclasses.dataclass(frozen=True)
class Countdown(Game):
    """Both only count down; whoever makes the last step wins. No choice, and as many plies as one likes."""

    steps: int = 220
    family = "countdown"

    def rules(self) -> Rules:
        def legal_moves(state, out):
            out[0] = 0
            return 1

        def play(state, move):
            return state - 1

        def outcome(state):
            return ONGOING if state else last

        def to_move(state):
            return 1 if (steps - state) % 2 == 0 else -1

        steps = self.steps
        last = 1 if steps % 2 else -1
        return Rules(steps, 1, legal_moves, play, outcome, to_move)


def write_own(folder) -> None:
    """The file of the game that is one's own."""
    (folder / "evil.py").write_text(EVIL, encoding="utf-8")
