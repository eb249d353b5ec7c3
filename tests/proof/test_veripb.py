"""The proofs for VeriPB, followed line by line by an evaluator of its own, written from the published overview of the format.

VeriPB itself cannot be installed from the package index; the evaluator knows the lines that the program writes and no others: the
header, ``f``, comments, ``pol`` with numbers of constraints, ``+``, ``*`` and ``d``, and the last three lines.
"""

import re

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from helpers import load
from puzzlesat.base.errors import NotSupportedError
from puzzlesat.formats.opb import opb_lines
from puzzlesat.proofs.veripb import cut_of, veripb_files
from puzzlesat.proofs.weighting import Weighting, find_weighting, sums_of
from puzzlesat.puzzles.building import build, build_instance
from puzzlesat.puzzles.load import load_puzzle
from tiers import every


class Refused(Exception):
    """The evaluator does not accept a proof."""


def puzzle_of(tiles, form):
    return build_instance(load({"title": "own", "grid": "square", "flips": True, "turns": "all", "tiles": tiles, "form": form}))


def normalised(terms, degree):
    """Σ a x >= degree with every a > 0, over literals: (variable, sign) → a."""
    found = {}
    for variable, factor in terms.items():
        if factor:
            found[variable, factor > 0] = abs(factor)
            degree += -factor if factor < 0 else 0
    return found, degree


def plain(constraint):
    """Back to factors of variables: a ~x is a - a x."""
    literals, degree = constraint
    terms = {}
    for (variable, positive), factor in literals.items():
        terms[variable] = terms.get(variable, 0) + (factor if positive else -factor)
        degree -= 0 if positive else factor
    return terms, degree


def added(one, other):
    (terms, degree), (more, more_degree) = plain(one), plain(other)
    return normalised({v: terms.get(v, 0) + more.get(v, 0) for v in terms.keys() | more.keys()}, degree + more_degree)


def read_opb(text):
    """The constraints in VeriPB's order: an equation is first its ``>=``, then its ``<=``."""
    lines = text.splitlines()
    variables, stated = map(int, re.fullmatch(r"\* #variable= (\d+) #constraint= (\d+)", lines[0]).groups())
    constraints, seen = [], 0
    for line in lines:
        if line.startswith("*"):
            continue
        left, relation, right = re.fullmatch(r"(.*?) (>=|=) (-?\d+) ;", line).groups()
        words = left.split()
        terms = {}
        for factor, variable in zip(words[::2], words[1::2], strict=True):
            assert re.fullmatch(r"x[1-9]\d*", variable)
            assert int(variable[1:]) <= variables or not int(factor)
            terms[variable] = terms.get(variable, 0) + int(factor)
        seen += 1
        constraints.append(normalised(terms, int(right)))
        if relation == "=":
            constraints.append(normalised({v: -a for v, a in terms.items()}, -int(right)))
    assert seen == stated
    return constraints


def follow(opb, proof):
    """Follow a proof; return the contradiction it ends in. Raises Refused where a line is not allowed or proves nothing."""
    known = read_opb(opb)
    head, *lines = proof.splitlines()
    if head != "pseudo-Boolean proof version 2.0" or lines[-3] != "output NONE" or lines[-1] != "end pseudo-Boolean proof":
        raise Refused("frame")
    if lines[0] != f"f {len(known)}":
        raise Refused("number of constraints")
    for line in lines[1:-3]:
        word, *rest = line.split()
        if word == "*":
            continue
        if word != "pol":
            raise Refused(line)
        known.append(reckon(rest, known))
    number = int(re.fullmatch(r"conclusion UNSAT : (\d+)", lines[-2]).group(1))
    literals, degree = known[number - 1]
    if sum(literals.values()) >= degree:
        raise Refused("no contradiction")
    return literals, degree


def reckon(words, known):
    """Reverse Polish notation; factors and divisors are whole numbers above 0."""
    stack = []
    for word in words:
        if word == "+":
            stack.append(added(constraint(known, stack.pop()), constraint(known, stack.pop())))
        elif word in ("*", "d"):
            number, (literals, degree) = stack.pop(), constraint(known, stack.pop())
            if number <= 0:
                raise Refused("factor")
            if word == "*":
                stack.append(({x: a * number for x, a in literals.items()}, degree * number))
            else:
                stack.append(({x: -(-a // number) for x, a in literals.items()}, -(-degree // number)))
        else:
            # whether a number means a constraint or a factor is told by the word that takes it
            stack.append(int(word))
    if len(stack) != 1:
        raise Refused("stack")
    return constraint(known, stack[0])


def constraint(known, entry):
    if not isinstance(entry, int):
        return entry
    if not 1 <= entry <= len(known):
        raise Refused("number of a constraint")
    return known[entry - 1]


@pytest.mark.full
@every(
    "before, after",
    [
        (r"^f \d+", "f 51"),
        (r" 2 \*", " 3 *"),
        (r" 2 d", " 3 d"),
        (r"pol 1 ", "pol 2 "),
        (r"UNSAT : 55", "UNSAT : 54"),
        (r"pol 53 54 \+", "pol 53 53 +"),
        (r"^output NONE\n", ""),
    ],
)
def test_evaluator_refuses_what_was_tampered_with(before, after):
    built = build(load_puzzle("tetrominoes-4x5"))
    opb, proof = veripb_files(built.problem, find_weighting(built))
    changed = re.sub(before, after, proof, flags=re.MULTILINE)
    assert changed != proof
    with pytest.raises((Refused, AttributeError)):
        follow(opb, changed)


def test_evaluator_refuses_a_proof_of_another_form():
    """The same lines prove nothing of a rectangle that can be filled."""
    dominoes = {"D": {"atoms": [[1, 1], [2, 1]], "copies": 31}}
    built = puzzle_of(dominoes, {"box": [8, 8], "remove": [[1, 1], [8, 8]]})
    opb, proof = veripb_files(built.problem, find_weighting(built))
    follow(opb, proof)
    possible = puzzle_of(dominoes, {"box": [8, 8], "remove": [[1, 1], [8, 1]]})
    weights = Weighting("own", tuple(int((x + y) % 2) for y in range(1, 9) for x in range(1, 9) if [x, y] not in ([1, 1], [8, 1])), 0)
    with pytest.raises(NotSupportedError):
        veripb_files(possible.problem, weights)
    with pytest.raises(Refused):
        follow("\n".join(opb_lines(possible.problem)) + "\n", proof)


@every("tiles, form", [
    (
        {"D": {"atoms": [[1, 1], [2, 1]], "copies": [2, 40]}, "M": {"atoms": [[1, 1]], "copies": [0, 1]}},
        {"box": [8, 8], "remove": [[1, 1], [8, 8], [2, 2], [7, 7]], "fixed": ["D.1@3.1"]},
    ),
    ({"I": {"atoms": [[1, 1], [2, 1], [3, 1], [4, 1]]}, "M": {"atoms": [[1, 1]], "copies": "any"}}, {"box": [3, 3]}),
])  # fmt: skip
def test_numbers_of_constraints(tiles, form):
    """Fixed placements and ranges shift the numbers; a tile that fits nowhere contradicts by itself."""
    built = puzzle_of(tiles, form)
    follow(*veripb_files(built.problem, find_weighting(built)))


def test_a_gap_between_sums_is_refused_with_a_reason():
    """A bar of three in a row of five weighs 0, 3 or 5, and the row 4: true, but no single division or bound."""
    built = puzzle_of({"I": {"atoms": [[1, 1], [2, 1], [3, 1]], "copies": 1}}, {"box": [5, 1]})
    gap = Weighting("own", (-1, 0, 1, 2, 2), 0)
    sums = sums_of(built.problem, gap)
    assert sums.values == ((0, 3, 5),)
    assert sums.impossible
    with pytest.raises(NotSupportedError, match="gap"):
        veripb_files(built.problem, gap)


@pytest.mark.full
@given(
    weights=st.lists(st.integers(-3, 3), min_size=5, max_size=5),
    modulus=st.integers(0, 8),
    copies=st.sampled_from([1, 2, "any", [1, 2], [0, 2]]),
    size=st.integers(1, 3),
)
def test_every_cut_is_a_proof(weights, modulus, copies, size):
    """Whatever the weights: where a cut is claimed, its proof is accepted."""
    built = puzzle_of({"I": {"atoms": [[x, 1] for x in range(1, size + 1)], "copies": copies}}, {"box": [5, 1]})
    weighting = Weighting("own", tuple(weights), modulus)
    sums = sums_of(built.problem, weighting)
    assume(sums.impossible)
    if cut_of(sums, weighting) is None:
        with pytest.raises(NotSupportedError):
            veripb_files(built.problem, weighting)
        return
    try:
        files = veripb_files(built.problem, weighting)
    except NotSupportedError as error:
        assert "bound for the copies" in str(error)
        return
    follow(*files)
