"""The types in comments of the page's modules, checked by TypeScript if it is installed."""

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PLACES = [ROOT / "build" / "node" / "node_modules" / "typescript" / "bin" / "tsc", ROOT / "node_modules" / "typescript" / "bin" / "tsc"]


def compiler():
    """Return the command that checks types; None without TypeScript."""
    node = shutil.which("node")
    own = next((file for file in PLACES if file.is_file()), None)
    if node and own:
        return [node, str(own)]
    found = shutil.which("tsc")
    return [found] if found else None


@pytest.mark.full
def test_types_of_the_page():
    command = compiler()
    if command is None:
        pytest.skip("types of the page are left out: TypeScript is not there (nox -s page installs it)")
    found = subprocess.run(
        [*command, "-p", "src/puzzlesat/pages/studio/page/jsconfig.json"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert found.stdout == ""
    assert found.returncode == 0
