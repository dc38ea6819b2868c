"""Where perfect players' knowledge is from: stored, solved or searched, and the same each time."""

from __future__ import annotations

import pytest

import analysis
from analysis.errors import GametreeError, OptionError, PositionError, TooLargeError
from analysis.games.families import load_game
from analysis.machine.workers import telling
from analysis.playing import knowledge as knowledge_module
from analysis.playing.knowledge import find_knowledge
from analysis.playing.levels import find_player
from analysis.search.proving import prove
from analysis.solution.position import Worth
from analysis.solving.to_directory import solve_to_directory
from analysis.storage.store import Tables
from tests.playing.test_players import BOARDS, all_states, every_line, going_on
from tests.support.level_oracle import preferred


def test_sources(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert find_knowledge("tictactoe").source.startswith("solved here in ")
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


def test_stored_without_counts_is_enough_where_none_are_wanted(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    solve_to_directory("tictactoe", tables=Tables(counts=False))
    assert analysis.find_solution("tictactoe", counts=False).directory is not None
    assert analysis.find_solution("tictactoe").directory is None
    solved = analysis.find_solution("mnk:rows=2,cols=3,k=3", counts=False)
    with pytest.raises(GametreeError, match="no counts"):
        _ = solved.games


def test_a_position_that_is_not_reached(tmp_path, monkeypatch):
    """A stored solution knows only what play reaches; from elsewhere the game is solved, also in the middle."""
    monkeypatch.chdir(tmp_path)
    solve_to_directory("dodgem")
    game, stray = load_game("dodgem"), "XXO/???/?O? O"
    with pytest.raises(PositionError):
        analysis.open_solution("data/dodgem")[stray]
    known = find_knowledge("dodgem", stray)
    assert known.source.startswith("solved here in ")
    assert known.solution.start == stray
    late = find_knowledge("dodgem")
    assert late.moves(game.parse_position(stray)) == known.moves(game.parse_position(stray))
    assert late.source.startswith(f"reads data/dodgem; solved here from {stray} on in ")
    assert late.solution.start != stray
    over = find_knowledge("tictactoe", "XXXOO????")
    assert over.source.startswith("solved here in ")
    assert (over.worth(over.game.parse_position("XXXOO????")), over.moves(0b11000000111)) == (Worth(1, 0), [])


@pytest.mark.parametrize(
    ("spec", "step"),
    [
        ("tictactoe", 23),
        ("dots_and_boxes:rows=1,cols=2", 2),
        pytest.param("mnk:rows=3,cols=3,k=3,misere=true", 23, marks=pytest.mark.slow),
        pytest.param("hexapawn", 1, marks=pytest.mark.slow),
        pytest.param("nim:heaps=1-2-2", 1, marks=pytest.mark.slow),
    ],
)
def test_proofs_against_the_solution(spec, step):
    """In games that end every position is proven, and remoteness is right where it is said to be known."""
    game, solution = load_game(spec), analysis.solve(spec, counts=False)
    rules, known = game.rules(), 0
    for state in list(all_states(game))[::step]:
        if not rules.moves(state):
            continue
        record, proof = solution.lookup(state), prove(game, state, 30)
        assert proof.worth.value == record.value
        if proof.worth.known_remoteness:
            assert proof.worth.remoteness_plies == record.remoteness_plies
            known += 1
        check_moves(proof.moves, record, solution, state)
    assert known > 0


def check_moves(moves, record, solution, state):
    rules = solution.game.rules()
    side, children = rules.to_move(state), dict(rules.moves(state))
    optimal = [move for move in moves if move.optimal]
    assert optimal
    for move in moves:
        found = solution.lookup(children[move.code])
        if move.worth is None:
            assert side * record.value > 0  # of a move that wins later nothing may be known
            assert found.value != record.value or found.remoteness_plies > record.remoteness_plies - 1
        else:
            assert (move.worth.value, move.optimal) == (found.value, found.value == record.value)
            assert move.worth.remoteness_plies in (None, found.remoteness_plies)
    if abs(record.value) == 1 and side * record.value > 0:
        plies = {code: solution.lookup(child).remoteness_plies for code, child in children.items()}
        quickest = {code for code in plies if plies[code] == record.remoteness_plies - 1}
        best = optimal[0].worth.remoteness_plies
        assert quickest >= {m.code for m in optimal if m.worth.remoteness_plies == best} > set()


@pytest.mark.slow
def test_proofs_in_a_loopy_game():
    """A forced win is one, though play need not end; nothing is said of ties and draws."""
    game, solution = load_game("dodgem"), analysis.solve("dodgem", counts=False)
    rules = game.rules()
    decided = [s for s in all_states(game) if rules.moves(s) and solution.lookup(s).value != 0][::19]
    for state in decided:
        record, proof = solution.lookup(state), prove(game, state, 30)
        assert proof.worth == Worth(record.value, record.remoteness_plies)
        check_moves(proof.moves, record, solution, state)
    level = [s for s in all_states(game) if rules.moves(s) and solution.lookup(s).remoteness_plies is None]
    assert all(prove(game, state, 0.05) is None for state in level[:5])


def too_large(*_, **__):
    raise TooLargeError("no")


@pytest.fixture
def unsolvable(monkeypatch):
    monkeypatch.setattr(knowledge_module, "solve", too_large)


@pytest.mark.parametrize("side", ["X", "O"])
@pytest.mark.parametrize("level", [pytest.param("perfect", marks=pytest.mark.slow), "perfect:shortest"])
@pytest.mark.slow
def test_perfect_by_searching(unsolvable, side, level):
    """It never loses value either, and wins as fast as can be."""
    oracle = BOARDS["tictactoe"]
    for start in ("XO???????", "X???O????", "XOX?O????"):
        player = find_player(level, "tictactoe", position=start)
        told = ", which does not tell quick ties and margins from slow ones" if level == "perfect:shortest" else ""
        assert player.note == "searches each move to the end" + told
        gain, plies = every_line(player, start, side, oracle)
        value = oracle.value(start) * (1 if side == "X" else -1)
        assert gain == value
        assert value <= 0 or plies == oracle.remoteness(start)
    assert player.knowledge.solution is None


@pytest.mark.slow
def test_a_board_too_large_to_solve(unsolvable):
    """Coin Grabber's course board: the first player wins at ply 23, and later positions are searched at once."""
    player = find_player("perfect", "coin_grabber")
    known, state = player.knowledge, player.rules.start
    assert (known.source, known.solution) == ("searches each move to the end", None)
    for plies in range(23, 0, -1):
        side = player.rules.to_move(state)
        assert known.worth(state) == Worth(1, plies)
        codes = player.preferred(state) if side > 0 else [known.moves(state)[0].code]  # the longest defence
        state = player.rules.play(state, codes[-1])
    assert player.rules.outcome(state) == 1


@pytest.mark.slow
def test_what_is_out_of_reach():
    with pytest.raises(OptionError) as refused:
        find_knowledge("connect", patience=0.3)
    text = "???????/???????/???????/???????/???????/???????"
    assert str(refused.value) == (
        f"no perfect play in connect:rows=6,cols=7,k=4 from {text}: it was neither solved nor searched to the end in "
        "0.3 s; try depth:8"
    )


@pytest.mark.slow
def test_an_attempt_is_broken_off(monkeypatch):
    """A solve that takes too long is left for a search, and that for a longer solve."""
    monkeypatch.setattr(knowledge_module, "FIRST_SECONDS", 0.01)
    stages = []
    with telling(lambda stage, done, total: stages.append(stage)):
        known = find_knowledge("dodgem:n=4")
    assert known.source.startswith("solved here in ")
    assert known.worth(known.rules.start) == Worth(0, None)  # a draw, of which no search can be sure
    assert stages.index("finding positions") < len(stages) - 1 - stages[::-1].index("finding positions")
    assert any(stage.startswith("retrograde analysis") for stage in stages)
