"""The difficulty of a position: forced placements cost nothing, every tried placement counts, and the result is always the same."""

import itertools
from threading import Event

import pytest

import puzzlesat
from puzzlesat.base.limits import Limits
from puzzlesat.playing import checked_position, difficulty, position_of
from puzzlesat.playing import hardness as hard
from puzzlesat.puzzles.building import build_instance
from tiers import every


def built(name):
    return build_instance(puzzlesat.load(name))


def written(folder, text):
    (folder / "puzzle.toml").write_text('title = "x"\ngrid = "square"\nflips = true\n' + text, encoding="utf-8")
    return built(folder / "puzzle.toml")


def measured(problem, *placed):
    return difficulty(position_of(problem, placed), Limits())


def test_what_is_forced_costs_nothing(tmp_path):
    """A strip with a bend: each domino in turn has only one place."""
    found = measured(written(tmp_path, '[tiles.D]\npicture = "##"\ncopies = 4\n[form]\npicture = """\n####\n   #\n   #\n  ##\n"""\n'))
    assert (found.stars, found.branches, found.depth, found.forced, found.solved) == (1, 0, 0, 4, True)
    assert found.words == "Every piece is forced in turn: nothing has to be tried."
    found = measured(built("domino-and-square-3x2"), "I2.2@3.1", "O4.1@1.1")  # a solution needs nothing
    assert (found.stars, found.branches, found.forced) == (1, 0, 0)


def test_a_guess_that_cannot_fail_is_one_branch(tmp_path):
    found = measured(written(tmp_path, '[tiles.D]\npicture = "##"\ncopies = 2\n[form]\nbox = [2, 2]\n'))
    assert (found.stars, found.branches, found.depth, found.forced) == (2, 1, 1, 0)
    assert found.words == "About 1 placement has to be tried, one guess at a time."


@every("copies, text", [(1, "[form]\nbox = [3, 1]\n"), (4, "[form]\nbox = [3, 3]\nremove = [[2, 1]]\n")])
def test_where_there_is_no_solution_there_are_no_stars(tmp_path, copies, text):
    found = measured(written(tmp_path, f'[tiles.D]\npicture = "##"\ncopies = {copies}\n' + text))
    assert (found.stars, found.possible, found.words) == (None, False, "It cannot be finished.")


@pytest.mark.full
def test_marks_that_may_not_meet_and_copies_are_heeded():
    for name in ("absolut-knifflig", "dominoes-8x8", "soma"):
        problem = built(name)
        options = {option: i for i, option in enumerate(problem.problem.options)}
        for solution in itertools.islice(puzzlesat.solve(name, seed=3, limit=3), 3):
            placed = [options[one] for one in solution.names]
            for number in (len(placed) // 2, len(placed) - 1):
                found = difficulty(checked_position(problem, placed[:number]), Limits())
                assert found.possible
                assert found.stars is not None


@pytest.mark.full
def test_the_fewer_pieces_are_given_the_harder_it_is():
    """Difficulty grows along the whole path, not with each single piece; the result is always the same."""
    problem = built("pentominoes-6x10")
    solution = next(iter(puzzlesat.solve("pentominoes-6x10", limit=1))).names
    stars = [measured(problem, *solution[:number]).stars for number in (11, 6, 0)]
    assert stars == sorted(stars)
    assert stars[0] == 1
    assert stars[-1] >= 4
    assert measured(problem, *solution[:6]) == measured(problem, *solution[:6])


def test_patience_or_time_is_at_its_end(monkeypatch):
    octogram, stop = built("octogram"), Event()
    stop.set()
    found = difficulty(position_of(octogram, ()), Limits(stop=stop))
    assert (found.solved, found.complete) == (False, False)
    monkeypatch.setattr(hard, "PATIENCE", 5)
    found = measured(octogram)
    assert (found.stars, found.solved, found.branches) == (5, False, 5)
    assert found.words == "More than 5 placements have to be tried."
