"""What solvers of other people print: the values of variables, as in the SAT and pseudo-Boolean competitions."""

from __future__ import annotations

import re

from puzzlesat.config.files import integer
from puzzlesat.errors import PuzzleError, shown

VALUE = re.compile(r"(?P<not>-|~)?x?(?P<variable>[0-9]{1,18})")


def is_answer(text: str) -> bool:
    """Tell whether a text looks like the output of a SAT or pseudo-Boolean solver."""
    return re.search(r"^(v |s (UN)?SATISFIABLE|s OPTIMUM|(UN)?SAT(ISFIABLE)?\s*$)", text, re.M) is not None


def read_answers(text: str) -> list[dict[int, bool]]:
    """Return the assignments in a solver's output, each a value for every variable it mentions; none where it says UNSATISFIABLE.

    Values stand in lines ``v 1 -2 3 0`` or ``v x1 -x2 x3``, or, as minisat writes them, in the lines after ``SAT``. Several answers are
    parted by lines that begin with ``s``, or by 0. Raises PuzzleError for an answer that is no such list, or that there is not.
    """
    found: list[dict[int, bool]] = [{}]
    bare = False
    stated = False
    for number, line in enumerate(text.splitlines(), start=1):
        words = line.split()
        if words[:1] == ["s"] or (len(words) == 1 and re.fullmatch("(UN)?SAT(ISFIABLE)?", words[0])):
            bare = words[0] in ("SAT", "SATISFIABLE")
            stated = True
            found.append({})
        elif words[:1] == ["v"] or (bare and words):
            for word in words[words[0] == "v" :]:
                _take(found, word, number)
    found = [values for values in found if values]
    if not found and not (stated and re.search(r"^(s )?UNSAT", text, re.M)):
        raise PuzzleError("there is no answer in it: expected lines such as 'v 1 -2 3 0' or 'v x1 -x2 x3', or 's UNSATISFIABLE'")
    return found


def _take(found: list[dict[int, bool]], word: str, number: int) -> None:
    """Note one value in the last answer; 0 ends it."""
    match = VALUE.fullmatch(word)
    if match is None:
        raise PuzzleError(f"line {number}: expected a value such as 3, -3, x3 or -x3, got {shown(word)!r}")
    variable, value = integer(match["variable"]), match["not"] is None
    if variable == 0:
        found.append({})
    elif found[-1].setdefault(variable, value) != value:
        raise PuzzleError(
            f"line {number}: variable {variable} is both true and false; separate two answers by 0, or by a line that begins with s"
        )
