"""What is said while a game is played, and what may be typed besides moves."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence

from analysis.errors import OptionError
from analysis.playing.terminal.session import GivenAway, Session, Wasted
from analysis.rules.counting import first_number
from analysis.rules.game import Game
from analysis.rules.notation import Notation
from analysis.search.advice import Advice
from analysis.search.finding import JudgedMove
from analysis.solution.position import Worth
from analysis.wording import signed, some

FORMS = {
    "give up": ("r", "resign", "give up"),
    "take back": ("u", "undo", "take back"),
    "hints": ("h", "hint", "hints"),
    "moves": ("m", "moves"),
    "board": ("b", "board"),
    "help": ("?", "help"),
    "quit": ("q", "quit", "exit"),
}
"""What to type for each of them, the shortest first. With a colon before it each is meant in every game."""


class TypedWords:
    """The words in one game: a form that ``is_move`` there means the move, as ``u`` (up) does in Coin Grabber. With a
    colon before it a form is always the word; another text with a colon may be a move.

    >>> words = TypedWords(lambda text: text == "u")
    >>> words.find("U"), words.find(":U"), words.shortest("take back"), words.shortest("hints")
    (None, 'take back', 'undo', 'h')
    """

    def __init__(self, is_move: Callable[[str], bool]) -> None:
        self._is_move = is_move
        self.moves = frozenset(form for forms in FORMS.values() for form in forms if is_move(form))
        """The forms that are moves here."""

    def find(self, text: str) -> str | None:
        """Which of `FORMS` a text means, or None. Raises `OptionError` for a colon before anything else."""
        typed = " ".join(text.lower().split())
        if typed == "0" and first_number():  # as course programs have it, since no cell is called so
            return "give up"
        colon, form = typed.startswith(":"), typed.removeprefix(":").strip()
        for meaning, forms in FORMS.items():
            if form in forms and (colon or form not in self.moves):
                return meaning
        if colon and not self._is_move(text):
            known = ", ".join(f":{forms[0]}" for forms in FORMS.values())
            raise OptionError(f"{text[:40]!r} means nothing; there are {known}")
        return None

    def shortest(self, meaning: str) -> str:
        """The shortest form that is no move."""
        forms = FORMS[meaning]
        return next((form for form in forms if form not in self.moves), f":{forms[0]}")


WIDTH = 79
SHOWN = 5
"""Moves that gave value away and did not decide the game, as many as are told."""

EXPLAINED = {
    "give up": "give up",
    "take back": "take back your last move and the replies to it",
    "hints": "hints: what every move is worth, best first",
    "moves": "list the legal moves",
    "board": "show the board again",
    "help": "explain all this",
    "quit": "leave; you are told how to go on later",
}


def wrapped(text: str, indent: str = "") -> str:
    """A text on lines that a terminal holds."""
    return textwrap.fill(text, WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def player(game: Game, side: int) -> str:
    """What a side is called."""
    return game.players[0 if side > 0 else 1]


# Values ---------------------------------------------------------------------------------------------------------------


def margin(game: Game, value: int) -> str:
    """By how much the winner wins, in games that count that: `` by 3``."""
    least, greatest = game.rules().payoffs
    return f" by {abs(value)}" if value and (least < -1 or greatest > 1) else ""


def worth_in_words(game: Game, worth: Worth) -> str:
    """What a position is worth: ``a win for X``, ``a tie``, ``a draw``."""
    if worth.value:
        return f"a win for {player(game, worth.value)}{margin(game, worth.value)}"
    if worth.remoteness_plies is None and game.rules().loopy:
        return "a draw" if worth.known_remoteness else "a tie or a draw"
    return "a tie"


def kept_in_words(game: Game, before: Worth, side: int) -> str:
    """What a better move would have kept, for the side that made another one."""
    if side * before.value > 0:
        return f"the win{margin(game, before.value)}"
    if side * before.value < 0:
        return f"the loss at {abs(before.value)}"
    return worth_in_words(game, before).replace("a ", "the ", 1)


def result(session: Session, names: dict[int, str]) -> str:
    """How a game ended."""
    after = f"after {some(len(session.turns), 'ply', 'plies')}"
    if session.outcome == "draw":
        return f"A draw {after}: the same position for the third time; play need not end."
    if session.outcome == "tie":
        return f"A tie {after}."
    return f"{names[1 if session.payoff > 0 else -1]} wins{margin(session.game, session.payoff)} {after}."


# Where it was decided -------------------------------------------------------------------------------------------------


def decided(names: Notation, found: Sequence[GivenAway], since: int = 0, played: int = 0) -> str:
    """Where a game of so many plies was decided, as far as it is known after ``since`` of them, and the further moves
    that gave value away, each on a line.
    """
    lines = (
        [f"What the first {some(since, 'ply', 'plies')} were worth is not known: too much to solve or to search."]
        if since
        else []
    )
    if played and since == played:
        return lines[0]
    if not found:
        return "\n".join([*lines, f"{'After that e' if since else 'E'}very move kept the value."])
    for later in found[:-1][:SHOWN]:
        lines.append(_given_away("First given away at" if later is found[0] else "Then at", names, later))
    if len(found) > SHOWN + 1:
        left = len(found) - SHOWN - 1
        lines.append(f"... and {some(left, 'more move')} that gave value away.")
    lines.append(_given_away("Decided at", names, found[-1]))
    return "\n".join(wrapped(line, "  ") for line in lines)


def wasted_in_words(names: Notation, found: Wasted) -> str:
    """Where a win was let go by repetition."""
    turn, game = found.turn, names.game
    return wrapped(
        f"Let go at ply {found.ply}: {player(game, turn.side)} could have won all along and played "
        f"{names.say(turn.state, turn.code)}, which comes no nearer to it; {names.say_all(turn.state, found.nearer)} "
        "does.",
        "  ",
    )


def _given_away(opening: str, names: Notation, found: GivenAway) -> str:
    game, turn = names.game, found.turn
    before, after = worth_in_words(game, found.before), worth_in_words(game, found.after)
    kept = names.say_all(turn.state, found.kept)
    return (
        f"{opening} ply {found.ply}: {player(game, turn.side)} played {names.say(turn.state, turn.code)} and {before} "
        f"became {after}; {kept} would have kept {kept_in_words(game, found.before, turn.side)}."
    )


# Hints ----------------------------------------------------------------------------------------------------------------


def hints(names: Notation, state: int, worth: Worth, moves: Iterable[JudgedMove], source: str) -> str:
    """Every move, best first, and what it is worth."""
    game, rows = names.game, []
    for move in moves:
        name = names.say(state, move.code)
        after = move.worth
        if after is None:
            rows.append((name, "?", "?", "not known; another move wins", ""))
            continue
        unknown = "-" if after.known_remoteness and not after.value and game.rules().loopy else "?"
        remoteness = unknown if after.remoteness_plies is None else str(after.remoteness_plies)
        rows.append((name, signed(after.value), remoteness, worth_in_words(game, after), "yes" if move.optimal else ""))
    head = f"The position is {worth_in_words(game, worth)} under optimal play ({source})."
    said = wrapped("Remoteness: plies to the end after the move; the winner hurries, the loser delays.")
    table = columns(("move", "value", "remoteness", "that is", "optimal"), rows)
    return f"{wrapped(head)}\n{table}\n{said}"


def searched(names: Notation, state: int, advice: Advice, reason: str) -> str:
    """What a search of limited depth says where nothing is known."""
    counted = f"open positions count as {advice.evaluation} says" if advice.evaluation else "open positions count 0"
    exact = "to the end" if advice.complete else f"{some(advice.depth, 'ply', 'plies')} deep; {counted}"
    rows = [(names.say(state, m.move), signed(m.value), "yes" if m.optimal else "") for m in advice.moves]
    head = wrapped(f"Not known: {reason}.") + "\n" + wrapped(f"What a search says that went {exact}:")
    return f"{head}\n{columns(('move', 'value', 'best'), rows)}"


LEFT = frozenset(("move", "that is", "optimal", "best", "place", "then place", "placed"))
"""Columns of words."""


def columns(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table; what is not in `LEFT` to the right."""
    lines = [head, *rows]
    widths = [max(len(line[i]) for line in lines) for i in range(len(head))]
    shape = "  ".join(f"{{:{'<' if name in LEFT else '>'}{width}}}" for name, width in zip(head, widths, strict=True))
    return "\n".join(shape.format(*line).rstrip() for line in lines)


# Help -----------------------------------------------------------------------------------------------------------------


def legal_moves(names: Notation, state: int) -> str:
    """All of them, as they are said."""
    legal = names.legal(state)
    return wrapped(f"Legal moves ({len(legal)}): " + "  ".join(names.say(state, move.code) for move in legal), "  ")


def help_text(notation: Notation, words: TypedWords, session: Session) -> str:
    """The game, how moves are typed, and the words."""
    game = notation.game
    first, second = game.players
    lines = [wrapped(f"{game.spec}: {game.description or 'a game of your own'}.")]
    ends = "Positions can return; one that occurs for the third time ends the game as a draw." * game.rules().loopy
    lines.append(wrapped(f"{first} begins; {second} is the second player. {ends}"))
    if not session.over:
        lines.append(wrapped(f"Type a move, {notation.example(session.state)}.{_ways(notation)}"))
    lines += [wrapped(game.notation)] if game.notation else []
    lines += words_help(words, EXPLAINED)
    lines += ["  0                     give up"] * first_number()
    if words.moves:
        taken = ", ".join(sorted(words.moves))
        means = "is a move, not a word" if len(words.moves) == 1 else "are moves, not words"
        lines.append(wrapped(f"Here {taken} {means}."))
    return "\n".join(lines)


def words_help(words: TypedWords, explained: Mapping[str, str]) -> list[str]:
    """What may be typed besides moves, a line for each word."""
    lines = ["Or type"]
    for meaning, forms in FORMS.items():
        free = [form for form in forms if form not in words.moves]
        shown = ", ".join([*free[:2], f":{forms[0]}"])
        lines.append(f"  {shown:<22}{explained[meaning]}")
    return lines


def _ways(notation: Notation) -> str:
    """Which kinds of names there are."""
    if not notation.pointing:
        return ""
    rows = "from the bottom up" if notation.game.rows_from_bottom else "from the top down"
    squares = f"Columns are letters, rows are numbers {rows}."
    if notation.own_coordinates:
        squares = "Squares are typed as the game names them, not by the letters and numbers at the edge of the board."
    if notation.own_numbers:
        return f" {squares} Numbers are the game's own names of moves; --numbered shows them."
    if notation.falling:
        return f" {squares} Columns are numbered from {first_number()}."
    if notation.marks or notation.codes_are_cells:
        return f" {squares} Cells are numbered row by row from {first_number()}."
    return f" {squares} A number is a move's code; --numbered shows those that are in cells."
