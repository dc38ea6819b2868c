"""Levels of play against the same written out, and where the knowledge of perfect players is from."""

import functools
import itertools
import random
from collections.abc import Iterator
from fractions import Fraction

import pytest

import analysis
from analysis.errors import GametreeError, OptionError, PositionError, TooLargeError
from analysis.games.families import load_game
from analysis.playing.levels import Level, find_player, parse_level
from analysis.rules.game import ONGOING, Game
from analysis.search import finding
from analysis.search.finding import find_knowledge
from analysis.solution.position import Worth
from analysis.solution.storage.store import Tables
from analysis.solving.to_directory import solve_to_directory
from tests.support.level_oracle import preferred
from tests.support.oracle import Oracle

BOARDS = {
    "tictactoe": Oracle(3, 3, 3),
    "mnk:rows=3,cols=3,k=3,misere=true": Oracle(3, 3, 3, misere=True),
    "mnk:rows=2,cols=4,k=3": Oracle(2, 4, 3),
    "mnk:rows=3,cols=4,k=3": Oracle(3, 4, 3),
}
SMALL = [spec for spec in BOARDS if "rows=3,cols=4" not in spec]
SLOW_BOARD = pytest.param("mnk:rows=3,cols=4,k=3", marks=pytest.mark.slow)


def positions(spec: str) -> list[str]:
    return [s for tier in BOARDS[spec].tiers() for s in tier]


def going_on(spec: str, step: int = 1) -> list[str]:
    return [s for s in positions(spec)[::step] if BOARDS[spec].outcome(s) is None]


def met_at_random(oracle: Oracle, games: int) -> set[str]:
    """Positions that go on, of so many games between players who move at random."""
    found, rng = set(), random.Random(games)
    for _ in range(games):
        s = oracle.start
        while oracle.outcome(s) is None:
            found.add(s)
            s = rng.choice(oracle.children(s))
    return found


def all_states(game: Game) -> Iterator[int]:
    """Every state that play can reach."""
    rules = game.rules()
    found, waiting = {rules.start}, [rules.start]
    while waiting:
        state = waiting.pop()
        yield state
        new = {child for _, child in rules.moves(state)} - found
        found |= new
        waiting += sorted(new)


# Texts ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "level"),
    [
        ("random", Level("random")),
        (" Greedy ", Level("greedy")),
        ("depth:1", Level("depth", depth=1)),
        ("depth:1000", Level("depth", depth=1000)),
        ("perfect", Level("perfect")),
        ("perfect:shortest", Level("perfect", shortest=True)),
        ("blunder:0", Level("blunder")),
        ("blunder:1", Level("blunder", chance=Fraction(1))),
        *((f"blunder:{text}", Level("blunder", chance=Fraction(1, 10))) for text in ("0.1", ".1", "1/10")),
    ],
)
def test_levels(text, level):
    assert parse_level(text) == level


@pytest.mark.parametrize(
    "text",
    [
        *(
            "",
            "perfekt",
            "shortest",
            "ran\ndom",
            ":",
            "random,greedy",
            "random:",
            "greedy:2",
            "perfect:",
            "perfect:fast",
        ),
        *(f"depth{text}" for text in ("", ":", ":x", ":-1", ":2.5", ":³", ":0", ":1001", f":{9**999}")),
        *(f"blunder{text}" for text in ("", ":", ":nan", ":-0.1", ":1e9", ":x", ":1.5", ":3/2", ":10%", ":1/0", ":/5")),
    ],
)
def test_refused_levels(text):
    with pytest.raises(OptionError) as refused:
        parse_level(text)
    message = str(refused.value)
    assert "is none of random, greedy, depth:N" in message
    assert "\n" not in message
    assert len(message) < 200


# random and greedy ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("spec", BOARDS)
def test_random_and_greedy(spec):
    game, oracle = load_game(spec), BOARDS[spec]
    uniform, greedy = find_player("random", game), find_player("greedy", game)
    for s in met_at_random(oracle, 60):
        state = game.parse_position(s)
        assert uniform.preferred(state) == oracle.moves(s)
        assert greedy.preferred(state) == preferred(oracle, "greedy", s), s


# depth:N --------------------------------------------------------------------------------------------------------------


def limited(game: Game, state: int, depth: int) -> int:
    """Minimax to a depth with the game's evaluation, as a textbook has it."""
    rules = game.rules()
    moves = rules.moves(state)
    if not moves or depth == 0:
        if rules.evaluations:
            return next(iter(rules.evaluations.values())).function(state)
        return rules.outcome(state) if not moves else 0
    values = [limited(game, child, depth - 1) for _, child in moves]
    return max(values) if rules.to_move(state) > 0 else min(values)


@pytest.mark.parametrize(
    ("spec", "depths"),
    [
        ("tictactoe", (1, 3)),
        pytest.param("othello", (2,), marks=pytest.mark.slow),
        pytest.param("dots_and_boxes:rows=1,cols=2", (1, 3), marks=pytest.mark.slow),
        pytest.param("dodgem", (4,), marks=pytest.mark.slow),
    ],
)
def test_depth(spec, depths):
    game = load_game(spec)
    rules, states = game.rules(), list(itertools.islice(all_states(game), 2000))
    ongoing = [state for state in states if rules.moves(state)]
    for depth, state in itertools.product(depths, random.Random(1).sample(ongoing, 25)):
        side = rules.to_move(state)
        values = {code: side * limited(game, child, depth - 1) for code, child in rules.moves(state)}
        best = [code for code, value in values.items() if value == max(values.values())]
        assert find_player(f"depth:{depth}", game).preferred(state) == best


# perfect --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "spec", ["mnk:rows=2,cols=4,k=3", *(pytest.param(spec, marks=pytest.mark.slow) for spec in SMALL[:2])]
)
def test_perfect_against_the_oracle(spec):
    game, oracle = load_game(spec), BOARDS[spec]
    knowledge = find_knowledge(game)
    perfect, shortest = (find_player(level, game, knowledge=knowledge) for level in ("perfect", "perfect:shortest"))
    for s in positions(spec)[:: 7 if len(oracle.start) > 9 else 1]:
        state = game.parse_position(s)
        assert knowledge.worth(state) == (oracle.value(s), oracle.remoteness(s), True)
        assert perfect.preferred(state) == preferred(oracle, "perfect", s)
        over = oracle.outcome(s) is not None
        assert shortest.preferred(state) == ([] if over else preferred(oracle, "perfect:shortest", s))


def every_line(player, start: str, side: str, oracle: Oracle) -> tuple[int, int]:
    """The least that a side gets that leaves its moves to the player, and the most plies until then, over every line
    of play of its opponent. On the way, at every position, no move of the player drops the value and the end is not
    worse than that; ``perfect:shortest`` wins within the remoteness.
    """
    sign, game, rules = (1 if side == "X" else -1), player.game, player.rules
    seen: dict[str, tuple[int, int]] = {}

    def worst(s: str, state: int) -> tuple[int, int]:
        if s not in seen:
            seen[s] = after(s, state)
            gain, plies = seen[s]
            assert gain >= sign * oracle.value(s), s
            if player.level == "perfect:shortest" and sign * oracle.value(s) > 0:
                assert plies == oracle.remoteness(s), s
        return seen[s]

    def after(s: str, state: int) -> tuple[int, int]:
        if oracle.outcome(s) is not None:
            return sign * oracle.outcome(s), 0
        own = oracle.to_move(s) == side
        cells = player.preferred(state) if own else oracle.moves(s)
        if own:
            assert {oracle.value(oracle.play(s, cell)) for cell in cells} == {oracle.value(s)}, s
        ends = [worst(oracle.play(s, cell), rules.play(state, cell)) for cell in cells]
        return min(gain for gain, _ in ends), 1 + max(plies for _, plies in ends)

    return worst(start, game.parse_position(start))


@pytest.mark.parametrize("level", ["perfect", "perfect:shortest"])
@pytest.mark.parametrize("side", ["X", "O"])
@pytest.mark.parametrize("spec", [*SMALL, SLOW_BOARD])
def test_perfect_never_loses_value(spec, side, level):
    oracle = BOARDS[spec]
    gain, _ = every_line(find_player(level, spec), oracle.start, side, oracle)
    assert gain == oracle.value(oracle.start) * (1 if side == "X" else -1)


def test_perfect_wins_a_loopy_game():
    """A move that only keeps a won game may be repeated for ever, so plain perfect makes progress too."""
    game = load_game("dodgem")
    rules, solution = game.rules(), analysis.solve("dodgem", counts=False)
    player = find_player("perfect", game)
    kept = 0
    for state in all_states(game):
        record, side = solution.records.of(state), rules.to_move(state)
        moves = dict(rules.moves(state))
        if not moves:
            continue
        preferred = player.preferred(state)
        after = [solution.records.of(moves[code]) for code in preferred]
        assert {found.value for found in after} == {record.value}
        if side * record.value > 0:
            assert {found.remoteness_plies for found in after} == {record.remoteness_plies - 1}
            keeping = [code for code, child in moves.items() if solution.records.of(child).value == record.value]
            kept += len(keeping) > len(preferred)
        else:
            assert preferred == [c for c, child in moves.items() if solution.records.of(child).value == record.value]
    assert kept > 0  # there are moves that keep a win without coming nearer to it

    @functools.cache
    def plies_to_win(state: int) -> int:
        if rules.outcome(state) != ONGOING:
            assert rules.outcome(state) == 1
            return 0
        moves = dict(rules.moves(state))
        codes = player.preferred(state) if rules.to_move(state) > 0 else moves
        return 1 + max(plies_to_win(moves[code]) for code in codes)  # endless play would never return

    assert plies_to_win(rules.start) == solution.remoteness_plies


# Chances --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("level", ["random", "greedy", "depth:2", "perfect", "perfect:shortest", "blunder:1/3"])
def test_distributions(level):
    """They sum to 1, are even over what is preferred, and are what is played; a seed makes it reproducible."""
    player = find_player(level, "tictactoe")
    state = player.game.parse_position("X???O???X")
    chances = player.distribution(state)
    assert sum(chances.values()) == 1
    assert list(chances) == [1, 2, 3, 5, 6, 7]
    evenly = player.blunders / 6
    for code, chance in chances.items():
        extra = (1 - player.blunders) / len(player.preferred(state)) if code in player.preferred(state) else 0
        assert chance == evenly + extra
    games = [[player.choose(state, random.Random(seed)) for seed in range(50)] for _ in range(2)]
    assert games[0] == games[1]
    rng, times = random.Random(7), 3000
    played = [player.choose(state, rng) for _ in range(times)]
    for code, chance in chances.items():
        assert abs(played.count(code) / times - chance) < 0.05
        assert (chance == 0) == (code not in played)
    over = player.game.parse_position("XXXOO????")
    assert player.distribution(over) == {}
    assert player.preferred(over) == []


def test_sources():
    assert find_knowledge("tictactoe").source == "solved here"
    solve_to_directory("tictactoe", symmetry="full", tables=Tables(counts=False))
    for name in ("tictactoe", "data/tictactoe-full", load_game("tictactoe")):
        known = find_knowledge(name)
        assert known.source == "reads data/tictactoe-full"
        assert known.solution.directory is not None
        assert known.worth(known.rules.start) == Worth(0, 9)
    player = find_player("perfect", "data/tictactoe-full")
    oracle = BOARDS["tictactoe"]
    assert player.note == "reads data/tictactoe-full"
    for s in going_on("tictactoe", 50):
        assert player.preferred(player.game.parse_position(s)) == preferred(oracle, "perfect", s)
    with pytest.raises(GametreeError):
        find_knowledge("data/nowhere")


def test_a_position_that_is_not_reached():
    """A stored solution knows only what play reaches; from elsewhere the game is solved, also in the middle."""
    solve_to_directory("dodgem")
    stray = "XXO/???/?O? O"
    with pytest.raises(PositionError):
        analysis.open_solution("data/dodgem")[stray]
    known = find_knowledge("dodgem", stray)
    assert known.source == "solved here"
    assert known.solution.start == stray
    over = find_knowledge("tictactoe", "XXXOO????")
    assert over.source == "solved here"
    assert (over.worth(over.game.parse_position("XXXOO????")), over.moves(0b11000000111)) == (Worth(1, 0), [])


def too_large(*_, **__):
    raise TooLargeError("no")


@pytest.fixture
def unsolvable(monkeypatch):
    monkeypatch.setattr(finding, "solve", too_large)


@pytest.mark.parametrize("side", ["X", "O"])
@pytest.mark.parametrize("level", [pytest.param("perfect", marks=pytest.mark.slow), "perfect:shortest"])
@pytest.mark.slow
def test_perfect_by_searching(unsolvable, side, level):
    oracle = BOARDS["tictactoe"]
    for start in ("XO???????", "X???O????", "XOX?O????"):
        player = find_player(level, "tictactoe", start=start)
        told = ", which does not tell quick ties and margins from slow ones" if level == "perfect:shortest" else ""
        assert player.note == "searches each move to the end" + told
        gain, plies = every_line(player, start, side, oracle)
        value = oracle.value(start) * (1 if side == "X" else -1)
        assert gain == value
        assert value <= 0 or level == "perfect" or plies == oracle.remoteness(start)
    assert player.knowledge.solution is None
