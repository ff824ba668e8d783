"""A real browser without a window, steered by its own driver. Nothing is downloaded."""

import os
import shutil

import pytest

BROWSERS = ("chromium", "chromium-browser", "google-chrome")


def unavailable(reason):
    """Skip with the reason; where tests have to run, fail with it."""
    reason = f"no test in a browser: {reason}"
    if os.environ.get("CI"):
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(scope="session")
def browser():
    try:
        from selenium import webdriver
        from selenium.common import WebDriverException
        from selenium.webdriver.chrome.service import Service
    except ImportError:
        unavailable("selenium is not installed; pip install selenium")
    program = next(filter(None, map(shutil.which, BROWSERS)), None)
    driver = shutil.which("chromedriver")
    if program is None or driver is None:
        unavailable("chromium and chromedriver are not installed (Debian: chromium, chromium-driver)")
    options = webdriver.ChromeOptions()
    options.binary_location = program
    for argument in (
        "--headless=new",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--hide-scrollbars",
        "--force-prefers-reduced-motion",
    ):
        options.add_argument(argument)
    if os.geteuid() == 0:
        options.add_argument("--no-sandbox")  # Chromium refuses to start as root otherwise
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    try:
        found = webdriver.Chrome(options=options, service=Service(driver))
    except WebDriverException as error:
        unavailable(f"{program} does not start: {error.msg}")
    yield found
    found.quit()
