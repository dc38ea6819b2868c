"""A stored solution of every kind, and what may be wrong with one."""

import analysis
from tests.support.own_game import own_game

KINDS = {
    "tictactoe": "tictactoe",
    "skipping": "kayles:pins=6",
    "two_limbs": "kayles:pins=22",
    "own_symmetries": "nim:heaps=2-2-3",
    "scores": "dots_and_boxes:rows=1,cols=2",
    "loopy": "dodgem",
}
USER = own_game(
    "Count(Game)",
    play="((state >> 1) + move) << 1 | (1 - (state & 1))",
    legal_moves="out[0], out[1] = 1, 2\nreturn 2",
    outcome="ONGOING if state >> 1 < 20 else (1 if state & 1 else -1)",
    to_move="-1 if state & 1 else 1",
    tier="state >> 1",
)
"""Two players add 1 or 2; who says 20 has won."""

DAMAGE = (
    ("tictactoe", 6, "value", lambda v: -1 if v == 1 else v + 1),
    ("tictactoe", 6, "remoteness_plies", lambda v: v + 1),
    ("tictactoe", 5, "games_x", lambda v: v + 1),
    ("tictactoe", 5, "shortest_paths", lambda v: v + 1),
    ("tictactoe", 5, "orbit_size", lambda v: v * 2),
    ("tictactoe", 5, "to_move", lambda v: -v),
    ("tictactoe", 5, "terminal", lambda v: not v),
    ("tictactoe", 5, "ply", lambda v: v + 1),
    ("tictactoe", 5, "position", lambda v: v[::-1]),
    ("skipping", 3, "state", lambda v: v + 1),
    ("uncounted", 6, "value", lambda v: -1 if v == 1 else v + 1),
    ("skipping", 3, "nimber", lambda v: v + 1),
    ("skipping", 3, "games_x", lambda v: v + 1),
    ("two_limbs", 11, "games_tie", lambda v: v + 1),
    ("two_limbs", 11, "games_o", lambda v: v + 10**20),
    ("own_symmetries", 4, "remoteness_plies", lambda v: v + 2),
    ("scores", 5, "value", lambda v: 1 - abs(v)),
    ("loopy", 2, "remoteness_plies", lambda v: v + 2),
    ("loopy", 0, "value", lambda v: 1 - abs(v)),
    ("user", 7, "value", lambda v: -v),
    ("user", 7, "optimal_paths", lambda v: v + 1),
)
"""Kind, tier, column, and what a number there becomes: each is seen from the row and the rows after it."""


def solve_kinds(folder):
    """A directory of each kind, in a folder."""
    for name, spec in KINDS.items():
        tables = () if name == "loopy" else ("moves", "text", "paths") if name == "tictactoe" else ("moves",)
        analysis.solve(spec, directory=analysis.Output(folder / name, tables=tables), workers=1)
    analysis.solve("tictactoe", directory=folder / "uncounted", counts=False, workers=1)
    (folder / "count.py").write_text(USER)
    analysis.solve(f"{folder / 'count.py'}:Count", directory=folder / "user", workers=1)
    return folder
