"""A browser, and the page in it: from a server and as a file."""

import contextlib

import pytest

import analysis
from analysis.web.pages.page_file import write_page
from tests.support.browser import Browser, find_programs
from tests.support.explorer_page import Address
from tests.support.serving import serving


@pytest.fixture(scope="session")
def browser(tmp_path_factory):
    find_programs()
    folder = tmp_path_factory.mktemp("profile")
    opened = Browser(folder, offline=False)
    opened.driver.set_script_timeout(300)
    saved = folder / "saved"
    saved.mkdir()
    opened.command("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(saved))
    opened.saved = saved
    yield opened
    opened.close()


@pytest.fixture(params=["http", "file"])
def shown(request, tmp_path):
    """How a page is opened: ``shown(spec)`` is a context with its address, from a server or as a file."""

    @contextlib.contextmanager
    def from_server(spec):
        with serving(spec) as served:
            yield Address(served.url, served.url.rstrip("/") + "/game/" + spec.partition(":")[0])

    @contextlib.contextmanager
    def from_file(spec):
        write_page(analysis.solve(spec, workers=1), tmp_path / "page #1 ü.html")
        address = (tmp_path / "page #1 ü.html").as_uri()
        yield Address(address, address)

    return from_server if request.param == "http" else from_file
