"""The dialect of the Universal Web API: the shape of its answers, and its rules of signs and order as properties."""

import random
import re
from urllib.parse import unquote

import pytest

from tests.support.asking import KINDS, Asking, q, solved, some_positions
from tests.support.odd_names import OddNames

POSITION = {"position", "autoguiPosition", "positionValue", "remoteness"}
MOVE = POSITION | {"move", "autoguiMove", "moveValue", "deltaRemoteness"}
BETTER = ["win", "tie", "draw", "lose"]
FLIPPED = {"win": "lose", "lose": "win", "tie": "tie", "draw": "draw"}
BUTTON = re.compile(r"A_-_(\d+)_x|M_(\d+)_(\d+)_x")

READ = re.compile(r"[12]_[a-zA-Z0-9.~-]+")
DRAWN = re.compile(r"(A_[a-zA-Z0-9-]|M_[0-9]+|L_[0-9]+|T_[a-zA-Z0-9-])_[0-9]+|(LQ|LC|LA)_")
IMAGES = {"blackpiece", "bluepiece", "brownpiece", "redpiece", "whitepiece", *"0123456789"}
"""What the client reads of a position, which moves it draws, and its general pictures, at commit 3771794."""

SOUNDS = {"place", "remove", "slide", "slideThenRemove"}
"""Its general sounds, by which a theme names the last part of a drawn move."""

SOUND_OF = re.compile(r"_([a-zA-Z0-9-])$")


@pytest.fixture(scope="module", params=KINDS)
def asking(request):
    return Asking(solved(request.param))


def base(asking):
    served = asking.site[0]
    return f"/uwapi/{served.game_id}/{served.id}"


def some(asking, number=150):
    return [position.position for position in some_positions(asking.site[0].solution, number)]


def seen_by_mover(solution, text):
    """What a position is for who moves there, or would."""
    record = solution.lookup(solution.game.parse_position(unquote(text)))
    if record.value == 0:
        return "tie" if record.remoteness_plies is not None else "draw"
    return "win" if record.value * record.to_move > 0 else "lose"


def test_the_way_to_a_variant(asking):
    served = asking.site[0]
    (game,) = asking.json("/uwapi/")
    assert game == {"id": served.game_id, "name": game["name"], "type": "twoPlayer", "gui": game["gui"]}
    assert game["gui"] in ("v0", "v1", "v2", "v3")
    assert game["id"] not in ("tictactoe", "quarto", "sim")
    told = asking.json(f"/uwapi/{game['id']}/")
    assert set(told) == {"id", "name", "variants", "allowCustomVariantCreation", "supportsWinBy"}
    (variant,) = told["variants"]
    assert set(variant) == {"id", "name", "gui"}
    drawn = asking.json(f"/uwapi/{game['id']}/{variant['id']}/")
    assert set(drawn) == {"id", "name", "startPosition", "autoguiStartPosition", "imageAutoGUIData", "gui"}
    assert unquote(drawn["startPosition"]) == served.solution.start
    assert asking.json(f"{base(asking)}/instructions/?locale=en")["instructions"].startswith("# ")


def test_values_are_for_the_player_to_move(asking):
    solution = asking.site[0].solution
    for text in some(asking):
        told = asking.json(f"{base(asking)}/positions/?p={q(text)}")
        assert set(told) == POSITION | {"moves"}
        assert told["positionValue"] == seen_by_mover(solution, text)
        assert (told["remoteness"] == -200) == (told["positionValue"] == "draw")
        for move in told["moves"]:
            assert set(move) == MOVE
            assert move["positionValue"] == seen_by_mover(solution, move["position"])
            same_turn = move["autoguiPosition"][0] == told["autoguiPosition"][0]
            assert move["moveValue"] == (move["positionValue"] if same_turn else FLIPPED[move["positionValue"]])
        if told["moves"]:
            assert told["moves"][0]["moveValue"] == told["positionValue"]


def test_moves_come_best_first(asking):
    for text in some(asking):
        moves = asking.json(f"{base(asking)}/positions/?p={q(text)}")["moves"]
        ranks = [BETTER.index(move["moveValue"]) for move in moves]
        assert ranks == sorted(ranks)
        for result in BETTER:
            plies = [move["remoteness"] for move in moves if move["moveValue"] == result]
            assert plies == sorted(plies, reverse=result == "lose")
            lost = [0 if result == "draw" else abs(each - plies[0]) for each in plies]
            assert [move["deltaRemoteness"] for move in moves if move["moveValue"] == result] == lost


def test_boards_can_be_drawn(asking):
    theme = asking.json(f"{base(asking)}/")["imageAutoGUIData"]
    theme = theme["themes"][theme["defaultTheme"]]
    centers, (width, height) = theme["centers"], theme["space"]
    assert len({tuple(center) for center in centers}) == len(centers)
    grid = asking.site[0].game.grid(asking.site[0].solution.engine.start)
    cells = sum(map(len, grid)) if grid else 1
    assert all(0 < x < width and 0 < y < height for x, y in centers[:cells])
    for text in some(asking):
        told = asking.json(f"{base(asking)}/positions/?p={q(text)}")
        turn, _, board = told["autoguiPosition"].partition("_")
        signs, *texts = board.split("~")
        assert turn in ("1", "2")
        assert len(signs) == cells
        assert len(texts) == signs.count(".")
        assert set(signs) <= {"-", ".", *theme["charImages"]}
        buttons = [move["autoguiMove"] for move in told["moves"] if move["autoguiMove"] != move["move"]]
        places = [tuple(filter(None, BUTTON.fullmatch(button).groups())) for button in buttons]
        assert len(set(places)) == len(places)  # no button lies on another
        assert {int(number) for place in places for number in place} <= {*range(cells)}


FAMILIES = (
    *KINDS, "notakto", "domineering:rows=2,cols=3", "grundy:heap=6", "mnk:rows=2,cols=4,k=3",
    "open_spiel:mnk(m=3,n=2,k=2)",
    pytest.param("morris", marks=pytest.mark.slow),
)  # fmt: skip


@pytest.mark.parametrize("spec", FAMILIES)
def test_the_client_can_play_it(spec):
    """A game as the client goes through it: by addresses that it does not escape, and moves that it finds again."""
    asking = Asking(solved(spec))
    variant = asking.json(f"{base(asking)}/")
    data = variant["imageAutoGUIData"]
    theme = data["themes"][data["defaultTheme"]]
    assert {sound.removeprefix("general/").removesuffix(".mp3") for sound in theme["sounds"].values()} <= SOUNDS
    assert not {"#", "&", "+"} & set(variant["id"])  # it is in addresses, too
    assert {image["image"] for image in theme["charImages"].values()} <= {f"general/{name}.svg" for name in IMAGES}
    assert all(len(sign) == 1 for sign in theme["charImages"])
    numbers = random.Random(1)
    for _ in range(12):
        position = asking.json(f"{base(asking)}/")["startPosition"]
        for _ in range(40):
            assert not set("#&+") & set(position)
            told = asking.json(f"{base(asking)}/positions/?p={position.replace(' ', '%20')}")
            assert told["position"] == position
            assert asking.json(f"{base(asking)}/positions/?p={q(position)}") == told
            assert READ.fullmatch(told["autoguiPosition"])
            assert (told["remoteness"] == 0) == (not told["moves"])  # by either, the client ends a match
            moves = {move["autoguiMove"]: move for move in told["moves"]}
            assert len(moves) == len(told["moves"])
            for name, move in moves.items():
                assert bool(DRAWN.match(name)) == (name != move["move"])
                assert name == move["move"] or SOUND_OF.search(name)[1] in theme["sounds"]
                assert move["autoguiPosition"][0] in "12"  # whose turn it is, for the scores
            if not moves:
                break
            position = moves[numbers.choice(sorted(moves))]["position"]


def test_the_example_of_tic_tac_toe():
    asking = Asking(solved("tictactoe"))
    told = asking.json("/uwapi/gametree-tictactoe/tictactoe/positions/?p=XOX%3FO%3F%3F%3F%3F")
    assert told == asking.json("/uwapi/gametree-tictactoe/tictactoe/positions/XOX%3FO%3F%3F%3F%3F/")
    assert {name: told[name] for name in POSITION} == {
        "position": "XOX?O????", "autoguiPosition": "1_xox-o----", "positionValue": "tie", "remoteness": 5,
    }  # fmt: skip
    assert told["moves"][:2] == [
        {"move": "7", "autoguiMove": "A_-_7_x", "moveValue": "tie", "deltaRemoteness": 0, "position": "XOX?O??X?",
         "autoguiPosition": "2_xox-o--x-", "positionValue": "tie", "remoteness": 4},
        {"move": "3", "autoguiMove": "A_-_3_x", "moveValue": "lose", "deltaRemoteness": 0, "position": "XOXXO????",
         "autoguiPosition": "2_xoxxo----", "positionValue": "win", "remoteness": 1},
    ]  # fmt: skip


def test_pieces_that_move_are_arrows():
    asking = Asking(solved("hexapawn"))
    moves = asking.json(f"{base(asking)}/positions/?p={q(asking.site[0].solution.start)}")["moves"]
    assert {move["autoguiMove"] for move in moves} == {"M_6_3_x", "M_7_4_x", "M_8_5_x"}


def test_two_variants_of_one_game():
    asking = Asking(solved("mnk:rows=2,cols=2,k=2"), solved("mnk:rows=2,cols=3,k=2"), solved("mnk:rows=2,cols=2,k=2"))
    told = asking.json("/uwapi/gametree-mnk/")
    names = [variant["id"] for variant in told["variants"]]
    assert len(set(names)) == 3
    starts = [asking.json(f"/uwapi/gametree-mnk/{name}/")["startPosition"] for name in names]
    assert starts == [served.solution.start for served in asking.site]
    assert starts[0] == starts[2] != starts[1]


@pytest.mark.parametrize(
    ("path", "error"),
    [
        ("nope/", "Invalid Game"),
        ("nope/tictactoe/", "Invalid Game"),
        ("gametree-tictactoe/nope/", "Invalid Variant"),
        ("gametree-tictactoe/nope/positions/?p=0", "Invalid Variant"),
        ("gametree-tictactoe/tictactoe/positions/?p=zz", "Invalid Position"),
        ("gametree-tictactoe/tictactoe/positions/", "Invalid Position"),
        ("gametree-tictactoe/tictactoe/positions/?p=XXXXXXXXX", "Invalid Position"),
    ],
)
def test_refusals_have_the_status_200(path, error):
    assert Asking(solved("tictactoe")).json(f"/uwapi/{path}") == {"error": error}


def test_odd_names_keep_the_fields_apart():
    asking = Asking(solved(OddNames()))
    told = asking.json(f"{base(asking)}/positions/0")
    assert len({move["move"] for move in told["moves"]}) == 5
    assert all(move["move"] == move["autoguiMove"] and not DRAWN.match(move["move"]) for move in told["moves"])
