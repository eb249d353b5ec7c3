"""PNG: the right size, something on it, and letters without fonts of the system."""

from __future__ import annotations

import struct
from importlib.resources import files

import pytest

import puzzlesat
from puzzlesat.cover.instance import build_instance
from puzzlesat.draw.flat import form_svg
from puzzlesat.draw.png import TIMES, WIDEST, png
from puzzlesat.draw.svg import Picture, document, text


def size_of(image):
    assert image.startswith(b"\x89PNG\r\n\x1a\n")
    return struct.unpack(">II", image[16:24])


def picture(width, height, body=""):
    return document(Picture(width - 24, height - 24, body), "t")


def test_size():
    assert size_of(png(picture(300, 200))) == (300 * TIMES, 200 * TIMES)
    assert size_of(png(picture(300, 200), 150)) == (150, 100)


@pytest.mark.parametrize(("width", "height"), [(20000, 100), (100, 20000)])
def test_huge_pictures_are_made_smaller(width, height):
    assert max(size_of(png(picture(width, height)))) == WIDEST


def test_letters_come_with_the_package():
    from resvg_py import svg_to_bytes

    font = str(files("puzzlesat.draw") / "fonts" / "DejaVuSans-subset.ttf")

    def drawn(words, **fonts):
        return bytes(svg_to_bytes(svg_string=picture(200, 60, text(90, 18, words, 16.0)), skip_system_fonts=True, **fonts))

    empty = drawn("")
    assert drawn("A") == empty
    letters = "AZaz09äßéŁ×–−+.@ "
    images = {letter: drawn(letter, font_files=[font]) for letter in letters}
    assert images[" "] == empty
    assert len(set(images.values())) >= len(letters) - 1
    missing = drawn("日", font_files=[font])
    assert missing not in [image for letter, image in images.items() if letter != " "]


def test_a_form_as_png():
    image = png(form_svg(build_instance(puzzlesat.load("tritetratan"))))
    assert len(image) > 2000
