"""One studio for all tests that a process runs, and one browser for those of a file."""

from __future__ import annotations

import pytest

from draw.browser import BROWSER, MISSING


@pytest.fixture(scope="session")
def studio(tmp_path_factory):
    from studios import running  # leaves the test out where the libraries are not there

    with running(tmp_path_factory.mktemp("studio")) as one:
        yield one


@pytest.fixture(scope="module")
def browser():
    """A browser; it ends with its file, for the loop of events that it comes with must not be there when others begin their own."""
    import people  # needs playwright: a file whose tests use it is left out without

    if BROWSER is None:
        pytest.skip(MISSING)
    with people.browsing(BROWSER) as one:
        yield one


@pytest.fixture
def person(browser, studio):
    """Make people; at the end none of their pages may have stumbled over a mistake of ours."""
    import people

    made = []

    def make(**how):
        made.append(people.Person(browser, studio.address, **how))
        return made[-1]

    yield make
    mistakes = [mistake for one in made for mistake in one.mistakes]
    for one in made:
        one.context.close()
    assert not mistakes
