"""One browser for all tests of pages."""

from studio.conftest import browser, started_browser  # noqa: F401 - fixtures
