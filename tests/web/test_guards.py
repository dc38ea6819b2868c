"""Who is answered, and what keeps pages from being used against their reader."""

import http.client
from urllib.parse import urlsplit

import pytest

from analysis.web.http import ANSWERS
from tests.support.asking import Asking, solved
from tests.support.serving import serving

CORS = "access-control-allow-origin"
PATHS = (
    "/", "/game/tictactoe", "/static/style.css", "/api/v1/solutions", "/api/v1/tictactoe/position", "/nope",
)  # fmt: skip


@pytest.fixture(scope="module")
def asking():
    return Asking(solved("tictactoe"))


@pytest.mark.slow
def test_headers():
    with serving("tictactoe") as served:
        for path in PATHS:
            connection = http.client.HTTPConnection(urlsplit(served.url).netloc, timeout=30)
            connection.request("GET", path)
            headers = connection.getresponse().headers
            connection.close()
            assert headers["content-security-policy"].startswith(
                "default-src 'self'; img-src 'self' data: blob:; worker-src 'self' blob:"
            )
            assert "unsafe" not in headers["content-security-policy"]
            assert headers["x-content-type-options"] == "nosniff"
            assert headers["x-frame-options"] == "SAMEORIGIN"
            assert CORS not in headers


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "", "localhost.", "0.0.0.0"])
def test_a_wrong_host(asking, path, host):
    assert asking.get(path, headers={"host": host}).status_code == 400


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost:8460", "[::1]:8460", "127.0.0.1:1"])
def test_our_own_names(asking, host):
    assert asking.get("/api/v1/solutions", headers={"host": host}).status_code == 200


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS"])
@pytest.mark.parametrize("path", [path for path in PATHS if path != "/nope"])
def test_reading_is_all_that_can_be_done(asking, path, method):
    assert asking.client.request(method, path).status_code == 405


def test_one_address_takes_a_batch(asking):
    assert [route.path for route in ANSWERS if "POST" in route.methods] == ["/{id}/positions"]
    assert asking.get("/api/v1/tictactoe/positions").status_code == 405


def test_head(asking):
    for path in PATHS:
        assert asking.client.head(path).status_code == asking.get(path).status_code


@pytest.mark.parametrize(
    "path",
    [
        "/static/../server.py", "/static/%2e%2e/server.py", "/static/..%2fserver.py", "/game/..%2f..%2fetc%2fpasswd",
        "/api/v1/..%2f..%2fetc%2fpasswd/position", "/api/v1/tests.py:Game/position", "/game/mnk:4,4,4", "/game/dodgem",
        "/static//etc/passwd", "/static/style.css/../style.css.bak", "/uwapi/",
    ],
)  # fmt: skip
def test_no_game_and_no_file_comes_from_an_address(asking, path):
    response = asking.get(path)
    assert response.status_code in (404, 307)
    assert "root:" not in response.text


def test_no_pages_from_elsewhere_unless_they_are_let_in(asking):
    origin = {"origin": "http://localhost:5173"}
    assert CORS not in asking.get("/api/v1/solutions", headers=origin).headers
    open_to = Asking(solved("tictactoe"), origins=["http://localhost:5173"])
    assert open_to.get("/api/v1/solutions", headers=origin).headers[CORS] == "http://localhost:5173"
    assert CORS not in open_to.get("/api/v1/solutions", headers={"origin": "http://evil.example"}).headers
    asked = {**origin, "access-control-request-method": "POST", "access-control-request-headers": "content-type"}
    answer = open_to.client.options("/api/v1/tictactoe/positions", headers=asked)
    assert answer.status_code == 200
    assert "POST" in answer.headers["access-control-allow-methods"]


def test_an_answer_is_kept_as_long_as_the_solution_is_the_same(asking, tmp_path):
    for path in ("/api/v1/tictactoe/position?p=0", "/game/tictactoe?p=0", "/api/v1/tictactoe"):
        tag = asking.get(path).headers["etag"]
        for known in (tag, f'"x", W/{tag}', "*"):
            again = asking.get(path, headers={"if-none-match": known})
            assert (again.status_code, again.content) == (304, b"")
        assert asking.get(path, headers={"if-none-match": '"x"'}).status_code == 200
    stored, other = (solved(spec, directory=tmp_path / spec) for spec in ("tictactoe", "hexapawn"))
    tags = [Asking(each).get("/api/v1/solutions") and Asking(each).site[0].etag for each in (stored, other)]
    assert len({*tags, tag}) == 3
    for path in ("find", "random"):
        assert asking.get(f"/api/v1/tictactoe/{path}").headers["cache-control"] == "no-store"


def test_a_token():
    asking = Asking(solved("tictactoe"), token="secret")
    for headers in (
        {},
        {"authorization": "Bearer wrong"},
        {"cookie": "gametree-token=wrong"},
        {"cookie": "a=b; ;;=\x01"},
    ):
        for path in PATHS:
            assert asking.get(path, headers=headers).status_code == 401
    assert asking.get("/api/v1/solutions?token=wrong").status_code == 401
    assert asking.get("/api/v1/solutions", headers={"authorization": "Bearer secret"}).status_code == 200
    assert asking.get("/api/v1/solutions", headers={"cookie": "gametree-token=secret"}).status_code == 200
    first = asking.get("/api/v1/tictactoe/position?p=0&token=secret")
    assert first.json()["position"] == "X????????"
    assert "HttpOnly" in first.headers["set-cookie"]
    assert "SameSite=Strict" in first.headers["set-cookie"]
    assert asking.get("/api/v1/solutions").status_code == 200  # the client has kept the cookie


@pytest.mark.parametrize("path", [*PATHS[1:5], "/static/start.js"])
def test_what_is_known_is_not_sent_again(asking, path):
    first = asking.get(path)
    assert first.headers["cache-control"] == "no-cache"
    again = asking.get(path, headers={"If-None-Match": first.headers["etag"]})
    assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", first.headers["etag"])
    assert asking.get(path, headers={"If-None-Match": '"other"'}).content == first.content
