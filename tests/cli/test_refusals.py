"""Wrong usage, names, options and files: exit status 2, a message that gives the reason, and no output file."""

import shlex

import pytest

from tiers import is_fast

BIG_TALLY = "stones-and-bones-triangle-8 --disk . --disk-space"
IN_ONE_FORM = "tiles.Q: its placements are listed for one form, so its placements in another form are not known"
ONE_HARDEST = "hardest makes one position, with one completion"
SQUARES = 'grid = "square"\nflips = true\n'
FILES = {
    "ring.toml": f'title = "Ring"\n{SQUARES}tiles.A.picture = "###\\n#.#\\n###"\ntiles.B.picture = "#"\nform.box = [3, 3]\n',
    "room.toml": f'title = "A room"\n{SQUARES}form.box = [2, 2]\npieces.A.picture = "█+\\n++"\npieces.B.picture = "█"\n',
    "study.toml": 'name = "Small"\n[[puzzles]]\nfrom = ["dominoes.toml", "none.toml"]\n[[steps]]\nfind = "count"\nseconds = 20\n',
    "toy.xcc": "| a toy\na b c | x\na b x:1\nb c\na x:1\nc x:2\nc x:1\n",
    "all.txt": "D.1@1.1 D.1@1.2 D.2@3.1\n",
    "wrong.xml": "<wrong/>",
    "plain": "",
}
REFUSED = {
    "apart": {
        "octogram --nth 1 --limit 2": "--nth or --limit",
        "ring.toml --nth 2": "has no solution 2",
        "bits-and-bytes-holes --limit 1": "cannot slide apart",
        "pentominoes-3x20-tube --limit 1": "wraps around",
        "ring.toml --svg x.png": ".svg",
        "ring.toml --states x.txt": "a file name that ends in .svg, .json, .graphml",
        "ring.toml --turns --states x.svg": "leave out --turns",
        "queens-6": "the placements of tile 'Q' are listed, so it is not known how it could move",
    },
    "certify": {
        "dominoes.toml -o d.proof --kind tre": "--kind tre: there is no such kind; did you mean 'tree'?",
        "remainder.toml -o d.proof --kind cadical": "puzzlesat: ",
    },
    "challenge": {
        "soma -o soma.pdf": "soma.pdf: expected a name that ends in .html, .svg, .png, .txt, .json",
        "soma -o soma.json --json": "use --json or -o FILE.json, not both",
        "soma --placed 3 --to 2": "use --placed, or --from and --to, not both",
        "soma --from 2 --to 3": "--from 2 --to 3: --from is for the easiest position",
        "soma --placed 9": "soma: its solutions have 7 pieces, so no position has 9",
        "soma -n 0": "Invalid value for '--count'",
        **{f"soma --hardest {more}": ONE_HARDEST for more in ("--count 2", "--placed 1", "--from 3", "--to 0", "--completions 2")},
    },
    "check": {"silent.toml": "nothing to check", "no-such-instance": ("no-such-instance", "puzzlesat list")},
    "common": {"queens-6 Q Q": IN_ONE_FORM, "tetrominoes L": ""},
    "compile": {
        "": "Error",
        "soma -f xcc --encoding pairwise": "--encoding is for --format cnf, not for xcc",
        "soma --format dimacs": ("dimacs", "cnf, opb, xcc, cpsat"),
        "soma --encoding pairwize": ("pairwize", "did you mean 'pairwise'"),
    },
    "convert": {
        "dominoes.toml out.jsn": "the suffix must be of one of these formats: .toml .xmpuzzle or a folder (puzzles)",
        "toy.xcc out.toml": "toy.xcc is a cover problem: it knows of no form and tiles",
        "all.txt out.cnf --instance dominoes.toml": "all.txt holds solutions of dominoes; they become .jsonl or .txt",
        "out.cpsat out.toml": "models of CP-SAT are written, not read",
        "nowhere.xcc out.cnf": "nowhere.xcc: no such file",
        "wrong.xml out.toml": "wrong.xml",
        "dominoes.toml out.cnf --distinct": "--distinct is for solutions (.jsonl, .txt), and out.cnf will hold none",
        "toy.xcc out.cnf --map toy.xcc": "--map is for files of solutions, and toy.xcc is not one",
        "toy.xcc out.cnf --problem 1": "--problem is for files of puzzles, and toy.xcc is not one",
    },
    "count": {
        "": "Error",
        "soma --budget -1": "Error",
        "somma": ("somma", "did you mean 'soma'"),
        "soma --solver cpsatt": ("cpsatt", "did you mean 'cpsat'"),
        "soma --solver ''": ("there is no solver ''", "known: auto, certificate, backtrack, tally, sat, cpsat"),
        "soma --solver sat,auto": "auto must come first",
        "soma --solver sat:glucoze4": "glucoze4",
        "soma --solver sat:glucose4:pairwize": ("pairwize", "did you mean 'pairwise'"),
        "nowhere.xml": "nowhere.xml",
        "dominoes.toml wrong.toml --store a": "--store is for the count of one puzzle, not of 2",
        "dominoes.toml --solver sat --store a": "--solver does not work with --store",
        "dominoes.toml --dask tcp://127.0.0.1:1 --jobs 2 --store a": "--jobs is for processes of this machine",
        "dominoes.toml --jobs 2": "--store",
        "dominoes.toml --csv a.txt": "a.txt: expected a name that ends in .csv",
        "dominoes.toml --csv a.csv --store a.sqlite": "not available with --store",
        "toy.xcc --transformed": "--transformed is for puzzles",
        "toy.xcc dominoes.toml": "with separate commands",
        "toy.xcc --proved": "--proved is for puzzles",
        "soma --proved --store a": "--proved is not available with --store",
        "stones-and-bones-triangle-8 --solver tally --disk plain": ("--disk", "choose a folder in which you may write"),
        **{f"{BIG_TALLY} {space}": "--disk-space" for space in ("0", "-1", "much")},
    },
    "design": {
        "six-piece-burr": "there is no design 'six-piece-burr'; did you mean 'six-piece-burrs'?",
        "six-piece-burrs --apart --sample 3": "use --apart or --sample, not both",
        "six-piece-burrs -o x.jsonl": "add --apart or --sample",
        "six-piece-burrs --sample 3 --part 1/2": "--part is for --apart",
        "six-piece-burrs --apart --part 3/2": "expected such as 1/100, got '3/2'",
        "room.toml --sample 3": "--sample is for designs of rods; remove it",
        "room.toml -o x.jsonl": "--output is for assemblies that are taken apart; add --apart",
        "room.toml --carve 3": "is a design, not a puzzle",
        "room.toml --carve 3 --apart": "--carve is not for --apart, --sample and --unique; remove them",
        "ring.toml": "is a puzzle, not a design; 'puzzlesat apart ring.toml' takes it apart, and --carve N searches",
    },
    "forms": {
        "tetrominoes": "no forms to try",
        "square --boxes": "there is no model and no instance 'square'",
        "tetromino --boxes": "did you mean 'tetrominoes'?",
        "tetrominoes nowhere": "nowhere: expected a folder, a puzzle",
        "tetrominoes --boxes --symmetry 'turn 60'": "has no symmetry 'turn 60'; did you mean 'turn 90'?",
        "tetrominoes --cut 8": "--cut 8: expected rows and columns, such as 8x8",
        "tetrominoes --cut 4x4": "the form has 16 faces, and 20 are needed",
        "tetrominoes --cut 4x6 --symmetry full": "--cut: the form has no symmetry 'turn 90'",
        "tetrominoes --boxes --area 9-3": "--area 9-3: expected",
        "tetrominoes --boxes --some": "the tiles cover 0 to 20 faces; give the size",
        "soma --convex": "--convex: works only on grids of faces in the plane",
        "soma --replicas 2": "--replicas: works only on grids in the plane",
        "tetrominoes --boxes -o a.html -o b.html": "-o b.html: a.html is given already",
        "dominoes --boxes --area 4 -o a.csv --csv a.csv": "two files cannot have the same name",
        "queens-6 --boxes": IN_ONE_FORM,
    },
    "hint": {
        "soma V.2@1.1.1 --picture -": "give the position as placements or with --picture, not both",
        "soma --picture no-such-file": "no-such-file: no such file",
        "soma --time 0": "Invalid value for '--time'",
        "dominoes.toml D.1@1.1 D.2@2.1": "'D.1@1.1' and 'D.2@2.1' overlap at [2, 1]; remove one",
        "fixed.toml D.2@1.1": "'D.1@1.1', which the form fixes, and 'D.2@1.1' overlap at [1, 1]; remove the second",
    },
    "prove": {"somma -o x.proof": "soma"},
    "report": {
        "dominoes.toml -o x.pdf": "x.pdf: expected a name that ends in .html or .htm",
        "optional.toml -o page.html --most 0": "--most",
    },
    "run": {
        "study.toml --share 3/2": "--share 3/2: expected a share such as 2/8",
        "study.toml --share 9/9": "--share 9/9: the study has only 2 puzzles",
        "nothing.toml": "nothing.toml: ",
        "dominoes.toml": "dominoes.toml: ",
        "study.toml --store study.toml": "study.toml: this is the input file",
        "study.toml --store no/folder/a.sqlite": "there is no folder no/folder",
    },
    "runs": {
        "study.toml": "study.toml: this is not a store",
        "no.sqlite": "no.sqlite: no such file",
        "a.sqlite --export a.txt": "a.txt: expected a name that ends in .csv or .jsonl or .html",
        "a.sqlite b.sqlite --export a.csv": "--export writes the table of one store",
        "a.sqlite -o b.sqlite": "-o is the store that --merge writes",
        "--merge a.sqlite": "--merge joins several stores of one study into a new one",
        "--merge a.sqlite b.sqlite": "puzzlesat runs --merge A B -o C",
    },
    "sets": {
        "pentominoes": "no form to fill",
        "pentominoes --boxes": "give the size of the forms",
        "dominoes.toml --sheet x.txt": "x.txt: expected a name that ends in .html",
        "queens-6 --boxes": IN_ONE_FORM,
    },
    "show": {
        "dominoes.toml --png old.svg": "old.svg: expected a name that ends in .png",
        "": "Error",
        "zzz": "'zzz'; 'puzzlesat list' shows all",
        "soma --assembled": "--assembled is for meshes; add --stl FOLDER or --3mf FILE",
        "soma --3mf soma.stl": "expected a name that ends in .3mf",
        "mutilated-chessboard --stl pieces --assembled": "--assembled: no solution was found",
        "soma --bevel 2": "--bevel is a size for meshes; add --stl FOLDER",
        "tetrasticks-6x6 --stl pieces": "of edges is not a solid: pieces would end at the same points, where no cut is defined",
        "ball-room-1 --stl pieces --round 2": "balls have no edges to be rounded or bevelled",
        "soma --stl plain": "--stl plain: this is a file; give a folder",
        "queens-6 --stl meshes": "the placements of tile 'Q' are listed, so its shape is not known",
    },
    "solve": {
        "soma -n 0": "Error",
        "soma -n 2 --all": "Error",
        "soma --solver tally": ("tally counts and lists nothing", "--solver backtrack"),
        "dominoes.toml --with foo --with D.9@1.1": (
            "'foo' is not a placement of dominoes; a placement is written TILE.ORIENTATION@CELL, such as 'D.1@1.1'",
            "'D.9@1.1' is not a placement of dominoes; did you mean 'D.",
        ),
        f"dominoes.toml --nth 1 --nth {10**30}": f"there is no solution {10**30}: dominoes has 3 solutions",
        "none.toml --nth 1": "puzzlesat: there is no solution 1: none has no solution\n",
        "dominoes.toml --nth 0": "expected 1 or more",
        "dominoes.toml --nth 1 --random 1": "use --nth or --random, not both",
        "dominoes.toml --nth 1 --all": "use --all or --nth, not both",
        "dominoes.toml --nth 1 --distinct": "remove --distinct",
        "dominoes.toml --nth 1 --memory 0": "a number greater than 0",
        "toy.xcc --svg x.svg": "--svg is for puzzles",
        "toy.xcc --distinct": "--distinct is for puzzles",
        "toy.xcc --with 'b d'": "'b d' is not an option of toy.xcc; did you mean 'b c'?",
        "nowhere.xcc": "nowhere.xcc",
    },
    "validate": {"": "Error"},
    "frobnicate": {"": "Error"},
    "help": {"": "puzzlesat COMMAND --help", "count": "type 'puzzlesat count --help'"},
    "dominoes.toml": {"": "is a file, not a command; type 'puzzlesat count dominoes.toml'"},
    "soma": {"": "'soma' is a puzzle, not a command; type 'puzzlesat count soma'"},
}
"""Commands, what follows them, and words of the message."""
LIMITED = ("count", "check", "solve", "challenge", "show", "compile", "prove")
NOTHING = ("--time 0", "--time -1", "--time nan", "--time inf", "--memory 0", "--memory nan")
for _command in LIMITED:
    REFUSED[_command] |= {f"dominoes.toml {limit}": f"Invalid value for '{limit.split()[0]}'" for limit in NOTHING}
TRIED = 3


@pytest.mark.sampled
@pytest.mark.parametrize("command", REFUSED)
def test_what_is_refused(refuses, folder, command):
    for name, text in FILES.items():
        (folder / name).write_text(text, encoding="utf-8")
    before, wrong = sorted(folder.rglob("*")), {}
    rows = list(REFUSED[command].items())
    for arguments, said in rows[:: max(1, len(rows) // TRIED)] if is_fast() else rows:
        try:
            for words in (said,) if isinstance(said, str) else said:
                refuses(words, command, *shlex.split(arguments))
            assert sorted(folder.rglob("*")) == before
        except AssertionError as error:
            wrong[arguments] = error
    assert wrong == {}
