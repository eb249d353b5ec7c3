"""One studio for the tests of a file."""

from __future__ import annotations

import pytest


@pytest.fixture(scope="module")
def studio(tmp_path_factory):
    from studios import running  # leaves the test out where the libraries are not there

    with running(tmp_path_factory.mktemp("studio")) as one:
        yield one
