"""Ask the explorer's application, without a socket in between."""

import contextlib
import functools
import json
import random
from urllib.parse import quote

import pytest
from anyio.from_thread import start_blocking_portal
from starlette.testclient import TestClient

import analysis
from analysis.web.http import make_app
from analysis.web.served import Site

KINDS = (
    "tictactoe",
    "connect:rows=2,cols=3,k=2",
    "wild:rows=2,cols=2,k=2",
    "nim:heaps=2-2-3",
    "kayles:pins=6",
    "dots_and_boxes:rows=1,cols=2",
    "othello:size=4",
    "dodgem",
    "hexapawn",
    "hex:n=2",
    "chomp:rows=3,cols=3",
    *(pytest.param(spec, marks=pytest.mark.slow) for spec in ("connect:rows=3,cols=4,k=3", "hex:n=3")),
)
"""By turns, falling, marks of both, own symmetries, by tier, scores and extra turns, passes, loops, arrows, slanted."""
FEW_CLASSES = [pytest.param(spec, marks=pytest.mark.slow) if spec == "othello:size=4" else spec for spec in KINDS]
"""For tests that look at every class: that one has 60 times as many as tic-tac-toe."""


class Asking:
    """An application that hands these solutions out."""

    def __init__(self, *solutions, **options):
        self.site = Site(solutions)
        options = {"hosts": ("127.0.0.1", "localhost", "[::1]")} | options
        self.client = TestClient(
            make_app(self.site, **options), base_url="http://127.0.0.1:8460", follow_redirects=False
        )
        self.client.portal = portal()

    def get(self, path, **settings):
        return self.client.get(path, **settings)

    def json(self, path):
        response = self.get(path)
        assert response.status_code == 200, (path, response.text)
        return response.json()

    def native(self, path):
        """An answer about the first solution."""
        answer = self.json(f"/api/v1/{self.site[0].id}{path}")
        check_numbers(answer)
        return answer

    def refusal(self, path, status=400):
        """The line of a refusal."""
        response = self.get(path)
        assert response.status_code == status, (path, response.text)
        assert set(response.json()) == {"error"}
        assert "\n" not in response.json()["error"]
        return response.json()["error"]


@functools.cache
def portal():
    """An event loop for all requests: to begin one for each takes longer than most answers."""
    return _opened.enter_context(start_blocking_portal())


_opened = contextlib.ExitStack()  # its thread ends with the process


def check_numbers(answer):
    """An answer has no number that JavaScript rounds."""
    json.loads(json.dumps(answer), parse_int=safe)


def safe(digits):
    assert abs(int(digits)) < 2**53


def exact(found):
    """An answer with large numbers, which come as texts, as numbers."""
    if isinstance(found, dict):
        return {name: exact(value) for name, value in found.items()}
    if isinstance(found, list):
        return [exact(value) for value in found]
    return int(found) if isinstance(found, str) and found.lstrip("-").isdigit() else found


def q(text):
    """A text in an address."""
    return quote(text, safe="", errors="surrogatepass")


def some_positions(solution, number, seed=1):
    """Positions of random games, ends among them."""
    numbers, found = random.Random(seed), []
    while len(found) < number:
        state, plies = solution.engine.start, 0
        while moves := solution.engine.rules.moves(state) if plies < 60 else []:
            found.append(state)
            state, plies = numbers.choice(moves)[1], plies + 1
        found.append(state)
    return [solution.at(state) for state in numbers.sample(sorted(set(found)), min(number, len(set(found))))]


def solved(spec, **options):
    return analysis.solve(spec, workers=1, **options)
