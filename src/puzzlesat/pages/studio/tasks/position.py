"""The board while somebody plays: ``position``, ``hint``, ``difficulty``, and ``challenge``, which makes starting positions."""

from __future__ import annotations

from collections.abc import Mapping
from random import randrange
from typing import Any

from puzzlesat.base import Limits, Progress, PuzzleError, Sentence
from puzzlesat.pages.challenge_sheet import Sheet, page_sentences, sheet_html, sheet_json
from puzzlesat.pages.studio.open import begun
from puzzlesat.pages.studio.telling import STUDIO_HINT_SECONDS, STUDIO_SECONDS, STUDIO_STARS_SECONDS, Tell, whole_number
from puzzlesat.playing import Challenge, Hint, Position, Wish, as_json, challenges, difficulty, look_at, position_of, sentences, uncoverable


def answer_position(question: Mapping[str, Any], tell: Tell) -> dict[str, Any]:
    """Return ``hint --json`` of the position, and ``words``; the number of completions is a partial result.

    Partial results have ``completions`` (None: not known), whether it is ``exact``, ``finished``, ``dead``: each atom that nothing can
    cover, as ``atom`` and ``number``, with the ``reason``; ``dead_ends`` and ``words`` are sentences.
    """
    position, bounds, _ = asked_position(question, tell, STUDIO_HINT_SECONDS)

    def counted(hint: Hint) -> None:
        answer = as_json(hint)
        copied = {key: answer[key] for key in ("completions", "exact", "finished", "solvable", "dead_ends")}
        tell({**copied, "dead": _dead(hint), "words": sentences(hint, options=False)})

    hint = look_at(position, more=False, limits=bounds, counted=counted)
    answer = as_json(hint)
    first_wrong = (
        None if hint.first_wrong is None else {"number": hint.first_wrong, "name": position.names(position.placed)[hint.first_wrong]}
    )
    choices = [choice["pieces"] for choice in answer["take_back"]["choices"]] if answer["take_back"] else []
    return {**answer, "take_back": choices, "how": answer["take_back"], "first_wrong": first_wrong, "words": sentences(hint, options=False)}


def asked_position(question: Mapping[str, Any], tell: Tell, seconds: float = STUDIO_SECONDS) -> tuple[Position, Limits, Progress]:
    """Return the position of a question, and the limits and the progress of the work on it, which begins now.

    Raises PuzzleError for a wrong puzzle or wrong placements.
    """
    names = question.get("position", [])
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise PuzzleError("position: expected a list of the names of placements")
    built, bounds, progress = begun(question, tell, seconds)
    return position_of(built, names, ordered=True), bounds, progress


def _dead(hint: Hint) -> list[dict[str, Any]]:
    """The atoms that nothing can cover any more."""
    if hint.completions.possible is not False:
        return []
    items, template = hint.position.built.problem.items, "nothing that is left covers {atoms}"
    return [{"atom": items[i], "number": i, "reason": Sentence(template, atoms=items[i])} for i in uncoverable(hint.position)]


def answer_hint(question: Mapping[str, Any], tell: Tell) -> dict[str, Any]:
    """Return the next ``placement``, or None if there is none.

    With it come its ``tile``, the names and numbers of the ``atoms`` it covers, whether it is ``forced``, and the ``reason``; it is
    ``shared`` by this number of the completions ``listed``, and ``every`` tells whether these are all. ``words`` are sentences with these
    data.
    """
    position, bounds, _ = asked_position(question, tell, STUDIO_HINT_SECONDS)
    hint = look_at(position, more=True, limits=bounds)
    answer: dict[str, Any] = {"placement": None, "finished": hint.finished, "solvable": hint.completions.possible}
    suggestion = hint.further
    if suggestion is not None:
        built = position.built
        placement = built.placements[suggestion.option]
        covered = [i for i in built.problem.items_of(suggestion.option).tolist() if i < len(built.puzzle.form.atoms)]
        answer |= {
            "placement": built.problem.options[suggestion.option],
            "tile": built.puzzle.tiles[placement.tile].name,
            "forced": suggestion.forced,
            "reason": suggestion.reason,
            "shared": suggestion.shared,
            "listed": suggestion.listed,
            "every": suggestion.every,
            "atoms": [built.problem.items[i] for i in covered],
            "numbers": covered,
        }
    return {**answer, "words": sentences(hint, options=False)}


def answer_difficulty(question: Mapping[str, Any], tell: Tell) -> dict[str, Any]:
    """Return ``stars`` from 1 to 5 (None: no completion), the ``branches`` behind them, their ``depth``, and ``words``."""
    position, bounds, _ = asked_position(question, tell, STUDIO_STARS_SECONDS)
    return difficulty_as_json(position, bounds)


def difficulty_as_json(position: Position, limits: Limits) -> dict[str, Any]:
    """Return the difficulty of a position as plain data."""
    rating = difficulty(position, limits)
    return {key: getattr(rating, key) for key in ("stars", "branches", "depth", "forced", "solved", "complete", "words")}


SEEDS = 10_000
MAX_POSITIONS = 24
"""Largest number of positions for one question."""
MAX_PIECES = 10_000


def answer_challenge(question: Mapping[str, Any], tell: Tell) -> dict[str, Any]:
    """Find positions, each with its ``stars`` and its number of completions; return them from easy to hard, and a page to print.

    The question may have their ``number``; the number of given pieces (``givens``), or its range from ``most`` down to ``fewest``; the
    number of completions (``ways``); and a ``seed``, which reproduces the positions.
    """
    number, seed = whole_number(question, "number", 1, MAX_POSITIONS, 6), whole_number(question, "seed", 0, 2**53, randrange(SEEDS))
    wish = _wish(question)
    built, bounds, progress = begun(question, tell)
    measured: dict[tuple[int, ...], dict[str, Any]] = {}

    def made(challenge: Challenge) -> None:
        measured[challenge.position.placed] = _challenge_as_json(challenge, bounds)
        tell(measured[challenge.position.placed])

    positions = challenges(built, number, wish, seed, bounds, progress, made=made)
    sheet = Sheet(built, positions, wish.completions, seed)
    rows = [measured[one.position.placed] for one in positions]
    return {"challenges": rows, "seed": seed, "sheet": sheet_json(sheet), "page": sheet_html(sheet), "written": page_sentences(sheet)}


def _challenge_as_json(challenge: Challenge, bounds: Limits) -> dict[str, Any]:
    position = challenge.position
    return {
        "position": position.names(position.everything),
        "ways": len(challenge.completions),
        "left": challenge.left,
        "minimal": challenge.minimal,
        "confirmed": challenge.confirmed,
        **difficulty_as_json(position, bounds),
    }


def _wish(question: Mapping[str, Any]) -> Wish:
    ways = whole_number(question, "ways", 1, 1000, 1)
    givens = whole_number(question, "givens", 0, MAX_PIECES, None)
    if givens is not None:
        return Wish(ways, givens, givens, exactly=True)
    most, fewest = whole_number(question, "most", 0, MAX_PIECES, None), whole_number(question, "fewest", 0, MAX_PIECES, 0)
    if most is not None and most < fewest:
        raise PuzzleError("most: expected at least as many pieces as in fewest (the easiest position has the most pieces)")
    return Wish(ways, most, fewest)
