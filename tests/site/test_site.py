"""The site, clicked through in a headless chromium: `make test-site` (Debian's chromium and chromium-driver)."""

from __future__ import annotations

import base64
import json
import shutil
import socket
import subprocess
import threading
import time
import urllib.request
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

SOURCE = Path(__file__).resolve().parents[2]
SITE = SOURCE / "build" / "site"
PAGES = ["", *sorted(f"{page.stem}/" for page in (SOURCE / "docs").glob("*.md"))]
TELEPHONE, DESK = (390, 844), (1280, 900)
ARGUMENTS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
)
LOOK = """
const pictures = [...document.images];
return {
  links: [...document.querySelectorAll("a[href]")].map(link => link.href),
  anchors: [...document.querySelectorAll("[id]")].map(found => found.id),
  pictures: pictures.length,
  missing: pictures.filter(found => !found.complete || !found.naturalWidth).map(found => found.src),
  foreign: performance.getEntriesByType("resource").map(found => found.name)
    .filter(name => !name.startsWith(location.origin)),
  wider: document.documentElement.scrollWidth - document.documentElement.clientWidth,
  text: document.querySelector("article").innerText.length,
};"""


class Quiet(SimpleHTTPRequestHandler):
    """Serves files without a line for each."""

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


class Browser:
    """A chromium that is driven by the W3C's protocol."""

    def __init__(self, port: int, folder: Path) -> None:
        """Begin a session, with a new profile."""
        self._driver = f"http://127.0.0.1:{port}/session"
        options = {"args": [*ARGUMENTS.split(), f"--user-data-dir={folder}"]}
        begun = self._ask("", {"capabilities": {"alwaysMatch": {"goog:chromeOptions": options}}})
        self._driver += f"/{begun['sessionId']}"

    def _ask(self, path: str, body: dict[str, Any] | None = None, method: str = "POST") -> Any:
        data = json.dumps(body or {}).encode() if method == "POST" else None
        request = urllib.request.Request(self._driver + path, data, {"Content-Type": "application/json"}, method=method)
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)["value"]

    def open(self, address: str, size: tuple[int, int] = DESK) -> None:
        """Open an address in a window of a size, as a telephone has it where that is narrow."""
        narrow = size[0] < 500
        metrics = {"width": size[0], "height": size[1], "deviceScaleFactor": 1, "mobile": narrow}
        self._ask("/goog/cdp/execute", {"cmd": "Emulation.setDeviceMetricsOverride", "params": metrics})
        self._ask("/url", {"url": address})

    def run(self, script: str) -> Any:
        """Run a script on the page; what it returns."""
        return self._ask("/execute/sync", {"script": script, "args": []})

    def until(self, script: str) -> Any:
        """Run a script until it returns something, for ten seconds."""
        for _ in range(100):
            if found := self.run(script):
                return found
            time.sleep(0.1)
        raise AssertionError(script)

    def picture(self, path: Path) -> None:
        """Save what the window shows."""
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(base64.b64decode(self._ask("/screenshot", method="GET")))

    def close(self) -> None:
        """End the session."""
        self._ask("", method="DELETE")


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    """The site, served on this machine only; its address."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(SITE)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """A browser; the tests are skipped where Debian's packages are not installed."""
    program = shutil.which("chromedriver")
    if program is None:
        pytest.skip("needs chromium and chromium-driver")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    driver = subprocess.Popen([program, f"--port={port}"], stdout=subprocess.DEVNULL)
    try:
        for _ in range(100):
            with socket.socket() as tried:
                if tried.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.1)
        found = Browser(port, tmp_path_factory.mktemp("profile"))
        yield found
        found.close()
    finally:
        driver.terminate()
        driver.wait(10)


@pytest.fixture(scope="module")
def looks(browser: Browser, site: str) -> dict[str, Any]:
    """What is on each page, at a desk."""
    found = {}
    for page in PAGES:
        browser.open(site + page)
        browser.run("document.querySelectorAll('img').forEach(found => found.loading = 'eager')")
        browser.until("return [...document.images].every(found => found.complete)")
        found[page] = browser.run(LOOK)
    return found


def test_pages_have_text_and_their_pictures_and_fetch_nothing_elsewhere(looks: dict[str, Any]) -> None:
    assert sum(look["pictures"] for look in looks.values()) > 8 and looks[""]["pictures"]
    for page, look in looks.items():
        assert look["text"] > 500 and not look["missing"] and not look["foreign"], (page, look)


def test_every_link_within_the_site_leads_to_what_is_there(looks: dict[str, Any], site: str) -> None:
    links = {link for look in looks.values() for link in look["links"] if link.startswith(site)}
    assert len(links) > 100
    for link in sorted(links):
        path, _, anchor = link.removeprefix(site).partition("#")
        assert (SITE / path / "index.html").is_file() or (SITE / path).is_file(), link
        assert not anchor or anchor.startswith("__") or anchor in looks[path]["anchors"], link


@pytest.mark.parametrize("page", PAGES)
def test_no_page_is_wider_than_a_telephone(browser: Browser, site: str, page: str) -> None:
    browser.open(site + page, TELEPHONE)
    assert browser.run(LOOK)["wider"] <= 0
    browser.picture(SOURCE / "build" / "site_pictures" / f"{page.strip('/') or 'start'}.png")


def test_search_finds_an_option(browser: Browser, site: str) -> None:
    browser.open(site)
    browser.picture(SOURCE / "build" / "site_pictures" / "desk.png")
    browser.run(
        "document.querySelector('#__search').click(); const field = document.querySelector('.md-search__input');"
        "field.focus(); field.value = 'quaternion'; field.dispatchEvent(new Event('keyup', {bubbles: true}))"
    )
    assert "interchange" in browser.until(
        "return [...document.querySelectorAll('.md-search-result__link')].map(found => found.href).join(' ')"
    )


def test_f1_leads_to_the_line(browser: Browser, site: str) -> None:
    browser.open(f"{site}docs/w3d.md#what-you-get")
    browser.until(f"return location.href == '{site}w3d/#what-you-get' && document.getElementById('what-you-get')")
