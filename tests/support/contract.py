"""What the engine relies on in every position of a game by turns, and texts that come back."""

from analysis.rules.game import LARGEST_CODE, ONGOING
from analysis.rules.symmetry import permute


def check_states(game, states) -> None:
    """Moves, tiers and texts of some states of a game."""
    rules = game.rules()
    codes = set()
    for state in states:
        moves = rules.moves(state)
        own = [code for code, _ in moves]
        assert (rules.outcome(state) == ONGOING) == bool(own)
        assert own == sorted(set(own))
        assert len(own) <= rules.max_moves <= 255
        assert all(0 <= code <= rules.largest_code <= LARGEST_CODE for code in own)
        assert 0 <= state < 1 << 63
        assert rules.tier is None or all(
            rules.tier(child) >= rules.tier(state) + (not rules.loopy) for _, child in moves
        )
        text = game.format_position(state)
        for typed in (text, text.lower().replace("/", " / "), f" {text}\n"):
            assert game.parse_position(typed) == state
        codes.update(own)
    for code in codes:
        name = game.format_move(code)
        assert [game.parse_move(typed) for typed in (name, f" {name.upper()} ", name.lower())] == [code] * 3


def check_symmetries(rules, states) -> None:
    """That symmetries keep outcomes, and lead from moves to moves."""
    for permutation in rules.symmetries:
        for state in states:
            image = permute(state, permutation, rules.planes)
            assert rules.outcome(image) == rules.outcome(state)
            images = sorted(permute(child, permutation, rules.planes) for _, child in rules.moves(state))
            assert sorted(child for _, child in rules.moves(image)) == images
