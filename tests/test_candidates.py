"""Candidate forms: generators against known numbers and brute force, verdicts against brute force, results that survive interruptions."""

import json
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, product
from threading import Event

import pytest

from brute_force import judge
from helpers import canonical, named
from puzzlesat.base import Limits, PuzzleError
from puzzlesat.counting.plan import AUTO
from puzzlesat.designing import candidate_forms as generate
from puzzlesat.designing import trial
from puzzlesat.designing.candidate_forms import Candidate, FormFilter, different, from_files
from puzzlesat.designing.polyforms import has_symmetries, named_symmetries
from puzzlesat.designing.tile_set import load_kit, refs
from puzzlesat.designing.trial import Effort, FormTask, FormTrials, open_results, try_form
from puzzlesat.puzzles import FormTable, build_instance
from puzzlesat.puzzles.forms import normal
from puzzlesat.puzzles.forms import polyforms as all_polyforms
from puzzlesat.puzzles.load import load_instance
from puzzlesat.solvers.registry import LISTING, TALLY
from tiers import every

FREE = {
    "square": [1, 1, 2, 5, 12, 35],  # OEIS A000105
    "triangle": [1, 1, 1, 3, 4, 12, 24],  # A000577
    "hexagon": [1, 1, 3, 7, 22],  # A000228
    "cube": [1, 1, 2, 7],  # A038119
}
FULL_SQUARE = [1, 0, 0, 1, 1, 0, 0, 1, 2, 0, 0, 3, 2, 0, 0, 5, 4, 0, 0, 12, 7]
"""Polyominoes with all eight symmetries: A142886."""
CONVEX_TRIANGLES = [1, 1, 1, 2, 1, 2, 2, 3, 2, 2, 2, 3, 2, 3, 3, 5, 2, 3, 3, 4, 2, 4, 4, 6]
"""Convex polyiamonds: A096004."""


def wanted(grid, area, symmetry="none", within=None):
    return FormFilter(range(area, area + 1), named_symmetries(grid, symmetry), within)


def forms_of(grid, forms):
    """Return the classes of some forms; fail if two forms are in one class."""
    classes = [canonical(atoms, grid.symmetries) for _, atoms in forms]
    assert len(set(classes)) == len(classes)
    return set(classes)


@pytest.fixture
def kit(tmp_path):

    def make(tiles, grid="square", flips=True, some=False, more=""):
        rows = [f"[tiles.{name}]\n{said}" for name, said in tiles.items()]
        path = tmp_path / "kit.toml"
        path.write_text(f'title = "Kit"\ngrid = "{grid}"\nflips = {str(flips).lower()}\n{more}' + "\n".join(rows), encoding="utf-8")
        return load_kit(str(path), some=some)

    return make


@pytest.fixture
def square(kit):
    return kit({"one": "atoms = [[1, 1]]\n"})


def picture(*rows):
    return f"picture = {json.dumps(chr(10).join(rows))}\n"


@every("name", FREE, fast=("hexagon",))
def test_all_polyforms(kit, name):
    grid = named(name)
    one = kit({"one": f"atoms = [{[1] * grid.dimension}]\n"}, name)
    for size, known in enumerate(FREE[name], start=1):
        asked = wanted(grid, size)
        assert len(forms_of(grid, different(one, generate.polyforms(grid, asked), asked))) == known


@pytest.mark.full
def test_fully_symmetric_polyominoes(square):
    grid = named("square")
    for size, known in enumerate(FULL_SQUARE, start=1):
        asked = wanted(grid, size, "full")
        assert len(forms_of(grid, different(square, generate.polyforms(grid, asked), asked))) == known


SYMMETRIC = {"square": 6, "triangle": 6, "hexagon": 4, "tans": 4, "kites": 4, "cube": 3, "snub-square": 6, "truncated-square": 5}
CONVEX = {"square": 6, "triangle": 8, "tans": 6, "kites": 4, "rhombille": 3, "snub-square": 6, "truncated-square": 4}


@pytest.mark.full
@every(("name", "size"), SYMMETRIC.items(), fast=("tans",))
def test_symmetric_polyforms_are_all_that_have_the_symmetry(name, size):
    grid = named(name)
    free = all_polyforms(grid, size, "free").values()
    for symmetry in sorted({g.name for g in grid.symmetries})[:: 1 if grid.dimension == 2 else 9]:
        chosen = named_symmetries(grid, symmetry)
        turned = [[g(a) for a in atoms] for atoms in free for g in grid.symmetries]
        judged = {canonical(atoms, grid.symmetries) for atoms in turned if has_symmetries(atoms, chosen)}
        grown = [atoms for _, atoms in generate.polyforms(grid, wanted(grid, size, symmetry))]
        assert all(has_symmetries(atoms, chosen) and len(atoms) == size and len(grid.parts(atoms)) == 1 for atoms in grown)
        assert {canonical(atoms, grid.symmetries) for atoms in grown} == judged, symmetry


@pytest.mark.full
def test_a_box_bounds_what_grows():
    grid = named("square")
    fitting = {canonical(a, grid.symmetries) for _, a in generate.polyforms(grid, wanted(grid, 6, within=(4, 3)))}
    spans = {atoms: sorted(max(a[i] for a in atoms) + 1 for i in (0, 1)) for atoms in all_polyforms(grid, 6, "free").values()}
    assert fitting == {canonical(atoms, grid.symmetries) for atoms, (short, long) in spans.items() if short <= 3 and long <= 4}


@pytest.mark.full
def test_convex_polyiamonds():
    grid = named("triangle")
    for size, known in enumerate(CONVEX_TRIANGLES[:16], start=1):
        assert len({canonical(a, grid.symmetries) for _, a in generate.convex(grid, [size])}) == known


def area_of(points):
    return sum(p[0] * q[1] - p[1] * q[0] for p, q in zip(points, [*points[1:], points[0]], strict=True))


def hull(points):
    """Andrew's chain: the corners of the convex hull, counterclockwise."""
    chains = []
    for ordered in (sorted(points), sorted(points, reverse=True)):
        chain = []
        for p in ordered:
            while len(chain) > 1 and area_of([chain[-2], chain[-1], p]) <= 0:
                chain.pop()
            chain.append(p)
        chains += chain[:-1]
    return chains


def is_convex(grid, atoms):
    """Return whether the faces fill the hull of their corners."""
    corners = [[tuple(c + x for c, x in zip(a[:-1], v, strict=True)) for v in grid.atoms[a[-1]].vertices] for a in atoms]
    return area_of(hull({p for face in corners for p in face})) == sum(area_of(hull(set(face))) for face in corners)


@every(("name", "size"), CONVEX.items(), fast=("kites",))
def test_convex_forms_are_all_that_are_convex(name, size):
    grid = named(name)
    for n in range(1, size + 1):
        judged = {canonical(a, grid.symmetries) for a in all_polyforms(grid, n, "free").values() if is_convex(grid, a)}
        assert {canonical(a, grid.symmetries) for _, a in generate.convex(grid, [n])} == judged


def test_convex_polyhexes_run_through_the_middles():
    """Convex forms have exactly the hexagons whose middles are in their hull, and its sides run along rows of hexagons."""
    grid = named("hexagon")
    for size in range(1, 6):
        judged = set()
        for atoms in all_polyforms(grid, size, "free").values():
            middles = [grid.centre(a) for a in atoms]
            corners = hull(set(middles)) or middles
            sides = [(q[0] - p[0], q[1] - p[1]) for p, q in zip(corners, [*corners[1:], corners[0]], strict=True)]
            along_rows = all(0 in (x, y, x + y) for x, y in sides)
            if along_rows and (size == 1 or grid.polygon([list(map(Fraction, c)) for c in corners]) == set(atoms)):
                judged.add(canonical(atoms, grid.symmetries))
        assert {canonical(a, grid.symmetries) for _, a in generate.convex(grid, [size])} == judged


BOXES = [("square", 60, 6), ("cube", 24, 6), ("triangle", 24, 3), ("hexagon", 12, 3), ("square", 7, 1), ("triangle", 7, 0)]


@pytest.mark.full
def test_boxes_are_all_there_are(kit, square):
    for name, area, known in BOXES:
        grid = named(name)
        one = kit({"one": f"atoms = [{[1] * grid.dimension}]\n"}, name)
        found = different(one, generate.boxes(grid, [area]), wanted(grid, area))
        assert len(forms_of(grid, found)) == known
    grid = named("square")
    assert [name for name, _ in different(square, generate.boxes(grid, [12]), wanted(grid, 12))] == ["1x12", "2x6", "3x4"]


@pytest.mark.full
def test_frames_against_all_boxes_in_boxes(square):
    grid = named("square")
    judged = set()
    for w, h in product(range(3, 9), repeat=2):
        for x, y in product(range(2, w), range(2, h)):
            for c, r in product(range(1, w - x + 1), range(1, h - y + 1)):
                left = grid.box((w, h)) - {(a, b, 0) for a in range(x, x + c) for b in range(y, y + r)}
                if len(left) == 16:
                    judged.add(canonical(left, grid.symmetries))
    assert forms_of(grid, different(square, generate.frames(grid, [16]), wanted(grid, 16))) == judged


@pytest.mark.full
@every("symmetry", ["none", "turn 180", "full"], fast=("none",))
def test_cuts_against_all_choices(square, symmetry):
    grid = named("square")
    whole = frozenset(grid.box((4, 4)))
    chosen = named_symmetries(grid, symmetry)
    judged = set()
    for removed in combinations(sorted(whole), 4 if symmetry == "full" else 2):
        left = whole - set(removed)
        if all(normal(map(g, left)) == normal(left) for g in chosen) and len(grid.parts(left)) == 1:
            judged.add(canonical(left, grid.symmetries))
    asked = wanted(grid, 12 if symmetry == "full" else 14, symmetry)
    assert forms_of(grid, different(square, generate.cut(grid, whole, asked), asked)) == judged


@pytest.mark.full
def test_forms_enlarged():
    for name, times in (("square", 3), ("triangle", 3), ("tans", 2)):
        grid = named(name)
        for atoms in all_polyforms(grid, 4, "free").values():
            large = generate.enlarged(grid, atoms, times)
            assert len(large) == 4 * times * times
            assert is_convex(grid, atoms) == is_convex(grid, large)
    with pytest.raises(PuzzleError, match="do not consist of whole ones"):
        generate.enlarged(named("hexagon"), [(0, 0, 0)], 2)


def test_mirrored_forms_are_kept_apart_where_tiles_may_not_be_flipped(kit):
    grid = named("square")
    chiral = {"L": picture("#", "#", "##")}
    both = chiral | {"J": picture(".#", ".#", "##")}
    for tiles, flips, known in ((chiral, True, 5), (chiral, False, 7), (both, False, 5)):
        made = kit(tiles, flips=flips)
        found = different(made, generate.polyforms(grid, wanted(grid, 4)), wanted(grid, 4))
        assert len(found) == known
    turned = kit({"I": picture("##")}, more='turns = "none"\n', flips=False)
    assert len(different(turned, generate.boxes(grid, [6]), wanted(grid, 6))) == 4  # without mirrors, 1x6 and 6x1 are different


def test_where_conditions_look_at_coordinates_no_two_forms_are_the_same(tmp_path):
    text = 'title = "T"\ngrid = "square"\nflips = true\n[tiles.D]\npicture = "##"\ncopies = 3\n[form]\nbox = [3, 2]\n'
    text += '[[conditions]]\nname = "n"\nalong = [1, 0]\nvalues = [0, 1]\nequals = 3\n'
    path = tmp_path / "i.toml"
    path.write_text(text, encoding="utf-8")
    assert len(load_kit(str(path)).alike()) == 1


KITS = [
    ("square", {"I": (1, "##"), "V": (1, "##", "#."), "T": (1, "###", ".#.")}, 9),
    ("square", {"I": (1, "###"), "V": (1, "##", "#.")}, 6),
    ("triangle", {"D": (3, "▲▼")}, 6),
    ("hexagon", {"I": ([0, 1], "#.#.#"), "V": ([0, 1], "#.#", ".#."), "O": (1, "#")}, 4),
]


@every(("name", "tiles", "area"), KITS, fast=("hexagon",))
def test_verdicts_are_those_of_brute_force(kit, name, tiles, area):
    made = kit({tile: picture(*rows) + f"copies = {copies}\n" for tile, (copies, *rows) in tiles.items()}, name)
    grid = made.grid
    tables = {t.name: {"atoms": refs(grid, t.atoms), "copies": tiles[t.name][0]} for t in made.tiles}
    asked = wanted(grid, area, "none" if area < 9 else "turn 180")
    forms = different(made, generate.polyforms(grid, asked), asked)
    assert len(forms) > 4
    verdicts = set()
    for number, (_, atoms) in enumerate(forms[:40]):
        found = try_form(made.to_fill(str(number), made.table(atoms)), Effort(Limits(seconds=60), count=True))
        judged = judge({"grid": name, "flips": True, "tiles": tables, "form": {"atoms": refs(grid, atoms)}})
        assert found.verdict == (trial.SOLVABLE if judged.all else trial.IMPOSSIBLE)
        if judged.all:
            assert (found.all, found.distinct, found.agree) == (judged.all, judged.distinct, True)
            assert found.solution
        else:
            assert found.argument in ("area", "nothing fits", "colouring", "search")
        verdicts.add(found.verdict)
    assert verdicts == {trial.SOLVABLE, trial.IMPOSSIBLE}


@pytest.mark.full
def test_replicas_leave_the_tile_out():
    tetrominoes = load_kit("tetrominoes")
    tables = {t.name: {"atoms": refs(tetrominoes.grid, t.atoms), "copies": [0, 1]} for t in tetrominoes.tiles}
    for name, atoms in generate.replicas(tetrominoes, 2):
        found = try_form(tetrominoes.to_fill(name, tetrominoes.table(atoms), without=name), Effort(Limits(), count=True))
        others = {n: t for n, t in tables.items() if n != name}
        judged = judge({"grid": "square", "flips": True, "tiles": others, "form": {"atoms": refs(tetrominoes.grid, atoms)}})
        assert (found.verdict, found.all or 0) == (trial.SOLVABLE if judged.all else trial.IMPOSSIBLE, judged.all)


@pytest.mark.full
def test_a_search_is_checked_by_a_certificate_and_a_contradiction_is_told(kit, monkeypatch):
    made = kit({"L": picture("#.", "##") + "copies = 4\n"})
    form = made.table(made.grid.box((4, 3)))
    puzzle = made.to_fill("rectangle", form)
    assert try_form(puzzle, Effort(Limits())).verdict == trial.SOLVABLE
    monkeypatch.setattr(trial, "first_solution", lambda built, limits: (True, None))
    assert try_form(puzzle, Effort(Limits())).verdict == trial.CONTRADICTION


@every(("remove", "verdict"), [([[1, 1], [2, 2]], trial.IMPOSSIBLE), ([[1, 1], [2, 1]], trial.SOLVABLE)])
def test_forms_that_no_certificate_can_state_are_searched_by_two_solvers(monkeypatch, remove, verdict):
    """A tube of circumference 2 and height 3 without two squares, of one colour or of both."""
    made = load_kit("dominoes")
    table = FormTable.model_validate({"box": [2, 3], "remove": remove, "wrap": [{"move": [2, 0]}]})
    found = try_form(made.to_fill("tube", table), Effort(Limits()))
    assert (found.verdict, found.argument) == (verdict, "search" if verdict == trial.IMPOSSIBLE else None)
    monkeypatch.setattr(trial, "first_solution", lambda built, limits: (True, None))
    expected = verdict if verdict == trial.IMPOSSIBLE else trial.CONTRADICTION
    assert try_form(made.to_fill("tube", table), Effort(Limits())).verdict == expected


def test_no_time_is_not_decided_and_a_stop_is_an_interrupt(kit, monkeypatch):
    made = kit({"D": picture("##") + "copies = 18\n"})
    puzzle = made.to_fill("6x6", made.table(made.grid.box((6, 6))))
    monkeypatch.setattr(trial, "first_solution", lambda built, limits: (False, None))
    monkeypatch.setattr("puzzlesat.solvers.backtrack.RECORDS_AT_ONCE", 1)
    assert try_form(puzzle, Effort(Limits(seconds=0))).verdict == trial.NOT_DECIDED
    stop = Event()
    stop.set()
    with pytest.raises(KeyboardInterrupt):
        try_form(puzzle, Effort(Limits(stop=stop)))


def records():
    said = {"verdict": trial.SOLVABLE, "all": None, "time": 1.0, "count": False}
    return [{"form": f"Form {n} ▲é\udcff", "key": f"k{n}"} | said for n in range(2)]


@pytest.mark.full
def test_results_survive_a_cut_at_every_byte(kit, tmp_path, monkeypatch):
    monkeypatch.setattr("os.fsync", lambda number: None)  # hundreds of files
    made, path = kit({"D": picture("##")}), tmp_path / "r.jsonl"
    results = open_results(made, path, "forms")
    for record in records():
        results.add(record)
    results.close()
    whole = path.read_bytes()
    for cut in range(len(whole) + 1):
        path.write_bytes(whole[:cut])
        results = open_results(made, path, "forms")
        lines = whole[:cut].count(b"\n")
        assert list(results.known) == [f"k{n}" for n in range(max(0, lines - 1))]
        for record in records():
            if record["key"] not in results.known:
                results.add(record)
        results.close()
        assert path.read_bytes() == whole


def test_results_of_other_tiles_and_other_files_are_refused(kit, tmp_path):
    path = tmp_path / "r.jsonl"
    open_results(kit({"D": picture("##")}), path, "forms").close()
    before = path.read_bytes()
    for other in (
        kit({"D": picture("##") + "copies = 2\n"}),
        kit({"D": picture("##")}, flips=False, more='turns = "none"\n'),
        kit({"D": picture("##")}, some=True),
    ):
        with pytest.raises(PuzzleError, match="results for other tiles or rules"):
            open_results(other, path, "forms")
    assert path.read_bytes() == before
    made = kit({"D": picture("##")})
    for text, said in (
        ("no results", "not a file of results"),
        ('{"a": 1}\n', "not a file of results"),
        (before.decode() + "[]\n", "line 2: not a line"),
        (before.decode() + "{}\n", "line 2: not a result of 'puzzlesat forms'"),
    ):
        path.write_text(text, encoding="utf-8")
        with pytest.raises(PuzzleError, match=said):
            open_results(made, path, "forms")
        assert path.read_text(encoding="utf-8") == text


def test_pictures_and_instances_from_a_folder(tmp_path):
    made = load_kit("tetrominoes")
    (tmp_path / "a.txt").write_text("####\n####\n", encoding="utf-8")
    (tmp_path / "b.txt").write_text("##\n\n--- tall one ---\n#\n#\n===\n###\n", encoding="utf-8")
    (tmp_path / "c.toml").write_text('title = "C"\nmodel = "pentominoes"\n[form]\nbox = [5, 4]\n', encoding="utf-8")
    (tmp_path / "m.toml").write_text('title = "M"\ngrid = "square"\nflips = true\n[tiles.A]\npicture = "#"\n', encoding="utf-8")
    found = from_files(made, [tmp_path])
    assert [c.name for c in found] == ["a", "b-1", "tall one", "b-3", "c"]
    sizes = [len(made.to_fill(c.name, c.table, path=c.path).puzzle.form.required) for c in found]
    assert sizes == [8, 2, 2, 3, 20]


def test_files_that_cannot_be_used(tmp_path):
    made = load_kit("tetrominoes")
    (tmp_path / "t.toml").write_text('title = "T"\nmodel = "hexiamonds"\n[form]\ntriangle = 3\n', encoding="utf-8")
    (tmp_path / "n.txt").write_text("---\n\n", encoding="utf-8")
    conditions = 'title = "T"\nmodel = "tetrominoes"\n[form]\nbox = [5, 4]\n[[conditions]]\nname = "n"\ntiles = { I = 1 }\nequals = 1\n'
    (tmp_path / "o.toml").write_text(conditions, encoding="utf-8")
    with pytest.raises(PuzzleError) as error:
        from_files(made, [tmp_path])
    assert [p.split(": ", 1)[1][:30] for p in error.value.problems] == [
        "there is no picture in this fi",
        "conditions: only the form of t",
        "the form lies on grid 'triangl",
    ]


@pytest.mark.full
def test_where_a_list_takes_too_long_the_tally_has_the_rest_of_the_time(monkeypatch):
    """Forms with hundreds of millions of solutions were once not counted: a list used half of the time, and the other half was unused."""
    asked, real = [], trial.count

    def slow_lists(built, plan):
        asked.append(plan.solvers)
        report = real(built, plan)
        return replace(report, status="limit reached") if plan.solvers == (AUTO,) else report

    monkeypatch.setattr(trial, "count", slow_lists)
    built = build_instance(load_instance("dominoes-4x4"))
    limits = Limits(seconds=60.0).begun()
    report = trial.count_twice(built, limits)
    assert asked == [(AUTO,), (TALLY,), (LISTING, TALLY)], "few solutions, which a list confirms"
    assert (report.complete, report.counts.all) == (True, 36)


SOLVED = {"verdict": trial.SOLVABLE, "time": 10.0, "count": False, "all": None}
KEPT = [
    # request; record; whether the record answers it
    ({}, None, False),
    ({}, {}, True),
    ({"count": True}, {}, False),
    ({"count": True}, {"count": True}, True),
    ({"count": True, "seconds": 11}, {"count": True}, False),
    ({}, {"verdict": trial.NOT_DECIDED}, True),
    ({"seconds": 11}, {"verdict": trial.NOT_DECIDED}, False),
    ({}, {"verdict": trial.IMPOSSIBLE}, True),
    ({"proof": "none.proof"}, {"verdict": trial.IMPOSSIBLE}, False),
    ({}, {"verdict": trial.CONTRADICTION}, False),
]


def test_which_kept_answer_is_an_answer_to_what_is_asked(tmp_path):
    made = load_kit("tetrominoes")
    table = made.table(made.grid.box((5, 4)))
    for asked, record, done in KEPT:
        more = dict(asked)
        proof = more.pop("proof", None)
        task = FormTask(Candidate("a", table), proof=tmp_path / proof if proof else None)
        limits = Limits(seconds=more.pop("seconds", 10))
        results = open_results(made, None, "forms")
        if record is not None:
            results.add(SOLVED | {"key": task.candidate.key} | record)
        assert FormTrials(made, Effort(limits, **more), [task], results).is_done(task) == done, (asked, record)
    others = [(made.table(made.grid.box((4, 5))), None), (table, "I"), (table.model_copy(update={"optional": [[1, 1]]}), None)]
    forms = [Candidate("a", atoms, without=name) for atoms, name in [(table, None), *others]]
    assert len({form.key for form in forms}) == 4  # results are stored by this key


def test_more_forms_than_anybody_tries(square, monkeypatch):
    monkeypatch.setattr(generate, "MAX_FORMS", 10)
    asked = wanted(named("square"), 5)
    with pytest.raises(PuzzleError, match="more than 10 forms"):
        different(square, generate.polyforms(named("square"), asked), asked)
