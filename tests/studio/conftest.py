"""One studio and one browser for all tests that a process runs."""

import pytest

from draw.browser import BROWSER, MISSING


@pytest.fixture(scope="session")
def studio(tmp_path_factory):
    from studios import running  # without the libraries the test is skipped

    with running(tmp_path_factory.mktemp("studio")) as one:
        one.found("position", puzzle={"name": "domino-and-square-3x2"}, position=[])  # this warms its processes
        yield one


@pytest.fixture(scope="session")
def started_browser():
    from studio.people import browsing  # needs playwright, without which the tests are skipped

    if BROWSER is None:
        pytest.skip(MISSING)
    with browsing(BROWSER) as one:
        yield one


@pytest.fixture
def browser(started_browser):
    """The browser; its event loop is set as running for this test only, because other tests run their own loops."""
    from studio.people import loop_of

    with loop_of(started_browser):
        yield started_browser


@pytest.fixture
def meet(browser):
    """Return a function that opens an address as a person; pages must raise no error."""
    import people

    made = []

    def make(address, *, kind=people.Person, **how):
        made.append(kind(browser, address, **how))
        return made[-1]

    yield make
    mistakes = [mistake for one in made for mistake in one.mistakes]
    for one in made:
        one.context.close()
    assert not mistakes


@pytest.fixture
def person(meet, studio):
    return lambda **how: meet(studio.address, **how)


@pytest.fixture
def visitor(person):
    """Return a person in the studio whose page stays open for all cases of a table."""
    met = {}

    def visits(**how):
        if str(how) not in met:
            met[str(how)] = person(**how)
        return met[str(how)]

    return visits
