"""The studio in a real browser, from start to end."""

import json
import os
import re
import signal

import people
import pytest

from draw.browser import IN_A_BROWSER
from puzzlesat.puzzles.building import build_instance
from puzzlesat.puzzles.load import load_instance
from tiers import every

pytestmark = IN_A_BROWSER

STUCK = ["F.3@4.1", "I.1@1.7", "L.1@1.1"]
"""Three pieces of the Octogram that cannot be finished; without the second there are 71 ways."""
NOTHING_FADES = """!document.querySelector(".busy")
    && !document.getAnimations().some((each) => each.effect.getTiming().iterations < Infinity)"""
"""Half faded elements have less contrast."""


@pytest.fixture(scope="module")
def octogram():
    return people.Places(build_instance(load_instance("octogram")))


def lay(one, places, name):
    """Turn a piece in the tray to its orientation, and drag it to its place."""
    tile = places.tile(name)
    one.piece(tile).click()
    for _ in range(places.turns(name)):
        one.page.keyboard.press("r")
    one.page.keyboard.press("Escape")
    one.drags(tile, *places.middle(name))


def test_three_pieces_of_the_octogram_what_to_take_back_and_a_hint_in_three_steps(person, octogram):
    one = person().opens()
    one.page.get_by_role("searchbox").fill("octogram")
    one.page.keyboard.press("Enter")
    one.waits_for_ways("129,168")
    for name in STUCK:
        lay(one, octogram, name)
    one.waits_for_position(STUCK)
    one.waits_for_ways("0")
    assert one.page.locator(".dead path").count() == 3
    one.sees("then 71 ways")
    one.presses("Take back I")
    one.waits_for_ways("71")
    one.waits_for_position([STUCK[0], STUCK[2]])
    assert one.page.locator(".dead path").count() == 0
    one.page.keyboard.press("Control+z")
    one.waits_for_ways("0")
    one.page.keyboard.press("Control+y")
    one.waits_for_ways("71")
    hint = one.page.locator(".tool.hint")
    hint.click()
    one.page.locator(".glow path").first.wait_for()
    assert one.page.locator(".glowing").count() == 0
    hint.click()
    one.page.locator(".glowing").wait_for()
    hint.click()
    one.page.locator(".ghost.shown path").first.wait_for()
    hint.click()
    one.page.locator(".piece").nth(2).wait_for()
    one.waits_until(lambda: len(one.position()) == 3)
    assert int(one.ways()) > 0


ANSWERS_BY_HAND = """(question) => {
  const asked = window.fetch, words = new TextEncoder();
  window.fetch = (address, options) => {
    if (!String(address.url ?? address).endsWith(`api/${question}`)) return asked(address, options);
    const answer = new ReadableStream({ start(out) {
      window.answers = (event, data) => out.enqueue(words.encode(`event: ${event}\\ndata: ${JSON.stringify(data)}\\n\\n`));
    } });
    return Promise.resolve(new Response(answer, { headers: { "Content-Type": "text/event-stream" } }));
  };
}"""
COLOURS = """([selector, ...classes]) => [selector, ...classes].map((one, i) => {
  const probe = i ? document.body.appendChild(Object.assign(document.createElement("b"), { className: one })) : document.querySelector(one);
  const { color } = getComputedStyle(probe);
  if (i) probe.remove();
  return color;
})"""
"""The colour of an element and the colours of classes."""


def answered_by_hand(one, question, view):
    """Open a puzzle in a page in which the test answers the questions of one kind."""
    one.page.add_init_script(f"({ANSWERS_BY_HAND})({json.dumps(question)})")
    one.opens_puzzle("dominoes-4x4", view=view)
    one.page.wait_for_function("() => Boolean(window.answers)")

    def answers(event, data):
        one.page.evaluate("([event, data]) => window.answers(event, data)", [event, data])

    return answers


def assert_colour(one, selector, own):
    colours = dict(zip((selector, "soft", "good"), one.page.evaluate(COLOURS, [selector, "soft", "good"]), strict=True))
    assert colours["soft"] != colours["good"] and colours[selector] == colours[own]


PART = {"exact": False, "finished": False, "solvable": True, "dead_ends": [], "dead": [], "words": []}
END = {"take_back": [], "how": None, "first_wrong": None}


@pytest.mark.full
@every("language, phone", [("en-US", False), ("de-DE", False), ("en-US", True), ("de-DE", True)])
def test_a_number_that_is_not_final_does_not_look_like_one_and_the_board_stays(person, language, phone):
    """The text \"at least 5,169\" was once green for nine seconds before 371,020."""
    one = person(language=language, phone=phone)
    answers = answered_by_hand(one, "position", "play")
    ways, words = one.page.locator(".ways"), ["bisher mindestens"] if language == "de-DE" else ["at least", "so far"]
    one.page.locator(".ways.waits").wait_for()  # the page shows that it is counting
    board = one.page.locator(".table-picture").bounding_box()
    for event, n in (("found", 5_169), ("found", 123_456_789), ("done", None if phone else 371_020)):
        answers(event, {**PART, **END, "completions": n, "exact": n == 371_020})
        if n is None:  # time is up
            one.page.locator(".ways", has_text=re.compile("Zeit|Time")).wait_for()
        elif event == "done":
            one.page.locator(".ways.good b", has_text=re.compile("371.020")).wait_for()
            assert_colour(one, ".ways b", "good")
            assert not any(word in ways.inner_text() for word in words)
        else:
            one.page.locator(".ways b", has_text=str(n)[-3:]).wait_for()
            assert all(word in ways.inner_text() for word in words)
            assert_colour(one, ".ways b", "soft")
            assert {"good", "bad", "busy"}.isdisjoint(ways.get_attribute("class").split())
        assert not phone or one.page.locator(".table-picture").bounding_box() == board
    one.page.locator(".ways:not(.waits)").wait_for()


@pytest.mark.full
def test_a_count_that_is_not_final_does_not_look_like_one_while_a_form_is_drawn(person):
    one = person()
    answers = answered_by_hand(one, "count", "draw")
    badge = one.page.locator(".badge")
    answers("found", {"counts": {"all": 36, "distinct": 9}, "complete": False, "sentence": ""})
    badge.get_by_text("At least 9 solutions so far").wait_for()
    assert_colour(one, ".badge", "soft")
    answers("done", {"counts": {"all": None, "distinct": None}, "complete": False, "why": "stopped at a limit"})
    badge.get_by_text("Not counted").wait_for()
    one.sees("stopped at a limit")


@pytest.mark.full
def test_a_reload_keeps_the_work_and_a_link_opens_in_another_profile(person):
    one = person().opens_puzzle("octogram", position=STUCK)
    one.waits_for_ways("0")
    one.page.reload()
    one.waits_for_ways("0")
    assert one.page.locator(".piece").count() == 3
    other = person(language="de-DE").opens(one.page.url)
    other.waits_for_ways("0")
    other.sees("Lösungen möglich")
    assert other.position() == STUCK
    one.opens()  # without a hash
    one.waits_for_ways("0")
    one.presses("Library")
    one.page.locator(".begun").get_by_role("button", name="Octogram", exact=True).click()
    one.waits_for_position(STUCK)


def test_the_page_says_in_german_what_the_program_says(person):
    one = person(language="de-DE").opens_puzzle("mutilated-chessboard", view="proof")
    one.sees("Zusammen wiegen die Teile 31, nie 30; also gibt es keine Lösung.")
    one.sees("31 Dominos auf einem Schachbrett ohne zwei gegenüberliegende Ecken")
    assert one.page.locator("figure text").last.text_content() == "30 Zellen"
    one.presses("English")
    one.sees("Together the tiles weigh 31, never 30; so there is no solution.")
    one.presses("Play")
    one.presses("Count and check")
    one.sees("area: the form has 62 squares, the tiles 62")
    one.presses("Deutsch")
    one.presses("Zählen und prüfen")
    one.sees("Fläche: Die Form hat 62 Quadrate, die Teile haben 62.")


@pytest.mark.slow
def test_broken_links_and_a_link_to_a_puzzle_of_ones_own(person):
    one = person()
    for broken in ("#p=", "#p=AAAA", "#p=%00", "#p=q1bKS8xNVbJSUMpPLslPL0rM", "#p=q1Yqy0wtV7JSKshJrFSqBQA" * 40):
        one.opens("about:blank").opens(one.address + broken)
        one.sees("This link is incomplete")
        one.sees("Which puzzle is on your table?")
    table = {"title": "A corner", "grid": "square", "flips": True, "turns": "all", "generate": [{"free": 3}], "form": {"box": [3, 2]}}
    one.opens(people.link(one.address, {"view": "play", "puzzle": {"name": "corner", "table": table}}))
    one.sees("A corner")
    one.waits_for_ways("0")
    one.sees("Why is there none?")


@pytest.mark.slow
def test_the_program_is_killed_and_comes_back(meet, tmp_path):
    from studios import running

    with running(tmp_path) as first:
        one = meet(first.address).opens_puzzle("octogram", position=STUCK[:2])
        one.waits_for_ways("0")
        os.kill(first.program.pid, signal.SIGKILL)
        first.program.wait()
        one.presses("Start over")
        one.sees("The program behind this page no longer answers")
        one.waits_for_position([])
        one.page.keyboard.press("Control+z")
        one.waits_for_position(STUCK[:2])
    with running(tmp_path, "--port", str(first.port)) as second:
        other = one.context.new_page()
        other.goto(second.address)
        one.page.bring_to_front()
        one.waits_for_ways("0")
        assert not one.page.locator("#lost").is_visible()
        assert one.position() == STUCK[:2]


@pytest.mark.full
def test_one_of_several_puzzles_of_the_file_of_the_command_line(meet, tmp_path):
    """The page asks for one puzzle; from then on the address contains the puzzle itself, and its board is counted."""
    from studios import running

    shape = '<voxel x="2" y="1" z="1" type="0">##</voxel><voxel x="4" y="2" z="1" type="0">########</voxel>'
    problem = '<problem name="{}" state="0"><shapes><shape id="0" count="4"/></shapes><result id="1"/><bitmap/></problem>'
    (tmp_path / "two.xmpuzzle").write_text(
        f'<?xml version="1.0"?><puzzle version="2"><gridType type="0"/><colors/><shapes>{shape}</shapes>'
        f"<problems>{problem.format('one')}{problem.format('other')}</problems></puzzle>",
        encoding="utf-8",
    )
    with running(tmp_path, "two.xmpuzzle") as own:
        one = meet(own.address)
        one.opens(people.link(own.address, {"view": "play", "name": "two.xmpuzzle"}))
        one.page.get_by_role("dialog").get_by_text("other").click()
        one.waits_for_ways("5")
        assert one.table()["form"]


BAD = "<img src=x onerror=window.bad=1><script>window.bad=1</script>"


@pytest.mark.full
@every("view", ["play", "draw", "challenges", "proof", "variants"])
def test_a_bad_title_is_text(visitor, studio, view):
    table = {"title": BAD, "grid": "square", "flips": True, "turns": "all", "tiles": {"<b>X": {"picture": "██\n"}}, "form": {"box": [2, 1]}}
    one = visitor().goes_on_to(people.link(studio.address, {"view": view, "puzzle": {"name": BAD, "table": table}, "position": [BAD]}))
    one.page.locator("#which", has_text=BAD).wait_for()
    assert one.page.evaluate("[window.bad, document.querySelectorAll('img, main script, b.X').length]") == [None, 0]


@pytest.mark.full
def test_another_page_gets_nothing_though_it_knows_the_address(person, studio, tmp_path):
    body = json.dumps({"name": "soma"})
    html = f"""<!doctype html><iframe src="{studio.address}"></iframe><script>
      const tries = [
        fetch("{studio.address}api/library", {{method: "POST", headers: {{"Content-Type": "application/json"}}, body: '{body}'}}),
        fetch("{studio.address}api/library", {{method: "POST", headers: {{"Content-Type": "text/plain"}}, body: '{body}'}}),
        fetch("{studio.address}app.js"),
        import("{studio.address}app.js"),
      ];
      Promise.allSettled(tries).then((ends) => document.title = ends.map((end) => end.status).join());
    </script>"""
    (tmp_path / "index.html").write_text(html, encoding="utf-8")
    with people.serving(tmp_path) as address:
        one = person()
        one.page.goto(address)
        one.page.wait_for_function("document.title")
        assert set(one.page.title().split(",")) == {"rejected"}
        frame = one.page.frames[1]
        assert not frame.url.startswith(studio.address) or not frame.evaluate("document.querySelector('#view') !== null")


def test_challenges_have_stars_and_are_played(person):
    one = person().opens_puzzle("dominoes-4x4", view="challenges")
    one.page.locator(".challenges .stars").first.wait_for()
    one.presses("Play number 1")
    one.ways()
    given = one.position()
    assert given
    one.presses("Show me a solution")
    one.sees("Finished!")
    one.presses("Start over")
    one.waits_for_position(given)
    one.presses("Show me a solution")
    one.waits_until(lambda: len(one.position()) > len(given))
    one.presses("Start over")  # ends the show
    one.page.get_by_role("button", name="Show me a solution").wait_for()
    one.waits_for_position(given)


@pytest.mark.slow
def test_challenges_are_kept_as_a_german_page(person, tmp_path):
    one = person(language="de-DE").opens_puzzle("soma", view="challenges")
    with one.page.expect_download() as download:
        one.presses("Als Seite zum Weitergeben speichern")
    file = tmp_path / "kept.html"
    download.value.save_as(file)
    kept = one.context.new_page()
    mistakes = []
    kept.on("console", lambda said: mistakes.append(said.text) if said.type == "error" else None)
    kept.goto(file.as_uri())
    kept.get_by_role("heading", name="Der Somawürfel: 6 Aufgaben, von leicht bis schwer").wait_for()
    kept.get_by_role("button", name="Tipp").first.wait_for()  # the scripts run: the page's policy names them
    assert kept.evaluate("document.documentElement.lang") == "de"
    assert kept.locator(".parts").first.text_content().count("Schicht") == 3
    assert mistakes == []


def test_variants_fill_a_sheet(person):
    one = person().opens_puzzle("hexiamonds-coin", view="variants")
    one.sees("The pieces cannot fill one cell more or fewer, so each variant moves a cell.")
    one.presses("Move any one cell")
    one.sees("show forms without a solution")
    one.page.locator(".sheet svg path").first.wait_for()
    one.sees(re.compile("of [0-9]+ forms tried"))


NOTES = """window.notes = new Set();
const note = () => {
  document.querySelectorAll("main p.soft.small[role=status]").forEach((one) => notes.add(one.textContent));
  if (document.querySelector("main progress:not([hidden])")) notes.add("a bar");
};
new MutationObserver(note).observe(document, { subtree: true, childList: true, characterData: true, attributes: true });"""


@pytest.mark.slow
def test_what_goes_on_is_said_in_sentences_beside_a_bar(person):
    one = person()
    one.page.add_init_script(NOTES)
    one.opens_puzzle("absolut-knifflig", view="proof").presses("Make a certificate")
    one.page.locator("text=Save absolut-knifflig").wait_for()
    one.page.locator("main progress:not([hidden])").first.wait_for(state="detached")
    assert set(one.page.evaluate("[...notes]")) - {""} == {"Looking for a reason …", "Making and checking the certificate …", "a bar"}


VIEWS = [
    {"view": "library"},
    *(
        {"view": view, "name": name}
        for view in ("play", "solutions", "draw", "tiles", "variants", "challenges", "proof")
        for name in ("octogram",)
    ),
    {"view": "play", "name": "absolut-knifflig"},
    {"view": "play", "name": "soma"},
    {"view": "solutions", "name": "dubois-burr"},
]


@pytest.mark.slow
@every("state", [pytest.param(state, id="-".join(state.values())) for state in VIEWS])
def test_views_are_accessible_and_as_wide_as_a_phone(visitor, state):
    one = visitor(lenient=True)
    one.goes_on_to(people.link(one.address, state))
    everything = {**people.ACCESSIBLE, "rules": {**people.ACCESSIBLE["rules"], "heading-order": {"enabled": True}}}
    # only the colours are different in dark mode
    for scheme, asked in (("light", everything), ("dark", {"runOnly": {"type": "rule", "values": ["color-contrast"]}})):
        one.page.emulate_media(color_scheme=scheme)
        one.page.wait_for_function(NOTHING_FADES)
        one.assert_accessible(asked)
    wide = one.page.viewport_size
    one.page.set_viewport_size({"width": 360, "height": 700})
    one.settles()
    assert one.page.evaluate("document.documentElement.scrollWidth") <= 360
    one.page.set_viewport_size(wide)


@pytest.mark.full
def test_on_a_tablet_the_title_is_seen_whole(person):
    one = person()
    one.page.set_viewport_size({"width": 820, "height": 1180})
    one.opens()
    for view in ("play", "solutions", "proof", "draw"):
        one.goes_on_to(people.link(one.address, {"view": view, "name": "pentominoes-6x10"}))
        one.page.locator("#which", has_text="The twelve pentominoes in a rectangle of 6 x 10").wait_for()
        assert one.page.evaluate("document.querySelector('#which').scrollWidth <= document.querySelector('#which').clientWidth"), view
        assert one.page.evaluate("document.documentElement.scrollWidth") <= 820, view


WHY = "stopped at a limit while preparing the puzzle"
OWN = {"title": "Own", "model": "dominoes", "form": {"box": [2, 2]}}
STOPPED = {"counts": {"all": None, "distinct": None}, "complete": False, "why": WHY}


def answered(person, question, event, data, state):
    """Return a person who looks at a view whose question gets this answer."""
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
