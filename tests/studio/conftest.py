"""One studio, and one browser, for the tests of a file."""

from __future__ import annotations

import pytest

from draw.browser import BROWSER


@pytest.fixture(scope="module")
def studio(tmp_path_factory):
    from studios import running  # leaves the test out where the libraries are not there

    with running(tmp_path_factory.mktemp("studio")) as one:
        yield one


@pytest.fixture(scope="module")
def browser():
    import people  # needs playwright: a file whose tests use it is left out without

    with people.browsing(BROWSER) as one:
        yield one
