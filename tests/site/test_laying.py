"""Placements in the browser and in the program: equal placements, symmetries and counts, also for random forms on each grid."""

from random import Random

import pytest
from engine import in_engine

from brute_force import judge
from helpers import needs_node
from puzzlesat.base.package import data_files
from puzzlesat.counting.crosscheck import Plan, count
from puzzlesat.pages.site import drawing_as_json
from puzzlesat.pages.studio.open import PagePuzzle, instance_of
from puzzlesat.puzzles import build_instance, load_grid, read_table
from puzzlesat.puzzles.load import load_instance
from tiers import every, tries

COUNTED = ("soma", "l-trominoes-6x6", "aztec-diamond-4", "hexiamonds-6x6", "bits-and-bytes", "mutilated-chessboard")
GRIDS = [path.stem for path in data_files("grids")]
NOT_LAID = {"solutions", "conditions", "split", "wrap", "fixed", "border", "marks", "colours", "placements"}

READ = """
import { readFileSync } from "fs";
const { folder, known, tables } = JSON.parse(readFileSync(0));
const { planOf } = await import(`${folder}/../drawn/reading.js`), { DrawnAnswers } = await import(`${folder}/laid.js`);
const { lay } = await import(`${folder}/laying.js`);
"""
LAY = f"""{READ}
for (const table of tables) {{
  try {{
    const plan = planOf(known, table), laid = lay(plan);
    const members = plan.tiles.map((tile) => tile.members), images = laid.images.map((image) => [...image]);
    console.log(JSON.stringify({{ ...laid, members, images }}));
  }} catch (error) {{
    if (!error.values) throw error;
    console.log(JSON.stringify({{ refused: error.values.key ?? error.values.name }}));
  }}
}}
"""
COUNT = f"""{READ}
const module = new WebAssembly.Module(readFileSync(`${{folder}}/kernels.wasm`));
for (const table of tables) {{
  const {{ counts }} = await new DrawnAnswers(module, planOf(known, table)).count({{}}, () => {{}}, {{ stopped: false }});
  console.log(JSON.stringify(counts));
}}
"""
pytestmark = [needs_node, pytest.mark.full]


def in_browser(script, tables):
    return in_engine(script, known=drawing_as_json(), tables=tables)


def table_of(name):
    """The table of an instance, without the keys that a page does not have."""
    path = next(path for path in data_files("instances") if path.stem == name)
    return {key: value for key, value in read_table(path).items() if key not in ("expect", "source")}


def check_same(said, built):
    """Compare placements, symmetries and their images; tiles are identified by their members."""
    puzzle, placements = built.puzzle, built.placements
    assert said["atoms"] == [list(atom) for atom in puzzle.form.numbering.atoms]
    mine = [(frozenset(said["members"][t]), tuple(atoms)) for t, atoms in zip(said["tile"], said["covered"], strict=True)]
    own = [
        (frozenset(puzzle.tiles[t].members), tuple(sorted(placements.atoms[i].tolist()))) for i, t in enumerate(placements.tile.tolist())
    ]
    assert len(mine) == len(set(mine))
    assert set(mine) == set(own)
    assert said["symmetries"] == list(built.problem.symmetries)
    for image, theirs in zip(said["images"], built.problem.images.tolist(), strict=True):
        assert {mine[p]: mine[there] for p, there in enumerate(image)} == {own[p]: own[there] for p, there in enumerate(theirs)}


def test_every_instance_is_laid_as_the_program_lays_it_or_refused_for_a_rule():
    names = [path.stem for path in data_files("instances")]
    tables, held = [table_of(name) for name in names], 0
    for name, table, said in zip(names, tables, in_browser(LAY, tables), strict=True):
        if "refused" in said:
            known = {*table, *table["form"], *(key for tile in table.get("tiles", {}).values() for key in tile)}
            own_model = table.get("model") not in drawing_as_json()["models"]
            assert said["refused"] in known & NOT_LAID or ("model" in table and own_model), (name, said)
            continue
        check_same(said, build_instance(load_instance(name)))
        held += 1
    assert held == 280


def drawn(grid_name, seed):
    """A random form on a grid, with tiles for it."""
    grid, chance = load_grid(next(path for path in data_files("grids") if path.stem == grid_name)), Random(f"{grid_name} {seed}")
    faces = [number for number, atom in enumerate(grid.atoms) if atom.kind == grid.main_kind]
    atoms = [(*(3,) * grid.dimension, chance.choice(faces))]
    for _ in range(chance.randrange(6, 24)):
        atoms.append(chance.choice([b for a in atoms for b in grid.neighbours(a) if b not in atoms]))
    size, form = chance.randrange(1, 4), [grid.ref(atom) for atom in atoms]
    flips = chance.random() < 0.6
    own = [atoms[0], *grid.neighbours(atoms[0])[: chance.randrange(1, 3)]]
    return {
        "title": "Drawn",
        "grid": grid_name,
        "flips": flips,
        **({"mirrored": chance.choice(["same", "different"])} if chance.random() < 0.3 else {}),
        "generate": [{chance.choice(["free", "one_sided", "fixed"]): size, "copies": chance.choice(["any", 2, [0, 3]])}],
        "tiles": {"own": {"atoms": [grid.ref(atom) for atom in own], "flips": chance.random() < 0.5}},
        "form": {"atoms": form, "optional": chance.sample(form, chance.randrange(3))},
    }


@every("grid", GRIDS)
def test_random_forms_on_every_grid(grid):
    tables = [drawn(grid, seed) for seed in range(tries(8))]
    for table, said in zip(tables, in_browser(LAY, tables), strict=True):
        check_same(said, build_instance(instance_of(PagePuzzle("drawn", table))))


def test_counts_of_instances_all_and_up_to_symmetry():
    said = in_browser(COUNT, [table_of(name) for name in COUNTED])
    for name, counts in zip(COUNTED, said, strict=True):
        expect = load_instance(name).expect
        assert (counts["all"], counts["distinct"]) == (expect.all, expect.distinct), name


@every("grid", ["square", "hexagon", "cube", "tans", "square-edges", "balls"])
def test_counts_of_random_forms(grid):
    tables = [drawn(grid, seed) for seed in range(20, 20 + tries(6))]
    for table in tables:
        table["generate"] = [{"free": 2, "copies": "any"}, {"free": 1, "copies": [0, 2]}]
    for table, counts in zip(tables, in_browser(COUNT, tables), strict=True):
        report = count(build_instance(instance_of(PagePuzzle("drawn", table))), Plan(solvers=("backtrack",)))
        assert (counts["all"], counts["distinct"]) == (report.counts.all, report.counts.distinct), table


ONE, DOMINO = {"atoms": [[1, 1]]}, {"atoms": [[1, 1], [2, 1]], "copies": "any"}
S, Z = {"atoms": [[1, 1], [2, 1], [2, 2], [3, 2]], "flips": False}, {"atoms": [[1, 2], [2, 2], [2, 1], [3, 1]], "flips": False}
FEW = {  # each of these reveals an error in the engine
    "symmetric solutions round a piece that breaks the symmetry": ({"O": ONE, "D": DOMINO}, {"box": [3, 3]}),
    "nothing fits, and nothing has to": ({"D": DOMINO}, {"box": [1, 1], "optional": "all"}),
    "a mirror image that may be used more often": (
        {"S": {**S, "copies": [0, 1]}, "Z": {**Z, "copies": [0, 2]}, "O": {**ONE, "copies": "any"}}, {"box": [4, 3]},
    ),
    "as many pieces as a range allows": ({"O": {**ONE, "copies": [1, 6]}}, {"box": [3, 2], "optional": "all"}),
}  # fmt: skip


def test_counts_of_small_puzzles_are_those_of_the_judge():
    tables = [{"title": name, "grid": "square", "flips": True, "tiles": tiles, "form": form} for name, (tiles, form) in FEW.items()]
    for table, counts in zip(tables, in_browser(COUNT, tables), strict=True):
        judged = judge(table)
        assert (counts["all"], counts["distinct"]) == (judged.all, judged.distinct), table["title"]


def test_what_is_wrong_in_a_table_is_refused():
    form = {"box": [2, 2]}
    wrong = [
        {"model": "nobody", "form": form},
        {"model": "__proto__", "form": form},
        {"grid": {"name": "own"}, "flips": True, "generate": [{"free": 2}], "form": form},
        {"model": "dominoes", "form": {"box": [10**9, 10**9]}},
        {"model": "dominoes", "form": {"atoms": [[1, 1, "no"]]}},
        {"model": "dominoes", "form": {"picture": "?"}},
        {"model": "dominoes", "form": {**form, "wrap": [{"move": [2, 0]}]}},
        {"model": "dominoes", "form": form, "conditions": [{"name": "x"}]},
        {"grid": "square", "flips": True, "generate": [{"free": 99}], "form": form},
        {"grid": "square", "flips": True, "tiles": {"x": {"atoms": []}}, "form": form},
        {"grid": "square", "flips": True, "tiles": {"x": {"atoms": [[1, 1]], "copies": -1}}, "form": form},
        {"grid": "cube", "flips": False, "tiles": {"x": {"picture": "##\n#.\n\n#"}}, "form": {"box": [2, 2, 2]}},
        {"grid": "cube", "flips": False, "tiles": {"x": {"picture": "##\n  \n##"}}, "form": {"box": [2, 2, 2]}},
    ]
    script = LAY.replace("error.values.key ?? error.values.name", "error.key")
    assert all(said["refused"].startswith("drawn_") for said in in_browser(script, wrong))
