"""The models, grids and instances that come with the package: where their files are."""

from __future__ import annotations

from pathlib import Path


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


def design_files() -> list[Path]:
    """Return the designs of the package, sorted by name."""
    return sorted((data_folder("models") / "designs").glob("*.toml"))
