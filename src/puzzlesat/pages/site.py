"""The studio's page as a static site: a folder of files, or one file, which contains the puzzles and needs no Python.

Browsers load no JavaScript modules from disk, so all modules are bundled into scripts: each module becomes a function that is called once,
after the modules that it imports, and its exports are stored under its name. The bundler supports only a subset of JavaScript, to which the
modules of the page keep: an import or a re-export has its own line, and comments begin with ``/**`` or ``//``. The files of each puzzle are
written as soon as it is built, and the shared files at the end.
"""

from __future__ import annotations

import json
import posixpath
import re
from base64 import b64encode
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from html import escape
from importlib.resources import files
from pathlib import Path
from string import Template
from time import monotonic
from typing import Any

from puzzlesat import base
from puzzlesat.formats import instances_in
from puzzlesat.pages.report import MAX_PLACEMENTS
from puzzlesat.pages.site_puzzle import picture_as_json, puzzle_as_json
from puzzlesat.pages.studio.gridview import grid_as_json
from puzzlesat.pages.studio.open import REST, entries, file_name
from puzzlesat.pages.studio.telling import SAID, TITLES, catalogue, with_rules
from puzzlesat.pages.template import digest_of, inside_script, packed, packed_bytes
from puzzlesat.pictures import TILES, ways
from puzzlesat.puzzles import Grid, Instance, build_instance, load_grid, read_table

IMPORT = re.compile(r'^import \{ (.+) \} from "(.+)";\n', re.M)
AGAIN = re.compile(r'^export \{ (.+) \} from "(.+)";\n', re.M)
NOTHING = re.compile(r"^export \{\};\n", re.M)
EXPORT = re.compile(r"^export ((?:async )?(?:const|let|class|function\*?) (\w+))", re.M)
LATER_MODULES = re.compile(r"\bimport\((?P<quote>[\"`])(?P<name>.+?)(?P=quote)\)")
COMMENTS = re.compile(r"/\*\*.*?\*/|^\s*//[^\n]*$|(?<=\s)// [^\"'`\n]*$", re.M | re.S)
STYLE_COMMENTS = re.compile(r"/\*.*?\*/", re.S)


def joined(first: Sequence[str], files: Mapping[str, str], *, without: Sequence[str] = ()) -> str:
    """Return a script with these modules and all modules that they import, except modules of another script.

    ``files`` maps names of modules, such as ``views/play.js``, to their texts. A dynamic import, ``import(…)``, is replaced by a request
    for the module by name.
    """
    made = [f"modules[{_quoted(name)}] = (() => {{\n{_body(name, files[name])}}})();\n" for name in _in_order(first, files, without)]
    return '(() => {\n"use strict";\nconst { modules, later } = globalThis.puzzlesat;\n' + "".join(made) + "})();\n"


def modules_in(first: Sequence[str], files: Mapping[str, str]) -> list[str]:
    """Return these modules and all modules that they import statically, each after its imports."""
    return list(_in_order(first, files, ()))


def _in_order(first: Sequence[str], files: Mapping[str, str], without: Sequence[str]) -> Iterator[str]:
    seen = set(without)

    def visit(name: str) -> Iterator[str]:
        if name in seen:
            return
        seen.add(name)
        text = shortened(files[name])
        for _, place in [*IMPORT.findall(text), *AGAIN.findall(text)]:
            yield from visit(_resolved(name, place))
        yield name

    for name in first:
        yield from visit(name)


def _body(name: str, text: str) -> str:
    exports: list[str] = []

    def import_(found: re.Match[str]) -> str:
        return f"const {{ {found[1].replace(' as ', ': ')} }} = modules[{_quoted(_resolved(name, found[2]))}];\n"

    def again(found: re.Match[str]) -> str:
        for part in found[1].split(", "):
            old, _, new = part.partition(" as ")
            exports.append(f"{new or old}: modules[{_quoted(_resolved(name, found[2]))}].{old}")
        return ""

    def export(found: re.Match[str]) -> str:
        exports.append(found[2])
        return found[1]

    text = NOTHING.sub("", AGAIN.sub(again, IMPORT.sub(import_, shortened(text))))
    text = EXPORT.sub(export, text)
    text = LATER_MODULES.sub(lambda found: f"later({found['quote']}{_resolved(name, found['name'])}{found['quote']})", text)
    return f"{text}return {{ {', '.join(exports)} }};\n"


def shortened(text: str) -> str:
    """Return a script without comments and indentation."""
    return "".join(f"{line}\n" for raw in COMMENTS.sub("", text).splitlines() if (line := raw.strip()))


def shortened_style(text: str) -> str:
    """Return a style sheet without comments, indentation and blanks beside braces."""
    lines = [line for raw in STYLE_COMMENTS.sub("", text).splitlines() if (line := raw.strip())]
    return "".join(f"{line}\n" for line in lines).replace(" { ", "{").replace("; }", "}").replace(" }", "}")


def _resolved(name: str, place: str) -> str:
    """Resolve the name of a module that is given relative to another module."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(name), place))


def _quoted(name: str) -> str:
    return f'"{name}"'


Json = dict[str, Any]
NOT_LAID = ("marks", "colours")
"""Keys of a model whose tiles the browser cannot place."""


@cache
def drawing_as_json() -> Json:
    """Return the ``grids``, and the ``models`` that a browser can place from their files, both by name; and the ``palette`` of tiles."""
    grids = [load_grid(path) for path in base.data_files("grids")]
    models = {path.stem: read_table(path) for path in base.data_files("models")}
    return {
        "palette": TILES,
        "grids": {grid.name: _grid(grid) for grid in grids},
        "models": {name: table for name, table in models.items() if _is_laid(table)},
    }


def _is_laid(model: Json) -> bool:
    shapes = model.get("tiles", {}).values()
    return not any(model.get(key) for key in NOT_LAID) and not any("placements" in shape or "colours" in shape for shape in shapes)


def _grid(grid: Grid) -> Json:
    """Return ``grid_as_json`` of a grid, extended by the data with which the browser reads forms and tiles.

    ``turns``: number of the symmetries before motions of balls alone. ``layout``: arrangement of pictures on the grid. ``corners``: corners
    of each shape of size n, as pairs (a, b) for a n + b. ``centres``: numerators and then the denominator of each atom's centre. ``along``:
    the atoms on the sides of each atom that tiles may cover. ``ring``: the atoms round a face. ``ways``: the symmetries by which a piece in
    the hand is turned, turned back, tipped over and mirrored, in order of preference.
    """
    colouring = grid.periodic_colouring
    return grid_as_json(grid) | {
        "turns": len(grid.symmetries),
        "layout": {
            "steps": grid.layout.steps,
            "sites": [{"at": site.at, "glyphs": site.glyphs, "optional": site.optional} for site in grid.layout.sites],
        },
        "corners": grid.shapes,
        "centres": [_centre(grid, number) for number in range(len(grid.atoms))],
        "polyforms": grid.polyforms,
        "along": [_covered_beside(grid, number) for number in range(len(grid.atoms))],
        "ring": grid.rings.get(0, ()),
        "ways": {key: [grid.motions.index(g) for g in getattr(ways(grid), key)] for key in ("turn", "back", "tip", "mirror")},
        "colouring": None if colouring is None else dict(zip(("of", "along", "shift"), colouring, strict=True)),
    }


def _centre(grid: Grid, number: int) -> list[int]:
    centre = grid.atoms[number].centre
    over = 1
    for x in centre:
        over *= x.denominator
    return [*(int(x * over) for x in centre), over]


def _covered_beside(grid: Grid, number: int) -> list[list[int]]:
    if grid.atoms[number].kind != grid.main_kind:
        return []
    return [[*side] for side in grid.sides_of((*(0,) * grid.dimension, number)) if grid.atoms[side[-1]].role == "cover"]


PLACES = ("puzzlesat.pages", "site_page"), ("puzzlesat.pages.studio", "page"), ("puzzlesat.pages", "page")
"""Folders with the modules of the page; the first folder wins if two have the same name."""
PAGE = ("views/library.js", "views/play.js", "app.js")
"""Entry modules of the first script; the last one starts the page."""
SOLUTIONS = ("listed/texts.js", "views/solutions.js")
"""Further modules for solutions."""
ONE_PUZZLE = ("views/play.js", *SOLUTIONS, "app.js")
IN_SPACE = ("views/solidtexts.js", "bodies.js")
"""Further modules for puzzles in space."""
DRAWING = ("drawn/questions.js", "views/draw.js", "views/tiles.js")
"""Further modules for drawing."""
WORKER, LAYING = "engine/worker.js", "engine/laid.js"
WASM = "engine/kernels.wasm"
STYLES = "board.css", "studio.css"
DRAWING_STYLE = "draw.css"
BODY = re.compile(r"<body>\n(.*?)<noscript>.*?</noscript>\n</body>", re.S)
NO_SCRIPT = "<noscript><p>This page needs JavaScript. It loads nothing from anywhere else.</p></noscript>"
GENERATOR = '<meta name="generator" content="puzzlesat '
"""Marks a page that this program wrote."""
INDEX, MANIFEST, KEEPER = "index.html", "manifest.webmanifest", "sw.js"
ICONS = {192: "icon-192.png", 512: "icon-512.png"}
"""Icons of an installed page by width, with a margin because phones cut out a circle."""
LATER = ("space.js", "solutions.js", "draw.js", "draw.css")
SHARED = ("icon.svg", *ICONS.values(), "site.css", "site.js", *LATER, "engine.js", MANIFEST, KEEPER, "puzzles", "pictures")
"""Files and folders of a site beside its page."""


@dataclass(frozen=True)
class Entry:
    """A puzzle of a site: the data of its card in the library, and its packed data and picture."""

    card: Mapping[str, Any]
    puzzle: str
    picture: str
    in_space: bool

    @property
    def name(self) -> str:
        """Its name in links and file names."""
        return str(self.card["name"])


@cache
def _texts() -> dict[str, str]:
    """Return the texts of the page's modules and styles by name."""
    texts: dict[str, str] = {}
    for package, folder in PLACES:
        root = Path(str(files(package).joinpath(folder)))
        for path in sorted(root.rglob("*")):
            if path.suffix in (".js", ".css", ".html", ".svg"):
                name = path.relative_to(root).as_posix()
                texts.setdefault(name, with_rules(name, path.read_text(encoding="utf-8")))
    return texts


# the parts -------------------------------------------------------------------------------------------------------------------


def scripts_of(entry: Entry) -> dict[str, str]:
    """Return the scripts with the data and the picture of a puzzle, by file name."""
    return {
        f"puzzles/{entry.name}.js": _kept("puzzles", entry.name, entry.puzzle),
        f"pictures/{entry.name}.js": _kept("pictures", entry.name, entry.picture),
    }


def _kept(what: str, name: str, packed: str) -> str:
    return f"globalThis.puzzlesat.{what}[{json.dumps(name)}] = {json.dumps(packed)};\n"


@cache
def engine_script() -> str:
    """Return the script with the counting worker and its WebAssembly code, both packed."""
    wasm = files("puzzlesat.pages").joinpath(f"site_page/{WASM}").read_bytes()
    beginning = "globalThis.puzzlesat = { modules: {}, later: async (name) => globalThis.puzzlesat.modules[name] };\n"
    source = beginning + joined([WORKER], _texts())
    return f"globalThis.puzzlesat.engine = {inside_script({'source': packed_bytes(source.encode()), 'wasm': packed_bytes(wasm)})};\n"


@cache
def drawing_script() -> str:
    """Return the script for drawing: its modules, and the grids and sets of pieces of the package."""
    drawing = {**drawing_as_json(), "titles": {"de": _german({model["title"] for model in drawing_as_json()["models"].values()})}}
    data = {"drawing": packed(drawing), "laying": joined([LAYING], _texts(), without=modules_in([WORKER], _texts()))}
    return f"Object.assign(globalThis.puzzlesat, {inside_script(data)});\n" + joined(DRAWING, _texts(), without=modules_in(PAGE, _texts()))


def _german(titles: Collection[str]) -> dict[str, str]:
    """The German translations of titles that have one."""
    return {title: words for title, words in catalogue(_texts()[TITLES]).items() if title in titles}


def _first_script(entries: Sequence[Entry], only: str | None, modules: Sequence[str], bundles: Mapping[str, str]) -> str:
    """The beginning of every page: the list of puzzles, and the modules of the page with the translations of their titles."""
    cards = [dict(entry.card) for entry in entries]
    german = {"titles": _german({card[key] for card in cards for key in ("title", "set")}), "said": catalogue(_texts()[SAID])}
    data = {"index": packed({"cards": cards, "de": german}), "only": only, "version": base.VERSION, "bundles": bundles}
    without = dict.fromkeys((TITLES, SAID), "export const german = {};\n")
    return (
        f"globalThis.puzzlesat = {inside_script(data)};\n" + shortened(_texts()["beginning.js"]) + joined(modules, {**_texts(), **without})
    )


def _style() -> str:
    return "".join(shortened_style(_texts()[name]) for name in STYLES)


def _page(policy: str, title: str, icon: str, style: str, scripts: str) -> str:
    body = BODY.search(_texts()["index.html"])
    assert body is not None
    return Template(_texts()["site.html"]).substitute(
        policy=policy, title=title, icon=icon, version=base.VERSION, style=style, scripts=scripts, body=body[1] + NO_SCRIPT
    )


# a folder --------------------------------------------------------------------------------------------------------------------

POLICY = (
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data:; "
    "worker-src 'self' blob:; connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'"
)
STYLE, SCRIPT = '<link rel="stylesheet" href="site.css">', '<script src="site.js"></script>'


def site_files(entries: Sequence[Entry], kept: Sequence[str]) -> dict[str, str]:
    """Return the files that all puzzles of a site share, by name. ``kept`` names files that browsers cache from the beginning."""
    bundles = {
        name: file for modules, file in ((IN_SPACE, "space.js"), (SOLUTIONS, "solutions.js"), (DRAWING, "draw.js")) for name in modules
    }
    there = modules_in(PAGE, _texts())
    files = {
        "icon.svg": _texts()["icon.svg"],
        "site.css": _style(),
        "site.js": _first_script(entries, None, PAGE, bundles),
        "space.js": joined(IN_SPACE, _texts(), without=there),
        "solutions.js": joined(SOLUTIONS, _texts(), without=there),
        "draw.js": drawing_script(),
        "draw.css": shortened_style(_texts()[DRAWING_STYLE]),
        "engine.js": engine_script(),
        MANIFEST: json.dumps(_manifest(), indent=2) + "\n",
    }
    files[INDEX] = _page(POLICY, "puzzlesat", "icon.svg", STYLE, SCRIPT)
    digest = sha256("".join([*files.values(), *(entry.puzzle for entry in entries)]).encode()).hexdigest()[:16]
    first = ["./", *files, *kept]
    files[KEEPER] = f"const VERSION = {json.dumps(digest)}, FIRST = {json.dumps(first)};\n{_texts()['sw.js']}"
    return files


def icons() -> dict[str, bytes]:
    """Return the icons of an installed page by file name."""
    return {name: files("puzzlesat.pages").joinpath(f"site_page/{name}").read_bytes() for name in ICONS.values()}


def _manifest() -> dict[str, Any]:
    vector = {"src": "icon.svg", "sizes": "any", "type": "image/svg+xml", "purpose": "any"}
    pixels = [
        {"src": name, "sizes": f"{size}x{size}", "type": "image/png", "purpose": purpose}
        for size, name in ICONS.items()
        for purpose in ("any", "maskable")
    ]
    return {
        "name": "puzzlesat",
        "short_name": "puzzlesat",
        "start_url": "./",
        "display": "standalone",
        "background_color": "#ffffff",
        "theme_color": "#0b57a4",
        "icons": [vector, *pixels],
    }


# one file --------------------------------------------------------------------------------------------------------------------


def one_page(entry: Entry) -> str:
    """Return a page with one puzzle that needs no other file."""
    modules = [*(IN_SPACE if entry.in_space else ()), *ONE_PUZZLE]
    script = _first_script([entry], entry.name, modules, {}) + engine_script() + _kept("puzzles", entry.name, entry.puzzle)
    style = _style()
    icon = "data:image/svg+xml;base64," + b64encode(_texts()["icon.svg"].encode()).decode("ascii")
    policy = (
        f"default-src 'none'; script-src 'sha256-{digest_of(script)}' 'wasm-unsafe-eval'; style-src 'sha256-{digest_of(style)}'; "
        "img-src data:; worker-src blob:; base-uri 'none'; form-action 'none'"
    )
    return _page(policy, escape(str(entry.card["title"])), icon, f"<style>{style}</style>", f"<script>{script}</script>")


KEPT_BYTES = 2_000_000
"""Largest total size of puzzles, in bytes, that browsers cache from the beginning; for a larger site they cache opened puzzles."""


@dataclass(frozen=True, repr=False)
class Site(base.Ending):
    """The result of writing a site."""

    file: Path
    """The page to open."""
    puzzles: tuple[str, ...]
    """The names of its puzzles."""
    left_out: tuple[tuple[str, str], ...]
    """Puzzles that a browser cannot count, each with the reason."""
    size: int
    """Total size of all files in bytes."""

    @property
    def sentence(self) -> str:
        """The answer in one sentence."""
        return f"{self.file} has {base.many(len(self.puzzles), 'puzzle')}, {self.size:,} bytes in all."

    def __repr__(self) -> str:
        return f"<Site {self.sentence}>"


def write_site(folder: Path, names: Sequence[str | Path], limits: base.Limits, progress: base.Progress = base.SILENT) -> Site:
    """Write a site with these puzzles (default: all puzzles of the package), or a page with one puzzle, into a folder.

    If the work is interrupted, the site has the puzzles finished so far. Raises PuzzleError for an unsuitable puzzle or folder; then
    nothing is written.
    """
    began = monotonic()
    cards = {card["name"]: card for card in entries()}
    instances = _arranged(names, list(cards))
    alone = len(instances) == 1
    folder_name = file_name(instances[0].name) + ".html" if alone else INDEX
    _check_folder(folder, folder_name, () if alone else SHARED)
    made: list[Entry] = []
    left_out: list[tuple[str, str]] = []
    why, written = None, 0
    for number, instance in enumerate(instances):
        steps = progress.of(f"{number + 1} of {len(instances)} puzzles, {instance.name}")
        try:
            steps({base.Progress.SHARE: number * 1_000_000 // len(instances)})
            entry = _entry(instance, cards, limits, steps)
        except base.NotSupportedError as error:
            left_out.append((instance.name, str(error)))
            continue
        except base.EndedError as ended:
            if not limits.stop.is_set():
                left_out.append((instance.name, ended.words))
                continue
            why = f"interrupted: {len(made)} of {base.many(len(instances), 'puzzle')} were written"
            break
        made.append(entry)
        if not alone:
            written += _write(folder, scripts_of(entry))
    if made:
        cached = [name for entry in made for name in scripts_of(entry)] if written <= KEPT_BYTES else []
        written += _write(folder, {folder_name: one_page(made[0])} if alone else {**site_files(made, cached), **icons()})
    elif why is None:
        raise base.NotSupportedError(*(f"{name}: {reason}" for name, reason in left_out))
    return Site(folder / folder_name, tuple(e.name for e in made), tuple(left_out), written, why=why, seconds=monotonic() - began)


def _arranged(names: Sequence[str | Path], library: list[str]) -> list[Instance]:
    """The requested puzzles: first puzzles of the package in the order of its library, then puzzles from files."""
    instances = [instance for name in names or base.data_files("instances") for instance in instances_in(name)]
    instances.sort(key=lambda entry: library.index(entry.name) if _of_package(entry) else len(library))
    by_name: dict[str, Instance] = {}
    for instance in instances:
        name = file_name(instance.name)
        if name in by_name:
            raise base.PuzzleError(f"{instance.path or instance.name}: there are two puzzles named {name!r}; a site needs a name for each")
        by_name[name] = instance
    return instances


def _of_package(instance: Instance) -> bool:
    return instance.path is not None and instance.path.resolve().is_relative_to(base.data_folder("instances").resolve())


def _check_folder(folder: Path, page: str, others: Iterable[str]) -> None:
    """Raise PuzzleError if a file would be replaced that puzzlesat did not write."""
    if folder.exists() and not folder.is_dir():
        raise base.PuzzleError(f"{folder}: this is a file; give the name of a folder")
    file = folder / page
    if file.is_file() and GENERATOR in file.read_text(encoding="utf-8", errors="replace"):
        return
    for name in (page, *others):
        if (folder / name).exists():
            raise base.PuzzleError(f"{folder / name}: puzzlesat did not write this file and does not replace it; choose another folder")


def _entry(instance: Instance, cards: Mapping[str, dict[str, Any]], limits: base.Limits, progress: base.Progress) -> Entry:
    """Return the entry of a puzzle. Raises NotSupportedError if a browser cannot count it."""
    name, in_package = file_name(instance.name), _of_package(instance)
    built = build_instance(instance, progress=progress, limits=limits)
    if len(built.placements) > MAX_PLACEMENTS:
        raise base.NotSupportedError(f"it has {len(built.placements):,} placements; a page takes {MAX_PLACEMENTS:,} at most")
    command = f"puzzlesat studio {instance.name if in_package or instance.path is None else instance.path.name}"
    data = puzzle_as_json(built, name, command)
    card = cards[instance.name] if in_package else _card(instance, name)
    return Entry(card, packed(data), packed(picture_as_json(built)), data["board"]["dimension"] == 3)


def _card(instance: Instance, name: str) -> dict[str, Any]:
    """The library's data of a puzzle that is not in the package."""
    grid = instance.puzzle.grid
    return {"name": name, "title": instance.title, "set": "", "grid": grid.name, "grid_title": grid.title, "group": REST, "aliases": []}


def _write(folder: Path, contents: Mapping[str, str | bytes]) -> int:
    """Write files; return their size in bytes."""
    written = 0
    for name, content in contents.items():
        data = content.encode() if isinstance(content, str) else content
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        base.write_file(folder / name, data)
        written += len(data)
    return written
