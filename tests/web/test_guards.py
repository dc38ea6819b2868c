"""Who is answered, and what keeps pages from being used against their reader."""

import http.client
from urllib.parse import urlsplit

import pytest

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
    asked = {**origin, "access-control-request-method": "GET", "access-control-request-headers": "authorization"}
    answer = open_to.client.options("/api/v1/tictactoe/position", headers=asked)
    assert answer.status_code == 200
    assert "GET" in answer.headers["access-control-allow-methods"]


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
