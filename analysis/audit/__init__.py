"""Judge played games and choices of moves by the complete solution, and find what a policy loses to a best response.

>>> from analysis.audit import audit, exploit
>>> found = audit("tictactoe", ["0412637", "01326"])
>>> [(row["side"], row["mistakes"], row["value_lost"]) for row in found.by_side()]
[('X', 1, 1), ('O', 1, 1)]
"""

from analysis.audit.audit_file import Audit, audit
from analysis.audit.exploitability import Exploitability, Line, exploit, nash_conv
from analysis.audit.inputs import RowError
from analysis.audit.judge import Judge, JudgedVisit, Verdict, find_judge
from analysis.audit.judged_choices import JudgedChoice, judge_choices
from analysis.audit.judged_games import JudgedGame, judge_games

__all__ = [
    "Audit",
    "Exploitability",
    "Judge",
    "JudgedChoice",
    "JudgedGame",
    "JudgedVisit",
    "Line",
    "RowError",
    "Verdict",
    "audit",
    "exploit",
    "find_judge",
    "judge_choices",
    "judge_games",
    "nash_conv",
]
