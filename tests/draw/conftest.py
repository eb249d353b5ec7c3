"""What the tests of pages share: one browser for all of them."""

import pytest
from browser import browser


@pytest.fixture(scope="session")
def window():
    with browser() as send:
        yield send
