"""Measure the structure of the package, and compare each figure with its bound in ``house.toml``.

    python tools/house.py          # print the figures and their bounds; the exit status is 1 if a figure is above its bound
    python tools/house.py --names  # also list the names that each room imports from each other room

A room is a package or module directly below ``src/puzzlesat``. All imports count: also relative imports, imports inside functions, and
``import_module("...")``.
"""

import ast
import io
import sys
import tokenize
from collections import Counter, defaultdict
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import networkx as nx

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "puzzlesat"
BOUNDS = ROOT / "tools" / "house.toml"
MAX_LINES, MAX_PARAMETERS = 50, 9
"""A function that exceeds one of these bounds counts as long."""
NOT_CODE = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass(frozen=True)
class Module:
    """A module of the package: its dotted name and its file."""

    name: str
    path: Path

    @cached_property
    def text(self):
        return self.path.read_text(encoding="utf-8")

    @cached_property
    def nodes(self):
        return list(ast.walk(ast.parse(self.text)))

    @property
    def room(self):
        return room_of(self.name)

    def code_lines(self):
        """Return the number of lines of code, without blank lines, comments and docstrings."""
        tokens = tokenize.generate_tokens(io.StringIO(self.text).readline)
        lines = {line for t in tokens if t.type not in NOT_CODE for line in range(t.start[0], t.end[0] + 1)}
        docstrings = (node.body[0] for node in self.nodes if has_docstring(node))
        return len(lines.difference(*(range(d.lineno, d.end_lineno + 1) for d in docstrings)))

    def import_lines(self):
        return sum(n.end_lineno - n.lineno + 1 for n in self.nodes if isinstance(n, (ast.Import, ast.ImportFrom)))

    def names_of(self, room):
        """Return the names of a room that the module uses as ``room.name``."""
        return {n.attr for n in self.nodes if isinstance(n, ast.Attribute) and isinstance(n.value, ast.Name) and n.value.id == room}

    def imported(self):
        """Yield the dotted names that the module imports."""
        for node in self.nodes:
            if isinstance(node, ast.ImportFrom):
                package = self.name.split(".")[: None if self.path.name == "__init__.py" else -1]
                above = package[: len(package) - node.level + 1] if node.level else []
                start = ".".join([*above, *([node.module] if node.module else [])])
                for name in (alias.name for alias in node.names):
                    used = self.names_of(name) if start == "puzzlesat" else ()  # of a room that is imported itself
                    yield from (f"{start}.{name}.{each}" for each in used) if used else (f"{start}.{name}",)
            elif isinstance(node, ast.Import):
                yield from (alias.name for alias in node.names)
            elif isinstance(node, ast.Call) and imports_by_name(node):
                yield str(node.args[0].value)


def has_docstring(node):
    body = getattr(node, "body", None)
    first = body[0] if isinstance(body, list) and body else None
    return isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str)


def imports_by_name(call):
    name = getattr(call.func, "id", getattr(call.func, "attr", ""))
    return name in ("import_module", "__import__") and call.args and isinstance(call.args[0], ast.Constant)


def room_of(module):
    return module.split(".")[1] if "." in module else "__init__"


def modules_of(package):
    """Return the modules of a package by their dotted names."""
    found = {}
    for path in sorted(package.rglob("*.py")):
        name = ".".join((package.name, *path.relative_to(package).with_suffix("").parts)).removesuffix(".__init__")
        found[name] = Module(name, path)
    return found


def imports(modules):
    """Return the pairs (importing module, imported module), and the names that rooms import, by pair of rooms."""
    pairs, names = set(), defaultdict(set)
    for module in modules.values():
        for dotted in module.imported():
            imported = dotted
            while imported and imported not in modules:
                imported = imported.rpartition(".")[0]
            if not imported or imported == module.name:
                continue
            pairs.add((module.name, imported))
            if module.room != room_of(imported):
                names[module.room, room_of(imported)].add(dotted)
    return pairs, names


def doors(modules):
    """Return the names that each room exports: the imports of its ``__init__`` under TYPE_CHECKING."""
    found = {}
    for module in modules.values():
        if module.path.name == "__init__.py" and module.name.count(".") == 1:
            blocks = [node for node in ast.parse(module.text).body if isinstance(node, ast.If)]
            names = [alias.name for block in blocks for node in block.body if isinstance(node, ast.ImportFrom) for alias in node.names]
            found[module.room] = set(names) | ({"door"} if module.room in ("base", "kernels") else set())
    return found


def past_doors(modules):
    """Yield the imports from other rooms that bypass their exports. The two entry points of the program are exempt."""
    handed_out = doors(modules)
    for module in modules.values():
        for dotted in module.imported() if module.room in handed_out else ():
            _, room, name = [*dotted.split(".", 2), "", ""][:3]
            if room in handed_out and room != module.room and dotted.startswith("puzzlesat.") and name not in handed_out[room]:
                yield f"{module.name} imports {dotted}"


def in_circles(arrows):
    """Return the number of rooms in import cycles."""
    return sum(len(group) for group in nx.strongly_connected_components(nx.DiGraph(list(arrows))) if len(group) > 1)


def memory_declared(nodes):
    """Return the number of parameters and fields named ``memory``."""
    return sum(getattr(n, "arg", None) == "memory" for n in nodes if isinstance(n, ast.arg)) + sum(
        getattr(n.target, "id", None) == "memory" for n in nodes if isinstance(n, ast.AnnAssign)
    )


def parameters(function):
    return len(function.args.posonlyargs) + len(function.args.args) + len(function.args.kwonlyargs)


def lines_of(folder, *patterns):
    return sum(len(p.read_text(encoding="utf-8").splitlines()) for pattern in patterns for p in folder.rglob(pattern))


def figures(modules):
    """Return the figures, by the key of their bound."""
    nodes = [node for module in modules.values() for node in module.nodes]
    functions = [node for node in nodes if isinstance(node, FUNCTIONS)]
    pairs, names = imports(modules)
    importers = Counter(imported for _, imported in pairs)
    code = sum(module.code_lines() for module in modules.values())
    return {
        "lines-of-code": code,
        "modules": len(modules),
        "modules-with-one-importer": sum(importers[name] == 1 for name in modules),
        "percent-of-lines-that-import": round(100 * sum(m.import_lines() for m in modules.values()) / code, 1),
        "rooms": len({module.room for module in modules.values()}),
        "arrows-between-rooms": len(names),
        "rooms-in-circles": in_circles(names),
        "names-that-rooms-import": len(set().union(*names.values())),
        "names-of-the-widest-door": max(map(len, doors(modules).values())),
        "imports-past-a-door": sum(1 for _ in past_doors(modules)),
        "class-names-used-twice": sum(n > 1 for n in Counter(n.name for n in nodes if isinstance(n, ast.ClassDef)).values()),
        f"functions-over-{MAX_LINES}-lines": sum(f.end_lineno - f.lineno + 1 > MAX_LINES for f in functions),
        f"functions-over-{MAX_PARAMETERS}-parameters": sum(parameters(f) > MAX_PARAMETERS for f in functions),
        "declarations-of-memory": memory_declared(nodes),
        "lines-of-javascript": lines_of(PACKAGE, "*.js"),
        "lines-of-tests": lines_of(ROOT / "tests", "*.py"),
    }


def main():
    modules = modules_of(PACKAGE)
    bounds = tomllib.loads(BOUNDS.read_text(encoding="utf-8"))
    measured, above = figures(modules), 0
    for key, figure in measured.items():
        exceeded = figure > bounds[key]
        above += exceeded
        print(f"{figure:>8,} of {bounds[key]:>8,} {key}{'  ABOVE ITS BOUND' if exceeded else ''}")
    print(*past_doors(modules), sep="\n", end="")
    if "--names" in sys.argv:
        for (room, other), names in sorted(imports(modules)[1].items()):
            print(f"{room} -> {other}: {', '.join(sorted(names))}")
    return 1 if above else 0


if __name__ == "__main__":
    sys.exit(main())
