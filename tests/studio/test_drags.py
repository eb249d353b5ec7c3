"""A board of 2,000 cells is played as fast as a screen shows pictures: sixty moves a second."""

from __future__ import annotations

import pytest

from draw.browser import IN_A_BROWSER

people = pytest.importorskip("people", reason="pages are not tried: playwright is not installed (pip install 'puzzlesat[test]')")
pytestmark = IN_A_BROWSER
MOVES = 60
MOST = 1000 / 60
"""Milliseconds that the page's own thread may work for a move; what other programs do meanwhile does not count."""


@pytest.mark.full
def test_a_piece_is_carried_over_two_thousand_cells(person):
    one = person()
    session = one.context.new_cdp_session(one.page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})
    table = {"title": "large", "model": "dominoes", "form": {"box": [50, 40]}}
    one.opens(people.link(one.address, {"view": "play", "puzzle": {"name": "large", "table": table}}))
    box, board = one.page.locator("[data-tile] svg").first.bounding_box(), one.page.locator(".table-picture").bounding_box()
    one.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    there = one.page.evaluate("location.hash")
    one.page.mouse.down()
    one.page.mouse.move(board["x"] + 20, board["y"] + 20)
    before = worked(session)
    one.page.mouse.move(board["x"] + board["width"] - 20, board["y"] + board["height"] - 20, steps=MOVES)
    spent = (worked(session) - before) / MOVES
    one.page.mouse.up()
    one.waits_for_another_address(there)
    assert len(one.position()) == 1, "the piece that was carried lies there"
    print(f"a move costs {spent:.1f} ms")
    assert spent < MOST


def worked(session):
    metrics = {each["name"]: each["value"] for each in session.send("Performance.getMetrics")["metrics"]}
    return 1000 * metrics["TaskDuration"]
