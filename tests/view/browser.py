"""A real browser for the tests: headless Chromium, driven by Selenium."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from selenium.webdriver import Chrome, ChromeOptions, ChromeService
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.wait import WebDriverWait

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
DRIVER = shutil.which("chromedriver")
_IS_CI = bool(os.environ.get("CI"))  # where they fail instead of being skipped
needs_browser = [
    pytest.mark.skipif(CHROMIUM is None and not _IS_CI, reason="Chromium is not installed"),
    pytest.mark.skipif(DRIVER is None and not _IS_CI, reason="chromedriver is not installed"),
]
_LONGEST_WAIT = 20  # seconds, after which a test fails
_OPTIONS = (
    "--headless=new",
    "--no-sandbox",  # which root may not have
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--window-size=1400,900",
)


class Browser:
    """A browser with one page, and the queries and actions of the tests."""

    def __init__(self, chrome: Chrome, folder: Path) -> None:
        self.chrome = chrome
        self.folder = folder

    def open(self, html: str, fragment: str = "") -> None:
        """Open a page from a file."""
        path = self.folder / "page.html"
        path.write_text(html, encoding="utf-8", newline="\n")
        self.chrome.get("about:blank")
        self.chrome.get(path.as_uri() + fragment)

    def media(self, scheme: str) -> None:
        """Prefer "light" or "dark"."""
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.chrome.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})

    def width(self, width: int) -> None:
        """Set the width of the window's content; 0 for that of the window."""
        metrics = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
        self.chrome.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)

    def all(self, selector: str) -> list[WebElement]:
        return self.chrome.find_elements(By.CSS_SELECTOR, selector)

    def one(self, selector: str) -> WebElement:
        return self.chrome.find_element(By.CSS_SELECTOR, selector)

    def ask(self, expression: str, *arguments: object) -> Any:  # noqa: ANN401 - JSON of any kind
        """Return the value of a JavaScript expression."""
        return self.chrome.execute_script(f"return {expression}", *arguments)

    def wait_for(self, expression: str) -> None:
        """Wait until a JavaScript expression is true."""
        WebDriverWait(self.chrome, _LONGEST_WAIT).until(lambda _: self.ask(expression))

    def press(self, *keys: str) -> None:
        """Press keys where the focus is."""
        for key in keys:
            self.chrome.switch_to.active_element.send_keys(key)

    def click(self, selector: str, index: int = 0) -> None:
        self.all(selector)[index].click()

    @property
    def selected(self) -> list[int]:
        """The indexes of the chunks that are selected."""
        return list(
            self.ask(
                "[...document.querySelectorAll('.leaf')].flatMap("
                "(leaf, at) => leaf.getAttribute('aria-current') === 'true' ? [at] : [])"
            )
        )

    @property
    def read_aloud(self) -> list[dict[str, Any]]:
        """The nodes of the accessibility tree."""
        tree = self.chrome.execute_cdp_cmd("Accessibility.getFullAXTree", {})
        return list(tree["nodes"])

    @property
    def copied(self) -> str:
        """What the keys for it copy of the selection, as it is pasted elsewhere."""
        copy = ActionChains(self.chrome).key_down(Keys.CONTROL).send_keys("c").key_up(Keys.CONTROL)
        copy.perform()
        self.ask("document.body.append(document.createElement('textarea'))")
        area = self.one("textarea")
        area.send_keys(Keys.CONTROL, "v")
        pasted = area.get_property("value")
        self.ask("document.querySelector('textarea').remove()")
        return str(pasted)

    @property
    def complaints(self) -> list[str]:
        """What is in the console: errors, and what the policy did not let happen."""
        return [entry["message"] for entry in self.chrome.get_log("browser")]  # type: ignore[no-untyped-call]


def started(folder: Path) -> Iterator[Browser]:
    """Yield a browser for the tests of a module."""
    assert CHROMIUM, "Chromium is not installed"
    assert DRIVER, "chromedriver is not installed"
    with opened(folder) as browser:
        yield browser


def prepared(browser: Browser) -> Iterator[Browser]:
    """Yield a browser for one test; after it the console must be empty."""
    browser.media("light")
    browser.width(1400)
    yield browser
    assert browser.complaints == []


@contextmanager
def opened(folder: Path) -> Iterator[Browser]:
    """Start a browser with its own profile in a folder, and close it."""
    options = ChromeOptions()
    options.binary_location = CHROMIUM or ""
    for option in (*_OPTIONS, f"--user-data-dir={folder / 'profile'}"):
        options.add_argument(option)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    chrome = Chrome(options=options, service=ChromeService(DRIVER))
    try:
        yield Browser(chrome, folder)
    finally:
        chrome.quit()
