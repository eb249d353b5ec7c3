"""What the tests of pages share: one browser for the tests of a file."""

from __future__ import annotations

import pytest
from browser import browser


@pytest.fixture(scope="module")
def window():
    with browser() as send:
        yield send
