"""What programs do that no game may: each is refused with the moves that show it, or left out and said."""

import itertools
import traceback

import numpy as np
import pytest

import analysis
from analysis.errors import GametreeError, RulesError, SpecError
from analysis.games.graphs.graph import ranked
from analysis.games.programs import exploring
from analysis.games.programs.freezing import constants_of, copier, freeze, parts_of

pytestmark = pytest.mark.usefixtures("unhasty")


@pytest.fixture(scope="module")
def unhasty():
    """Programs are compared with their graphs as long as for users."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(exploring, "LEAST_CONFIRMED", 0.5)
        yield


PILE = """
class Pile:
    def __init__(self):
        self.pile, self.turn = 7, 1
    def legal_moves(self):
        return [n for n in (1, 2) if n <= self.pile]
    def make_move(self, n):
        self.pile -= n
        self.turn = 3 - self.turn
    def is_over(self):
        return self.pile == 0
    def winner(self):
        return 3 - self.turn
"""
TAKE, MOVES, START = "self.pile -= n", "return [n for", "self.pile, self.turn = 7, 1"


def solve(folder, text, names=""):
    path = folder / "pile.py"
    path.write_text(text)
    return analysis.solve(f"{path}{names}")


def pile(*changes, before=""):
    """The game of a pile with some of its texts changed."""
    text = PILE
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return before + text


FUNCTIONS = """
LOG = []
def initial_state():
    return [3, [0]]
def actions(state):
    return [1]
def player(state):
    return len(LOG) % 2
def result(state, action):
    LOG.append(action)
    return [state[0] - 1, state[1]]
def terminal(state):
    return state[0] == 0
def utility(state):
    return 1
"""
WINNER = "winner(self):\n        return 3 - self.turn"
REFUSED = {
    "state in the class": (
        pile(
            ("class Pile:", "class Pile:\n    n = 0"), (TAKE, f"{TAKE}; Pile.n += 1"),
            ("if n <=", "if Pile.n % 50 < 25 and n <="),
        ),
        ["kept outside"],
    ),
    "state in a global": (
        pile((TAKE, "LEFT[0] -= n"), ("self.pile ==", "LEFT[0] <="), before="LEFT = [7]"), ["kept outside"],
    ),
    "asking makes moves": (
        pile((MOVES, "self.pile -= self.pile > 3\n        return [n for")),
        ["legal_moves", "changes the position", "pile is 7 and then 6"],
    ),
    "a start that is drawn": (
        pile(("7, 1", "random.randrange(5, 9**9), 1"), before="import random"), ["first position"],
    ),
    "input": (
        pile((TAKE, "self.pile -= int(input('how many? '))")), ["pile.py:8, in make_move()", "input()"],
    ),
    "an exception": (
        pile((TAKE, "self.pile -= n if self.pile != 2 else [][n]")), ["pile.py:8", "IndexError", "moves"],
    ),
    "three players": (pile(("3 - self.turn\n    def is", "self.turn % 3 + 1\n    def is")), ["two players"]),
    "a winner that is nobody": (pile((WINNER, "winner(self):\n        return 'somebody'")), ["somebody", "1 nor 2"]),
    "a forgotten return": (pile((MOVES, "moves = [n for")), ["pile.py:5, in legal_moves()", "None", "return"]),
    "a new object that is not returned": (
        pile(("__init__(self)", "__init__(self, pile=7, turn=1)"), ("= 7, 1", "= pile, turn"),
             (TAKE, "Pile(self.pile - n, 3 - self.turn)"), ("        self.turn = 3 - self.turn\n", "")),
        ["make_move", "return"],
    ),
    "no end": (pile((TAKE, "self.pile += n")), ["never end", "pile"]),
    "a list in a module of functions": (FUNCTIONS, ["ever moves"]),
}  # fmt: skip


@pytest.mark.parametrize(("text", "words"), REFUSED.values(), ids=REFUSED)
def test_refused(tmp_path, text, words):
    with pytest.raises(GametreeError) as refused:
        solve(tmp_path, text)
    message = str(refused.value)
    assert message.count("\n") == 0
    assert [word for word in words if word not in message] == [], message


def test_what_a_program_raises_stays_the_cause():
    told = {}
    exec(compile(pile((TAKE, "self.pile -= n / 0")), "<cell>", "exec"), told)
    with pytest.raises(RulesError) as refused:
        analysis.solve(told["Pile"]())
    cause = refused.value.__cause__
    assert isinstance(cause, ZeroDivisionError)
    assert [*traceback.walk_tb(cause.__traceback__)][-1][0].f_code.co_filename == "<cell>"


@pytest.mark.parametrize("name", ["state in a global", "state in the class"])
def test_refused_again_in_one_process(tmp_path, name):
    """Whatever the first try has left in the module."""
    text, words = REFUSED[name]
    (tmp_path / "pile.py").write_text(text)
    game = analysis.load_game(str(tmp_path / "pile.py"))
    for each in (game, game, str(tmp_path / "pile.py")):
        with pytest.raises(RulesError, match=words[0]):
            analysis.solve(each)


def test_input_at_the_top_is_refused(tmp_path):
    with pytest.raises(SpecError, match=r"pile.py:1: .*input\(\)"):
        solve(tmp_path, "name = input('who? ')\n" + PILE)


WHO = "class Who:\n    def __init__(self, name):\n        self.name = name\nA, B = Who('A'), Who('B')"
ACCEPTED = {
    "a lock": pile(("7, 1", "7, 1; self.lock = threading.Lock()"), before="import threading"),
    "a graph of networkx, which remembers views of itself": pile(
        ("7, 1", "nx.path_graph(7), 1"), (TAKE, "self.pile.remove_nodes_from([*self.pile.nodes][-n:])"),
        ("n <= self.pile", "n <= len(self.pile.nodes)"), ("self.pile == 0", "not self.pile.nodes"),
        before="import networkx as nx",
    ),
    "printing": pile((TAKE, f"{TAKE}; print('taken', n)")),
    "players that are objects": pile(("7, 1", "7, A"), ("3 - self.turn", "B if self.turn is A else A"), before=WHO),
    "nobody to move at the end": pile(
        ("self.turn = 3 - self.turn", "self.last, self.turn = self.turn, 3 - self.turn if self.pile else None"),
        ("return 3 - self.turn", "return self.last"),
    ),
    "a position that leads to itself": pile(("7, 1", "7, 1; self.me = [self]")),
}  # fmt: skip


@pytest.mark.parametrize("text", ACCEPTED.values(), ids=ACCEPTED)
def test_accepted_with_the_numbers_of_the_game(tmp_path, text):
    solution, plain = solve(tmp_path, text), solve(tmp_path, PILE)
    assert solution.statistics()["games"] == plain.statistics()["games"] == 21
    assert (solution.value, len(solution.optimal_paths())) == (plain.value, len(plain.optimal_paths()))
    assert solution.position_count == plain.position_count


def test_a_position_without_moves_is_an_end_also_where_nothing_says_so(tmp_path):
    solution = solve(tmp_path, pile(("if n <=", "if self.pile != 1 and n <=")))
    assert solution.value == solve(tmp_path, pile(("self.pile == 0", "self.pile <= 1"))).value


def test_a_game_that_is_over_at_the_start(tmp_path):
    text = pile(("self.pile == 0", "self.pile < 8"))
    assert "over at the start" in solve(tmp_path, text).game.graph.notes[0]
    report = analysis.check_game(f"{tmp_path}/pile.py", games=10)
    assert [(each.check, each.looked_at) for each in report.failures] == [("some move", 1)]


def test_what_makes_no_difference_may_be_left_out(tmp_path):
    plain = solve(tmp_path, PILE)
    text = pile(
        (START, f"{START}; self.last = None"),
        (TAKE, f"{TAKE}; self.last = Taken(n)"),
        before="class Taken:\n    def __init__(self, n):\n        self.n = n",
    )
    whole, left = solve(tmp_path, text), solve(tmp_path, text, ":drop=last")
    assert (whole.position_count, whole.value) == (23, plain.value)
    assert (left.position_count, left.games) == (plain.position_count, plain.games)


def test_a_counter_that_ends_the_game_stays(tmp_path):
    text = PILE.replace(TAKE, f"{TAKE}; self.made += 1").replace("7, 1", "7, 1; self.made = 0")
    solution = solve(tmp_path, text.replace("self.pile == 0", "self.pile == 0 or self.made >= 400"))
    assert solution.position_count == 20
    inside = text.replace(f"{TAKE};", f"{TAKE}; self.done = self.made >= 400;").replace(
        "= 0\n", "= 0; self.done = False\n"
    )
    assert solve(tmp_path, inside.replace("self.pile == 0", "self.pile == 0 or self.done")).position_count == 20
    dropped = solve(tmp_path, text.replace("self.pile == 0", "self.pile == 0 or self.made >= 400"), ":drop=made")
    assert dropped.position_count == 14


def test_a_game_that_is_too_large_is_refused_before_it_is_explored(tmp_path):
    path = tmp_path / "connect.py"
    path.write_text(
        "class Connect:\n    def __init__(self):\n        self.cols, self.turn = [''] * 7, 'X'\n"
        "    def legal_moves(self):\n        return [c for c in range(7) if len(self.cols[c]) < 6]\n"
        "    def make_move(self, c):\n        self.cols[c] += self.turn\n"
        "        self.turn = 'O' if self.turn == 'X' else 'X'\n"
        "    def is_over(self):\n        return not self.legal_moves()\n    def winner(self):\n        return None\n"
    )
    with pytest.raises(MemoryError, match="at least"):
        analysis.solve(str(path))
    with pytest.raises(MemoryError, match="limit"):
        analysis.solve(f"{path}:limit=50")


def test_scores_are_scores(tmp_path):
    scored = PILE.replace(
        "winner(self):\n        return 3 - self.turn", "utility(self):\n        return 7 * (3 - 2 * self.turn)"
    )
    assert abs(solve(tmp_path, scored).value) == 7


class Cell:
    """A cell of a board whose cells know each other."""

    def __init__(self, mark=None):
        self.mark, self.next = mark, self


def test_positions_are_texts_of_their_content():
    assert freeze({"b": {2, 1}, "a": (1.0, None)}) == freeze({"a": (1, None), "b": {1, 2}})
    assert freeze(np.zeros((2, 2), dtype=np.int8)) == "[[0, 0], [0, 0]]"
    assert freeze([Cell("X")]) == freeze([Cell("X")]) != freeze([Cell("O")])
    names = [name for name, _ in parts_of({"board": Cell("X"), "list": [Cell(), Cell()]})]
    assert names == ["board.mark", "board.next", "list[0].mark", "list[0].next", "list[1].mark", "list[1].next"]


def test_copies_share_nothing_that_could_change():
    one = Cell([1, {"a": [2]}, {3}, np.arange(3)])
    other = copier({})(one)
    assert freeze(one) == freeze(other)
    assert other.next is other
    other.mark[1]["a"].append(4)
    other.mark[3][0] = 9
    assert one.mark[1] == {"a": [2]}
    assert one.mark[3][0] == 0


def test_what_a_module_names_is_shared():
    import types

    module = types.ModuleType("players")
    module.A = Cell("A")
    copied = copier(constants_of(module))([module.A, Cell("B")])
    assert copied[0] is module.A


def test_ranks_are_those_of_a_breadth_first_search():
    rng = np.random.default_rng(1)
    children = [sorted(rng.choice(50, 3, replace=False).tolist()) for _ in range(50)]
    order, waiting = [0], [0]
    for node in waiting:
        for child in children[node]:
            if child not in order:
                order.append(child)
                waiting.append(child)
    first = np.arange(51) * 3
    ranks = ranked(first, np.array(list(itertools.chain.from_iterable(children))))
    assert [int(ranks[node]) for node in order] == list(range(len(order)))
