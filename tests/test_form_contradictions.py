"""Keys of a form that contradict each other are refused, and the message names both."""

import pytest

from helpers import load
from puzzlesat.base.errors import PuzzleError
from tiers import every

TILES = {"T": {"atoms": [[1, 1, "f"]], "copies": "any"}}


@every("where", ["inner", "outer"])
def test_all_optional_and_a_kind_required_is_refused(where):
    form = {"atoms": [[1, 1, "f"], [2, 1, "f"]], "optional": "all"}
    table = {"title": "T", "grid": "square-slots", "flips": True, "tiles": TILES}
    with pytest.raises(PuzzleError, match=rf'optional = "all" and {where} = {{ slot = "required" }} contradict each other'):
        load(table | {"form": form | {where: {"slot": "required"}}})
    assert load(table | {"form": form | {where: {"slot": "optional"}}}).puzzle.form.optional
