"""One browser for all tests of pages."""

import pytest
from browser import browser


@pytest.fixture(scope="session")
def window():
    with browser() as send:
        yield send
