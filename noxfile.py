"""The commands of a developer: ``nox -s quick`` while you work, ``nox`` for the fast tests and the linter; ``nox -l`` lists all.

They run in the environment that nox itself is installed in (``pip install -e ".[dev]"``), so that nothing is installed twice; only ``dist``
makes environments of its own, because it tries what is installed. nox, because a machine that has Python gets it by pip.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
import sysconfig
from pathlib import Path

import nox

nox.options.default_venv_backend = "none"
nox.options.sessions = ["test", "lint"]
ROCQ = "8.16"
"""The version that the proofs in verified/ are written for; others extract another OCaml."""
OF_THE_SDIST = ("tests/test_api.py", "tests/config/test_library.py", "tests/proof/test_checker_alone.py")
"""The tests that are run with what an sdist installs; they miss whatever is not in it: models, instances, the checker."""


def python(session: nox.Session, *arguments: str) -> None:
    """Run a module of the environment that nox is in."""
    session.run(sys.executable, "-m", *arguments, external=True)


@nox.session
def quick(session: nox.Session) -> None:
    """The tests that concern the files changed since main, the closest first: at most 20 seconds."""
    listed = Path("build/quick.txt")
    listed.parent.mkdir(exist_ok=True)
    listed.write_text(str(session.run(sys.executable, "tests/changed.py", "--tests", external=True, silent=True)), encoding="utf-8")
    if listed.read_text(encoding="utf-8").strip():
        python(session, "pytest", "-q", "-n", "2", f"@{listed}", *session.posargs)
    else:
        session.log("no test concerns the changed files")


@nox.session
def test(session: nox.Session) -> None:
    """The fast tests, on all cores: three minutes."""
    python(session, "pytest", "-n", "auto", *session.posargs)


@nox.session
def full(session: nox.Session) -> None:
    """All tests but the slow ones."""
    python(session, "pytest", "-n", "auto", "-m", "not slow", *session.posargs)


@nox.session
def slow(session: nox.Session) -> None:
    """What takes long: truth checks of minutes, walks through all pages, many processes."""
    python(session, "pytest", "-m", "slow", *session.posargs)


@nox.session
def coverage(session: nox.Session) -> None:
    """All tests but the slow ones, and which lines they ran (``pip install -e ".[coverage]"``): more than twice as long."""
    python(session, "pytest", "-n", "auto", "-m", "not slow", "--cov", "--cov-report=term:skip-covered", *session.posargs)


@nox.session
def lint(session: nox.Session) -> None:
    """The linter, the format, the types, the contracts on imports, the rules of the house and its bounds (``tools/house.toml``)."""
    python(session, "ruff", "check", ".")
    python(session, "ruff", "check", "--preview", "--select", "PLW1514", "src")  # each text file with its encoding: Windows has another
    python(session, "ruff", "format", "--check", ".")
    python(session, "mypy")
    session.run(str(Path(sys.executable).with_name("lint-imports")), "--no-logo", "--no-cache", external=True)
    session.run(sys.executable, "tests/house_rules.py", external=True)
    session.run(sys.executable, "tools/house.py", external=True)


@nox.session
def kernels(session: nox.Session) -> None:
    """Make object code of the kernels in src/puzzlesat/objects, which git ignores; for the processors named, else for this one.

    For wasm32 those of browsers are made, which git has.
    """
    source = Path("src") / "puzzlesat"
    folder = source / "pages" / "site_page" / "engine" if session.posargs == ["wasm32"] else source / "objects"
    python(session, "puzzlesat.kernels.emit", str(folder), *session.posargs)


@nox.session
def page(session: nox.Session) -> None:
    """The page of the studio: its types by TypeScript, and people in a browser; npm brings TypeScript and axe-core into build/node."""
    if shutil.which("npm"):
        session.run(
            "npm", "install", "--no-save", "--no-audit", "--no-fund", "--prefix", "build/node", "typescript", "axe-core", external=True
        )
    else:
        session.warn("npm is not there: types and accessibility are left out")
    python(session, "pytest", "-rs", "-m", "not slow", "tests/studio", *session.posargs)


@nox.session
def verified(session: nox.Session) -> None:
    """The checker that is proved sound, in OCaml: built and held against the one in Python; then ``proofs``, checked by coqchk too."""
    if not shutil.which("ocamlopt"):
        session.error("OCaml is not there (apt-get install ocaml)")
    session.run("make", "-C", "verified", "puzzlesat-verified", external=True)
    python(session, "pytest", "-n", "auto", "-rs", "tests/proof/test_verified.py", "tests/cli/test_verify_by_proof.py", *session.posargs)
    proofs(session, "check")


@nox.session(name="proofs")
def proofs_alone(session: nox.Session) -> None:
    """The proofs of that checker, by Rocq: what they assume and what is extracted from them is as committed."""
    proofs(session)


def proofs(session: nox.Session, *more: str) -> None:
    """Run the proofs, and ``more`` targets of the Makefile, in a copy that stays in build/verified: only changed files are proved again."""
    version = str(session.run("coqc", "--print-version", external=True, silent=True)).split()[0] if shutil.which("coqc") else "none"
    if not version.startswith(ROCQ):
        session.warn(f"the proofs of verified/ are left out: they want Rocq {ROCQ} (Debian's coq), and there is {version}")
        return
    source, copy = Path("verified"), Path("build/verified")
    (copy / "extracted").mkdir(parents=True, exist_ok=True)
    for path in (source / "Makefile", source / "_CoqProject", *source.glob("*.v")):
        target = copy / path.name
        if not target.exists() or target.read_bytes() != path.read_bytes():
            shutil.copyfile(path, target)
    session.run("make", "-C", str(copy), f"-j{os.cpu_count() or 1}", "proofs", "extract", *more, external=True)
    for name in ("checker.ml", "checker.mli"):
        if (copy / "extracted" / name).read_bytes() != (source / "extracted" / name).read_bytes():
            session.error(f"verified/extracted/{name} is not what the proofs give: make -C verified extract")
    with session.chdir(copy):
        said = str(session.run("coqc", "-q", "-Q", ".", "PuzzleSat", "Assumptions.v", external=True, silent=True))
    if f"```text\n{said.strip()}\n```" not in Path("verified/build.md").read_text(encoding="utf-8"):
        session.error(f"the proofs do not assume what verified/build.md says, but:\n{said}")


@nox.session
def docs(session: nox.Session) -> None:
    """The documentation as a site in build/site, strictly; ``nox -s docs -- serve`` shows it while it is written."""
    os.environ["NO_MKDOCS_2_WARNING"] = "1"
    if session.posargs:
        python(session, "mkdocs", *session.posargs)
        return
    python(session, "mkdocs", "build", "--strict")  # not --quiet, with which it does not count its warnings
    if loaded := sorted({f"{page}: {found}" for page in Path("build/site").rglob("*.html") for found in network(page)}):
        session.error("\n  ".join(("pages load something from a network:", *loaded)))


@nox.session
def book(session: nox.Session) -> None:
    """Bring pages that show commands, and the pictures of grids and README, up to date; look at the difference."""
    pages = [
        *map(str, sorted(Path("docs").glob("guide/*.md"))),
        "docs/certificates.md",
        "docs/faq.md",
        *map(str, sorted(Path("docs").glob("tutorial/*.md"))),
        *map(str, sorted(Path("docs").glob("cookbook/*.md"))),
    ]
    session.run(sys.executable, "docs/site/pages.py", *(session.posargs or pages), external=True)
    session.run(sys.executable, "docs/site/grids.py", external=True)
    session.run(sys.executable, "docs/site/readme_pictures.py", external=True)


def network(page: Path) -> list[str]:
    """Return what a page loads from a network: links may lead there, pictures, styles and scripts may not come from there."""
    elsewhere = r'"?(?:https?:)?//'
    from_there = rf"<(?:img|script|iframe|source|video)\b[^>]*\bsrc={elsewhere}[^>]*>|<link\b[^>]*\bhref={elsewhere}[^>]*>"
    return re.findall(from_there, page.read_text(encoding="utf-8"))


@nox.session
def bench(session: nox.Session) -> None:
    """Our solvers beside other programs (``pip install -e ".[benchmarks]"``), five minutes; benchmarks/README.md names what is longer."""
    session.run(sys.executable, "benchmarks/peers.py", *(session.posargs or ["--quick"]), external=True)


@nox.session(venv_backend="venv")
def dist(session: nox.Session) -> None:
    """Build the distributions of puzzlesat and of its checker, install each in an environment of its own, and use what is installed.

    The wheel of puzzlesat is built from its sdist, so it also shows that the sdist is whole.
    What puzzlesat needs is taken from the environment of nox: that its dependencies are named is what README's test command tries.
    """
    os.environ.pop("PYTHONPATH", None)
    sdist, checker = build(session, Path("src/puzzlesat/objects"))
    work = Path(session.create_tmp()).resolve()
    shutil.rmtree(work)
    work.mkdir()
    certificate = str(work / "soma.proof")
    session.env["NUMBA_CACHE_DIR"] = str(work / "compiled")  # by the program, and used by the tests
    session.install("--no-deps", str(next(sdist.parent.glob("puzzlesat-[0-9]*.whl"))))
    purelib = "import sysconfig; print(sysconfig.get_path('purelib'))"
    own = Path(str(session.run("python", "-c", purelib, silent=True)).strip())
    (own / "needed.pth").write_text(sysconfig.get_path("purelib"), encoding="utf-8")  # it comes after own, where puzzlesat is
    shutil.unpack_archive(sdist, work)
    with session.chdir(work / sdist.name.removesuffix(".tar.gz")):
        session.run("puzzlesat", "count", "soma", "--solver", "tally,backtrack")
        session.run("puzzlesat", "certify", "soma", "-o", certificate)
        session.run("python", "-m", "pytest", "-q", *OF_THE_SDIST)  # one process: several would compile more than these few want
    session.run(sys.executable, "-m", "venv", "--clear", str(work / "alone"), external=True)
    programs = work / "alone" / ("Scripts" if os.name == "nt" else "bin")
    pip = (str(programs / "python"), "-m", "pip")
    session.run(*pip, "install", "--quiet", str(checker), external=True)
    listed = str(session.run(*pip, "list", "--format=freeze", external=True, silent=True))
    names = {line.split("==")[0].split(" @ ")[0] for line in listed.splitlines() if re.match(r"[\w-]+( @ |==)", line)}
    if names - {"pip", "setuptools"} != {"puzzlesat-check", "numpy", "numba", "llvmlite"}:
        session.error(f"the checker installs other things than itself, numba and what numba needs: {', '.join(sorted(names))}")
    session.run(str(programs / "puzzlesat-check"), certificate, external=True)


def build(session: nox.Session, objects: Path | None = None) -> tuple[Path, Path]:
    """Build the sdists and, from them, the wheels; return the sdists. Only kernels whose object code ``objects`` lacks are compiled."""
    folder = Path("build/dist").resolve()
    shutil.rmtree(folder, ignore_errors=True)
    # The tools that build are those of dev; pip, when it installs the sdist, takes what pyproject.toml says that it needs.
    command = (sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder))
    sdists = []
    for source in (".", "packaging"):
        session.run(*command, "--sdist", source, external=True)
        sdists.append(max(folder.glob("*.tar.gz"), key=lambda file: file.stat().st_mtime))
        shutil.unpack_archive(sdists[-1], folder)
        unpacked = folder / sdists[-1].name.removesuffix(".tar.gz")
        if source == "." and objects and objects.is_dir():
            shutil.copytree(objects, unpacked / objects)
        session.run(*command, "--wheel", str(unpacked), external=True)
        shutil.rmtree(unpacked)
    return sdists[0], sdists[1]


@nox.session
def release(session: nox.Session) -> None:
    """What a release needs: all tests and mutants, nothing uncommitted, a section in CHANGELOG, the distributions. Nothing is uploaded."""
    version = re.search(r'^VERSION = "(.*)"$', Path("src/puzzlesat/base/version.py").read_text(encoding="utf-8"), re.M)[1]
    if not re.search(rf"^# Changelog\n+## {re.escape(version)} \(\d{{4}}-\d\d-\d\d\)\n", Path("CHANGELOG.md").read_text(encoding="utf-8")):
        session.error(f"CHANGELOG.md does not begin with a dated section of {version}")
    if session.run("git", "status", "--porcelain", external=True, silent=True):
        session.error("something is not committed")
    for tier in (full, slow, lint, docs, verified):
        tier(session)
    for arguments in ([], ["--tests"]):
        session.run(sys.executable, "tests/mutants.py", *arguments, external=True)
    build(session)
    session.log(f"build/dist has what belongs to {version}; after 'nox -s dist': git tag v{version}, and upload it")
