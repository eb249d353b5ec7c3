"""The studio on a tablet: 820 pixels wide."""

from __future__ import annotations

import pytest

from draw.browser import IN_A_BROWSER

people = pytest.importorskip("people", reason="pages are not tried: playwright is not installed (pip install 'puzzlesat[test]')")
pytestmark = IN_A_BROWSER
TITLE = "The twelve pentominoes in a rectangle of 6 x 10"


@pytest.mark.parametrize("view", ["play", "draw", "solutions", "proof"])
def test_the_title_of_the_puzzle_is_seen_whole(person, view):
    one = person()
    one.page.set_viewport_size({"width": 820, "height": 1180})
    one.opens_puzzle("pentominoes-6x10", view=view)
    one.page.locator("#which", has_text=TITLE).wait_for()
    assert one.page.evaluate("document.querySelector('#which').scrollWidth <= document.querySelector('#which').clientWidth")
    assert one.page.evaluate("document.documentElement.scrollWidth") <= 820


def test_what_is_said_of_a_form_stays_in_sight_beside_the_controls_below(person):
    one = person()
    one.page.set_viewport_size({"width": 820, "height": 1180})
    one.opens_puzzle("pentominoes-6x10", view="draw")
    one.page.locator(".solution-rules").wait_for()
    one.page.evaluate("scrollTo(0, document.body.scrollHeight)")
    top, bottom = one.page.evaluate(
        "() => { const box = document.querySelector('.verdict-panel').getBoundingClientRect(); return [box.top, box.bottom]; }"
    )
    assert one.page.evaluate("document.querySelector('#top').getBoundingClientRect().bottom") <= top < bottom < 1180
    assert one.page.evaluate("getComputedStyle(document.querySelector('.side')).overflowY") == "visible", "one page scrolls, not a part"
