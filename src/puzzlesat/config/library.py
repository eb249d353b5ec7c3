"""The models and instances that come with the package, and names of files."""

from __future__ import annotations

from pathlib import Path

from puzzlesat.config.files import LONGEST, is_file, is_folder
from puzzlesat.config.read import kind_of
from puzzlesat.errors import PuzzleError, near_match, shown


def data_folder(kind: str) -> Path:
    """Return the folder ``models`` or ``instances`` of the installed package, or of the source tree."""
    package = Path(__file__).parents[1]
    installed = package / kind
    return installed if installed.is_dir() else package.parents[1] / kind


def instance_files(folder: Path | None = None) -> list[Path]:
    """Return the instance files below a folder (default: those of the package), sorted by family and name."""
    return sorted((folder or data_folder("instances")).rglob("*.toml"))


def model_files() -> list[Path]:
    """Return the model files of the package, sorted by name."""
    return sorted(data_folder("models").glob("*.toml"))


def grid_files() -> list[Path]:
    """Return the grid files of the package, sorted by name."""
    return sorted((data_folder("models") / "grids").glob("*.toml"))


def find_instance(name: str) -> Path:
    """Return the file of an instance: a path, or the name of one that comes with the package.

    Raises PuzzleError with a near match where there is none.
    """
    path = Path(name)
    if is_file(path):
        return path
    if is_folder(path):
        raise PuzzleError(f"{name}: is a folder; name a file in it (only 'puzzlesat check' takes folders)")
    if path.suffix == ".toml":
        raise PuzzleError(f"{shown(name, LONGEST)}: no such file")
    known = {file.stem: file for file in instance_files()}
    known |= {f"{file.parent.name}/{file.stem}": file for file in known.values()}
    if name not in known:
        raise PuzzleError(f"there is no instance {shown(name)!r}{near_match(name, known) or ';'} 'puzzlesat list' shows all")
    return known[name]


def find_model(name: str, near: Path) -> Path:
    """Return the file of a model: beside the instance that names it, or of the package."""
    return _beside_or_own(name, near, data_folder("models"), "model")


def find_grid(name: str, near: Path) -> Path:
    """Return the file of a grid: beside the file that names it, or of the package."""
    return _beside_or_own(name, near, data_folder("models") / "grids", "grid")


def _beside_or_own(name: str, near: Path, folder: Path, what: str) -> Path:
    for path in (near.parent / f"{name}.toml", folder / f"{name}.toml"):
        if is_file(path) and kind_of(path) == what:
            return path
    known = [file.stem for file in folder.glob("*.toml")]
    raise PuzzleError(f"{near}: {what}: there is no {what} {shown(name)!r}{near_match(name, known)}")
