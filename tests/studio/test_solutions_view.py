"""A person looks at the solutions of a puzzle in the studio."""

import re
from hashlib import sha256

import people
import pytest

from draw.browser import IN_A_BROWSER
from tiers import every

pytestmark = IN_A_BROWSER

MANY = {"title": "Dominoes", "grid": "square", "flips": True, "tiles": {"D": {"picture": "##", "copies": "any"}}, "form": {"box": [8, 8]}}


def looks(person, name, **how):
    one, puzzle = person(**how), {"name": name} if isinstance(name, str) else {"puzzle": {"name": "mine", "table": name}}
    return one.opens(people.link(one.address, {"view": "solutions", **puzzle}))


def number(one):
    return one.page.locator(".walk input").input_value()


def waits_for(one, number):
    one.page.locator(f'.thumbnail[aria-current="true"][aria-label^="Solution {number}"]').wait_for()


def drawn(one):
    """Return the placements of the large picture."""
    return sorted(one.page.locator(".solution-stage .piece").evaluate_all("all => all.map((piece) => Number(piece.dataset.p))"))


def test_walked_through_a_piece_that_stays_and_a_rule(person):
    one = looks(person, "pentominoes-6x10")
    one.page.locator(".many b", has_text=re.compile("^2,339$")).wait_for()
    waits_for(one, 1)
    first = drawn(one)
    assert len(first) == 12
    one.presses("Next solution")
    waits_for(one, 2)
    assert drawn(one) != first
    one.page.locator("h1").click()
    one.page.keyboard.press("ArrowLeft")
    waits_for(one, 1)
    assert drawn(one) == first and one.page.get_by_role("button", name="Previous solution").is_disabled()
    one.page.locator(".walk input").fill("2000")
    one.page.keyboard.press("Enter")
    waits_for(one, "2,000")  # the gallery went there
    assert one.page.locator(".thumbnail").count() < 100
    name = one.page.evaluate("document.querySelector('.kept button').textContent")
    one.page.locator(".kept summary").click()
    one.page.locator(".kept button").first.click()
    one.page.locator(".many b:not(:text('2,339'))").wait_for()
    assert one.position() == [name]
    fewer = int(one.page.locator(".many b").inner_text().replace(",", ""))
    assert 0 < fewer < 2339
    one.presses("Show all solutions")
    one.page.locator(".many b", has_text="2,339").wait_for()
    one.page.locator(".walk input").fill("2340")
    one.page.keyboard.press("Enter")
    one.sees("Type a number from 1 to 2,339.")
    one.presses("At random")
    one.waits_until(lambda: 1 <= int(number(one)) <= 2339)
    one.page.get_by_label("rotations and reflections only once").uncheck()
    one.page.locator(".many b", has_text="9,356").wait_for()
    one.page.get_by_label("unchanged by:").select_option("a turn by 180°")
    one.sees("No solution is like this.")


@pytest.mark.full
def test_a_link_shows_one_solution_and_the_board_has_it(person):
    one = looks(person, "soma")
    waits_for(one, 1)
    one.presses("Put it on the board")
    one.page.locator(".view.play").wait_for()
    placed = one.position()
    assert len(placed) == 7
    one.goes_on_to(people.link(one.address, {"view": "solutions", "name": "soma", "position": placed}))
    one.page.locator(".many b", has_text=re.compile("^1$")).wait_for()
    assert len(drawn(one)) == 7


@pytest.mark.full
def test_millions_are_had_by_their_numbers(person):
    """They are too many to list, so rotations count separately; only visible ones are drawn."""
    one = looks(person, MANY)
    one.page.locator(".many b", has_text=re.compile("^12,988,816$")).wait_for()
    one.page.locator(".walk input").fill("12345678")
    one.page.keyboard.press("Enter")
    waits_for(one, "12,345,678")
    assert len(drawn(one)) == 32 and one.page.locator(".thumbnail").count() < 100


@pytest.mark.full
def test_after_a_count_a_button_leads_there_the_count_is_cited_and_pictures_are_kept(person, tmp_path):
    one = person().opens_puzzle("domino-and-square-3x2")
    one.presses("Count and check")
    one.page.get_by_role("button", name="Count and check").wait_for()  # it has ended
    one.sees("solutions; rotations and reflections count once")
    said = sorted(one.page.locator(".confirmed li").all_inner_texts())
    one.page.get_by_role("button", name="Look at them", exact=True).click()
    one.page.locator(".view.solutions .solution-stage .piece").first.wait_for()
    one.page.locator(".citing summary").click()
    one.presses("Write the text")
    text = one.page.locator(".citing textarea").input_value()
    assert said and sorted(re.findall("^- (.*)", text, re.MULTILINE)) == said
    assert (
        re.search(r"puzzlesat \d+\.\d+\.\d+ on \d{4}-\d\d-\d\d", text)
        and "puzzlesat certify domino-and-square-3x2 -o domino-and-square-3x2.proof" in text
    )
    with one.page.expect_download() as kept:
        one.presses("Make the certificate")
    kept.value.save_as(tmp_path / kept.value.suggested_filename)
    for words, begins in (("Save as SVG", b"<svg"), ("Save as PNG", b"\x89PNG")):
        with one.page.expect_download() as picture:
            one.presses(words)
        assert picture.value.path().read_bytes().startswith(begins)
    data = (tmp_path / "domino-and-square-3x2.proof").read_bytes()
    one.page.locator(".citing textarea", has_text="SHA-256").wait_for()
    text = one.page.locator(".citing textarea").input_value()
    assert f"domino-and-square-3x2.proof, {len(data):,} bytes, SHA-256 {sha256(data).hexdigest()}" in text
    assert "puzzlesat verify domino-and-square-3x2.proof --instance domino-and-square-3x2" in text


@pytest.mark.slow
def test_levels_of_a_burr_that_is_solved_at_its_highest_level(person):
    one = looks(person, "dubois-burr", language="de-DE")
    one.page.locator(".level", has_text="Level 6.4").wait_for()
    one.sees("6.4 (1), geht nicht auseinander (1)")
    one.presses("Nächste Lösung")
    one.page.locator(".level", has_text="nicht").wait_for()
    one.goes_on_to(people.link(one.address, {"view": "play", "name": "dubois-burr"})).ways()
    one.presses("Zeig mir eine Lösung")
    one.presses("Auseinandernehmen")
    one.sees("Level 6.4: zusammen")


@pytest.mark.full
@every("how", [{}, {"phone": True}])
def test_a_sentence_lies_over_nothing_that_is_pressed(person, how):
    one = looks(person, "pentominoes-6x10", **how)
    waits_for(one, 1)
    page, typed, said, third = one.page, one.page.locator(".walk input"), one.page.locator("#toasts"), one.page.locator(".thumbnail").nth(2)
    for _ in range(3):
        typed.fill("99999")
        typed.press("Enter")
    page.locator(".toast").nth(2).wait_for()
    assert apart(said, typed)
    for words in page.locator(".toast p").all():  # the text does not catch clicks
        box = words.bounding_box()
        assert page.evaluate("([x, y]) => !document.elementFromPoint(x, y).closest('.toast')", [box["x"] + 5, box["y"] + 5])
    third.click()
    waits_for(one, 3)
    assert apart(said, third)
    if not how:  # a click selects a piece
        box = page.locator(".table-picture").first.bounding_box()
        page.mouse.click(box["x"] + box["width"] * 0.5, box["y"] + box["height"] * 0.5)
        page.locator(".solution-stage .piece.chosen").wait_for()
        assert len(one.position()) == 1


def apart(one, other):
    """Tell whether two elements are one above the other on the screen."""
    (top, high), (below, _) = sorted((box["y"], box["height"]) for box in (one.bounding_box(), other.bounding_box()))
    return top + high <= below
