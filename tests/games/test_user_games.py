"""Games from a user's file: how they are found, what makes them equal, where their solutions go, and every refusal."""

import sys

import pytest

import analysis
from analysis.errors import RulesError, RulesNeededError, SpecError, StoreError, VerificationError
from analysis.games import families
from tests.support.program import one_line

HEAD = """
from dataclasses import dataclass, field
from analysis import ONGOING, Evaluation, Game, Rules, popcount

"""
TAKE = """
@dataclass(frozen=True)
class Take:
    coins: int = 5

    def rules(self):
        coins = self.coins

        def legal_moves(state, out):
            for i in range(min(2, state >> 1)):
                out[i] = i
            return min(2, state >> 1)

        def play(state, move):
            return (state >> 1) - move - 1 << 1 | (state & 1 ^ 1)

        def outcome(state):
            return ONGOING if state >> 1 else -to_move(state)

        def to_move(state):
            return 1 - 2 * (state & 1)

        def tier(state):
            return coins - (state >> 1)

        return Rules(2 * coins, 2, legal_moves, play, outcome, to_move, tier=tier)
"""


@pytest.fixture
def write(tmp_path):
    """Write a file into the current folder, which is an empty one."""
    return writer(tmp_path)


def writer(folder):
    def write(text: str = HEAD + TAKE, name: str = "take.py") -> str:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return name

    return write


# Loading --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("spec", "coins"), [("take.py", 5), ("take.py:Take", 5), ("take.py:coins=7", 7), (" take.py:Take:coins=7 ", 7)]
)
def test_specifications(write, spec, coins):
    write()
    game = analysis.load_game(spec)
    assert game.coins == coins
    assert analysis.load_game(game.spec) == game


def test_the_same_file_gives_equal_games_until_it_changes(write, tmp_path):
    write()
    game = analysis.load_game("take.py")
    assert analysis.load_game("take.py") == game
    assert type(analysis.load_game("take.py:coins=3")) is type(game)
    write(HEAD + TAKE + "\n# changed\n")
    changed = analysis.load_game("take.py")
    assert changed != game
    assert changed.rules_hash() != game.rules_hash()
    write()
    assert analysis.load_game("take.py").rules_hash() == game.rules_hash()


def test_how_a_game_is_shown_is_none_of_its_rules(write):
    write()
    plain = analysis.load_game("take.py")
    shown = '    look = "heaps"\n    title = "Take, {coins} coins"\n    goal = "Take one or two."\n    def rules('
    write(HEAD + TAKE.replace("    def rules(", shown))
    game = analysis.load_game("take.py")
    assert game.rules_hash() == plain.rules_hash()
    assert game.headline == ("Take, 5 coins", "Take one or two.")
    assert (plain.look, game.look) == ("squares", "heaps")
    assert plain.headline[0] == "Take, coins 5"
    write(HEAD + TAKE.replace("    def rules(", shown.replace("heaps", "heap")))
    with pytest.raises(SpecError, match="look='heap'"):
        analysis.load_game("take.py")
    write(HEAD + TAKE.replace("    def rules(", shown.replace('"heaps"', '["heaps"]')))
    with pytest.raises(SpecError, match="look="):
        analysis.load_game("take.py")


def test_helpers_beside_the_file(write):
    """They are found, belong to the hash, and are forgotten, so that another folder can have its own."""
    main = HEAD + "from helper import MOST\n" + TAKE.replace("coins: int = 5", "coins: int = MOST")
    for folder, most in (("one", 4), ("two", 6)):
        write(main, f"{folder}/take.py")
        write(f"MOST = {most}\n", f"{folder}/helper.py")
    one, two = analysis.load_game("one/take.py"), analysis.load_game("two/take.py")
    assert (one.coins, two.coins) == (4, 6)
    assert one.rules_hash() != two.rules_hash()
    assert "helper" not in sys.modules
    write("MOST = 8\n", "one/helper.py")
    assert analysis.load_game("one/take.py").coins == 8
    assert analysis.load_game("one/take.py:coins=4") != one


def test_running_a_file_leaves_nothing_behind(write, tmp_path, capfd):
    write("import sys\nprint('hello', len(sys.path))\n" + HEAD + TAKE)
    path = [*sys.path]
    analysis.load_game("take.py")
    assert sys.path == path
    assert [file.name for file in tmp_path.iterdir()] == ["take.py"]
    out, err = capfd.readouterr()
    assert (out, err[:5]) == ("", "hello")


# Solutions ------------------------------------------------------------------------------------------------------------


def test_store_and_open_again(write, gametree):
    write()
    assert gametree("solve", "take.py:coins=7").code == 0
    assert "there already" in gametree("solve", "take.py:Take:coins=7").out
    assert gametree("verify", "data/take-coins7").code == 0
    assert analysis.open_solution("data/take-coins7").value == 1
    assert gametree("stats", "take.py:coins=7", "--format", "json").json["value"] == 1


def test_a_changed_file_does_not(write, gametree):
    write()
    gametree("solve", "take.py")
    write(HEAD + TAKE.replace("min(2,", "min(1,"))
    other = ("take.py:Take:coins=5 have changed since data/take was solved",)
    one_line(gametree("stats", "data/take", "--game", "take.py"), 1, *other)
    one_line(gametree("solve", "take.py"), 1, "have changed since")
    assert analysis.find_solution("take.py").directory is None
    assert gametree("solve", "take.py", "--force").code == 0
    write("def\n")
    result = gametree("stats", "data/take", "--game", "take.py")
    assert result.code == 2
    assert result.err.startswith("gametree: take.py:1: ")


def test_classes_of_one_name_have_places_of_their_own(write, gametree, tmp_path):
    """Whichever is solved first has the plain name; a class that is called like a built-in game never has."""
    for folder, coins in (("ann", 5), ("bob", 6)):
        write(HEAD + TAKE.replace("coins: int = 5", f"coins: int = {coins}"), f"{folder}/take.py")
        assert gametree("solve", f"{folder}/take.py").code == 0
    places = {path.name for path in (tmp_path / "data").iterdir()}
    assert "take" in places
    assert len(places) == 2
    for folder, plies in (("ann", 5), ("bob", 6)):
        result = gametree("stats", f"{folder}/take.py", "--format", "json").json
        assert len(result["by_tier"]) == plies + 1
        assert "there already" in gametree("solve", f"{folder}/take.py").out
    second = analysis.find_solution("bob/take.py").directory
    assert second.name.startswith("take-take-")
    places = {path.name for path in (tmp_path / "data").iterdir()}
    write(HEAD + TAKE.replace("class Take", "class TicTacToe"), "own.py")
    gametree("solve", "own.py")
    assert gametree("solve", "tictactoe").code == 0
    assert {path.name for path in (tmp_path / "data").iterdir()} > places | {"tictactoe"}


def test_a_solution_is_opened_from_anywhere(write, gametree, tmp_path, monkeypatch):
    """The manifest says what the game was called, with its file by the absolute path, however it was typed."""
    write(name="games/take.py")
    assert gametree("solve", "games/../games/take.py").code == 0
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    monkeypatch.setattr(families, "_NAMED", {})
    directory = tmp_path / "data" / "take"
    without = analysis.open_solution(directory)
    assert without.game.spec == f"{tmp_path}/games/take.py:Take:coins=5"
    assert "classes" in repr(without)
    assert "take.py:Take:coins=5" in "".join(gametree("stats", str(directory), "--wide").out.split())
    with pytest.raises(RulesNeededError):
        analysis.verify(directory)
    with pytest.raises(VerificationError):
        analysis.verify(directory, game="../games/take.py:Take:coins=6")
    game = analysis.load_game("../games/take.py")
    families._NAMED.clear()
    assert analysis.verify(directory, game=game).classes == analysis.verify(directory, game=game, share=1).classes
    with pytest.raises(RulesNeededError):
        analysis.verify(directory)
    solution = analysis.open_solution(directory, "../games/take.py")
    assert analysis.verify(directory).classes == solution.classes
    assert solution.game.origin == "../games/take.py:Take"
    assert solution.value == without.value == 1


def test_rules_that_were_loaded_are_not_used_once_their_file_has_changed(write):
    for name, text in (("take.py", HEAD + TAKE), ("tree.txt", "((3 12) (2 4))")):
        write(text, name)
        analysis.solve(name, directory="solved/" + name)
        assert analysis.open_solution("solved/" + name).engine.ruled
        assert analysis.verify("solved/" + name).classes > 5
        write(text + "\n", name)
        assert not analysis.open_solution("solved/" + name).engine.ruled
        with pytest.raises(RulesNeededError):
            analysis.verify("solved/" + name)
        with pytest.raises(StoreError, match="changed"):
            analysis.open_solution("solved/" + name, name)


# Refusals -------------------------------------------------------------------------------------------------------------

FROZEN = "write @dataclass(frozen=True) above it"
RULES = "Rules(2 * coins, 2, legal_moves, play, outcome, to_move, tier=tier)"


def rules(**changed: str) -> str:
    """The file with some arguments of Rules replaced."""
    arguments = {
        "start": "2 * coins", "max_moves": "2", "legal_moves": "legal_moves", "play": "play", "outcome": "outcome",
        "to_move": "to_move", "tier": "tier", **changed,
    }  # fmt: skip
    return HEAD + TAKE.replace(RULES, f"Rules({', '.join(f'{k}={v}' for k, v in arguments.items())})")


def with_method(text: str) -> str:
    """The file with one method more."""
    return f"{HEAD}{TAKE}\n    def {text}\n"


REFUSED = [
    ("gone.py", None, ["there is no file gone.py", "path/to/file.py:Name"]),
    ("take.py", "x = 1\n", ["take.py has no game; a game is a frozen dataclass with a method rules()"]),
    ("take.py", HEAD + TAKE + TAKE.replace("Take", "Give"), ["several games, Take, Give; name one, like take.py:Take"]),
    ("take.py", "def f(:\n", ["take.py:1: invalid syntax"]),
    ("take.py", "x = 1\n\ny = 1 / 0\n", ["take.py:3: ZeroDivisionError: division by zero"]),
    ("take.py", HEAD + TAKE.replace("@dataclass(frozen=True)", ""), ["class Take is not a frozen dataclass", FROZEN]),
    ("take.py", HEAD + TAKE.replace("frozen=True", ""), ["class Take is not a frozen dataclass", FROZEN]),
    ("take.py", HEAD + TAKE.replace("int = 5", "int"), ["parameter 'coins' as an int, bool or str with a default"]),
    ("take.py", HEAD + TAKE.replace("int = 5", "float = 5.0"), ["parameter 'coins' as an int, bool or str"]),
    ("take.py", HEAD + TAKE.replace("coins: int", "slug: int"), ["'slug', which every game has already"]),
    ("take.py:Take:coin=3", HEAD + TAKE, ["'coin=3' is not read (did you mean 'coins'?)"]),
    (
        "take.py:Take",
        HEAD + "@dataclass(frozen=True)\nclass Take:\n    x: int = 1\n",
        ["take.py is not a game that can be read"],
    ),
    ("take.py", with_method("format_position(self, state): return ''"), ["write both, or none"]),
    (
        "take.py",
        with_method("__post_init__(self):\n        raise ValueError('five at most')"),
        ["gametree: five at most"],
    ),
    (
        "take.py",
        with_method("__post_init__(self): self.coins[0]"),
        ["in __post_init__(): TypeError: 'int' object is not subscriptable"],
    ),
]


@pytest.mark.parametrize(("spec", "text", "words"), REFUSED, ids=[case[2][0][:50] for case in REFUSED])
def test_refused_files(write, gametree, spec, text, words):
    if text is not None:
        write(text)
    result = gametree("solve", spec)
    first, _, rest = result.err.partition("\n")
    assert (result.code, result.out) == (2, "")
    assert first.startswith("gametree: ")
    assert all(word in first for word in words), first
    assert "Traceback" not in rest
    with pytest.raises(SpecError):
        analysis.load_game(spec).rules()


WRONG_RULES = [
    (HEAD + TAKE.replace(f"return {RULES}", "return None"), "rules() returns nothing; it must return Rules(...)"),
    (HEAD + TAKE.replace("coins = self.coins", "coins = self.coin"), "in rules(): AttributeError:"),
    (rules(start="-1"), "start=-1; it must be a whole number from 0 and below 2**63"),
    (rules(max_moves="0"), "max_moves=0; it must be a whole number from 1 to 255"),
    (rules(largest_code="65536"), "largest_code=65536; it must be a whole number from 0 to 65535"),
    (rules(play="3"), "gives play=3; it must be a plain function of state, move"),
    (rules(play="self.rules"), "it must be a plain function of state, move"),
    (rules(payoffs="(1, -1)"), "payoffs=(1, -1); it must be the least and the greatest"),
    (rules(cells="40"), "planes=2; it must be a whole number from 1, with cells * planes at most 63"),
    (rules(cells="3", symmetries="((0, 1),)"), "gives symmetries=((0, 1),)"),
    (rules(evaluations="{'a': Evaluation(play, (0, 1))}"), "it must be names with Evaluation"),
    (rules(heuristic="'a'"), "heuristic=a; it must be one of the evaluations"),
    (rules(symmetries="((1, 0),)"), "gives symmetries="),
    (rules(canonical="tier"), "take.py:Take: rules must have both canonical() and orbit_size()"),
]


@pytest.mark.parametrize(("text", "words"), WRONG_RULES, ids=[words[:50] for _, words in WRONG_RULES])
def test_wrong_rules(write, gametree, text, words):
    write(text)
    game = analysis.load_game("take.py")
    with pytest.raises(RulesError) as caught:
        game.rules()
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)
    result = gametree("solve", "take.py")
    assert result.code == 1
    assert "Traceback" not in result.err
    assert gametree("check", "take.py").code == 1


@pytest.mark.parametrize(
    ("method", "words"),
    [
        ("grid(self, state): return 3", "grid() gives 3; it must return None or a list of equally long rows"),
        ("grid(self, state): return [['a\\nb']]", "marks, which are short texts"),
        ("cell_of(self, state, move): return 0", "cell_of() gives 0; it must return None, since there is no board"),
        ("cell_of(self, state, move): return 1 // 0", "in cell_of(): ZeroDivisionError"),
    ],
)
def test_what_is_drawn(write, gametree, method, words):
    """One line wherever the game is played, shown or checked."""
    write(with_method(method))
    code, _, err = gametree("play", "take.py", "--you", "none", "--opponent", "random")
    assert (code, "Traceback" in err) == (1, False)
    assert words in err.splitlines()[0]
    failed = {result.check: result.fault.message for result in analysis.check_game("take.py", games=3).failures}
    assert [*failed] == ["boards"]
    assert words in failed["boards"]


@pytest.mark.parametrize("cell", ["-1", "2", "True", "0.0"])
def test_cells_are_on_the_board(write, cell):
    board = "    def grid(self, state): return [['a', 'b']]\n"
    write(HEAD + TAKE + f"\n{board}    def cell_of(self, state, move): return {cell}\n")
    with pytest.raises(RulesError, match="it must return None or a cell of the board, from 0 to 1"):
        analysis.load_game("take.py").cell_of(10, 0)
