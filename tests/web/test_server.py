"""The server as a process: ports, signals, how soon it answers, and work that nobody waits for any more."""

import http.client
import json
import signal
import socket
import time
from urllib.parse import urlsplit

import psutil
import pytest

import analysis
from analysis.errors import OptionError
from analysis.web.server import NEXT, PORT, check_origin, listen
from tests.support.program import ROOT
from tests.support.serving import serving

SMALL = "mnk:rows=2,cols=2,k=2"


@pytest.fixture
def connect():
    """Connections that are closed in the end."""
    opened = []

    def to(url):
        opened.append(http.client.HTTPConnection(urlsplit(url).netloc, timeout=30))
        return opened[-1]

    yield to
    for connection in opened:
        connection.close()


def get(connection, path, **headers):
    connection.request("GET", path, headers=headers)
    response = connection.getresponse()
    return response.status, response.read()


def closed(url):
    place = urlsplit(url)
    with socket.socket() as probe:
        return probe.connect_ex((place.hostname, place.port)) != 0


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_ends_at_once_and_frees_its_port(connect, number):
    with serving(SMALL) as served:
        kept = connect(served.url)
        assert get(kept, "/api/v1/solutions")[0] == 200  # a connection that stays open does not keep it
        assert served.end(number) == (0, "")
    assert closed(served.url)


def test_it_ends_in_the_midst_of_work(connect, tmp_path):
    analysis.solve("connect:rows=4,cols=4", directory=tmp_path / "s", workers=2)
    with serving(str(tmp_path / "s")) as served:
        waiting = connect(served.url)
        waiting.request(
            "GET", "/api/v1/connect-rows-4-cols-4-k-4/find?where=only_move+and+value%3D-1&order=games&limit=1000"
        )
        time.sleep(0.2)
        assert served.end() == (0, "")


def test_no_answer_waits_for_another_or_for_more_to_send(connect, tmp_path):
    """In processor time, since other programs run beside a test; a connection that is kept open has no delay."""
    analysis.solve("connect:rows=4,cols=4", directory=tmp_path / "s", workers=2)
    with serving(str(tmp_path / "s")) as served:
        connection, base = connect(served.url), "/api/v1/connect-rows-4-cols-4-k-4/position?p="
        texts = ["0", "01", "012", "0123", "3210", "00", "000", "0000", "11"]
        for text in texts:
            assert get(connection, f"{base}{text}")[0] == 200
        process, waits = psutil.Process(served.process.pid), []
        before = sum(process.cpu_times()[:2])
        for number in range(50):
            began = time.monotonic()
            assert get(connection, f"{base}{texts[number % len(texts)]}")[0] == 200
            waits.append(time.monotonic() - began)
        assert sum(process.cpu_times()[:2]) - before < 50 * 0.02
        assert sorted(waits)[25] < 0.02  # Nagle's algorithm would make it 0.04 each


def test_a_search_lets_others_pass_and_ends(connect, tmp_path):
    analysis.solve("connect:rows=4,cols=4", directory=tmp_path / "s", workers=2)
    with serving(str(tmp_path / "s")) as served:
        base = "/api/v1/connect-rows-4-cols-4-k-4"
        slow, quick = connect(served.url), connect(served.url)
        slow.request(
            "GET", f"{base}/find?where=only_move+and+value%3Dtie+and+remoteness_plies%3D0&limit=1000&order=games"
        )
        assert json.loads(get(quick, f"{base}/position")[1])["value"] == 0
        slow.close()  # who asked has gone
        process = psutil.Process(served.process.pid)
        deadline = time.monotonic() + 20
        while process.cpu_percent(0.3) > 20 and time.monotonic() < deadline:
            pass
        assert time.monotonic() < deadline
        assert get(quick, f"{base}/position")[0] == 200


def test_ports():
    with serving(SMALL, port=None) as first, serving(SMALL, port=None) as second:
        ports = [urlsplit(served.url).port for served in (first, second)]
        assert len(set(ports)) == 2
        assert set(ports) <= set(range(PORT, PORT + NEXT + 1))
        with pytest.raises(OptionError, match=f"port {ports[0]} is taken"):
            listen(port=ports[0])


@pytest.mark.parametrize(
    ("host", "port", "token"),
    [
        ("0.0.0.0", None, False), ("::", None, False), ("nowhere.invalid", None, True),
        ("192.0.2.1", None, True), ("a" * 300, None, True), ("\0", None, True),
    ],
)  # fmt: skip
def test_where_it_does_not_listen(host, port, token):
    with pytest.raises(OptionError) as refused:
        listen(host, port, token=token)
    assert "\n" not in str(refused.value)


def test_who_is_let_in():
    local = listen(port=0)
    assert local.token is None
    assert set(local.hosts) == {"127.0.0.1", "localhost", "[::1]"}
    everywhere = listen("0.0.0.0", 0, token=True)
    assert everywhere.url.endswith(f"?token={everywhere.token}")
    assert len(everywhere.token) >= 32
    other = listen(port=0, token=True)
    assert everywhere.token != other.token
    for each in (local, everywhere, other):
        each.socket.close()


@pytest.mark.parametrize("origin", ["evil", "http://", "file://x", "https://a/b", "http://a:1 b", "javascript:1"])
def test_what_is_no_origin(origin):
    with pytest.raises(OptionError):
        check_origin(origin)


def test_a_server_for_others_asks_for_its_token(connect):
    with serving(SMALL, "--host", "0.0.0.0", "--token") as served:
        port, token = urlsplit(served.url).port, served.url.partition("token=")[2]
        connection = connect(f"http://127.0.0.1:{port}")
        assert get(connection, "/api/v1/solutions")[0] == 401
        assert get(connection, "/api/v1/solutions", Authorization=f"Bearer {token}")[0] == 200


def test_refusals(gametree):
    for arguments in (
        ("bidding:game=tictactoe,chips=2", "--out", "page.html"),
        ("nope",),
        ("tictactoe", "--cors", "evil"),
        ("tictactoe", "--host", "0.0.0.0"),
        ("no/such/directory",),
        ("tictactoe", "--symmetry", "odd"),
        ("tictactoe", "hexapawn", "--from", "0"),
        ("tictactoe", "--from", "zz"),
    ):
        result = gametree("explore", *arguments, "--no-browser")
        assert result.code in (1, 2), arguments
        assert result.out == ""
        assert result.err.count("\n") == 1


def test_all_games_are_read_before_one_is_solved(gametree):
    """The first is far too large to be solved, which takes longer to find out."""
    refused = gametree("explore", "connect:rows=6,cols=7", "bidding:game=tictactoe,chips=2", "nonsense", "--no-browser")
    assert refused.code == 2
    assert "nonsense" in refused.err


@pytest.mark.parametrize("more", [("--out", "page.html"), ("tictactoe", "--no-browser")])
def test_what_is_too_large_is_refused_before_anything_is_solved(gametree, monkeypatch, more):
    monkeypatch.setattr("analysis.solving.find.solve", lambda *_, **__: pytest.fail("solved all the same"))
    refused = gametree("explore", *more[:-2], "connect:rows=6,cols=7", *more[-2:])
    assert (refused.code, refused.out) == (1, "")
    assert "too large" in refused.err


def test_from_a_position(connect):
    with serving("tictactoe", "--from", "0124") as served:
        connection = connect(served.url)
        assert json.loads(get(connection, "/api/v1/tictactoe/position")[1])["position"] == "XOX?O????"
        assert get(connection, "/api/v1/tictactoe/position?p=moves:")[0] == 400


def test_a_solution_whose_rules_nobody_has_named(connect, tmp_path):
    from tests.support.solved_kinds import USER

    (tmp_path / "count.py").write_text(USER)
    analysis.solve(f"{tmp_path / 'count.py'}:Count", directory=tmp_path / "s", workers=1)
    (tmp_path / "count.py").write_text("raise SystemExit('it was run')")
    with serving(str(tmp_path / "s"), cwd=ROOT) as served:
        connection = connect(served.url)
        (listed,) = json.loads(get(connection, "/api/v1/solutions")[1])["solutions"]
        assert str(tmp_path) not in json.dumps(listed)
        assert not listed["rules_known"]
        told = json.loads(get(connection, f"/api/v1/{listed['id']}/position")[1])
        assert told["moves"] is None
        assert get(connection, f"/game/{listed['id']}")[0] == 200
        assert get(connection, f"/api/v1/{listed['id']}/paths")[0] == 404
        assert get(connection, f"/api/v1/{listed['id']}/tree")[0] == 404
        assert get(connection, f"/api/v1/{listed['id']}/find?where=value%3D1")[0] == 200
