"""The explorer's page in a browser: what is on it, and how a person uses it."""

import base64
import json
from typing import NamedTuple

from analysis.web.pages.slices import cut
from analysis.web.pages.table import pack
from analysis.web.served import Site
from tests.support.browser import DESKTOP
from tests.support.serving import serving

HERE = "return document.querySelector('#here')?.textContent"
HASH = "return location.hash"

TABS = """
const tabs = [...document.querySelectorAll("[role=tab]:not([hidden])")];
return tabs.every((each) => each.getBoundingClientRect().right <= innerWidth);
"""

BOTH = """
const [id, table, given, done] = arguments;
const asked = JSON.parse(given);
(async () => {
  const { FileSource, unpacked } = await import("/static/file_source.js");
  const { HttpSource } = await import("/static/start.js");
  const sources = [new FileSource(await unpacked(table)), new HttpSource(id)];
  BODY
})().then((found) => done(JSON.stringify(found)), (error) => done(JSON.stringify(String(error))));
"""


def ask_both(browser, spec, solution, body, asked, **part):
    """What a script returns that asks two ``sources``, the table of a file, which may have a ``part`` of the game, and
    the server, what is ``asked``.
    """
    served = Site([solution])[0]
    table = base64.b64encode(pack(served, cut(solution, **part))).decode()
    with serving(spec) as server:
        browser.open(server.url, DESKTOP)
        script = BOTH.replace("BODY", body)
        return json.loads(browser.driver.execute_async_script(script, served.id, table, json.dumps(asked)))


class Address(NamedTuple):
    """Of a page; ``here`` is what part after # goes behind, in a game without parameters."""

    url: str
    here: str


class Page:
    """A page of the explorer in a browser."""

    ADDRESS = HASH
    READY = "return document.querySelector('.explorer .spoken')?.textContent"

    def __init__(self, browser, address, device=DESKTOP, **look):
        self.browser = browser
        browser.open(address, device, **look)
        browser.until(self.READY)

    def text(self, selector):
        return self.browser.run("return document.querySelector(arguments[0])?.textContent ?? null", selector)

    def texts(self, selector):
        return self.browser.run(
            "return [...document.querySelectorAll(arguments[0])].map((each) => each.textContent)", selector
        )

    @property
    def here(self):
        return self.browser.run(HERE)

    @property
    def hash(self):
        return self.browser.run(self.ADDRESS)

    def becomes(self, text):
        self.browser.until("return document.querySelector('#here').textContent === arguments[0]", text)

    def do(self, name):
        self.click(f"[data-do={name}]")

    def click(self, selector, number=0):
        """Click in the middle of an element; on a board, on what is uppermost there."""
        script = (
            "const node = document.querySelectorAll(arguments[0])[arguments[1]]; "
            "const drawn = node.closest('svg.board'); "
            "drawn?.scrollIntoView({ block: 'center' }); "
            "const { x, y, width, height } = node.getBoundingClientRect(); "
            "const [clientX, clientY] = [x + width / 2, y + height / 2]; "
            "const target = drawn ? document.elementFromPoint(clientX, clientY) : node; "
            "target.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true, clientX, clientY }))"
        )
        self.browser.run(script, selector, number)

    def button(self, text):
        """Click the button with this text."""
        script = (
            "[...document.querySelectorAll('button')].find((each) => each.textContent === arguments[0] && !each.hidden)"
        )
        self.browser.run(f"{script}.click()", text)

    def changes(self, act):
        """Do something that leads to another position, and that."""
        before = self.hash
        act()
        self.browser.until(f"{self.ADDRESS} !== arguments[0]", before)
        return self.here

    def keys(self, text):
        self.browser.driver.switch_to.active_element.send_keys(text)

    def clean(self, url):
        """Nothing is wrong with the page, all of it comes from this address, no text has become markup, and nothing
        hidden is seen.
        """
        seen = "return [...document.querySelectorAll('[hidden]')].filter((each) => each.checkVisibility()).length"
        assert self.browser.run(seen) == 0
        assert self.browser.run(TABS)
        assert self.browser.run("return document.querySelectorAll('main :is(img, b, i, script, iframe)').length") == 0
        assert self.browser.axe() == []
        width, inner = self.browser.run("return [document.documentElement.scrollWidth, innerWidth]")
        assert width <= inner
        assert self.browser.console() == []
        assert all(each.startswith((url, "data:", "blob:")) for each in self.browser.requests())
