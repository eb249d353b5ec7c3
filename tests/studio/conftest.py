"""One studio and one browser for all tests that a process runs."""

import pytest

from draw.browser import BROWSER, MISSING


@pytest.fixture(scope="session")
def studio(tmp_path_factory):
    from studios import running  # leaves the test out where the libraries are not there

    with running(tmp_path_factory.mktemp("studio")) as one:
        one.found("position", puzzle={"name": "domino-and-square-3x2"}, position=[])  # its processes are warm then
        yield one


@pytest.fixture(scope="session")
def started_browser():
    import people  # needs playwright: a file whose tests use it is left out without

    if BROWSER is None:
        pytest.skip(MISSING)
    with people.browsing(BROWSER) as one:
        yield one


@pytest.fixture
def browser(started_browser):
    """The browser; its event loop counts as running for this test alone, for other tests run loops of their own."""
    import people

    with people.loop_of(started_browser):
        yield started_browser


@pytest.fixture
def meet(browser):
    """Make people who look at an address; at the end none of their pages may have stumbled over a mistake of ours."""
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
    """Make people in the studio."""
    return lambda **how: meet(studio.address, **how)


@pytest.fixture
def visitor(person):
    """Somebody in the studio whose page stays open from case to case of a table."""
    met = {}

    def visits(**how):
        if str(how) not in met:
            met[str(how)] = person(**how)
        return met[str(how)]

    return visits
