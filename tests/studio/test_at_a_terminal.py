"""What a page says where it stops: what the program said, and the command that goes on in a terminal."""

from __future__ import annotations

import json

import pytest

from draw.browser import IN_A_BROWSER

people = pytest.importorskip("people", reason="pages are not tried: playwright is not installed (pip install 'puzzlesat[test]')")
pytestmark = IN_A_BROWSER

WHY = "limit reached in the midst of: the preparations"


def refusing(person, question, view, name, **how):
    """Somebody whose question the program refuses."""
    one = person(**how)
    body = f"event: failed\ndata: {json.dumps({'error': [WHY]})}\n\n"
    one.page.route(f"**/api/{question}", lambda route: route.fulfill(status=200, headers={"content-type": "text/event-stream"}, body=body))
    return one.opens_puzzle(name, view=view)


@pytest.mark.parametrize(
    ("question", "view", "name", "pressed", "command"),
    [
        ("certificate", "proof", "soma", "Make a certificate", "puzzlesat certify soma -o soma.proof"),
        ("candidates", "variants", "dominoes-8x8", "Move any one cell", "puzzlesat forms dominoes-8x8 --boxes --count"),
        ("apart", "solutions", "dubois-burr", "Take it apart", "puzzlesat apart dubois-burr --svg"),
    ],
)
def test_a_refusal_stays_with_the_command_that_goes_on(person, question, view, name, pressed, command):
    one = refusing(person, question, view, name)
    one.presses(pressed)
    note = one.page.locator(".at-terminal")
    note.get_by_text(WHY).wait_for()
    assert note.locator("code").inner_text().startswith(command)
    note.get_by_role("button", name=f"Copy: {command}").click()
    one.page.locator(".toast", has_text=command).or_(one.page.locator(".toast", has_text="Copied.")).wait_for()


def test_a_puzzle_of_ones_own_is_saved_first(person):
    table = {"title": "Own", "model": "dominoes", "form": {"box": [2, 2]}}
    one = refusing(person, "certificate", "library", "soma")
    one.goes_on_to(people.link(one.address, {"view": "proof", "puzzle": {"name": "own", "table": table}}))
    one.presses("Make a certificate")
    assert one.page.locator(".at-terminal code").inner_text() == "puzzlesat certify own.toml -o own.proof"
    with one.page.expect_download() as download:
        one.page.get_by_role("button", name="Save own.toml").click()
    assert download.value.suggested_filename == "own.toml"


def test_a_count_that_stops_while_a_form_is_drawn_says_the_command_that_goes_on(person):
    one = person()
    done = {"counts": {"all": None, "distinct": None}, "complete": False, "why": WHY}
    body = f"event: done\ndata: {json.dumps(done)}\n\n"
    one.page.route("**/api/count", lambda route: route.fulfill(status=200, headers={"content-type": "text/event-stream"}, body=body))
    one.opens_puzzle("soma", view="draw")
    one.page.locator(".badge", has_text="Not counted").wait_for()
    assert one.page.locator(".verdict-panel .at-terminal code").inner_text() == "puzzlesat count soma --store soma.sqlite"
