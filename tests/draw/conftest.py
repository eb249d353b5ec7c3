"""One browser for all tests of pages."""

import pytest

from draw.browser import Page
from studio.conftest import browser, started_browser  # noqa: F401 - fixtures


@pytest.fixture
def opened(browser, tmp_path):  # noqa: F811
    """Open the text of a page in a window."""

    def go(html, *how, **more):
        file = tmp_path / "page.html"
        file.write_text(html, encoding="utf-8")
        return Page(browser, file, *how, **more)

    return go
