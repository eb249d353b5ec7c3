"""The section of a report on disassembly: its text without a script, and a reader who steps through it."""

import re
from dataclasses import replace
from functools import cache

import pytest

import puzzlesat
from draw.browser import IN_A_BROWSER
from draw.reports import contents_of
from helpers import BOTTLE
from puzzlesat.pages.report import page

CHANNEL = {
    "title": "A bar in a channel",
    "grid": "square",
    "flips": False,
    "tiles": {"C": {"picture": "####\n#...\n####"}, "I": {"picture": "###"}},
    "form": {"box": [4, 3]},
}
KNOWN = {"channel": CHANNEL, "bottle": BOTTLE}
STEPS = """
const at = (id) => document.getElementById(id), wait = (ms = 60) => new Promise((done) => setTimeout(done, ms));
const said = () => document.querySelector(".apart-said").textContent, rows = () => [...document.querySelectorAll(".apart-steps button")];
const until = async (words) => { for (let i = 0; i < 300 && !said().startsWith(words); i++) await wait(); return said(); };
const [first, back, play, forward] = document.querySelectorAll(".apart-controls button");
"""


@cache
def made(name):
    instance = puzzlesat.load(KNOWN.get(name, name))
    turns = name in ("bottle", "sliproad")
    apart = puzzlesat.apart(instance, jobs=1, turns=turns, bevel="1/10" if turns else "0")
    return page(contents_of(instance, apart=apart))


@pytest.fixture
def shown(opened):
    return lambda name: opened(made(name))


@pytest.mark.full
@IN_A_BROWSER
def test_a_level_that_is_not_known_to_be_the_least_is_called_so(opened):
    found = puzzlesat.apart(puzzlesat.load(CHANNEL), jobs=1)
    doubtful = tuple(replace(each, answer=replace(each.answer, least=False)) for each in found.assemblies)
    text = page(contents_of(found.instance, apart=replace(found, assemblies=doubtful)))
    assert '<th scope="row">1 (not known to be the least)</th>' in text
    said = opened(text).do("return document.querySelector('.apart-said').textContent;")
    assert said == "Level 1 (not known to be the least): together"


@IN_A_BROWSER
def test_a_visit_of_a_channel(shown):
    found = shown("channel").do(
        STEPS
        + """
        const moved = () => [...document.querySelectorAll(".apart-flat > g")].map((g) => g.getAttribute("transform"));
        const before = moved(); rows()[0].click(); const after = moved(); first.click();
        play.click(); const playing = play.getAttribute("aria-label"), end = await until("1. ");
        for (let i = 0; i < 200 && play.getAttribute("aria-label") !== "Play"; i++) await wait();
        return [before, after, playing, end, play.getAttribute("aria-label"), forward.disabled];"""
    )
    assert found[0] == ["translate(0 0)"] * 2
    (still, gone) = sorted(found[1])
    assert still == "translate(0 0)" and float(re.match(r"translate\((\S+) 0\)", gone).group(1)) > 0
    assert found[2] == "Pause" and found[3].endswith("away along +x") and found[4:] == ["Play", True]


@pytest.mark.full
@IN_A_BROWSER
def test_a_visit_of_a_burr(shown):
    found = shown("piston-burr").do(
        STEPS
        + """
        const seen = [said(), rows().length, back.disabled];
        forward.click(); seen.push(await until("1. ")); back.click(); seen.push(await until("Level")); forward.click(); forward.click();
        seen.push(await until("2. ")); rows()[13].click(); seen.push(said(), forward.disabled); first.click(); seen.push(said());
        location.hash = "#solution=3"; for (let i = 0; i < 100 && !at("one").open; i++) await wait();
        at("take-apart").click(); for (let i = 0; i < 100 && at("apart-which").value !== "3"; i++) await wait();
        return [...seen, at("apart-which").value, said(), at("one").open, at("apart-which").selectedOptions[0].parentNode.label];"""
    )
    assert found[:3] == ["Level 9.3: together", 15, True]
    assert found[3:6] == ["1. 1008 2: 1 along +x", "Level 9.3: together", "2. 512: 1 along +y"]
    assert found[6].startswith("14. ") and not found[7] and found[8] == "Level 9.3: together"
    assert found[9:] == ["3", "It does not come apart.", False, "does not come apart"]


@pytest.mark.full
@IN_A_BROWSER
def test_a_piece_turns_about_its_axis(shown):
    """After the step its box is where the cells are; the step back returns it."""
    said = re.sub(r"<[^>]*>", " ", made("bottle"))
    assert "1 solution; 1 comes apart by sliding and turning pieces (bevel 1/10). Checked:" in said
    assert f"puzzlesat apart {puzzlesat.load(BOTTLE).name} --turns --bevel 1/10 --svg FILE" in said
    found = shown("bottle").do(
        STEPS
        + """
        const [bottle, domino] = [...document.querySelectorAll(".apart-flat > g > :not(text)")];
        const box = () => { const b = bottle.getBoundingClientRect(), d = domino.getBoundingClientRect(), s = b.width / 5;
          return [d.left - b.left, b.bottom - d.bottom, d.width, d.height].map((x) => Math.round((10 * x) / s) / 10); };
        const before = box(), seen = [];
        rows()[0].click(); seen.push(said(), box()); rows()[1].click(); first.click(); return [before, ...seen, box()];"""
    )
    before, said, after, again = found
    assert said.replace("\u00a0", " ") == "1. domino: turn 90° counterclockwise, seen from +z, about x = 1.5, y = 2.5"
    assert before == again
    turned = puzzlesat.apart(BOTTLE, turns=True, bevel="1/10", jobs=1).assemblies[0].answer.parting.moves[0]
    middle = [x / 2 - 1 + 0.5 for x in turned.about[:2]]  # the axis in cells from the corner of the bottle, whose first cell is 1, 1
    x, y, wide, high = before
    corners = [(middle[0] - (b - middle[1]), middle[1] + (a - middle[0])) for a in (x, x + wide) for b in (y, y + high)]
    expected = [min(c[0] for c in corners), min(c[1] for c in corners), high, wide]
    assert after == pytest.approx(expected, abs=0.15)
