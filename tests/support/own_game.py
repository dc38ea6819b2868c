"""Games as users write them: the text of a file."""

from textwrap import indent

HEAD = "from dataclasses import dataclass\nfrom analysis import ONGOING, Game, Rules, popcount\n"
TWO = "out[0], out[1] = 0, 1\nreturn 2"
"""Legal moves: two, wherever the game goes on."""

MINE = """
import dataclasses
from analysis.games.mnk import Mnk
@dataclasses.dataclass(frozen=True)
class Mine(Mnk):
    pass
"""
"""A built-in game as one of the users'."""


def free_cells(cells: object, taken: str) -> str:
    """Legal moves: of so many cells those that are not ``taken``, an expression of ``state`` and ``i``."""
    each = f"if not {taken}:\n    out[count] = i\n    count += 1\n"
    return f"count = 0\nfor i in range({cells}):\n{indent(each, '    ')}return count"


def own_game(
    name: str, *, head: str = HEAD, fields: str = "", setup: str = "", more: str = "", method: str = "rules", start="0",
    max_moves="2", legal_moves: str = TWO, play: str, outcome: str, to_move: str = "1", tier: str = "", **options: str
) -> str:  # fmt: skip
    """A class with these rules: functions are expressions or, with a ``return``, statements; ``options`` are further
    arguments of `Rules`, ``fields`` and ``more`` stand before and behind the rules, ``setup`` before their functions.
    """
    functions = {
        "legal_moves(state, out)": legal_moves,
        "play(state, move)": play,
        "outcome(state)": outcome,
        "to_move(state)": to_move,
        "tier(state)": tier,
    }
    if tier:
        options["tier"] = "tier"
    bodies = [
        f"def {signature}:\n{indent(text if 'return' in text else f'return {text}', '    ')}\n"
        for signature, text in functions.items()
        if text
    ]
    given = "".join(f", {name}={value}" for name, value in options.items())
    rules = f"return Rules({start}, {max_moves}, legal_moves, play, outcome, to_move{given})\n"
    body = f"{fields}\n\ndef {method}(self):\n" + indent("\n".join([setup, *bodies, rules]), "    ") + f"\n{more}\n"
    return f"{head}\n\n@dataclass(frozen=True)\nclass {name}:\n{indent(body, '    ')}"
