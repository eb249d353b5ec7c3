"""docs/gallery.md: made from the files of the package, with a picture of each grid and each family."""

from __future__ import annotations

import re
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

from puzzlesat.config.package import grid_files, instance_files

ROOT = Path(__file__).parents[1]
LARGEST = 3_000_000
"""Bytes of all pictures of the gallery together."""


def test_it_is_made_from_the_files_of_the_package(monkeypatch):
    spec = spec_from_file_location("gallery", ROOT / "docs" / "site" / "gallery.py")
    module = module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "gallery", module)  # dataclasses look there for the module of a class
    spec.loader.exec_module(module)
    assert (ROOT / "docs" / "gallery.md").read_text(encoding="utf-8") == module.page(), "run python docs/site/gallery.py"


def test_every_grid_and_every_family_has_its_picture_and_no_picture_is_left_over():
    text = (ROOT / "docs" / "gallery.md").read_text(encoding="utf-8")
    shown = set(re.findall(r'src="pictures/gallery/([\w-]+\.svg)"', text))
    kept = {file.name: file.stat().st_size for file in (ROOT / "docs" / "pictures" / "gallery").iterdir()}
    assert shown == set(kept)
    assert {f"grid-{file.stem}.svg" for file in grid_files()} <= shown
    families = {file.parent.name for file in instance_files()}
    assert set(re.findall(r"\*\*([\w-]+)\*\*", text)) == families
    assert sum(kept.values()) < LARGEST
