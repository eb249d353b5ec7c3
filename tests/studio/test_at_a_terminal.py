"""A page whose work is stopped shows the program's message, and a terminal command that continues."""

import json

import people
import pytest

from draw.browser import IN_A_BROWSER
from tiers import every

pytestmark = [IN_A_BROWSER, pytest.mark.full]

WHY = "stopped at a limit while preparing the puzzle"
OWN = {"title": "Own", "model": "dominoes", "form": {"box": [2, 2]}}
STOPPED = {"counts": {"all": None, "distinct": None}, "complete": False, "why": WHY}


def answered(person, question, event, data, state):
    """Return a person at a view whose question gets this answer."""
    one = person()
    body = f"event: {event}\ndata: {json.dumps(data)}\n\n"
    one.page.route(f"**/api/{question}", lambda route: route.fulfill(status=200, headers={"content-type": "text/event-stream"}, body=body))
    return one.opens(people.link(one.address, state))


@pytest.mark.slow
@every(
    "question, state, pressed, command",
    [
        ("certificate", {"view": "proof", "name": "soma"}, "Make a certificate", "puzzlesat certify soma -o soma.proof"),
        ("candidates", {"view": "variants", "name": "dominoes-8x8"}, "Move any one cell", "puzzlesat forms dominoes-8x8 --boxes --count"),
        ("apart", {"view": "solutions", "name": "dubois-burr"}, "Take it apart", "puzzlesat apart dubois-burr --svg"),
    ],
)
def test_a_refusal_stays_with_the_command_that_goes_on(person, question, state, pressed, command):
    one = answered(person, question, "failed", {"error": [WHY]}, state)
    one.presses(pressed)
    note = one.page.locator(".at-terminal")
    note.get_by_text(WHY).wait_for()
    assert note.locator("code").inner_text().startswith(command)
    note.get_by_role("button", name=f"Copy: {command}").click()
    one.page.locator(".toast", has_text=command).or_(one.page.locator(".toast", has_text="Copied.")).wait_for()


@pytest.mark.slow
def test_a_puzzle_of_ones_own_is_saved_first_and_a_count_that_stops_names_its_command(person):
    one = answered(person, "certificate", "failed", {"error": [WHY]}, {"view": "proof", "puzzle": {"name": "own", "table": OWN}})
    one.presses("Make a certificate")
    assert one.page.locator(".at-terminal code").inner_text() == "puzzlesat certify own.toml -o own.proof"
    with one.page.expect_download() as download:
        one.page.get_by_role("button", name="Save own.toml").click()
    assert download.value.suggested_filename == "own.toml"
    one = answered(person, "count", "done", STOPPED, {"view": "draw", "name": "soma"})
    one.page.locator(".badge", has_text="Not counted").wait_for()
    assert one.page.locator(".verdict-panel .at-terminal code").inner_text() == "puzzlesat count soma --store soma.sqlite"
