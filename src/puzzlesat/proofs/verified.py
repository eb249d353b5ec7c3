"""``puzzlesat-verified``: the checker of certificates whose soundness is a theorem (``verified/``), run on what was unpacked for it.

A certificate as the plain text and bytes that ``puzzlesat-verified`` reads (``verified/``).

Every value of ``certificate.json`` has its type and its shape checked before it becomes a word of that text (``checked_text``), so that no
value can bring words of its own. All the same nothing that is done here is believed: the program prints the puzzle that it has read.

``unpack.py CERTIFICATE FILE`` needs nothing but Python: where somebody has OCaml, and neither puzzlesat installed nor its libraries, that
and the program are enough.
"""

from __future__ import annotations

import json
import re
import shutil
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from fractions import Fraction
from math import lcm, prod
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NoReturn
from urllib.parse import quote
from zipfile import ZipFile

from puzzlesat.base import EndedError, NotSupportedError, PuzzleError, run_program
from puzzlesat.checker import MOST_WORK, Counts, Rejected, opened, read_json, stream_member

#!/usr/bin/env python3


Shape = Callable[[Any, str], object]
"""Raises ValueError for a value that is not what stands in its place; the place is named."""
COUNTS = ("labelled", "all", "distinct")
KINDS = ("tree", "removals", "weighting")
"""The kinds of certificates that the program checks."""
LARGEST = 1 << 62
"""Whole numbers are smaller; numbers of solutions may be larger."""
ALWAYS, RATIO = 1 << 24, 128
"""A member unpacks to so many bytes, and to so many times its packed size beyond them, as ``check.archive`` has it."""


def main() -> None:
    """Read the command line."""
    if len(sys.argv) != 3:
        sys.exit("usage: unpack.py CERTIFICATE FILE")
    try:
        _unpack_files(sys.argv[1], Path(sys.argv[2]))
    except Exception as error:  # whatever unpacking stumbles over is no certificate
        what = str(error) if type(error) is ValueError else repr(error)
        sys.exit(f"{sys.argv[1]}: no certificate that can be unpacked: {what}")


def _unpack_files(certificate: str, to: Path) -> None:
    with ZipFile(certificate) as archive:
        members = archive.infolist()
        if len({member.filename for member in members}) < len(members):
            sys.exit(f"{certificate}: something is in it twice, and programs differ in which of the two they read")
        if any(member.file_size > ALWAYS + RATIO * member.compress_size for member in members):
            sys.exit(f"{certificate}: a part of it unpacks to far more than it is; 'zip -0' packs it less")
        said = json.loads(archive.read("certificate.json"), object_pairs_hook=_once, parse_float=_not_whole, parse_constant=_not_whole)
        if (why := not_checked(said)) is not None:
            sys.exit(f"{certificate}: {why}")
        tree = archive.read("proof.tree") if said["kind"] == "tree" else b""
    to.write_bytes(checked_text(said, len(tree)) + tree)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key is listed twice")
    return found


def _not_whole(stated: str) -> NoReturn:
    raise ValueError(f"expected a whole number, got {stated[:20]}")


def not_checked(said: Mapping[str, Any]) -> str | None:
    """Return why the program does not check such a certificate; None where it does."""
    kind = _text(said["kind"], "kind")
    if kind not in KINDS:
        return f"a certificate of kind {kind[:20]}; puzzlesat-verified checks those of kinds tree, removals and weighting"
    unstated = not_stated(said["puzzle"])
    return None if unstated is None else f"a certificate of {unstated}"


def not_stated(puzzle: Mapping[str, Any]) -> str | None:
    """Return what the plain text has no words for; None where it can state the puzzle."""
    if any(type(rule) is dict and "kind" in rule for rule in puzzle["rules"]):
        return "a puzzle with rules on solutions; puzzlesat-verified does not know them"
    if any(type(tile) is dict and "placements" in tile for tile in puzzle["tiles"]):
        return "a puzzle whose tiles list their placements; puzzlesat-verified knows those that are turned and moved"
    return None


def checked_text(said: Mapping[str, Any], length: int) -> bytes:
    """Return the plain text of a certificate that somebody may have made by hand.

    Raises ValueError, with the key, for a value that is not of the type and the shape that it is to have; KeyError or TypeError for what
    is no certificate at all.
    """
    check_values(said)
    return plain_text(said, length)


def plain_text(said: Mapping[str, Any], length: int) -> bytes:
    """Return what a certificate says as plain text, behind which the bytes of its tree follow: so many of them.

    Its values are written as they are: ``checked_text`` is for those that nobody has looked at.
    """
    return " ".join(map(str, unpacked(said, length))).encode() + b"\n"


def puzzle_text(puzzle: Mapping[str, Any]) -> bytes:
    """Return the lines that state a puzzle in the text of each of its certificates: all between the first line and what is kept."""
    return " ".join(map(str, _puzzle(puzzle))).encode()


def unpacked(said: Mapping[str, Any], length: int) -> Iterable[object]:
    """Yield the words of a certificate whose tree has that many bytes."""
    yield from ("puzzlesat-verified", 1, "name", text(said["puzzle"]["name"]), "kind", said["kind"], "claim")
    yield from ("-" if said["claim"][key] is None else said["claim"][key] for key in COUNTS)
    yield from _puzzle(said["puzzle"])
    kept, weights = said["kept"], said.get("weighting")
    yield from ("\nkept", *(["-"] if kept is None else [kept["tile"], *each(kept["placements"], lambda n: (n,))]))
    yield from ("\nremovals", *each(said["removals"], list))
    yield from ("\nweights", *(["-"] if weights is None else [weights["modulus"], *each(weights["weights"], list)]))
    yield from ("\ntree", said.get("record_bytes", 1), length)


def _puzzle(puzzle: Mapping[str, Any]) -> Iterable[object]:
    """Yield the words that state a puzzle; each field begins a line."""
    below = {*(colour for on in puzzle["fits"].values() for colour in on), *(colour for _, colour in puzzle["coloured"])}
    names = sorted({*puzzle["mates"], *puzzle["fits"], *below})
    number: dict[str | None, object] = {name: i for i, name in enumerate(names)} | {None: "-"}
    kinds = list(dict.fromkeys(a["kind"] for a in puzzle["atoms"]))

    def marks(stated: list[Any]) -> Iterable[object]:
        return each(sorted((side, face, number[name]) for side, face, name in stated), lambda m: (*m[0], *m[1], m[2]))

    gram = [[Fraction(x) for x in row] for row in puzzle["gram"]]
    common = lcm(*(x.denominator for row in gram for x in row))
    unit = lcm(*(Fraction(x).denominator for a in puzzle["atoms"] for v in a["vertices"] for x in v))
    yield from ("\ngram", len(gram), *(int(x * common) for row in gram for x in row), "times", common, "unit", unit)
    yield from ("\nnames", *each(names, lambda name: (text(name),)))
    yield from ("\ncell", *each(puzzle["atoms"], lambda a: (
        text(a["name"]), kinds.index(a["kind"]), *each(a["vertices"], lambda v: [int(Fraction(x) * unit) for x in v]))))  # fmt: skip
    yield from ("\nsymmetries", *each(puzzle["symmetries"], lambda s: (
        *(x for row in s["matrix"] for x in row), *s["image"], *(x for row in s["shift"] for x in row))))  # fmt: skip
    yield from ("\ntiles", *each(puzzle["tiles"], lambda t: (
        text(t["name"]), *each(sorted(t["atoms"]), list), *marks(t["marks"]), *each(t["symmetries"], lambda n: (n,)),
        *each(t["ranges"], lambda r: (r[0], "-" if r[1] is None else r[1])))))  # fmt: skip
    yield from ("\nrequired", *each(puzzle["required"], list), "\noptional", *each(puzzle["optional"], list))
    yield from ("\nmates", *each(puzzle["mates"].items(), lambda m: (number[m[0]], number[m[1]])))
    yield from ("\nfits", *each(puzzle["fits"].items(), lambda f: (number[f[0]], *each(f[1], lambda c: (number[c],)))))
    yield from ("\ncoloured", *each(puzzle["coloured"], lambda c: (*c[0], number[c[1]])), "\nborder", number[puzzle["border"]])
    yield from ("\nrules", *each(puzzle["rules"], lambda r: (
        *each(r["atoms"], lambda w: (*w[0], w[1])), *each(puzzle["tiles"], lambda t: (r["tiles"].get(t["name"], 0),)),
        r["low"], r["high"], r["modulus"], r["residue"])))  # fmt: skip
    yield from ("\nfixed", *each(puzzle["fixed"], lambda f: (f["tile"], *each(sorted(f["atoms"]), list), *marks(f["marks"]))))
    yield from ("\nkeep", *each(puzzle["keep"], list), "\nmirrored", "yes" if puzzle["mirrored"] else "no")


def each(things: Iterable[Any], words: Callable[[Any], Iterable[object]]) -> list[object]:
    """How many there are, and the words of each."""
    found = list(things)
    return [len(found), *(word for thing in found for word in words(thing))]


def text(name: str) -> str:
    """A name as one word."""
    return quote(name, safe="+-_.,:!?*()[]'#/") or "%"


def check_values(said: Mapping[str, Any]) -> None:
    """Raise ValueError unless each value that ``unpacked`` writes is of its type, and each list of its length.

    A puzzle has the keys that are known and no others, so that none of its values is written unseen.
    """
    puzzle = _object(said["puzzle"], "puzzle")
    tiles = [_text(_object(tile, "puzzle.tiles")["name"], "puzzle.tiles: name") for tile in _array(puzzle["tiles"], "puzzle.tiles")]
    _puzzle_shape(len(_array(puzzle["gram"], "puzzle.gram")), len(_array(puzzle["atoms"], "puzzle.atoms")), tiles)(puzzle, "puzzle")
    _text(said["kind"], "kind")
    _record(dict.fromkeys(COUNTS, _or_none(_natural)))(said["claim"], "claim")
    _or_none(_record({"tile": _whole, "placements": _several(_whole), "symmetries": _several(_whole)}))(said["kept"], "kept")
    pairs = _several(_row(_whole, _whole))
    pairs(said["removals"], "removals")
    _or_none(_record({"modulus": _whole, "weights": pairs}))(said.get("weighting"), "weighting")
    _whole(said.get("record_bytes", 1), "record_bytes")


def _puzzle_shape(dimension: int, cell: int, tiles: list[str]) -> Shape:
    """What a puzzle must be, whose grid has so many dimensions and so many atoms in a cell, and whose tiles are called so."""
    point, corner, atom = _row(*[_whole] * dimension), _row(*[_fraction] * dimension), _row(*[_whole] * (dimension + 1))
    atoms, marks = _several(atom), _several(_row(atom, atom, _text))
    weights = _record(dict.fromkeys(tiles, _whole))
    bounds = dict.fromkeys(("low", "high", "modulus", "residue"), _whole)
    return _record({
        "name": _text, "title": _text, "gram": _row(*[corner] * dimension),
        "atoms": _several(_record({"name": _text, "kind": _text, "vertices": _several(corner)})),
        "symmetries": _several(_record({
            "name": _text, "matrix": _row(*[point] * dimension), "image": _row(*[_whole] * cell), "shift": _row(*[point] * cell),
        })),
        "tiles": _several(_record({
            "name": _text, "atoms": atoms, "marks": marks, "symmetries": _several(_whole),
            "ranges": _several(_row(_whole, _or_none(_whole))),
        })),
        "required": atoms, "optional": atoms, "mates": _of_names(_or_none(_text)), "fits": _of_names(_several(_text)),
        "coloured": _several(_row(atom, _text)), "border": _or_none(_text),
        "rules": _several(_record({"name": _text, "atoms": _several(_row(atom, _whole)), "tiles": weights, **bounds})),
        "fixed": _several(_record({"tile": _whole, "atoms": atoms, "marks": marks})), "keep": atoms, "mirrored": _flag,
    })  # fmt: skip


def _whole(stated: Any, where: str) -> int:
    """A whole number; true is none."""
    if type(stated) is not int or abs(stated) >= LARGEST:
        raise _unlike("a whole number below 2 to the power of 62", stated, where)
    return stated


def _natural(stated: Any, where: str) -> int:
    """A number of solutions, however large."""
    if type(stated) is not int or stated < 0:
        raise _unlike("a number of solutions", stated, where)
    return stated


def _text(stated: Any, where: str) -> str:
    if type(stated) is not str:
        raise _unlike("a text", stated, where)
    return stated


def _fraction(stated: Any, where: str) -> str:
    """A fraction as text; no power of ten makes it long."""
    if re.fullmatch("-?[0-9]{1,9}(?:/0*[1-9][0-9]{0,8})?", _text(stated, where), re.ASCII) is None:
        raise _unlike("a fraction such as '1/2'", stated, where)
    return str(stated)


def _flag(stated: Any, where: str) -> bool:
    """True or false; 1 is neither."""
    if type(stated) is not bool:
        raise _unlike("true or false", stated, where)
    return stated


def _array(stated: Any, where: str) -> list[Any]:
    if type(stated) is not list:
        raise _unlike("an array", stated, where)
    return stated


def _object(stated: Any, where: str) -> dict[str, Any]:
    if type(stated) is not dict:
        raise _unlike("an object", stated, where)
    return stated


def _or_none(shape: Shape) -> Shape:
    """Of this shape, or null."""
    return lambda stated, where: None if stated is None else shape(stated, where)


def _several(shape: Shape) -> Shape:
    """However many, each of this shape."""
    return lambda stated, where: [shape(value, f"{where}[{i}]") for i, value in enumerate(_array(stated, where))]


def _row(*shapes: Shape) -> Shape:
    """So many, each of its shape."""

    def look(stated: Any, where: str) -> None:
        if len(_array(stated, where)) != len(shapes):
            raise _unlike(f"an array of {len(shapes)}", stated, where)
        for i, (shape, value) in enumerate(zip(shapes, stated, strict=True)):
            shape(value, f"{where}[{i}]")

    return look


def _of_names(shape: Shape) -> Shape:
    """An object of any keys, with values of this shape."""
    return lambda stated, where: [shape(value, f"{where}.{key}") for key, value in _object(stated, where).items()]


def _record(shapes: Mapping[str, Shape]) -> Shape:
    """An object of these keys and no others."""

    def look(stated: Any, where: str) -> None:
        if strange := _object(stated, where).keys() ^ shapes.keys():
            raise ValueError(f"{where}: the key {min(strange):.40} is {'unknown' if min(strange) in stated else 'missing'}")
        for key, shape in shapes.items():
            shape(stated[key], f"{where}.{key}")

    return look


def _unlike(expected: str, stated: Any, where: str) -> ValueError:
    return ValueError(f"{where:.80}: expected {expected}, got {type(stated).__name__} {str(stated)[:40]!r}")


if __name__ == "__main__":
    main()


NAME = "puzzlesat-verified"
HOW_TO_BUILD = (
    f"{NAME} is not there; build it in a clone of the repository with 'make -C verified {NAME}', which takes OCaml and some seconds"
)
PLACES = (str(Path(__file__).resolve().parents[3] / "verified"), None)
"""Where it is looked for: where it is built in the source tree, then on PATH."""
ACCEPTED, REJECTED, TOO_DEEP = 0, 1, 3
"""Its exit statuses."""
HEADING = re.compile(rb"puzzlesat-verified 1 name [!-~]+ kind [!-~]+ claim [!-~]+ [!-~]+ [!-~]+ ")
BEHIND = b" \nkept "
"""What stands around the puzzle in the text that the program reads."""
LABEL = 14
"""Columns of the names of what it says."""


@dataclass(frozen=True)
class Proved:
    """What the program says of a certificate that it accepts."""

    name: str
    kind: str
    read: tuple[str, ...]
    """The puzzle as the program has read it, line by line, as it prints it."""
    counts: Counts
    """What is proved; a figure that is not is None."""
    checked: tuple[str, ...]
    unproved: tuple[str, ...]
    """Figures that no theorem covers."""
    believed: tuple[str, ...]
    text: bytes
    """What it has read, without the tree."""

    @property
    def sound(self) -> tuple[str, ...]:
        """The counts that are proved."""
        return tuple(name for name, count in asdict(self.counts).items() if count is not None)


def program() -> Path | None:
    """Return the program: the one that was built in the source tree, or else the one on PATH; None where there is none."""
    return next((Path(found) for place in PLACES if (found := shutil.which(NAME, path=place))), None)


def check_by_proof(path: Path, checker: Path, go_on: Callable[[], object] = bool) -> Proved:
    """Unpack a certificate, let the program check it, and return what it says.

    Raises Rejected for one that it rejects or that cannot be unpacked; NotSupportedError for a kind that it does not check, and for
    conditions that would take it too long; EndedError where the program wants more stack or memory than there is; PuzzleError where it
    cannot be run or ends otherwise; OSError for no file. ``go_on`` is called now and then, and may raise.
    """
    with TemporaryDirectory(prefix="puzzlesat-") as folder:
        plain = Path(folder) / "certificate"
        with opened(path) as archive:
            kind, text = _unpack(archive, plain, go_on)
        try:
            status, output, errors = run_program((checker, plain), go_on)
        except OSError as error:
            raise PuzzleError(f"{checker}: it cannot be run: {error.strerror}") from None
        if status == ACCEPTED:
            return _told(output.decode(errors="replace"), kind, text)
    raise _no_answer(status, output, errors, plain)


def differences(read: bytes, meant: Mapping[str, Any]) -> list[str]:
    """Return the fields in which a text that the program has read states another puzzle than is meant; none where it states the same.

    Compared is byte for byte, names and all. The program reads ten words before the puzzle, so a text whose first line has ten words and
    that goes on with the lines of the puzzle meant states that puzzle, however it was made.
    """
    if (unstated := not_stated(meant)) is not None:
        return [f"what it is: that is {unstated}"]
    expected = puzzle_text(meant)
    heading = HEADING.match(read)
    if heading is not None and read.startswith(expected + BEHIND, heading.end()):
        return []
    fields, meant_fields = ({line.partition(b" ")[0]: line.strip() for line in text.split(b"\n")} for text in (read, expected[1:]))
    return [name.decode() for name, line in meant_fields.items() if fields.get(name) != line] or ["the order of what it states"]


def _unpack(archive: ZipFile, to: Path, go_on: Callable[[], object]) -> tuple[str, bytes]:
    """Write what the program reads; return the kind of the certificate, and the text in front of the tree."""
    said = read_json(archive)
    if (why := not_checked(said)) is not None:
        raise NotSupportedError(why)
    tree = said["kind"] == "tree"
    try:
        text = checked_text(said, archive.getinfo("proof.tree").file_size if tree else 0)
    except ValueError as error:
        raise Rejected(printable(f"certificate: {error}")) from None
    puzzle = said["puzzle"]
    moved = (len(puzzle["rules"]), len(puzzle["symmetries"]), len(puzzle["tiles"]), len(puzzle["required"]) + len(puzzle["optional"]))
    if prod(moved) > MOST_WORK:
        raise NotSupportedError(f"a certificate with {moved[0]:,} conditions and {moved[1]:,} symmetries; {NAME} would take too long")
    with to.open("wb") as stream:
        stream.write(text)
        for block in stream_member(archive, "proof.tree") if tree else ():
            go_on()
            stream.write(block)
    return str(said["kind"]), text


def _no_answer(status: int, output: bytes, errors: bytes, plain: Path) -> Exception:
    """Why the program did not accept a certificate."""
    last = (output if status == REJECTED and not errors else errors).decode(errors="replace").strip()
    why = last.rpartition("\n")[2].removeprefix(f"{NAME}: ").removeprefix(f"{plain}: ").removeprefix("rejected: ")
    if status == REJECTED:
        return Rejected(f"{NAME}: {printable(why)}")
    if "memory" in why.lower():
        return EndedError("out of memory", NAME)
    if status == TOO_DEEP or (status < 0 and not why):
        most = stack_bytes()
        may = "" if most is None else f", whose stack may have no more than {most >> 20:,} MiB here"
        return EndedError("out of memory", f"{NAME}{may}")
    return PuzzleError(f"{NAME} ended with exit status {status}: {printable(why)}")


def _told(output: str, kind: str, text: bytes) -> Proved:
    """Take apart what the program prints: the puzzle, and after that what was checked, the counts, and what remains to be believed.

    Names of the puzzle may look like anything, so that what follows it is looked for from the end.
    """
    lines = output.splitlines()
    try:
        begin = max(at for at, line in enumerate(lines) if line[:LABEL].strip() == "checked")
        said: dict[str, list[str]] = {}
        label = ""
        for line in lines[begin:-1]:
            label = line[:LABEL].strip() or label
            said.setdefault(label, []).append(line[LABEL:])
        counts = _counts(said["counts"][0])
        name = lines[1][LABEL:]
        unproved, believed = tuple(said["unproved"]), tuple(said["believed"])
    except (ValueError, LookupError) as error:
        raise PuzzleError(f"{NAME}: its output is not understood ({error}); build it again") from None
    besides = [f"so the counts are {said['counts'][0]}", *said["counts"][1:]]
    read = tuple(map(printable, lines[1:begin]))
    checked = (*said["checked"], *besides)
    return Proved(printable(name), kind, read, counts, checked, unproved, believed, text)


def _counts(words: str) -> Counts:
    found = dict(re.findall(r"(labelled|all|distinct) (not proved|[\d,]+)", words))
    labelled, every, distinct = (
        None if found[key] == "not proved" else int(found[key].replace(",", "")) for key in ("labelled", "all", "distinct")
    )
    if every is None:
        raise ValueError(words)
    return Counts(labelled, every, distinct)


def printable(line: str) -> str:
    """Return a line in which nothing can move the cursor of a terminal: it may hold names of somebody else's puzzle."""
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in line)


def stack_bytes() -> int | None:
    """Return how much stack ``run_program`` can give a program; None: as much as it likes, or nobody knows."""
    try:
        import resource
    except ImportError:
        return None
    most = resource.getrlimit(resource.RLIMIT_STACK)[1]
    return None if most == resource.RLIM_INFINITY else most
