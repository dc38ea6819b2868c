"""How soon ``gametree explore`` answers: 50 requests a second on one connection, alone and beside a search.

``python benchmarks/serving.py connect:rows=5,cols=5,k=5 --symmetry none`` solves the game (149,811,215 classes) into a
temporary directory, serves it, and asks for positions of random games, at first none of them in memory; then for them
again; then again while one search after the other goes through all classes; then for the map until it is complete, and
for some classes by their places. What is told of an answer is how long it took from the moment when it was due, so that
a queue would show, and how much processor time the server took.
The target is 50 a second on one core without queueing.
"""

from __future__ import annotations

import http.client
import json
import random
import subprocess
import sys
import threading
import time
from pathlib import Path
from urllib.parse import quote, urlsplit

import psutil
from common import median, on_a_solution

import analysis

A_SECOND = 50


def measure(directory: Path, positions: int) -> None:
    """Ask for so many positions."""
    solution = analysis.open_solution(directory)
    texts = some_positions(solution, positions)
    program = [sys.executable, str(Path(__file__).parents[1] / "cli.py"), "explore", str(directory)]
    began = time.monotonic()
    server = subprocess.Popen([*program, "--no-browser", "--port", "0"], stdout=-1, text=True)
    try:
        url = urlsplit(server.stdout.readline().rpartition(": ")[2].strip())
        print(f"{solution.game.spec}: {solution.classes:,} classes; listens after {time.monotonic() - began:.2f} s")
        connection = http.client.HTTPConnection(url.netloc)
        base = f"/api/v1/{ask(connection, '/api/v1/solutions')['solutions'][0]['id']}"
        for name in ("nothing in memory", "once more"):
            tell(name, server, connection, base, texts)
        ended = threading.Event()
        searches = threading.Thread(target=search, args=(url.netloc, base, ended))
        searches.start()
        tell("beside searches", server, connection, base, texts)
        ended.set()
        searches.join()
        tell_map(connection, base, positions)
    finally:
        server.terminate()
        server.wait()


def some_positions(solution: analysis.Solution, number: int) -> list[str]:
    """Texts of positions of random games."""
    numbers, rules, texts = random.Random(1), solution.engine.rules, []
    while len(texts) < number:
        state = solution.engine.start
        while moves := rules.moves(state):
            texts.append(solution.game.format_position(state))
            state = numbers.choice(moves)[1]
    return numbers.sample(texts, number)


def ask(connection: http.client.HTTPConnection, path: str) -> dict:
    """The answer to a request."""
    connection.request("GET", path)
    return json.loads(connection.getresponse().read())


def search(place: str, base: str, ended: threading.Event) -> None:
    """Search all classes, again and again."""
    connection = http.client.HTTPConnection(place)
    while not ended.is_set():
        ask(connection, f"{base}/find?where=only_move&order=remoteness&limit=1000")


def tell(
    name: str, server: subprocess.Popen, connection: http.client.HTTPConnection, base: str, texts: list[str]
) -> None:
    """Ask for positions at an even pace, and print how it went."""
    process, waits = psutil.Process(server.pid), []
    before, due = sum(process.cpu_times()[:2]), time.monotonic()
    for text in texts:
        due += 1 / A_SECOND
        time.sleep(max(0.0, due - time.monotonic()))
        assert ask(connection, f"{base}/position?p={quote(text, safe='')}")["position"] == text
        waits.append(1e3 * (time.monotonic() - due))
    taken = 1e3 * (sum(process.cpu_times()[:2]) - before) / len(texts)
    late = sorted(waits)[int(0.99 * len(waits))]
    share = f", {taken:.1f} ms of processor time each" if "search" not in name else ""
    print(f"{name:20} answers after {median(waits):.1f} ms, 99 % within {late:.1f}{share}")


def tell_map(connection: http.client.HTTPConnection, base: str, classes: int) -> None:
    """Ask for the map, and for so many classes by their places and the other way round."""
    began, answers, told = time.monotonic(), 0, {"complete": False}
    while not told["complete"]:
        told, answers = ask(connection, f"{base}/map"), answers + 1
    took, size = time.monotonic() - began, len(json.dumps(told, separators=(",", ":")))
    print(f"{'map':20} complete after {took:.2f} s in {answers} answers, the last of {size:,} bytes")
    numbers, waits = random.Random(2), []
    for _ in range(classes):
        tier = numbers.choices(told["tiers"], [each["classes"] for each in told["tiers"]])[0]
        place = numbers.randrange(tier["classes"])
        began = time.monotonic()
        found = ask(connection, f"{base}/map/class?tier={tier['tier']}&place={place}")
        between = time.monotonic()
        again = ask(connection, f"{base}/map/place?p={quote(found['position'], safe='')}")
        assert again == found
        waits.append((1e3 * (between - began), 1e3 * (time.monotonic() - between)))
    by_place, by_class = (median([wait[way] for wait in waits]) for way in (0, 1))
    print(f"{'':20} the class at a place after {by_place:.1f} ms, the place of a class after {by_class:.1f}")


if __name__ == "__main__":
    on_a_solution(__doc__, measure, 500)
