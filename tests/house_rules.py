"""Rules of this repository that no linter knows: ``python tests/house_rules.py`` prints a line for each problem (``nox -s lint`` runs it).

Each rule is a function that yields problems. The pages and the sources are read once.
"""

import ast
import json
import re
import subprocess
import sys
from collections import Counter
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from inspect import get_annotations, getdoc, isclass
from pathlib import Path
from pkgutil import iter_modules
from typing import get_args

from typer.core import TyperOption
from typer.main import get_command

import puzzlesat
from mutants import tomllib
from puzzlesat.cli import commands
from puzzlesat.cli.main import GROUPS, app, name_of
from puzzlesat.counting.plan import AUTO
from puzzlesat.formats.table import FORMATS
from puzzlesat.kernels import emit
from puzzlesat.solvers.registry import SOLVERS, family
from puzzlesat.solvers.registry import solver as solver_named

ROOT = Path(__file__).parents[1]
DOCS, PACKAGE, TESTS = ROOT / "docs", ROOT / "src" / "puzzlesat", ROOT / "tests"
TREES = {file.relative_to(PACKAGE).as_posix(): ast.parse(file.read_text(encoding="utf-8")) for file in sorted(PACKAGE.rglob("*.py"))}
"""The modules of the package, by their places in it."""
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
LISTED = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "benchmarks/README.md"]
LISTED += [file.relative_to(ROOT).as_posix() for pattern in ("record/*.md", "verified/[a-z]*.md") for file in ROOT.glob(pattern)]
"""The pages of the site that lie outside docs/."""
GENERATED = {"docs/commands.md", "docs/defaults.md", "docs/keys.md"}
"""Pages that are made when the site is built."""

MAX_LINES_OF_CHECKER = 5000
"""Lines of the checker of certificates with its docstrings, without the modules that compile its loops and without the second reader."""
LEFT_OUT = r"\b(Admitted|admit|Axioms?|Conjecture|Abort|bypass_check|Unset Guard Checking|Unset Universe Checking)\b"
"""Words of Rocq that leave out a proof."""


@cache
def walked(tree):
    return [*ast.walk(tree)]


def nodes(tree, *kinds):
    return [node for node in walked(tree) if isinstance(node, kinds)]


# words -----------------------------------------------------------------------------------------------------------------------

AVOIDED = re.compile(
    r"\b(is said|are said|stands?|goes by|goes? on|whoever|what is ended|that there is not|none of ours|as many as wished|so that|so many"
    r"|so long|of those that|may be repeated|may be said|and its like|gibibytes|default: as many|(?<!to )do(?:es)?(?! not\b))\b",
    re.IGNORECASE,
)
"""Words that made texts hard to read, and must not return: indirect verbs, and pronouns without a noun."""
CLUMSY = re.compile(
    r"\b(take (?:it|one|them|this|the key|this key) out|leave (?:it|them|one|the key) out|belongs? into|for want of|to be believed|of late"
    r"|went through|gone through|is none;|say (?:it|the name|another|how large))\b",
    re.IGNORECASE,
)
"""The same for messages: pages may use these words, messages use plainer ones."""
NO_PROSE = re.compile(
    r"^ *```.*?^ *```$"  # code and program output
    r"|^<!-- made (?:by|from) (?:record|verified).*"  # tables of results written by a program, to the end of the page
    r"|``.*?``|`[^`]*`"
    r"|\]\([^)]*\)|<[^>]*>"  # the addresses of links, and tags
    r"|\"[^\"\n]*\""  # words of others
    r"|\bstand-alone\b",
    re.MULTILINE | re.DOTALL,
)
AUXILIARY = {"do", "does"}
"""A page tells what a command does; a help text or a message has no need of the word."""
CODE = ("SELECT", "UPDATE", "INSERT", "DELETE", "CREATE", "ALTER", "PRAGMA", "CASE", "__import__")
"""Prefixes of texts that are code, not sentences: SQL statements, and Python for the workers of a cluster."""
MIN_WORDS = 3


def pages_are_plain_english():
    """Old sections of the changelog stay as they were written."""
    for page in [*(ROOT / name for name in (*LISTED, "verified/README.md")), *sorted(DOCS.rglob("*.md"))]:
        text = page.read_text(encoding="utf-8")
        text = "\n## ".join(text.split("\n## ")[:2]) if page.name == "CHANGELOG.md" else text
        for line in NO_PROSE.sub(" ", text).splitlines():
            if words := [word for word in AVOIDED.findall(line) if word.lower() not in AUXILIARY]:
                yield f"{page.relative_to(ROOT)}: avoid {words}: {line.strip()}"


def messages_are_plain_english():
    """All printed texts, without keys and code; only the docstrings of commands. Values inside the texts are removed."""
    for place, tree in TREES.items():
        left_out = {id(node.value) for node in nodes(tree, ast.Expr)}
        left_out |= {id(part) for node in nodes(tree, ast.JoinedStr) for part in ast.walk(node) if part is not node}
        if place.startswith(("cli/commands/", "cli/main")):
            left_out -= {id(node.body[0].value) for node in nodes(tree, ast.FunctionDef) if node.decorator_list and ast.get_docstring(node)}
        for node in nodes(tree, ast.JoinedStr, ast.Constant):
            parts = node.values if isinstance(node, ast.JoinedStr) else [node]
            text = "{}".join(part.value for part in parts if isinstance(part, ast.Constant) and isinstance(part.value, str))
            if id(node) in left_out or len(text.split()) < MIN_WORDS or text.strip().startswith(CODE):
                continue
            if words := AVOIDED.findall(text) + CLUMSY.findall(text):
                yield f"{place}:{node.lineno}: avoid {words}: {text}"


def glossary_is_in_order():
    """Each word has one line with a German name and a meaning; words in italics have lines; other pages lead there."""
    text = (DOCS / "glossary.md").read_text(encoding="utf-8")
    known, meanings = [], []
    for title, section in re.findall(r"^## (.*?)\n(.*?)(?=^## |\Z)", text, re.M | re.S):
        rows = re.findall(r"^\| (?!word|---)(.+?) \| (.+?) \| (.+?) \|$", section, re.M)
        words = [word.lower() for word, _, _ in rows]
        if words != sorted(words) or len(words) != section.count("\n| ") - 2:
            yield f"docs/glossary.md: {title}: words out of order, or a line without three cells"
        known += words
        meanings += [meaning for _, _, meaning in rows]
    if len(set(known)) < len(known):
        yield "docs/glossary.md: a word has two lines"
    parts = {part.strip() for word in known for part in word.split(",")}
    for word in {word.lower() for meaning in meanings for word in re.findall(r"(?<!\*)\*([^*]+)\*", meaning)}:
        if not {word, word.removesuffix("s"), re.sub("ies$", "y", word)} & parts:
            yield f"docs/glossary.md: {word!r} is in italics and has no line"


def public_functions_have_all_sections():
    for name in puzzlesat.__all__:
        function = getattr(puzzlesat, name)
        if isclass(function):
            continue
        said = getdoc(function) or ""
        sections = re.findall(r"^(\w+)\n-+$", said, re.M)
        described = re.findall(r"^(\w+)\n    ", said.partition("Parameters\n")[2].split("\n\n")[0], re.M)
        if sections not in (["Parameters", given, "Raises", "Examples"] for given in ("Returns", "Yields")) or ">>> " not in said:
            yield f"puzzlesat.{name}: sections {sections} of the docstring"
        if described != (wanted := [each for each in function.__annotations__ if each != "return"]):
            yield f"puzzlesat.{name}: the docstring describes {described}, not {wanted}"


# commands --------------------------------------------------------------------------------------------------------------------

VERBS = {"Check", "Compare", "Convert", "Count", "Find", "List", "Make", "Play", "Prove", "Run", "Show", "Tell", "Try", "Write"}
"""The words that the help of a command may begin with."""
LONGEST_FIRST = 72
"""Characters of the first line of the help of a command."""
MAX_FIRST = 5
"""Maximum number of options of a command outside all panels, beside ``--help``."""


def help_texts(command):
    """Return the help texts of a command and of its options, as their modules state them."""
    options = [param for value in get_annotations(command.callback, eval_str=True).values() for param in get_args(value)]
    helps = [option.help for option in options if getattr(option, "help", None)]
    return [*getdoc(command.callback).split("\n\n"), *command.epilog.split("\n\n"), *helps]


def help_texts_are_short_and_plain_english():
    texts = {name_of(command): help_texts(command) for command in app.registered_commands}
    for name, each in (texts | {"the program": [getdoc(app.registered_callback.callback)]}).items():
        for text in each:
            if words := AVOIDED.findall(text):
                yield f"help of {name}: avoid {words}: {text}"
    for name, (first, *_) in texts.items():
        if len(first) > LONGEST_FIRST or "\n" in first or first.split()[0].rstrip(",") not in VERBS:
            yield f"help of {name}: the first line is long, or begins with no verb: {first}"


def commands_are_in_groups_with_few_options_first():
    modules = [import_module(f"puzzlesat.cli.commands.{module}") for _, module, _ in iter_modules(commands.__path__)]
    declared = [name_of(command) for module in modules for command in module.commands.registered_commands]
    if sorted(name for names in GROUPS.values() for name in names) != sorted(declared):
        yield "cli/main.py: GROUPS does not name each command once"
    for name, command in get_command(app).commands.items():
        first = [option.name for option in command.params if isinstance(option, TyperOption) and not option.rich_help_panel]
        if len(first) > MAX_FIRST:
            yield f"{name}: more than {MAX_FIRST} options in no panel: {first}"


# sources ---------------------------------------------------------------------------------------------------------------------

STARTS_PROCESSES = {"subprocess", "multiprocessing", "concurrent.futures.ProcessPoolExecutor", "os.fork", "os.posix_spawn"}
MAY_START = {"base/processes.py", "kernels/emit.py", "cli/count.py"}
"""Modules that may start processes: one for the program, one for the build. ``count`` only quotes a command as the system does."""
ARRAYS = {"base/arrays.py", "checker/arrays.py", "designing/burr_kernel.py", "disassembly/kernel.py", "proofs/tree_lrat.py"}
"""Modules that name types of arrays: one for the program, one for the checker, and kernels with a type that only their room uses."""
BY_PLACE = {"cli/endings.py:show", "counting/crosscheck.py:count", "solvers/sat.py:prepare"}
"""Functions whose options may be given by place: by the module warnings, as a variant behind a name of a solver."""


def imported(tree):
    """The names that a module imports: ``a.b`` for ``import a.b`` and ``from a import b``, and ``a`` for both."""
    for node in walked(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            yield f"{node.value.id}.{node.attr}"


def one_place_alone_has_processes_and_kinds_of_arrays():
    starting = {place for place, tree in TREES.items() if STARTS_PROCESSES & set(imported(tree))}
    subscripts = {place: [n for n in nodes(tree, ast.Subscript) if ast.unparse(n.value) == "NDArray"] for place, tree in TREES.items()}
    naming = {place for place, found in subscripts.items() if any(ast.unparse(n.slice) != "Any" for n in found)}
    yield from (f"{place}: start processes by puzzlesat.base.processes alone" for place in starting ^ MAY_START)
    yield from (f"{place}: name types of arrays in puzzlesat.base.arrays" for place in naming ^ ARRAYS)
    for file in sorted(PACKAGE.rglob("*.py")):
        if re.search(r"os\.kill(pg)?\((?!os\.get)", file.read_text(encoding="utf-8")):
            yield f"{file.relative_to(PACKAGE)}: os.kill: on Windows signal 0, which asks whether a process lives, ends it"


def options_are_given_by_keyword():
    """Optional parameters are keyword-only, unless there is only one. Typer calls commands by keyword."""
    for place, tree in TREES.items():
        if not place.startswith(("cli/commands/", "checker/")):
            for node in nodes(tree, ast.FunctionDef):
                if len(node.args.defaults) > 1 and f"{place}:{node.name}" not in BY_PLACE:
                    yield f"{place}:{node.lineno}: {node.name}: several options may be given by place"


def contracts_on_imports_leave_no_part_out():
    contracts = {contract["id"]: contract for contract in PROJECT["tool"]["importlinter"]["contracts"]}
    parts = {path.stem for path in PACKAGE.iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()} - {"__init__"}
    every, free = ({f"puzzlesat.{part}" for part in each} for each in (parts, ("solvers", "proofs", "checker", "kernels", "__main__")))
    for part in sorted(set(contracts["libraries"]["source_modules"]) ^ (every - free)):
        yield f"pyproject.toml: contract 'libraries': {part}"
    for part in sorted(
        every - {"puzzlesat.checker", "puzzlesat.kernels", "puzzlesat.__main__"} - set(contracts["checker"]["forbidden_modules"])
    ):
        yield f"pyproject.toml: contract 'checker': {part} is missing"


def kernels_are_listed():
    """Unlisted kernels would be compiled on the user's time."""
    listed = {name for name, _ in emit.listed((PACKAGE / emit.LIST).read_text(encoding="utf-8"))}
    there = {
        f"{place.removesuffix('.py').replace('/', '.')}.{node.name}"
        for place, tree in TREES.items()
        for node in tree.body
        if isinstance(node, ast.FunctionDef) and "compiled" in map(ast.unparse, node.decorator_list)
    }
    yield from (f"{emit.LIST}: {name}" for name in sorted(listed ^ there))


OTHER_LIBRARIES = "pydantic networkx ortools pysat typer rich"
"""Libraries that the build of a wheel lacks: it has numba and NumPy."""


def kernels_need_numba_alone():
    """Otherwise a wheel would be built without their object code, and each user would wait for numba."""
    modules = sorted({f"puzzlesat.{name.rpartition('.')[0]}" for name, _ in emit.listed((PACKAGE / emit.LIST).read_text(encoding="utf-8"))})
    code = f"import sys, {', '.join(modules)}; print(*sys.modules.keys() & set({OTHER_LIBRARIES!r}.split()))"
    if loaded := subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip():
        yield f"{emit.LIST}: modules with kernels import {loaded}, which the build of a wheel lacks"


# files that are opened for writing -------------------------------------------------------------------------------------------

WRITING = {"write_text", "write_bytes", "savefig", "tofile", "symlink_to", "hardlink_to", "touch", "extractall", "mkstemp", "copyfile"}
WRITING |= {"NamedTemporaryFile", "TemporaryFile", "SpooledTemporaryFile", "copy2", "copytree", "memmap", "savez", "mkfifo"}
RENAMING = {"rename", "replace", "symlink", "link", "copy", "move", "save", "truncate"}
"""Names that other things have too: they write as functions of a module, and the first two as methods with one argument."""
OPENING = {"", "io", "gzip", "bz2", "lzma", "codecs", "zipfile", "tarfile", "os", "shutil", "tempfile"}
"""Modules whose functions get a file first and a mode then; a method gets the mode first."""
WRITERS = {
    ("src/puzzlesat/base/files.py", "*"): "the one module",
    ("src/puzzlesat/proofs/verified.py", "open"): "what puzzlesat-verified reads, in a folder for temporary files",
    ("src/puzzlesat/proofs/case.py", "*"): "members of a certificate, in a scratch file and a new file",
    ("src/puzzlesat/proofs/plain_text.py", "write_bytes"): "a program by itself, which needs nothing of puzzlesat",
    ("src/puzzlesat/proofs/lrat.py", "open"): "the proof of CaDiCaL, which is written by CaDiCaL, in a folder for temporary files",
    ("src/puzzlesat/base/processes.py", "open"): "in a child: the pipes to its parent, and /dev/null in the place of its input",
    ("src/puzzlesat/checker/archive.py", "open"): "members of a certificate, to be read",
    ("src/puzzlesat/__main__.py", "open"): "/dev/null in the place of a standard file that a shell has closed",
    ("src/puzzlesat/cli/endings.py", "open"): "/dev/null in the place of a standard output that cannot be written",
    ("src/puzzlesat/solvers/tally/disk.py", "memmap"): "files that were written, to be read: copied where they are changed, and none is",
    ("src/puzzlesat/kernels/emit.py", "write_bytes"): "object code, when the package is built",
    ("src/puzzlesat/kernels/emit.py", "replace"): "the same",
    ("src/puzzlesat/kernels/emit.py", "write_text"): "what the kernels of browsers were made of",
    ("benchmarks/child.py", "write_text"): "/proc/self/clear_refs",
    ("benchmarks/growth.py", "savefig"): "into a new file",
}


def writes(call):
    """Return the name of the function by which a call opens a file for writing, or None. A mode that is not a literal counts as writing."""
    method = isinstance(call.func, ast.Attribute)
    name, of = (call.func.attr, ast.unparse(call.func.value)) if method else (getattr(call.func, "id", None), "")
    if name in WRITING and of != "files" and (method or name not in ("write_text", "write_bytes")):
        return name
    if name in RENAMING and (of in ("os", "shutil", "np") or (name in ("rename", "replace") and len(call.args) == 1 and not call.keywords)):
        return name if method else None
    if name not in ("open", "ZipFile", "TarFile", "FileIO"):
        return None
    given = [k.value for k in call.keywords if k.arg == "mode"] + call.args[1 if of in OPENING or name != "open" else 0 :][:1]
    texts = [mode.value if isinstance(mode, ast.Constant) else "w" for mode in given]
    return name if any(re.fullmatch(r"[rbt]*[wxa+][rbt+]*", str(text)) for text in texts[:1]) else None


def one_module_alone_writes_files():
    """All other modules write through ``puzzlesat.base.files``: the result is always the old file or the complete new file."""
    found = set()
    trees = {f"src/puzzlesat/{place}": tree for place, tree in TREES.items()}
    for file in (ROOT / "benchmarks").glob("*.py"):
        trees[f"benchmarks/{file.name}"] = ast.parse(file.read_text(encoding="utf-8"))
    for place, tree in trees.items():
        names = {writes(call) for call in nodes(tree, ast.Call)} - {None}
        found |= {(place, name if (place, "*") not in WRITERS else "*") for name in names}
    yield from (f"{place}: {name}: write files by puzzlesat.base.files" for place, name in sorted(found - WRITERS.keys()))
    yield from (f"tests/house_rules.py: {place} has no {name} any more" for place, name in sorted(WRITERS.keys() - found))


# solvers, time limits, memory limits -----------------------------------------------------------------------------------------

OTHER_WORDS = {"formats/table.py": {"cpsat"}, "cli/options.py": {"tally"}, "proofs": {"tally"}, "checker": {"tally"}}
"""Words that are also names of solvers: a format, kinds of certificates."""
LIMITS = {"seconds", "budget", "memory", "shapes"}


def texts(tree):
    """The texts of a module with their lines, except the ``NAME`` that the module of a solver states."""
    own = [node for node in nodes(tree, ast.Assign) if [getattr(target, "id", None) for target in node.targets] == ["NAME"]]
    skipped = {id(node.value) for node in own}
    return [(n.value, n.lineno) for n in nodes(tree, ast.Constant) if isinstance(n.value, str) and id(n) not in skipped]


def numbers_for_limits(tree):
    """List the numbers other than 0 and 1 given for limits: in calls, as defaults, and as defaults of fields."""
    given = [(keyword.arg, keyword.value) for node in nodes(tree, ast.Call) for keyword in node.keywords]
    given += [(node.target.id, node.value) for node in nodes(tree, ast.AnnAssign) if isinstance(node.target, ast.Name)]
    for node in nodes(tree, ast.FunctionDef):
        places = [a.arg for a in node.args.posonlyargs + node.args.args]
        given += zip(places[len(places) - len(node.args.defaults) :], node.args.defaults, strict=True)
        given += zip([a.arg for a in node.args.kwonlyargs], node.args.kw_defaults, strict=True)
    constants = [(name, value) for name, value in given if name in LIMITS and isinstance(value, ast.Constant)]
    return [(name, value) for name, value in constants if isinstance(value.value, int | float) and value.value > 1]


def constants(tree):
    """The statements of a module that define constants, except the table of solvers."""
    statements = [statement for statement in tree.body if isinstance(statement, ast.Assign | ast.AnnAssign)]
    assigned = [(statement, getattr(statement, "targets", None) or [statement.target]) for statement in statements]
    names = [(statement, {name.id for target in targets for name in nodes(target, ast.Name)}) for statement, targets in assigned]
    return [statement for statement, own in names if all(name.isupper() for name in own) and own != {"SOLVERS"}]


def solvers_and_limits_are_chosen_by_constants():
    for place, whole in TREES.items():
        if place == "solvers/registry.py":
            continue
        chosen = constants(whole)
        words = {AUTO, *SOLVERS} - OTHER_WORDS.get(place, set()) - OTHER_WORDS.get(place.split("/")[0], set())
        tree = ast.Module([statement for statement in whole.body if statement not in chosen], [])
        for word, line in texts(tree):
            if word in words:
                yield f"{place}:{line}: {word!r} is chosen here; define a constant"
        for name, value in numbers_for_limits(tree):
            yield f"{place}:{value.lineno}: {name}={value.value}: define the limit as a constant"
        for call in nodes(tree, ast.Call):
            if getattr(call.func, "attr", None) == "share" and any(isinstance(a, ast.Constant) for a in call.args):
                yield f"{place}:{call.lineno}: define the share of the time as a constant"


def every_solver_is_chosen_by_a_constant():
    words = {word: place for place, tree in TREES.items() for each in constants(tree) for word, _ in texts(each)}
    chosen = {word: place for word, place in words.items() if word.split(":")[0] in SOLVERS}
    yield from (
        f"solvers/registry.py: {name} is never chosen: no constant names it (such as COUNTING of counting/plan.py)"
        for name in SOLVERS.keys() - {family(word) for word in chosen}
    )
    for word, place in chosen.items():
        try:
            solver_named(word)
        except ValueError as error:
            yield f"{place}: {error}"


# the repository --------------------------------------------------------------------------------------------------------------

PROJECTS = [ROOT / "pyproject.toml", ROOT / "packaging" / "pyproject.toml"]
BUILT = {"verified/puzzlesat-verified", "verified/**/*.vo", "verified/**/*.cm*", "verified/**/*.o", "verified/depend.mk"}


def distributions_agree():
    """The version is written once, in the package; the authors match the licence; the sdist contains no build products."""
    (named,) = re.findall(r"^Copyright \(c\) \d+ (.*)$", (ROOT / "LICENSE").read_text(encoding="utf-8"), re.M)
    for file in PROJECTS:
        stated = tomllib.loads(file.read_text(encoding="utf-8"))
        source = (file.parent / stated["tool"]["hatch"]["version"]["path"]).read_text(encoding="utf-8")
        if "version" in stated["project"] or re.findall(r'^VERSION = "(.*)"$', source, re.M) != [puzzlesat.__version__]:
            yield f"{file.relative_to(ROOT)}: the version stands in the package alone"
        if stated["project"]["authors"] != [{"name": named}]:
            yield f"{file.relative_to(ROOT)}: the author is {named}"
    ignored = (ROOT / ".gitignore").read_text(encoding="utf-8").splitlines()  # hatchling reads no other .gitignore
    yield from (f".gitignore: {name} is missing" for name in sorted(BUILT - set(ignored)))
    for path in ROOT.glob("*/.gitignore"):
        if not path.parent.name.startswith((".", "build")):
            yield f"{path.relative_to(ROOT)}: hatchling does not read it"


def documents_are_pages_of_the_site():
    pages = set(re.findall(r": (\S+\.md)$", (ROOT / "mkdocs.yml").read_text(encoding="utf-8"), re.M))
    documents = {*LISTED, *(file.relative_to(ROOT).as_posix() for file in DOCS.rglob("*.md"))}
    yield from (f"mkdocs.yml: {page}" for page in sorted(pages ^ (documents | GENERATED)))
    notebook = json.loads((DOCS / "notebook.ipynb").read_text(encoding="utf-8"))
    for cell in notebook["cells"]:
        if cell.get("outputs") or cell.get("execution_count"):
            yield f"docs/notebook.ipynb: cell {cell['id']} is kept with its output"


def checker_stands_alone_and_is_short():
    """The checker imports numpy and kernels, and kernels numba and llvmlite; a person can read the checker in an evening."""
    sizes = Counter()
    for place, tree in TREES.items():
        if not place.startswith(("checker/", "kernels/")):
            continue
        libraries = {"tomli"} if "/reading/" in place else {"numpy"} if place.startswith("checker/") else {"numba", "numpy", "llvmlite"}
        for node in walked(tree):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and not node.level:
                names = [node.module]
            for name in names:
                if (
                    not name.startswith(("puzzlesat.checker", "puzzlesat.kernels"))
                    and name.split(".")[0] not in sys.stdlib_module_names | libraries
                ):
                    yield f"{place}: the checker may not import {name}"
        if place.count("/") == 1 and place.startswith("checker/"):
            lines = (PACKAGE / place).read_text(encoding="utf-8").splitlines()
            sizes["lines"] += sum(bool(line.strip()) and not line.lstrip().startswith("#") for line in lines)
    if sizes["lines"] > MAX_LINES_OF_CHECKER:
        yield f"checker: {sizes['lines']} lines, more than {MAX_LINES_OF_CHECKER}"


def folders_that_pip_installs_exist():
    for page in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *DOCS.rglob("*.md"), *(ROOT / "packaging").glob("*.md")]:
        for folder in re.findall(r"pip install (\./[\w/]+)", page.read_text(encoding="utf-8")):
            if not (ROOT / folder / "pyproject.toml").is_file():
                yield f"{page.relative_to(ROOT)}: pip install {folder}: there is no such project"


def no_proof_is_left_out():
    for file in (ROOT / "verified").glob("*.v"):
        text = re.sub(r"\(\*.*?\*\)", "", file.read_text(encoding="utf-8"), flags=re.DOTALL)
        text = re.sub(r"Module Type (\w+)\..*?End \1\.", "", text, flags=re.DOTALL)  # a module of this type proves its axioms
        yield from (f"verified/{file.name}: {word}" for word in re.findall(LEFT_OUT, text))


def scripts_and_tables_name_what_there_is():
    """No type checker checks the imports of tests, scripts and documentation, or the functions that the table of formats names."""
    folders = (TESTS, DOCS, *(ROOT / name for name in ("record", "benchmarks", "tools")))
    texts = [(file, file.read_text(encoding="utf-8")) for folder in folders for file in sorted(folder.rglob("*.py"))]
    for page in sorted(DOCS.rglob("*.md")):
        texts += [(page, block) for block in re.findall(r"^```python\n(.*?)^```", page.read_text(encoding="utf-8"), re.M | re.S)]
    for file, text in texts:
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.ImportFrom) and node.level == 0 and node.module.split(".")[0] == "puzzlesat":
                for alias in node.names:
                    if not is_there(node.module, alias.name):
                        yield f"{file.relative_to(ROOT)}: there is no {node.module}.{alias.name}"
    for row in FORMATS:
        for module, _, name in (stated.partition(":") for stated in (row.reads, row.writes, row.is_one) if isinstance(stated, str)):
            if not is_there(f"puzzlesat.formats.{module}", name):
                yield f"formats/table.py: there is no {module}:{name}"


def is_there(module, name):
    """Return whether a module has a name, or is a package with a module of this name."""
    if find_spec(module) is None:
        return False
    loaded = import_module(module)
    return hasattr(loaded, name) or (hasattr(loaded, "__path__") and find_spec(f"{module}.{name}") is not None)


RULES = (
    checker_stands_alone_and_is_short,
    folders_that_pip_installs_exist,
    no_proof_is_left_out,
    pages_are_plain_english,
    messages_are_plain_english,
    glossary_is_in_order,
    public_functions_have_all_sections,
    help_texts_are_short_and_plain_english,
    commands_are_in_groups_with_few_options_first,
    one_place_alone_has_processes_and_kinds_of_arrays,
    options_are_given_by_keyword,
    contracts_on_imports_leave_no_part_out,
    kernels_are_listed,
    kernels_need_numba_alone,
    one_module_alone_writes_files,
    solvers_and_limits_are_chosen_by_constants,
    every_solver_is_chosen_by_a_constant,
    distributions_agree,
    documents_are_pages_of_the_site,
    scripts_and_tables_name_what_there_is,
)

if __name__ == "__main__":
    problems = [problem for rule in RULES for problem in rule()]
    print(*problems, sep="\n", end="\n" * bool(problems))
    sys.exit(1 if problems else 0)
