"""What the tests of pages share: one browser for all of them."""

from __future__ import annotations

import pytest
from browser import browser


@pytest.fixture(scope="session")
def window():
    with browser() as send:
        yield send
