"""The files of ``puzzlesat site``: which are written, which stay, and their sizes."""

import gzip
import json
import re
import struct
from dataclasses import replace
from threading import Event

import pytest
from typer.testing import CliRunner

import puzzlesat
from puzzlesat.base import Limits, NotSupportedError, Progress, PuzzleError, data_files
from puzzlesat.cli.main import app
from puzzlesat.pages import site
from puzzlesat.pages.site import ICONS, KEEPER, MANIFEST, Entry, drawing_as_json, joined, shortened, site_files, write_site
from puzzlesat.pages.studio.open import entries
from tiers import every

SMALL, OTHER = "domino-and-square-3x2", "absolut-knifflig"
LATER = ("space.js", "solutions.js", "draw.js", "draw.css")
FIRST_PAGE, ONE_PUZZLE, EVERYTHING = 300_000, 50_000, 5_000_000
"""Limits in bytes: of the first page, of a puzzle, and of a site of the whole package."""


def written(folder, *names, limits=None, **how):
    return write_site(folder, names, limits or Limits(), **how)


def names(folder):
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


@pytest.mark.full
def test_one_puzzle_becomes_one_file(tmp_path):
    made = puzzlesat.site(tmp_path / "new" / "folder", SMALL)
    assert names(made.file.parent) == [f"{SMALL}.html"]
    text = made.file.read_text(encoding="utf-8")
    assert made.size == len(text.encode())
    assert "<title>A domino and the square tetromino in a rectangle of 3 x 2</title>" in text
    assert not re.search(r'(?:src|href)="(?!data:|#)', text)  # nothing is loaded from elsewhere
    assert made.complete
    assert made.sentence == f"{made.file} has 1 puzzle, {made.size:,} bytes in all."


@pytest.mark.slow
def test_several_puzzles_become_a_site_and_it_may_be_written_again(tmp_path):
    (tmp_path / "notes.txt").write_text("mine", encoding="utf-8")
    for puzzles in ((OTHER, SMALL), (SMALL, OTHER)):
        made = written(tmp_path, *puzzles)
        assert made.puzzles == (OTHER, SMALL)  # in the order of the library
        of_puzzles = [f"{what}/{name}.js" for what in ("pictures", "puzzles") for name in (OTHER, SMALL)]
        shared = [*LATER, "engine.js", *ICONS.values(), "icon.svg", "index.html", MANIFEST, "notes.txt", "site.css", "site.js", KEEPER]
        assert names(tmp_path) == sorted([*of_puzzles, *shared])
        assert made.size == sum((tmp_path / name).stat().st_size for name in names(tmp_path)) - len("mine")


@pytest.mark.full
@every("file", ["index.html", "sw.js", "puzzles/mine.js"])
def test_what_puzzlesat_did_not_write_is_not_replaced(tmp_path, file):
    (tmp_path / file).parent.mkdir(exist_ok=True)
    (tmp_path / file).write_text("<html>mine</html>", encoding="utf-8")
    with pytest.raises(PuzzleError, match="did not write this file and does not replace it; choose another folder"):
        written(tmp_path, SMALL, OTHER)
    assert names(tmp_path) == [file]
    assert (tmp_path / file).read_text(encoding="utf-8") == "<html>mine</html>"


@pytest.mark.full
def test_a_phone_can_install_it(tmp_path):
    written(tmp_path, SMALL, OTHER)
    manifest = json.loads((tmp_path / MANIFEST).read_text(encoding="utf-8"))
    pixels = {(icon["sizes"], icon["purpose"]): tmp_path / icon["src"] for icon in manifest["icons"] if icon["type"] == "image/png"}
    assert set(pixels) == {(size, purpose) for size in ("192x192", "512x512") for purpose in ("any", "maskable")}
    for (size, _), file in pixels.items():
        data = file.read_bytes()
        assert data.startswith(b"\x89PNG\r\n")
        assert "x".join(str(side) for side in struct.unpack(">2I", data[16:24])) == size


@pytest.mark.full
def test_what_cannot_be_written_is_refused(tmp_path):
    (tmp_path / "x").write_text("", encoding="utf-8")
    with pytest.raises(PuzzleError, match="this is a file; give the name of a folder"):
        written(tmp_path / "x", SMALL)
    own = tmp_path / f"{SMALL}.toml"
    own.write_text('title = "Mine"\nmodel = "dominoes"\n[form]\nbox = [2, 2]\n', encoding="utf-8")
    with pytest.raises(PuzzleError, match=f"there are two puzzles named '{SMALL}'"):
        written(tmp_path / "site", SMALL, own)


@pytest.mark.full
def test_a_file_of_ones_own_is_in_the_library_by_a_name_for_files(tmp_path):
    own = tmp_path / "my <b> puzzle.toml"
    own.write_text('title = "</script><b>Mine</b>"\nmodel = "dominoes"\n[form]\nbox = [2, 2]\n', encoding="utf-8")
    made = written(tmp_path / "site", own, SMALL)
    assert made.puzzles == (SMALL, "my--b--puzzle")
    script = (tmp_path / "site" / "site.js").read_text(encoding="utf-8")
    assert "</script" not in script
    alone = written(tmp_path / "one", own).file.read_text(encoding="utf-8")
    assert alone.count("</script") == 1
    assert "<title>&lt;/script&gt;&lt;b&gt;Mine&lt;/b&gt;</title>" in alone


@pytest.mark.full
def test_what_a_browser_cannot_count_is_left_out_and_named(tmp_path, monkeypatch):
    monkeypatch.setattr(site, "MAX_PLACEMENTS", 10)
    made = written(tmp_path, SMALL, OTHER, "soma")
    assert made.puzzles == (SMALL,)
    assert [name for name, _ in made.left_out] == ["soma", OTHER]
    assert made.left_out[0][1] == "it has 688 placements; a page takes 10 at most"
    with pytest.raises(NotSupportedError, match="soma: it has 688 placements"):
        written(tmp_path / "none", "soma")
    assert not (tmp_path / "none").exists()


@pytest.mark.full
def test_ctrl_c_leaves_a_site_of_the_puzzles_that_were_done(tmp_path):
    stop = Event()

    def listen(what, _counters):
        if what.startswith("2 of 2"):
            stop.set()

    limits = Limits(stop=stop)
    made = written(tmp_path, SMALL, OTHER, limits=limits, progress=limits.heeding(Progress(listen)))
    assert made.puzzles == (OTHER,)
    assert made.why == "interrupted: 1 of 2 puzzles were written"
    assert "index.html" in names(tmp_path)


@pytest.fixture(scope="session")
def drawing_data():
    return drawing_as_json()


def test_the_command(tmp_path, monkeypatch, drawing_data):
    run = CliRunner().invoke
    found = run(app, ["site", str(tmp_path), SMALL])
    assert found.exit_code == 0
    assert found.output.startswith(f"{tmp_path / SMALL}.html has 1 puzzle, ")
    assert run(app, ["site", str(tmp_path), "no-such-puzzle"]).exit_code == 2
    monkeypatch.setattr(site, "MAX_PLACEMENTS", 10)
    some = run(app, ["site", str(tmp_path), SMALL, "soma"])
    assert some.exit_code == 0
    assert "puzzlesat: soma is left out: it has 688 placements; a page takes 10 at most" in some.output


def test_modules_become_one_script_each_after_those_that_it_imports():
    files = {
        "a.js": 'import { b as c, d } from "./in/b.js";\n/** @type {import("./x.js").X} */\nexport const a = 1; // 1\nimport("./z.js");\n',
        "in/b.js": 'export { e as d } from "../e.js";\nexport async function b() {\n  return `//`; // it\'s "so"\n}\n',
        "e.js": "export class e {}\n",
    }
    bodies = [
        'modules["e.js"] = (() => {\nclass e {}\nreturn { e };\n})();',
        'modules["in/b.js"] = (() => {\nasync function b() {\nreturn `//`; // it\'s "so"\n}\nreturn { d: modules["e.js"].e, b };\n})();',
        'modules["a.js"] = (() => {\nconst { b: c, d } = modules["in/b.js"];\nconst a = 1;\nlater("z.js");\nreturn { a };\n})();',
    ]
    assert "\n".join(joined(["a.js"], files).splitlines()[3:-1]) == "\n".join(bodies)
    assert joined(["a.js"], files, without=["in/b.js", "e.js"]).count("(() => {") == 2


def test_addresses_are_no_comments():
    assert shortened('// one\n  a("http://x//y"); // two\n/** three\n * four */ b();\n') == 'a("http://x//y");\nb();\n'


@pytest.mark.full
def test_the_first_page_of_the_whole_package_is_small(record_property):
    files = site_files([Entry(card, "", "", in_space=False) for card in entries()], [])
    first = [text.encode() for name, text in files.items() if name not in (*LATER, MANIFEST, KEEPER)]
    size, packed = sum(map(len, first)), sum(len(gzip.compress(text, 9)) for text in first)
    record_property("bytes", f"{size} ({packed} by gzip)")
    assert size <= FIRST_PAGE
    assert packed <= 0.375 * FIRST_PAGE


@pytest.mark.slow
def test_the_whole_package_is_small(tmp_path):
    made = written(tmp_path)
    sizes = {name: sum((tmp_path / what / f"{name}.js").stat().st_size for what in ("puzzles", "pictures")) for name in made.puzzles}
    print(f"{made.seconds:.0f} s", made.size, made.left_out, sorted(sizes.items(), key=lambda one: -one[1])[:20])
    assert [name for name, size in sizes.items() if size > ONE_PUZZLE] == []
    assert made.size <= EVERYTHING
    assert len(made.puzzles) + len(made.left_out) == len(data_files("instances"))
    assert replace(made, seconds=0.0).complete
