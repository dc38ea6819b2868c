"""Bots in the explorer: those that the command line names, and no others."""

import json
import urllib.error
import urllib.request
from pathlib import Path
from urllib.parse import urlencode

import pytest

from tests.support.program import one_line
from tests.support.serving import serving

BOTS = """
def last(position, moves):
    return moves[-1]

def crash(position, moves):
    return 1 / 0
"""


def asked(url, what, **words):
    try:
        with urllib.request.urlopen(f"{url}api/v1/tictactoe{what}?{urlencode(words)}") as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


def test_named_bots_reply_and_no_others():
    Path("mine.py").write_text(BOTS)
    with serving("tictactoe", "--bot", "mine.py:last", "--bot", "mine.py:crash") as served:
        assert asked(served.url, "")[1]["bots"] == ["mine.py:last", "mine.py:crash"]
        for position, code in (("X????????", 8), ("?X???????", 8), ("XOX?????O", 7)):
            status, found = asked(served.url, "/reply", p=position, against="mine.py:last")
            assert (status, found["move"]["move"]) == (200, code)
        status, found = asked(served.url, "/reply", against="mine.py:crash")
        assert status == 500
        assert "ZeroDivisionError" in found["error"]
        for against in ("mine.py:other", "mine.py"):
            assert asked(served.url, "/reply", against=against)[0] == 400


@pytest.mark.parametrize(("bot", "word"), [("perfect", "not a bot"), ("missing.py", "no file")])
def test_what_is_no_bot_is_refused(gametree, bot, word):
    one_line(gametree("explore", "tictactoe", "--bot", bot, "--no-browser"), 2, word)


def test_a_file_has_no_bots(gametree):
    one_line(gametree("explore", "tictactoe", "--bot", "a.py", "--out", "page.html"), 2, "--bot")
