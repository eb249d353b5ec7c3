"""The letters of the pieces in text pictures, and the legend that says what they are.

Each piece of a picture has a letter of its own: the first of these that no other piece has.

1. The letter of its tile: the tile's name, where that is one letter or digit; else the first letter of the name, where no other tile's name
   begins so.
2. The same letter, small instead of capital or the other way round.
3. The letters of ``ALPHABET`` that are no tile's, in their order.

So a tile has the same letter in all pictures of a puzzle. A picture of more pieces than there are letters uses them again, but never
for two pieces that touch. The legend names the placement of each piece whose letter is not the name of its tile.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import cycle, islice

from rich.cells import cell_len

from puzzlesat.cover.build import Built
from puzzlesat.draw.palette import touching
from puzzlesat.puzzle.data import Puzzle

LATIN = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
ALPHABET = LATIN + "ΓΔΘΛΞΠΣΦΨΩαβγδεζηθλμξπσφψω" + "БДЖЗИЛЦЧШЩЪЫЭЮЯбджзилцчшщъыэюя"
"""No two of them look alike."""
LEGEND_WIDTH = 80
"""Columns of a legend, where the terminal is not narrower."""
GAP = "  "
"""Between two entries of a legend."""


def piece_letters(built: Built, options: Sequence[int]) -> list[str]:
    """Return the letter of each of the placements in a picture."""
    own, spare = tile_letters(built.puzzle), spare_letters(built.puzzle)
    taken: set[str] = set()
    letters: list[str] = []
    for option in options:
        mine = own[built.placements[option].tile]
        wished = [mine, *([mine.swapcase()] if mine.swapcase() in spare else [])] if mine else []
        letter = next((c for c in (*wished, *spare) if c not in taken), None)
        letters.append(letter if letter is not None else "")
        taken.add(letters[-1])
    return letters if "" not in taken else _used_again(built, options, letters, spare)


def tile_letters(puzzle: Puzzle) -> list[str | None]:
    """Return the letter of each tile; None for one that has none of its own."""
    names = [tile.name for tile in puzzle.tiles]
    beginning = Counter(name[:1] for name in names)
    own = [len(name) == 1 or beginning[name[:1]] == 1 for name in names]
    return [name[0] if mine and _can_be_drawn(puzzle, name[0]) else None for name, mine in zip(names, own, strict=True)]


def spare_letters(puzzle: Puzzle) -> list[str]:
    """Return the letters that are no tile's, nor glyphs of the grid."""
    own = tile_letters(puzzle)
    return [c for c in ALPHABET if c not in own and not _is_glyph(puzzle, c)]


def legend_entries(built: Built, options: Sequence[int], letters: Sequence[str], unclear: Iterable[int] = ()) -> list[str]:
    """Return letter and placement of each piece whose letter is not its tile's name, and of those that are ``unclear`` otherwise."""
    tiles, unclear = built.puzzle.tiles, {*unclear}
    return [
        f"{letter} {built.problem.options[o]}"
        for o, letter in zip(options, letters, strict=True)
        if o in unclear or tiles[built.placements[o].tile].name != letter
    ]


def folded(words: Sequence[str], width: int | None, *, gap: str = GAP, indent: str = "") -> str:
    """Return words in lines of at most ``width`` columns (None: in one line), ``indent`` before all but the first; no word is parted."""
    lines: list[str] = []
    for word in words:
        if lines and (width is None or cell_len(f"{lines[-1]}{gap}{word}") <= width):
            lines[-1] += f"{gap}{word}"
        else:
            lines.append(f"{indent}{word}" if lines else word)
    return "".join(f"{line}\n" for line in lines)


def _can_be_drawn(puzzle: Puzzle, character: str) -> bool:
    """Is it a letter or digit as wide as all others, and none of the grid's own glyphs?"""
    return character.isalnum() and cell_len(character) == 1 and not _is_glyph(puzzle, character)


def _is_glyph(puzzle: Puzzle, character: str) -> bool:
    return any(character in (*site.glyphs, *site.optional) for site in puzzle.grid.layout.sites)


def _used_again(built: Built, options: Sequence[int], letters: Sequence[str], spare: Sequence[str]) -> list[str]:
    """Give the pieces that got no letter one of another piece that does not touch them, the letters in turn."""
    near: dict[int, set[int]] = {}
    for one, other in touching(built, options):
        near.setdefault(one, set()).add(other)
        near.setdefault(other, set()).add(one)
    every = spare or ALPHABET
    letters, turn = [*letters], cycle(every)
    for i, letter in enumerate(letters):
        if not letter:
            beside = {letters[j] for j in near.get(i, ())}
            letters[i] = next((c for c in islice(turn, len(every)) if c not in beside), every[0])
    return letters
