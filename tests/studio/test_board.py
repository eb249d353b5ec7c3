"""The board in a real browser: pieces dragged, turned, tapped, placed by keyboard alone, on a phone; without a server."""

import json
import re
from functools import cache
from importlib.resources import files

import pytest

from draw.browser import IN_A_BROWSER
from draw.reports import contents_of
from puzzlesat.base.limits import Limits
from puzzlesat.counting.listing import solutions
from puzzlesat.pages.challenge_sheet import Sheet, sheet_html
from puzzlesat.pages.report import PLAYED
from puzzlesat.pages.report import page as report_page
from puzzlesat.pages.studio.telling import in_german
from puzzlesat.pictures.boards import board_as_json
from puzzlesat.playing.challenge import Wish, challenges
from puzzlesat.playing.position import count_completions
from puzzlesat.puzzles.building import build_instance
from puzzlesat.puzzles.load import load_instance
from tiers import every

playwright = pytest.importorskip("playwright.sync_api", reason="left out: there is no Playwright here")
pytestmark = [IN_A_BROWSER, pytest.mark.full]  # in the fast tier, test_studio.py and test_site_pages.py play on a board

DESK, PHONE = {"width": 1200, "height": 900}, {"width": 360, "height": 740}
PAGES = files("puzzlesat.pages").joinpath("page")
INDEX = """<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Board</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="page.css"><link rel="stylesheet" href="board.css"></head>
<body><div id="root"></div><script type="module" src="main.js"></script></body></html>"""
MAIN = """import { makeBoard } from "./board.js";
const data = (window.data = await (await fetch("data.json")).json());
window.told = [];
window.board = makeBoard(document.getElementById("root"), data, { ...window.wished, onchange: (names) => told.push(names) });"""
TYPES = {"css": "text/css", "js": "text/javascript", "html": "text/html", "json": "application/json"}


@pytest.fixture
def opened(browser):
    """Return a function that opens the board of a puzzle, or a file; pages may report no error."""
    heard, contexts = [], []

    def new(**settings):
        contexts.append(browser.new_context(**{"viewport": DESK, "reduced_motion": "reduce", **settings}))
        page = contexts[-1].new_page()
        page.on("pageerror", lambda error: heard.append(str(error)))
        page.on("console", lambda message: heard.append(message.text) if message.type == "error" else None)
        return page

    def board(name, **settings):
        page = new(**settings)
        own = {"": INDEX, "main.js": MAIN, "data.json": json.dumps(board_of(name))}

        def answer(route):
            wanted = route.request.url.rsplit("/", 1)[1]
            body = own[wanted] if wanted in own else PAGES.joinpath(wanted).read_text(encoding="utf-8")
            route.fulfill(body=body, content_type=TYPES[wanted.rpartition(".")[2] or "html"])

        page.route("http://board.test/**", answer)
        page.goto("http://board.test/")
        page.wait_for_function("window.board")
        return page

    def file(path, **settings):
        page = new(**settings)
        page.goto(path.as_uri())
        return page

    board.file = file
    yield board
    for context in contexts:
        context.close()
    assert not heard


@cache
def built_of(name):
    return build_instance(load_instance(name))


@cache
def a_solution(name):
    built = built_of(name)
    (row,) = solutions(built, "backtrack", Limits(solutions=1))
    return [built.problem.options[o] for o in row]


@cache
def board_of(name):
    built = built_of(name)
    return board_as_json(built, name=name, title=built.instance.title)


def position(page):
    return page.evaluate("board.position()")


def said(page):
    return page.locator(".board-said").inner_text()


def middle(box):
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def piece(page, name):
    tile = page.evaluate("(name) => data.tiles.findIndex((t) => t.name === name)", name)
    return page.locator(f'.tray-piece[data-tile="{tile}"]')


def place_of(page, *placements):
    steps = """async (names) => {
        const picture = document.querySelector(".table-picture");
        const m = picture.getScreenCTM();
        return names.map((name) => {
            const p = data.placements.name.indexOf(name), t = data.placements.tile[p];
            const middles = data.tiles[t].orientations[data.placements.orientation[p]].atoms;
            const x = data.placements.x[p] + middles.reduce((s, a) => s + a[0], 0) / middles.length;
            const y = data.placements.y[p] + middles.reduce((s, a) => s + a[1], 0) / middles.length;
            return [m.a * x + m.e, m.d * y + m.f];
        });
    }"""
    return page.evaluate(steps, list(placements))


def atom(page, name):
    return on_screen(page, *page.evaluate("(name) => { const { x, y } = data.atoms.find((a) => a.name === name); return [x, y]; }", name))


def on_screen(page, x, y):
    return page.evaluate(
        "([x, y]) => { const m = document.querySelector('.table-picture').getScreenCTM(); return [m.a * x + m.e, m.d * y + m.f]; }", [x, y]
    )


def drag(page, start, end, *, drop=True):
    page.mouse.move(*start)
    page.mouse.down()
    page.mouse.move((start[0] + end[0]) / 2, (start[1] + end[1]) / 2, steps=3)
    page.mouse.move(*end, steps=3)
    if drop:
        page.mouse.up()


def test_a_piece_snaps_to_the_nearest_place_that_is_free_and_nowhere_else(opened):
    page = opened("octogram")
    drag(page, middle(piece(page, "X").bounding_box()), place_of(page, "X.1@3.4")[0])
    unit = place_of(page, "I.1@2.1")[0][0] - place_of(page, "I.1@1.1")[0][0]
    (x, y), (bar_x, bar_y) = place_of(page, "X.1@3.4", "I.1@3.4")
    drag(page, middle(piece(page, "I").bounding_box()), (bar_x, bar_y), drop=False)
    page.wait_for_timeout(60)
    assert page.locator(".ghost.blocked > *").count() == 1
    sizes = [page.locator(f"{layer} path").first.bounding_box() for layer in (".board-float", ".ghost")]
    assert sizes[0]["width"] == pytest.approx(sizes[1]["width"], abs=1.5)  # while dragged, a piece is as large as on the board
    assert sizes[0]["x"] + sizes[0]["width"] / 2 == pytest.approx(bar_x, abs=2)
    page.mouse.up()
    assert position(page) == ["X.1@3.4"]
    assert said(page) == "Piece I does not fit there."
    assert page.locator(".board-float").count() == 0
    drag(page, (x, y), (x + 0.4 * unit, y))  # not far enough to change its place
    assert position(page) == ["X.1@3.4"]
    drag(page, (x, y), (x + 0.8 * unit, y + 0.3 * unit))
    assert position(page) == ["X.1@4.4"]
    assert page.locator(".piece").count() == 1
    box = page.locator(".table-picture").bounding_box()
    drag(page, place_of(page, "X.1@4.4")[0], (box["x"] + box["width"] + 200, box["y"] + 300))
    assert said(page) == "Piece X taken back"
    assert page.evaluate("told.at(-1)") == position(page) == []


def test_pieces_are_turned_and_flipped_in_the_hand(opened):
    page = opened("octogram")
    orientation = "document.querySelector('.tray-piece[data-tile=\"0\"] svg').innerHTML"
    before = page.evaluate(orientation)
    start = middle(piece(page, "F").bounding_box())
    target = place_of(page, "F.1@4.4")[0]
    drag(page, start, target, drop=False)
    for key in ("r", "r", "r", "r", "f", "f"):
        page.keyboard.press(key)
    page.mouse.up()
    assert position(page) == ["F.1@4.4"]
    drag(page, target, (target[0] + 3, target[1] + 8), drop=False)
    page.mouse.wheel(0, 100)
    page.wait_for_timeout(60)
    page.mouse.up()
    turned = position(page)
    assert turned != ["F.1@4.4"]
    for button in ("Undo", "Redo", "Undo"):
        page.get_by_role("button", name=button).click()
    assert position(page) == ["F.1@4.4"]
    page.mouse.click(*target)  # selected, and turned in place
    page.keyboard.press("r")
    assert position(page)[0].split("@")[0] == turned[0].split("@")[0]
    page.keyboard.press("Shift+R")
    assert position(page)[0].split("@")[0] == "F.1"
    assert before == page.evaluate(orientation)


def test_taps_go_through_the_ways_to_cover_a_place_and_move_a_chosen_piece(opened):
    page = opened("octogram")
    piece(page, "I").click()
    for _ in range(3):
        page.mouse.click(*atom(page, "[1, 1]"))
        assert position(page) == ["I.1@1.1"]  # only one horizontal placement covers the corner
    ways = []
    for _ in range(6):
        page.mouse.click(*atom(page, "[4, 4]"))
        ways.append(position(page))
    assert len({w[0] for w in ways}) == 4  # one of five would leave the board; then the cycle starts again
    assert all(len(w) == 1 for w in ways)
    page.keyboard.press("Escape")
    page.evaluate("board.set(['X.1@3.4'])")
    page.mouse.click(*place_of(page, "X.1@3.4")[0])
    page.mouse.click(*atom(page, "[7, 7]"))
    (there,) = position(page)
    assert there.startswith("X.1@")
    data = board_of("octogram")
    covered = data["placements"]["atoms"][data["placements"]["name"].index(there)]
    assert "[7, 7]" in [data["atoms"][a]["name"] for a in covered]
    page.get_by_role("button", name="Take back").click()
    assert position(page) == []


def test_a_tap_lays_a_listed_placement_whichever_it_is(opened):
    """Once each listed placement was a separate orientation: a queen had to be turned dozens of times before it covered the square."""
    page = opened("queens-6")
    piece(page, "Q").click()
    page.mouse.click(*atom(page, '[4, 3, "T"]'))
    (first,) = position(page)
    assert built_of("queens-6").problem.options[15] == first  # number sixteen in the list, which begins with a row of six
    page.mouse.click(*atom(page, '[4, 5, "L"]'))
    assert position(page) == [first]
    assert said(page) == 'Piece Q cannot cover [4, 5, "L"] now. Choose another place.'


@every("name", ["octogram", "soma"])
def test_by_keyboard_alone(opened, name):
    page = opened(name)
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.classList.contains('tray-piece')"):
            break
    page.keyboard.press("Enter")
    assert "picked up" in said(page)
    assert page.evaluate("document.activeElement.classList.contains('board-table')")
    first = said(page)
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowDown")
    assert said(page) != first
    page.keyboard.press("r")
    assert said(page).endswith("fits")
    page.keyboard.press("Enter")
    (laid,) = position(page)
    assert said(page).endswith(laid.split("@")[1])
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowLeft")  # the cursor is on the piece, or beside it
    page.keyboard.press("Control+z")
    assert position(page) == []
    page.keyboard.press("Control+y")
    page.locator(".tray-piece").nth(1).focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Escape")
    assert position(page) == [laid]
    assert page.evaluate("document.activeElement.dataset.tile") == "1"
    page.locator(".board-table").focus()
    walk_to(page, laid)
    page.keyboard.press("Delete")
    assert position(page) == []


def walk_to(page, placement):
    """Move the cursor of the board to a piece: rows up, then columns."""
    tile = placement.split(".")[0]
    for key in ("ArrowLeft", "ArrowDown"):
        for _ in range(12):
            page.keyboard.press(key)
    for _ in range(9):
        for _ in range(9):
            if said(page).endswith(f"piece {tile}"):
                return
            page.keyboard.press("ArrowRight")
        for _ in range(12):
            page.keyboard.press("ArrowLeft")
        page.keyboard.press("ArrowUp")
    raise AssertionError(said(page))


def fingers(page):
    session = page.context.new_cdp_session(page)

    def touch(kind, *points):
        at = [{"x": x, "y": y, "id": i} for i, (x, y) in enumerate(points)]
        session.send("Input.dispatchTouchEvent", {"type": f"touch{kind}", "touchPoints": at})

    return touch


def test_touch_on_a_phone_lifts_the_piece_above_the_finger_and_two_fingers_turn_it(opened):
    page = opened("octogram", viewport=PHONE, has_touch=True, is_mobile=True)
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    board, tray = page.locator(".board-table").bounding_box(), page.locator(".board-tray").bounding_box()
    assert tray["y"] > board["y"] + board["height"] - 1
    assert all(b["width"] >= 44 and b["height"] >= 44 for b in (t.bounding_box() for t in page.locator(".tool:visible, .tray-piece").all()))
    touch = fingers(page)
    start, target = middle(piece(page, "F").bounding_box()), place_of(page, "F.1@4.4")[0]
    touch("Start", start)
    for share in (0.25, 0.5, 0.75, 1):
        touch("Move", (start[0] + share * (target[0] - start[0]), start[1] + share * (target[1] + 64 - start[1])))
    page.wait_for_timeout(80)
    assert page.locator(".ghost.fits > *").count() == 1
    finger = (target[0], target[1] + 64)
    touch("Start", finger, (finger[0] + 80, finger[1]))
    touch("Move", finger, (finger[0] + 50, finger[1] + 60))
    page.wait_for_timeout(80)
    touch("End", finger)
    touch("End")
    page.wait_for_timeout(80)
    (laid,) = position(page)
    turned = board_of("octogram")["tiles"][0]["orientations"]
    assert laid.startswith(f"F.{turned[turned[0]['turn']]['number']}@")


def test_cards_are_solved_by_taps_and_drags(opened):
    page = opened("absolut-knifflig")
    assert page.locator(".tray-piece svg text", has_text="card").count() == 0  # cards show numbers
    assert page.locator(".tray-piece").first.locator("text", has_text=re.compile("^1$")).count() == 1
    solution = a_solution("absolut-knifflig")
    wrong_seen = 0
    for name in solution:
        tile, rest = name.split(".", 1)
        piece(page, tile).click()
        page.mouse.click(*atom(page, cell_name(rest)))
        page.keyboard.press("Escape")
        for _ in range(4):
            if name in position(page):
                break
            wrong_seen += page.locator(".wrong path").count()
            page.mouse.click(*atom(page, cell_name(rest)))
        assert name in position(page)
    assert wrong_seen > 0
    assert page.locator(".wrong path").count() == 0
    assert said(page) == "Done. All sides match."
    # a card dragged onto another exchanges places with it
    one, other = solution[0], solution[4]
    drag(page, place_of(page, one)[0], place_of(page, other)[0])
    cells = {n.split(".")[0]: n.split("@")[1] for n in position(page)}
    assert (cells[one.split(".")[0]], cells[other.split(".")[0]]) == (other.split("@")[1], one.split("@")[1])
    assert page.locator(".wrong path").count() > 0
    assert "do not match" in page.locator(".board-trouble").inner_text()


def cell_name(rest):
    cell = tuple(map(int, rest.split("@")[1].split(".")))
    return next(a["name"] for a in board_of("absolut-knifflig")["atoms"] if a["main"] and tuple(json.loads(a["name"])[:2]) == cell)


def test_what_cannot_be_covered_is_red_and_a_position_is_laid_as_far_as_it_can(opened):
    page = opened("octogram")
    reason = "none of the remaining pieces fits there"
    page.evaluate("(dead) => board.setDead(dead)", [{"atom": 0, "reason": reason}, {"atom": "[8, 8]", "reason": reason}])
    assert page.locator(".dead path").count() == 2
    assert page.locator(".board-trouble").inner_text().strip() == f"Nothing can cover [1, 1], [8, 8]: {reason}."
    drag(page, middle(piece(page, "X").bounding_box()), place_of(page, "X.1@3.4")[0])
    assert page.locator(".dead path").count() == 0
    page.evaluate("board.set(['X.1@3.4', 'I.1@3.4', 'X.1@6.7', 'nothing', 'O4.1@7.7'])")
    assert position(page) == ["X.1@3.4", "O4.1@7.7"]
    assert said(page) == "3 pieces of this position do not fit."


def test_in_space_a_piece_lies_in_its_layers(opened):
    page = opened("soma")
    data = board_of("soma")
    p = next(i for i, n in enumerate(data["placements"]["name"]) if n.startswith("T.") and data["placements"]["rise"][i] > 0)
    name = data["placements"]["name"][p]
    tile, orientation = data["placements"]["tile"][p], data["placements"]["orientation"][p]
    assert orientation == 0, name
    parts = data["tiles"][tile]["orientations"][orientation]["parts"]
    layer = next(i for i, layer in enumerate(data["layers"]) if layer["height"] == parts[0]["height"] + data["placements"]["rise"][p])
    here = [data["atoms"][a] for a in data["placements"]["atoms"][p] if data["atoms"][a]["layer"] == layer]
    there = on_screen(page, *(sum(a[axis] for a in here) / len(here) for axis in "xy"))
    drag(page, middle(piece(page, "T").bounding_box()), there)
    assert position(page) == [name]
    page.evaluate("board.set([])")
    page.locator(".tray-piece").nth(2).focus()
    page.keyboard.press("Enter")
    heights = []
    for key in ("PageDown", "PageDown", "PageDown", "PageUp"):  # from layer to layer by keyboard
        page.keyboard.press(key)
        heights.append(int(said(page).split(" at ")[1].split(",")[0].split(".")[2]))
    assert heights == [1, 1, 1, 2]


ON_THE_BOARD = "[...document.querySelectorAll('#play [data-p]')].map((n) => Number(n.dataset.p))"


def report_file(name, folder):
    contents = contents_of(load_instance(name))
    file = folder / "report.html"
    file.write_text(report_page(contents), encoding="utf-8")
    return file, contents.report


def played(opened, file):
    """Open a report; return the page and its board, once the number of ways is known."""
    page = opened.file(file)
    page.locator("#play").scroll_into_view_if_needed()
    page.wait_for_selector("#play .board-ways:not(:empty)")
    return page, page.locator("#play")


def sheet_file(name, folder, number=1, seed=0, **how):
    """Write a page of challenges; return the file and the challenges."""
    built = built_of(name)
    sheet = Sheet(built, challenges(built, number, Wish(1), 0, Limits()), 1, seed)
    file = folder / "sheet.html"
    file.write_text(sheet_html(sheet, **how), encoding="utf-8")
    return file, sheet


def test_a_report_says_what_to_take_back(opened, tmp_path):
    file, report = report_file("absolut-knifflig", tmp_path)
    page, play = played(opened, file)
    assert play.locator(".board-ways").inner_text() == f"{report.counts.all:,} solutions"
    box = play.locator(".table-picture").bounding_box()
    for i in range(3):
        there = box["x"] + box["width"] * (0.25 + 0.25 * i), box["y"] + box["height"] / 2
        drag(page, middle(play.locator(".tray-piece").nth(i).bounding_box()), there)
    names = page.evaluate(ON_THE_BOARD)
    assert len(names) == 3
    assert count_completions(report.built.problem, names, Limits()).found == 0
    assert play.locator(".board-ways").inner_text() == "This cannot be finished."
    assert "Take back the card with" in play.locator(".board-trouble").inner_text()


def test_a_challenge_is_played_and_what_it_gives_stays(opened, tmp_path):
    file, sheet = sheet_file("dominoes-4x4", tmp_path, 2)
    page = opened.file(file)
    page.wait_for_selector(".playable .board-ways:not(:empty)")
    first = page.locator(".playable").first
    given = len(sheet.challenges[0].position.placed)
    assert first.locator(".piece.kept").count() == given
    assert first.locator(".board-ways").inner_text() == "One way to finish"
    x, y = middle(first.locator(".piece.kept").first.bounding_box())
    drag(page, (x, y), (x + 900, y))
    assert first.locator(".piece").count() == given
    for _ in range(sheet.challenges[0].left):
        for words in ("Which piece?", "Exactly how?", "Lay it", "Hint"):
            first.locator(".hint").click()
            playwright.expect(first.locator(".hint")).to_have_text(words)
    assert first.locator(".board-said").inner_text().startswith("Done.")


@every("name", ["soma", "absolut-knifflig"])
def test_paper_is_printed_in_its_size_and_has_room_on_a4_and_letter(opened, tmp_path, name):
    page = opened.file(sheet_file(name, tmp_path)[0])
    page.emulate_media(media="print")
    sizes = page.evaluate(
        """() => [...document.querySelectorAll(".cut")].map((one) =>
             [one.querySelector("svg").getBoundingClientRect().width, one.getBoundingClientRect().height].map((x) => x * 25.4 / 96))"""
    )
    assert len(sizes) >= 2
    for width, height in sizes:
        assert width == pytest.approx(182, abs=0.1)
        assert height < 279 - 2 * 13  # Letter, which is shorter than A4, without the margins


@every("name", ["soma", "queens-6"])
def test_all_of_a_page_by_itself_speaks_german_where_the_browser_does(opened, tmp_path, name):
    file, sheet = sheet_file(name, tmp_path, seed=1234, german=in_german)
    english = ("Solution", "Position", "place", "piece", "layer", "Hint", "left", " of ", "Print", "Pieces", "queens", "nodes", "1,234")
    for locale in ("en-US", "de-DE"):
        page = opened.file(file, locale=locale)
        page.wait_for_selector(".playable .board-ways:not(:empty)")
        written = " ".join([page.title(), *page.locator("body *:not(script)").all_text_contents()])
        assert any(word in written for word in english) == (locale == "en-US")
        assert page.evaluate("document.documentElement.lang") == locale[:2]
    assert page.get_by_role("heading").first.inner_text() == f"{in_german(sheet.built.instance.title)}: eine Aufgabe"
    assert "Zufallszahl 1234" in page.locator(".about").first.inner_text()
    play = page.locator(".playable")
    play.get_by_role("button", name="Tipp").click()
    playwright.expect(play.locator(".board-said")).to_have_text(re.compile("Plätze"))
    play.get_by_role("button", name="Welches Teil?").click()
    playwright.expect(play.locator(".board-said")).to_have_text(re.compile("^Es ist Teil"))


def test_drawings_bring_nothing_that_could_do_something(opened):
    page = opened("octogram")
    evil = (
        '<g onload="window.bad = 1"><script>window.bad = 2</script><foreignObject><b xmlns="http://www.w3.org/1999/xhtml">x</b></foreignObject>'
        '<a href="javascript:window.bad = 3"><path d="M0 0"/></a><use href="http://elsewhere/x.svg#y"/><image href="http://elsewhere/x.png"/>'
        '<animate attributeName="href"/><path d="M1 1" fill="url(http://elsewhere/#x)" style="fill: red"/></g>'
    )
    made = page.evaluate(
        """async (text) => {
            const { drawingFrom } = await import("./elements.js");
            const drawing = drawingFrom(text);
            document.body.append(drawing);
            return drawing.outerHTML;
        }""",
        evil,
    )
    assert page.evaluate("window.bad") is None
    for word in ("onload", "script", "foreignObject", "href", "url(", "animate", "style"):
        assert word not in made, word
    assert 'd="M1 1"' in made
    assert page.evaluate("import('./elements.js').then(({ drawingFrom }) => drawingFrom('<g><').childNodes.length)") >= 0


def test_everything_that_is_said_is_said_in_both_languages():
    words = PAGES.joinpath("boardwords.js").read_text(encoding="utf-8")
    english, german = (re.findall(r'(\w+): "', part) for part in words[: words.index("export function")].split("  de: {"))
    asked = {key for path in PLAYED for key in re.findall(r'\bsay\("(\w+)"', PAGES.joinpath(path).read_text(encoding="utf-8"))}
    assert english == german and asked <= set(english)


ASKED = """async ([solution, many]) => {
    const { makeBoard } = await import("./board.js");
    board.destroy();
    window.board = makeBoard(root, data, { ask: {
        completions: async (position) => ({ completions: position.length ? 1 : many, exact: true }),
        hint: async (position) => ({ placement: solution[position.length] }),
    } });
}"""
"""A board with a number of solutions, and hints that lead to one."""


SMALL_PHONE = {"viewport": {"width": 360, "height": 640}, "has_touch": True, "is_mobile": True}


@pytest.mark.slow
def test_tools_and_a_long_tray_on_a_small_phone(opened):
    page = opened("kanoodle-pyramid", **SMALL_PHONE)
    page.evaluate(ASKED, [a_solution("kanoodle-pyramid"), 99])
    for _ in range(3):
        boxes = [one.bounding_box() for one in page.locator(".board-tools .tool:visible").all()]
        assert len(boxes) == 7 and max(b["y"] for b in boxes) < min(b["y"] + b["height"] for b in boxes), "they stand side by side"
        assert all(b["width"] >= 40 and b["height"] >= 44 for b in boxes)
        table = page.locator(".board-table").bounding_box()
        assert boxes[0]["x"] >= table["x"] and boxes[-1]["x"] + boxes[-1]["width"] <= table["x"] + table["width"]
        page.locator(".hint").click()
        page.locator("g.glow").first.wait_for()
    page = opened("macmahon-squares-4x6", **SMALL_PHONE)
    page.locator(".tray-pieces.more-after:not(.more-before)").wait_for()
    page.evaluate("document.querySelector('.tray-pieces').scrollLeft = 10000")
    page.locator(".tray-pieces.more-before:not(.more-after)").wait_for()


@every("name", ["kanoodle", "soma", "octogram"])
def test_a_hint_is_seen_beside_what_it_speaks_of_and_the_board_stays(opened, name):
    page = opened(name, **SMALL_PHONE)
    page.evaluate(ASKED, [a_solution(name), 99])
    playwright.expect(page.locator(".board-ways")).to_have_text("99 solutions")
    picture = page.locator(".table-picture").bounding_box()
    for words in ("Which piece?", "Exactly how?", "Lay it"):
        page.locator(".hint").click()
        playwright.expect(page.locator(".tool.hint")).to_have_text(words)
        assert page.locator(".table-picture").bounding_box() == picture
        hint = page.locator(".board-said").bounding_box()
        assert hint["x"] >= 0 and hint["x"] + hint["width"] <= 360 and hint["y"] >= 0 and hint["y"] + hint["height"] <= 640
        glow = page.locator("g.glow").bounding_box()
        assert hint["y"] >= glow["y"] + glow["height"] or hint["y"] + hint["height"] <= glow["y"]
    page.locator(".hint").click()
    playwright.expect(page.locator(".board-ways")).to_have_text("One way to finish")
    assert page.locator(".table-picture").bounding_box() == picture


def test_the_end_is_a_moment(opened):
    page = opened("soma")
    page.evaluate(ASKED, [a_solution("soma"), 480])
    playwright.expect(page.locator(".board-ways")).to_have_text("480 solutions")
    page.evaluate("(async () => { for (let i = 0; i < 7 * 4; i += 1) await board.hint(); })()")
    assert said(page) == "Done. Every place is covered."
    assert re.fullmatch(r"7 moves · 0:\d\d · one of 480 solutions", page.locator(".board-moment").inner_text())
    for motion, animation in (("no-preference", "board-joy"), ("reduce", "none")):
        page.emulate_media(reduced_motion=motion)
        assert page.evaluate("getComputedStyle(document.querySelector('.piece')).animationName") == animation
    page.get_by_role("button", name="Start over").click()
    assert page.locator(".board-moment").inner_text() == ""
    page.evaluate("(names) => board.set(names)", a_solution("soma"))  # no praise for pieces that the program places
    assert said(page) == "Done. Every place is covered."
    assert page.locator(".board-moment").inner_text() == ""


def test_a_clock_is_there_for_those_who_want_it(opened):
    page = opened("octogram", viewport={"width": 820, "height": 900})
    clock = page.get_by_role("button", name="Clock")
    assert (clock.get_attribute("aria-pressed"), clock.inner_text()) == ("false", "◷\nClock")
    clock.click()
    assert (clock.get_attribute("aria-pressed"), clock.inner_text()) == ("true", "◷\n0:00")
    page.reload()
    page.wait_for_function("window.board")
    assert clock.get_attribute("aria-pressed") == "true"


def test_a_wait_for_a_hint_is_shown(opened):
    page = opened("octogram")
    page.evaluate(
        ASKED.replace("hint: async (position) =>", "hint: (position) => new Promise((done) => { window.answer = done; }) ??"), [[], 9]
    )
    page.locator(".hint").click()
    page.locator(".tool.hint[aria-busy]").wait_for()
    assert said(page) == "Looking for a hint …"
    page.evaluate("answer({ placement: 'X.1@3.4' })")
    playwright.expect(page.locator(".tool.hint")).to_have_text("Which piece?")
    assert page.locator("[aria-busy]").count() == 0
