"""Grade hand-ins by an exercise: each test gives points, and names the one position or tree that shows a mistake."""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
import re
import threading
import unicodedata
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from analysis.bidding.bot import answer_turn
from analysis.courses.exercise import Exercise, GradedTask, read_exercise
from analysis.courses.hand_in import HandIn, NoAnswerError, find_hand_ins
from analysis.courses.referee import play_game
from analysis.errors import GametreeError, OptionError, RulesError
from analysis.machine.confined import MisbehaviourError
from analysis.machine.files import check_writable, make_directories, write_json
from analysis.machine.workers import processors, tell_progress, thread_pool
from analysis.playing.bots import Bot, find_policy
from analysis.playing.terms import BotLimits
from analysis.rules.positions import read_position
from analysis.search import visits
from analysis.search.own.diagnosis import SearchVerdict, judge_with
from analysis.search.own.graph import SearchGraph, graph_of
from analysis.search.own.variants import CUT_OF_RULE
from analysis.search.problem import SearchProblem
from analysis.search.targets import find_problem, is_tree
from analysis.solution.solution import Solution
from analysis.solving.find import find_solution, find_values
from analysis.wording import listed, signed, some

RESULTS = "results.json"
"""The file that Gradescope reads."""

MOST_NAMED = 3
"""Differences that are named."""

NUMBER = re.compile(r"(?<!\w)[-+]?(?:[1-9]\d{0,2}(?:[ \xa0\u202f]\d{3})+(?![,._']?\d)|\d+(?:[,._']\d+)*)")
"""With blanks before groups of three digits, or other separators."""

MARKS_OF_LINES = r"[\s#>*_`-]*(?:\d+[.)]\s[\s*_`]*)??"
"""How Markdown begins headings, quotations, lists, and what stands out or is code."""


@dataclasses.dataclass(frozen=True)
class TestGrade:
    """What a hand-in gets for one test."""

    name: str
    score: float
    max_score: float
    output: str
    """What is right or wrong, with the position or tree that shows it."""
    visibility: str


@dataclasses.dataclass(frozen=True)
class Grade:
    """What a hand-in gets."""

    name: str
    file: str
    tests: tuple[TestGrade, ...]

    @property
    def score(self) -> float:
        """The sum of the points."""
        return round(sum(test.score for test in self.tests), 6)

    @property
    def max_score(self) -> float:
        """The most points."""
        return sum(test.max_score for test in self.tests)

    @property
    def shown(self) -> str:
        """The first mistake, in one line."""
        wrong = (test.output for test in self.tests if test.score < test.max_score)
        return next(wrong, "")

    def to_gradescope(self) -> dict[str, Any]:
        """Return the object of Gradescope's ``results.json`` (gradescope-autograders.readthedocs.io, "specs")."""
        return {"score": self.score, "tests": [dataclasses.asdict(test) for test in self.tests]}


Mark = tuple[float, str]
"""The share of the points, and what is said."""


class Grader:
    """An exercise with its answers, which never leave this process."""

    def __init__(self, exercise: Exercise) -> None:
        self.exercise = exercise
        self._answers: dict[int, Any] = {}
        self._lock = threading.Lock()

    def grade(self, name: str, file: Path) -> Grade:
        """Grade one hand-in."""
        verdicts: dict[str, SearchVerdict] = {}
        tests = []
        with HandIn(name, file, self.exercise.seconds) as hand_in:
            for number, task in enumerate(self.exercise.tests):
                share, output = self._mark(number, task, hand_in, verdicts)
                score = round(share * task.points, 6)
                tests.append(TestGrade(task.name, score, task.points, output, task.visibility))
        return Grade(name, str(file), tuple(tests))

    def _mark(self, number: int, task: GradedTask, hand_in: HandIn, verdicts: dict[str, SearchVerdict]) -> Mark:
        try:
            answer = self.answer(number)  # before the hand-in runs, so that its time is its own
            if task.kind in PROGRAMS and not hand_in.is_program:
                raise NoAnswerError(hand_in.no_program())
            if task.kind == "search":
                return _mark_search(answer, task, hand_in, verdicts)
            if task.kind in PROGRAMS:
                return PROGRAMS[task.kind](answer, task, hand_in)
            text = hand_in.ask(
                task.options.get("arguments", ()), text=task.options.get("input", ""),
                function=task.options.get("function"),
            )  # fmt: skip
            return MARKS[task.kind](answer, self._part(task, text, hand_in))
        except NoAnswerError as error:
            return 0.0, str(error)

    def _part(self, task: GradedTask, text: str, hand_in: HandIn) -> str:
        """Return the part of a text that answers a test: all of it if no test has a key; otherwise what follows its key
        up to the next one, and without a key what stands before the first.
        """
        key = task.options.get("key", "")
        keys = [other.options["key"] for other in self.exercise.tests if other.options.get("key")]
        if hand_in.is_program or not keys:
            return text
        begins = re.compile(rf"{MARKS_OF_LINES}({'|'.join(map(re.escape, keys))})[\s*_`]*(?:[:=](.*))?", re.IGNORECASE)
        parts, current = {"": ""}, ""
        for line in unicodedata.normalize("NFC", text).splitlines():
            found = begins.fullmatch(line)
            if found:
                current, line = found[1].casefold(), (found[2] or "").lstrip("*_`")
            parts[current] = parts.get(current, "") + line + "\n"
        if key.casefold() not in parts:
            raise NoAnswerError(f"there is no line '{key}: ...'")
        return parts[key.casefold()]

    def answer(self, number: int) -> Any:
        """Return the right answer to a test, computed once."""
        with self._lock:
            if number not in self._answers:
                task = self.exercise.tests[number]
                tell_progress(f"answering {task.name}", number, len(self.exercise.tests))
                self._answers[number] = ANSWERS[task.kind](task.options)
            return self._answers[number]

    def prepare(self) -> None:
        """Compute all answers. Raises `OptionError` for a test that has none."""
        for number, task in enumerate(self.exercise.tests):
            try:
                self.answer(number)
            except GametreeError as error:
                raise OptionError(f"test {number + 1}, {task.name}: {error}") from None


# Answers --------------------------------------------------------------------------------------------------------------


def _value(asked: dict[str, Any]) -> float:
    if is_tree(asked["game"]):
        return visits.minimax(asked["game"], asked.get("position")).value
    solution = _solved(asked)
    return int(solution[asked.get("position") or solution.start].value)


def _count(asked: dict[str, Any]) -> int:
    what = asked.get("count", "positions")
    found: Any = find_solution(asked["game"], position=asked.get("position")).statistics()
    for part in what.split("."):
        found = found.get(part) if isinstance(found, dict) else None
    if not isinstance(found, int):
        raise OptionError(f"{asked['game']} has no count {what!r}; name a number of gametree stats --format json")
    return found


def _paths(asked: dict[str, Any]) -> tuple[list[str], Solution]:
    solution = find_solution(asked["game"], position=asked.get("position"))
    return list(solution.optimal_paths(asked.get("position"), shortest=asked.get("shortest", False))), solution


def _visited(asked: dict[str, Any]) -> list[str]:
    _check_word(asked, "algorithm", ("alphabeta", "minimax"))
    found = getattr(visits, asked.get("algorithm", "alphabeta"))(
        asked["game"], asked.get("position"), asked.get("depth")
    )
    return [str(visit.node) for visit in found.visits]


def _problem(asked: dict[str, Any]) -> tuple[SearchProblem, SearchGraph]:
    for field, known in (("compare", ("nodes", "value")), ("rule", (*CUT_OF_RULE,))):
        _check_word(asked, field, known)
    problem = find_problem(asked["game"], asked.get("position"), depth=asked.get("depth"))
    return problem, graph_of(problem)


def _solved(asked: dict[str, Any]) -> Solution:
    return find_values(asked["game"], asked.get("position"))


def _opponent(asked: dict[str, Any]) -> str:
    _check_word(asked, "side", ("X", "O"))
    _check_word(asked, "wanted", ("win", "tie"))
    name, chips = asked.get("opponent", "random"), asked.get("chips", 4)
    answer_turn("bidding-tictactoe", "X\nBID\n\n\n___\n___\n___\n", name, chips=chips, seed=0)
    if asked.get("games", 2) < 1:
        raise OptionError(f"games = {asked['games']} is too few; give at least 1")
    return str(name)


def _check_word(asked: dict[str, Any], field: str, known: Sequence[str]) -> None:
    if asked.get(field, known[0]) not in known:
        raise OptionError(f"{field} is {asked[field]!r}; choose from {listed(known)}")


ANSWERS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "value": _value,
    "counts": _count,
    "paths": _paths,
    "visited": _visited,
    "search": _problem,
    "bot": _solved,
    "bidding": _opponent,
}


# Marks ----------------------------------------------------------------------------------------------------------------


def _mark_number(answer: float, text: str) -> Mark:
    numbers = NUMBER.findall(text.replace("\N{MINUS SIGN}", "-"))
    if not numbers:
        return 0.0, f"there is no number in the answer {' '.join(text.split())[:40]!r}"
    if answer in _readings(numbers[-1]):
        return 1.0, "right"
    several = f", the last of {len(numbers)} numbers," if len(numbers) > 1 else ""
    return 0.0, f"the answer {numbers[-1]}{several} is not right"


def _readings(number: str) -> set[float]:
    """Return what a number may mean: a point or a comma before three digits may separate thousands or decimals, a blank
    thousands or two numbers.
    """
    found, parts = set(), number.split()
    for text, (thousands, decimals) in itertools.product(("".join(parts), parts[-1]), ((",", "."), (".", ","))):
        grouped = re.match(rf"[-+]?[1-9]\d{{0,2}}(?:[{thousands}_']\d{{3}})+(?!\d)", text)
        whole = re.sub(rf"[{thousands}_']", "", grouped[0]) + text[grouped.end() :] if grouped else text
        with contextlib.suppress(ValueError):
            found.add(float(whole.replace(decimals, ".")))
    return found


def _mark_paths(answer: tuple[list[str], Solution], text: str) -> Mark:
    """Compare paths as a set; each wrong, repeated or missing one takes its share."""
    right, solution = answer
    given = re.findall(r"\d+(?:-\d+)*", text)
    wanted, seen = {*right}, set[str]()
    wrong = [path for path in dict.fromkeys(given) if path not in wanted]
    repeated = [path for path in given if path in seen or seen.add(path)]  # type: ignore[func-returns-value]
    missing = [path for path in right if path not in seen]
    said = []
    if wrong:
        said.append(f"{some(len(wrong), 'path')} not optimal, such as {wrong[0][:60]}: {_why(solution, wrong[0])}")
    if missing:
        said.append(f"{some(len(missing), 'path')} missing, such as {missing[0]}")
    if repeated:
        said.append(f"{some(len(repeated), 'path')} repeated, such as {repeated[0]}")
    share = max(0.0, (len(right) - len(missing) - len(wrong) - len(repeated)) / max(1, len(right)))
    return (1.0, f"right: {some(len(right), 'path')}") if not said else (share, "; ".join(said))


def _why(solution: Solution, path: str) -> str:
    """Say where a path leaves the value."""
    game, rules = solution.game, solution.game.rules()
    codes = [int(code) for code in (path.split("-") if "-" in path else path)]
    state, value = solution.engine.start, solution.value
    for number, code in enumerate(codes):
        moves, text = dict(rules.moves(state)), game.format_position(state)
        if code not in moves:
            over = f"{code} is not a legal move" if moves else "the game is over"
            return f"in {text}, after {some(number, 'move')}, {over}"
        state = moves[code]
        now = solution.lookup(state).value
        if now != value:
            return f"in {text} the move {code} changes the value from {signed(value)} to {signed(now)}"
    return "it ends before the game is over" if rules.moves(state) else "it is not one of the paths asked for"


def _mark_visited(answer: list[str], text: str) -> Mark:
    given = re.findall(r"[^\s,;\[\]()'\"]+", text)
    if given == answer:
        return 1.0, f"right: {some(len(answer), 'node')}"
    same = next((i for i, pair in enumerate(zip(given, answer, strict=False)) if pair[0] != pair[1]), None)
    same = min(len(given), len(answer)) if same is None else same
    found = given[same] if same < len(given) else "nothing"
    return 0.0, f"visit {same + 1} is {found[:40]}, which is not right; the {same} before it are"


MARKS: dict[str, Callable[[Any, str], Mark]] = {
    "value": _mark_number,
    "counts": _mark_number,
    "paths": _mark_paths,
    "visited": _mark_visited,
}


def _mark_search(
    answer: tuple[SearchProblem, SearchGraph], task: GradedTask, hand_in: HandIn, verdicts: dict[str, SearchVerdict]
) -> Mark:
    asked, (problem, graph) = task.options, answer
    try:
        own = hand_in.search(asked.get("function", ""))
        key = repr([own.name, *(asked.get(field) for field in ("game", "position", "depth", "rule"))])
        if key not in verdicts:
            verdicts[key] = judge_with(own, problem, graph, asked.get("rule"))
    except (RulesError, OptionError) as error:
        raise NoAnswerError(str(error).removeprefix(f"own search {hand_in.file.name}: ")) from None
    verdict, compare = verdicts[key], asked.get("compare", "nodes")
    if verdict.right or (compare == "value" and verdict.values_right):
        return 1.0, f"right: {verdict.signature}"
    said = "; ".join(fault.words for fault in verdict.faults)
    return 0.0, f"{said}. {describe(verdict)}"


def describe(verdict: SearchVerdict) -> str:
    """Return the example of a verdict in one line."""
    example = verdict.example
    if example is None:
        return ""
    did = []
    for who, each in (("it", example.own), ("right", example.expected)):
        parts = [f"{key} {value}" for key in ("error", "value", "move") if (value := each.get(key)) is not None]
        nodes = each.get("visited", [])
        parts += [f"nodes {' '.join(nodes[:12])}" + " ..." * (len(nodes) > 12)] if nodes else []
        did.append(f"{who}: {', '.join(parts)}")
    return f"Shown by {example.text}, {some(example.depth, 'ply', 'plies')} deep; {'; '.join(did)}"


def _mark_bot(solution: Solution, task: GradedTask, hand_in: HandIn) -> Mark:
    """Ask a bot in every position that it can meet, and count those in which it loses value or does not move."""
    asked, game = task.options, solution.game
    rules = game.rules()
    root = rules.start if "position" not in asked else read_position(game, asked["position"])
    hidden = tuple(str(each) for each in hand_in.file.parent.iterdir() if each != hand_in.file)
    bot = f"{hand_in.file}:{asked.get('function', 'choose')}"
    forfeits: dict[int, str] = {}
    try:
        with Bot(game, bot, hand_in.seconds, BotLimits(hidden=hidden)) as player:
            player.get_ready()
            moves = find_policy(player, root, seconds=10 * hand_in.seconds, forfeits=forfeits).moves
    except (MisbehaviourError, OptionError) as error:
        raise NoAnswerError("; ".join([str(error).removeprefix(f"{bot}: "), *forfeits.values()][:2])) from None
    mistakes = [*forfeits.values()]
    for state, code in ((state, code) for state, code in moves.items() if state not in forfeits):
        before, after = (solution.lookup(each).value for each in (state, rules.play(state, code)))
        if after != before:
            mistakes.append(f"in {game.format_position(state)} it plays {code}: {signed(after)}, not {signed(before)}")
    allowed, said = asked.get("allowed", 0), f"{some(len(mistakes), 'mistake')} in {some(len(moves), 'position')}"
    if len(mistakes) <= allowed:
        return 1.0, f"right: {said}"
    return 1 - (len(mistakes) - allowed) / max(1, len(moves)), "; ".join([said, *mistakes[:MOST_NAMED]])


def _mark_bidding(opponent: str, task: GradedTask, hand_in: HandIn) -> Mark:
    """Play games by the referee's protocol; each that ends as wanted gives its share."""
    asked = task.options
    side, wanted, games = asked.get("side", "X"), asked.get("wanted", "win"), asked.get("games", 2)
    chips = asked.get("chips", 4)
    good, said = 0, []
    for seed in range(games):
        game = play_game(
            lambda text: hand_in.ask(asked.get("arguments", ()), text=text, function=asked.get("function")),
            side, opponent, chips, seed,
        )  # fmt: skip
        fine = not game.forfeit and (game.winner == side or (wanted == "tie" and game.winner is None))
        good += fine
        if not fine:
            result = f"game {seed + 1}: {'a tie' if game.winner is None else f'{game.winner} wins'}"
            why = game.forfeit or next(iter(game.mistakes), "")
            said.append(f"{result}; {why}" if why else result)
        if game.forfeit:
            break
    if good == games:
        return 1.0, f"right: {some(games, 'game')}"
    return good / games, ". ".join(said[:MOST_NAMED])


PROGRAMS: dict[str, Callable[..., Mark]] = {"search": _mark_search, "bot": _mark_bot, "bidding": _mark_bidding}
"""Kinds whose hand-ins are programs."""


# All of them ----------------------------------------------------------------------------------------------------------


def grade(
    exercise: str | Path | Exercise, hand_ins: Sequence[str | Path], *, out: str | Path | None = None
) -> list[Grade]:
    """Grade hand-ins by an exercise: a TOML file, or the name of one that comes with the package.

    ``hand_ins`` are files, or folders whose files and folders are hand-ins. With a directory ``out``, Gradescope's
    ``results.json`` is written there, or for several hand-ins into a folder of each. Raises `OptionError` for a wrong
    exercise and for files that there are not, `StoreError` where results cannot be written; what is wrong with a
    hand-in is part of its grade.
    """
    exercise = exercise if isinstance(exercise, Exercise) else read_exercise(exercise)
    files = find_hand_ins(hand_ins)
    folders = [] if out is None else [Path(out)] if len(files) == 1 else [Path(out) / name for name in files]
    for folder in folders:
        there = folder.is_dir()
        check_writable(folder / RESULTS if there else folder, folder=not there)
    grader = Grader(exercise)
    grader.prepare()
    grades = list[Grade]()
    with thread_pool(min(processors(), len(files))) as pool:
        for found in pool.map(grader.grade, files, files.values()):
            tell_progress("grading", len(grades), len(files))
            grades.append(found)
    for folder, found in zip(folders, grades, strict=out is not None):
        make_directories(folder)
        write_json(folder / RESULTS, found.to_gradescope())
    return grades
