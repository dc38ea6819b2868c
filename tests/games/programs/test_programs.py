"""Games in plain Python, as people write them: recognised, explored, and solved with the right numbers."""

import pickle

import pytest

import analysis
from analysis.errors import ArgumentError, OptionError, PositionError, SpecError
from analysis.games.graphs.graph_game import _explored, _rules_of
from analysis.games.user import run_file
from tests.support.program import ROOT, one_line, run_python

PROGRAMS = ROOT / "tests" / "support" / "programs"
COUNTED = ("value", "remoteness_plies", "positions", "moves", "games", "histories", "optimal_paths", "terminal_x")


def spec(name: str) -> str:
    file, _, more = name.partition(":")
    return f"{PROGRAMS}/{file}.py{':' * bool(more)}{more}"


def numbers(solution):
    found = solution.statistics()
    return {name: found[name] for name in COUNTED}


SAME = {
    "functions_tictactoe": "tictactoe",
    "functions_connect": "connect:rows=3,cols=4,k=3",
    "functions_nim": "nim:heaps=1-2-3",
    "easy_tictactoe": "tictactoe",
    "aima_games:TicTacToe": "tictactoe",
    "aima_boxes": "dots_and_boxes:rows=1,cols=2",
    "board_tictactoe": "tictactoe",
    "board_rows": "tictactoe",
    "board_turns:moves=empty_cells,drop=last_move+history": "tictactoe",
    "state_connect": "connect:rows=3,cols=4,k=3",
    "state_nim": "nim:heaps=1-2-3",
    "chess_tictactoe": "tictactoe",
    "chess_hexapawn:drop=stack": "hexapawn",
}


@pytest.mark.parametrize(("program", "game"), SAME.items(), ids=SAME)
def test_numbers_are_those_of_the_built_in_game(program, game):
    solution, known = analysis.solve(spec(program)), analysis.solve(game, symmetry="none")
    assert numbers(solution) == numbers(known)
    assert len(solution.optimal_paths()) == len(known.optimal_paths())


def test_a_tree_with_scores_is_worth_what_the_textbook_says():
    solution = analysis.solve(spec("aima_games:Tree"))
    assert (solution.value, solution.position_count) == (3, 13)
    assert solution["A"].position == "A"
    assert {move.name: move.value for move in solution["A"].moves} == {"a1": 3, "a2": 2, "a3": 2}


def test_what_is_kept_in_players_belongs_to_positions():
    assert analysis.solve(spec("easy_knights")).position_count == 521


def test_bones_are_won_by_who_leaves_the_last_one():
    solution = analysis.solve(spec("easy_bones"))
    assert {n: solution[f"nplayer=2 pile={n}"].value for n in range(1, 10)} == {
        n: 1 if n in (1, 5, 9) else -1 for n in range(1, 10)
    }


@pytest.mark.parametrize(
    ("program", "positions", "moves", "value"),
    [("state_pong", 56, 76, 0), ("chess_sliding:drop=halfmove_clock", 20, 36, 1)],
)
def test_games_with_loops_are_solved_as_loopy(program, positions, moves, value):
    solution = analysis.solve(spec(program))
    found = solution.statistics()
    assert solution.loopy
    assert (found["positions"], found["moves"], found["value"], found["games"]) == (positions, moves, value, None)


def test_ranks_do_not_depend_on_hashes():
    """Moves are a set of tuples with texts in them, whose order changes with the seed."""
    code = (
        "import analysis, hashlib; g = analysis.load_game('PROGRAM').graph;"
        "print(hashlib.sha256(repr((g.keys, g.labels, g.children.tolist(), g.codes.tolist())).encode()).hexdigest())"
    ).replace("PROGRAM", spec("easy_knights"))
    assert run_python(code, PYTHONHASHSEED="1") == run_python(code, PYTHONHASHSEED="2")


def test_objects_classes_and_modules_are_games_too():
    from tests.support.programs import board_turns, functions_nim

    assert analysis.solve(functions_nim).position_count == 40
    board = board_turns.Board()
    board.make_move(4)
    board.make_move(0)
    solution = analysis.solve(analysis.load_game(board, roles={"moves": "empty_cells", "drop": "last_move+history"}))
    known = analysis.solve("tictactoe", start="O???X????", symmetry="none")
    assert numbers(solution) == numbers(known)
    assert board.cells.count(".") == 7
    again = pickle.loads(pickle.dumps(solution.game))
    assert again == solution.game
    assert again.rules().moves(0) == solution.game.rules().moves(0)
    with pytest.raises(SpecError):
        analysis.solve(object())
    assert analysis.load_game(PROGRAMS / "state_nim.py") == analysis.load_game(spec("state_nim"))


def test_searches_take_objects_and_solutions():
    from tests.support.programs.state_nim import NimState

    state = NimState((1, 2, 2))
    solution = analysis.solve(state)
    for game in (state, NimState, solution, solution.game):
        value = -1 if game is NimState else 1
        assert analysis.compare(game, ["alphabeta"]).value == analysis.search.alphabeta(game).value == value
    later = analysis.solve("tictactoe", start="XX?OO????")
    assert (analysis.search.minimax(later).value, analysis.compare(later, ["minimax"]).value) == (1, 1)
    request = analysis.search.SearchRequest(["alphabeta"])
    found = analysis.search.compare_growth([NimState((0, 1, 2)), "nim:1-2"], request)
    assert [(row["game"], row["outcome"]) for row in found] == [("NimState", "X"), ("nim:heaps=1-2,take=any", "X")]
    for wrong in ("tictactoe", 3):
        with pytest.raises(ArgumentError):
            analysis.search.compare_growth(wrong)


def test_roles_of_objects_and_files_are_named_in_python(tmp_path):
    path = tmp_path / "nim.py"
    path.write_text((PROGRAMS / "state_nim.py").read_text().replace("reward", "champion"))
    nim, roles = run_file(str(path)).module.NimState, {"payoff": "champion"}
    known = numbers(analysis.solve("nim:1-2-3", symmetry="none"))
    for game in (nim, nim(), path, f"{path}:NimState"):
        assert numbers(analysis.solve(analysis.load_game(game, roles))) == known
    for game, wrong in ((nim, {"payoff": "reward"}), (nim, {"pay": "champion"}), ("tictactoe", roles), (nim, "payoff")):
        with pytest.raises(OptionError if wrong == "payoff" else SpecError):
            analysis.load_game(game, wrong)


def test_positions_and_moves_are_read_as_they_are_written():
    game = analysis.load_game(spec("functions_tictactoe"))
    for rank in range(0, 5478, 97):
        assert game.parse_position(game.format_position(rank)) == rank
        assert game.parse_position(game.graph.keys[rank]) == rank
    assert [game.format_move(code) for code in (0, 5)] == ["0:0", "1:2"]
    solution = analysis.solve(game)
    for moves in ("(0, 0) (1, 1)", "(0,0), (1, 1)", "0:0 (1,1)"):  # as Python writes them
        assert solution[moves] == solution["0:0 1:1"]
    assert solution["(1, 1)"] == solution["1,1"] == solution["1:1"]
    assert solution["a1 b2"] == solution["0:0 1:1"] == solution["04"] == solution["X???O????"]
    assert solution[[["X", None, None], [None, "O", None], [None, None, None]]].value == 0
    with pytest.raises(PositionError, match="0:1, 0:2"):  # the moves that are legal, as they are written
        solution["(0, 0) (5, 8)"]


def test_stored_solutions_are_opened_with_the_file_and_without(tmp_path, gametree):
    (tmp_path / "bones.py").write_text((PROGRAMS / "easy_bones.py").read_text())
    assert gametree("solve", "bones.py", "--moves", "--text").code == 0
    assert gametree("verify", "data/gameofbones", "--game", "bones.py").code == 0
    stored = analysis.open_solution("data/gameofbones", "bones.py")
    assert (stored.value, stored.game.format_position(0)) == (1, "nplayer=1 pile=10")
    assert pickle.loads(pickle.dumps(stored)).value == 1
    shown = gametree("show", "bones.py", "nplayer=2 pile=9")
    assert (shown.code, "+1" in shown.out) == (0, True)
    (tmp_path / "bones.py").write_text((PROGRAMS / "easy_bones.py").read_text().replace("(1, 2, 3)", "(1, 2)"))
    assert gametree("solve", "bones.py").code == 1
    assert gametree("solve", "bones.py", "--force").code == 0


def test_how_a_program_is_read_is_said_where_it_is_solved_or_checked(tmp_path, gametree):
    (tmp_path / "bones.py").write_text((PROGRAMS / "easy_bones.py").read_text())
    commands = {"show": 0, "solve": 1, "paths": 0, "stats": 0, "check": 1, "solve --force": 1}
    for command, once in commands.items():
        for cache in (_explored, _rules_of):  # as in another process
            cache.cache_clear()
        name, *options = command.split()
        said = gametree(name, "bones.py", *options).err.splitlines()
        assert [sum(f"bones.py: {role}: " in line for line in said) for role in ("ends", "moves")] == [once] * 2, (
            command
        )


def test_arguments_and_names_are_given_in_the_specification(tmp_path, gametree):
    assert analysis.load_game(spec("easy_bones:GameOfBones:pile=4")).format_position(0) == "nplayer=1 pile=4"
    path = tmp_path / "odd.py"
    path.write_text(
        "class Odd:\n    def __init__(self):\n        self.n = 5\n"
        "    def choices(self):\n        return range(1, min(2, self.n) + 1)\n"
        "    def choose(self, k):\n        self.n -= k\n    def champion(self):\n        return None\n"
        "    def points(self, who):\n        return (1 if who == 'B' else -1) * (-1) ** self.n\n"
    )
    assert "moves" in gametree("solve", str(path)).err
    solved = gametree(
        "solve", f"{path}:Odd", "--map", "moves=choices,play=choose,payoff=points", "--map", "players=A+B", "--out",
        tmp_path / "out", "--format", "json",
    )  # fmt: skip
    assert solved.code == 0, solved.err
    assert '"value": -1' in solved.out
    refused = gametree("solve", f"{path}:Odd", "--map", "moves=chooses,play=choose")
    assert (refused.code, "chooses" in refused.err) == (2, True)
    assert gametree("solve", "tictactoe", "--map", "moves=choices").code == 2


FUNCTIONS = """
def start():
    return 3, 0
def moves(state):
    return [k for k in (1, 2) if k <= state[0]]
def play(state, k):
    return state[0] - k, 1 - state[1]
def over(state):
    return state[0] == 0
def mover(state):
    return state[1]
def winner(state):
    return 1 - state[1]
"""


def test_functions_may_be_called_as_their_roles_and_a_refusal_names_what_would_do(tmp_path, gametree):
    path = tmp_path / "take.py"
    path.write_text(FUNCTIONS)
    solved = analysis.solve(str(path))
    assert (solved.value, len(solved)) == (-1, 6)
    others = {"start": "begin", "moves": "pick", "play": "do", "over": "finished", "mover": "whose", "winner": "won"}
    for role, name in others.items():
        path.write_text(path.read_text().replace(f"def {role}(", f"def {name}("))
    refused = gametree("solve", path, "--map", "play=do,over=finished")
    one_line(refused, 2, "moves", "pick", "whose", "won", "legal_moves", "--map moves=NAME")
    said = ",".join(map("=".join, others.items()))
    one_line(gametree("solve", path, "--map", "start=bgin"), 2, "'bgin'", "begin")
    again = gametree("solve", path, "--map", said, "--out", tmp_path / "out", "--format", "json")
    assert (again.code, '"value": -1' in again.out) == (0, True), again.err


def test_everything_else_reads_such_a_game(tmp_path, gametree):
    (tmp_path / "nim.py").write_text((PROGRAMS / "state_nim.py").read_text())
    for command in (
        ["paths", "nim.py", "--limit", "2"], ["stats", "nim.py"], ["prune", "nim.py", "--algorithms", "alphabeta"],
        ["match", "nim.py", "random", "perfect", "--games", "5", "--seed", "1"], ["check", "nim.py"],
        ["plan", "nim.py"], ["match", "nim.py", "random", "greedy", "random", "--games", "4"],
        ["export", "nim.py", "--to", "json", "--out", "nim.json"], ["find", "nim.py", "value=1", "--limit", "1"],
    ):  # fmt: skip
        done = gametree(*command)
        assert done.code == 0, (command, done.err)
        assert max(map(len, done.out.splitlines()), default=0) <= 80 or command[0] != "match"


def test_a_program_is_compared_with_a_compiled_game(gametree):
    same = gametree("check", spec("functions_connect"), "--like", "connect:rows=3,cols=4,k=3", "--games", "5")
    assert (same.code, "same game" in same.out, "--like" in same.out) == (0, True, False), same.out + same.err
    other = gametree("check", spec("functions_connect"), "--like", "connect:rows=3,cols=4,k=4", "--games", "5")
    assert (other.code, "the payoff here is" in other.out) == (1, True), other.out + other.err


def test_more_moves_than_codes_are_numbered_in_each_position(tmp_path):
    path = tmp_path / "many.py"
    path.write_text(
        "class Many:\n    def __init__(self):\n        self.n, self.turn = 0, 1\n"
        "    def legal_moves(self):\n        return [self.n * 1000 + i for i in range(40)]\n"
        "    def make_move(self, m):\n        self.n, self.turn = self.n + 1 + m % 2, 3 - self.turn\n"
        "    def is_over(self):\n        return self.n > 9\n"
        "    def winner(self):\n        return 3 - self.turn\n"
    )
    solution = analysis.solve(str(path))
    assert solution.statistics()["moves"] == 40 * (
        solution.position_count - sum(solution.statistics()[f"terminal_{end}"] for end in ("x", "o", "tie"))
    )
    assert len(solution["0"].moves) == 40


TAKE = """
class Take:
    def __init__(self, n=5, most=2):
        self.n, self.most, self.MOVER = n, most, FIRST
    def getPossibleActions(self):
        return [k for k in range(1, self.most + 1) if k <= self.n]
    def takeAction(self, k):
        self.n -= k
        self.MOVER = 3 - self.MOVER
    ENDS
"""
"""Whoever takes the last of five wins: +1."""
READ = {
    "nothing but moves": ("turn", "1", "", "winner=last", 1),
    "the last one loses": ("turn", "1", "", "winner=first", 1),
    "who has just moved": ("turn", "1", "def is_win(self): return self.n == 0", "", 1),
    "of a player": ("turn", "1", "has_won = lambda self, player: self.n == 0 and player != self.turn", "", 1),
    "shares": ("turn", "1", "def getReward(self, who): return float(self.turn != who)", "", 1),
    "the other one moves": (
        "last", "2", "def winner(self): return self.last if self.n == 0 else None", "mover=not:last", 1,
    ),
    "shares of the first": ("turn", "1", "def payoff(self): return float(self.turn == 2)", "draw=none", 1),
    "by place": ("turn", "1", "def is_win(self): return self.n == 0", "6,most=2", -1),
}  # fmt: skip


@pytest.mark.parametrize(("mover", "first", "ends", "given", "value"), READ.values(), ids=READ)
def test_ends_and_players_may_be_told_in_many_ways(mover, first, ends, given, value, tmp_path):
    path = tmp_path / "take.py"
    path.write_text(TAKE.replace("MOVER", mover).replace("FIRST", first).replace("ENDS", ends))
    assert analysis.solve(f"{path}:{given}" if given else str(path)).value == value


ROW = """
class Row:
    def __init__(self):
        self.cells, self.SIDE, self.count = [0] * 4, FIRST, 0
    def legal_moves(self):
        return [i for i, mark in enumerate(self.cells) if not mark]
    def make_move(self, i):
        self.cells[i] = MARK
        self.count += 1
        AFTER
    def in_row(self):
        return next((a for a, b in zip(self.cells, self.cells[1:]) if a == b != 0), None)
    ENDS
"""
"""Two adjacent marks win."""
FULL, IN_ROW = "lambda self: 0 not in self.cells", "lambda self: self.in_row() is not None"
PASS, BY_COUNT = "self.turn = -self.turn", "self.count % 2 + 1"
DOUBTFUL = {
    "play goes on after a win": ("turn", "1", "self.turn", PASS, f"is_over = {FULL}; winner = in_row", "over="),
    "nothing ends it": ("turn", "1", "self.turn", PASS, "utility = lambda self: self.in_row() or 0", "over="),
    "true and no player": ("turn", "1", "self.turn", PASS, f"check_winner = {IN_ROW}", "win=check_winner"),
    "players of its own": (
        "side", "0", BY_COUNT, "pass", "has_won = lambda self, player: self.in_row() == player", "players=A+B",
    ),
    "a turn that is kept": (
        "next_turn", "1", "self.next_turn", "self.next_turn = self.next_turn if i == 3 else -self.next_turn",
        f"is_win = {IN_ROW}", "mover=next_turn",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("side", "first", "mark", "after", "ends", "hint"), DOUBTFUL.values(), ids=DOUBTFUL)
def test_what_may_be_meant_otherwise_is_refused_with_what_says_so(side, first, mark, after, ends, hint, tmp_path):
    path = tmp_path / "row.py"
    text = ROW.replace("SIDE", side).replace("FIRST", first).replace("MARK", mark).replace("AFTER", after)
    path.write_text(text.replace("ENDS", ends))
    with pytest.raises(analysis.GametreeError) as refused:
        analysis.solve(str(path))
    assert (hint in str(refused.value), "\n" in str(refused.value)) == (True, False), refused.value


def test_a_file_of_a_package_is_loaded_as_its_module(tmp_path):
    package = tmp_path / "outer" / "inner"
    package.mkdir(parents=True)
    for folder in (package, package.parent):
        (folder / "__init__.py").write_text("")
    (package / "heap.py").write_text("START = 5\n")
    (package / "rules.py").write_text(
        "from .heap import START\nfrom outer.inner import heap\n"
        + TAKE.replace("MOVER", "turn").replace("FIRST", "1").replace("ENDS", "").replace("n=5", "n=START")
    )
    game = analysis.load_game(f"{package}/rules.py:winner=last")
    assert analysis.solve(game).value == 1
    (package / "heap.py").write_text("START = 6\n")
    assert analysis.load_game(f"{package}/rules.py:winner=last") != game


def test_shuffled_moves_and_changed_positions_are_no_fault(tmp_path, caplog):
    path = tmp_path / "take.py"
    path.write_text(FUNCTIONS.replace("return 3, 0", "return [5, 0]").replace(
        "return [k for k in (1, 2) if k <= state[0]]",
        "import random; return random.sample([k for k in (1, 2) if k <= state[0]], min(2, state[0]))",
    ).replace("return state[0] - k, 1 - state[1]", "state[0] -= k; state[1] = 1 - state[1]; return state"))  # fmt: skip
    assert analysis.solve(str(path)).value == 1
    assert ["play changes the state" in record.message for record in caplog.records if record.levelname == "WARNING"]


def test_exploring_keeps_its_time(tmp_path):
    from analysis.common.context import exploring_within

    with exploring_within(0.01), pytest.raises(analysis.errors.TooSlowError, match="seconds"):
        analysis.load_game(f"{PROGRAMS}/state_connect.py").rules()


def test_rules_whose_states_are_tuples_are_explored(tmp_path):
    path = tmp_path / "subtract.py"
    path.write_text(
        "from dataclasses import dataclass\nfrom analysis import ONGOING, Rules\n\n"
        "@dataclass(frozen=True)\nclass Subtract:\n    heap: int = 5\n    begins: int = 1\n    def rules(self):\n"
        "        def legal_moves(s, out):\n            for i in range(min(2, s[0])):\n                out[i] = i + 1\n"
        "            return min(2, s[0])\n"
        "        return Rules(start=(self.heap, self.begins), max_moves=2, legal_moves=legal_moves,\n"
        "            play=lambda s, m: (s[0] - m, -s[1]), to_move=lambda s: s[1],\n"
        "            outcome=lambda s: ONGOING if s[0] else -s[1])\n"
    )
    known = {(heap, begins): -begins if heap % 3 == 0 else begins for heap in (3, 4, 5) for begins in (1, -1)}
    for (heap, begins), value in known.items():
        solution = analysis.solve(f"{path}:Subtract:heap={heap},begins={begins}")
        assert (solution.value, len(solution)) == (value, 2 * heap)
    assert analysis.solve(run_file(str(path)).module.Subtract(4)).value == 1
    assert pickle.loads(pickle.dumps(solution.game)) == solution.game
    path.write_text(path.read_text() + (PROGRAMS / "state_nim.py").read_text())
    with pytest.raises(SpecError, match="several games, Subtract, NimState"):
        analysis.load_game(str(path))


def test_a_result_that_is_asked_of_a_player_is_no_move_and_a_file_may_solve_itself(tmp_path, gametree):
    path = tmp_path / "heap.py"
    path.write_text(
        "import analysis\nclass Heap:\n    def __init__(self):\n        self.n, self.playerJustMoved = 7, 2\n"
        "    def GetMoves(self):\n        return [k for k in (1, 2, 3) if k <= self.n]\n"
        "    def DoMove(self, k):\n        self.n, self.playerJustMoved = self.n - k, 3 - self.playerJustMoved\n"
        "    def GetResult(self, who):\n        return float(self.playerJustMoved == who)\n"
        "print(analysis.solve(Heap()).value)\n"
    )
    assert analysis.solve(str(path)).value == 1
    solved = gametree("solve", path, "--out", tmp_path / "out", "--format", "json")
    assert (solved.code, solved.json["value"], "RecursionError" in solved.err) == (0, 1, False)
