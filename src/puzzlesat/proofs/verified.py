"""``puzzlesat-verified``: the certificate checker whose soundness is a theorem (``verified/``), run on unpacked certificates."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from math import prod
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from puzzlesat.base import Child, EndedError, NotSupportedError, PuzzleError, Sentence
from puzzlesat.checker import CertificateFile, CertifiedCounts, CheckerSentence, Rejected, TooLarge, Verified, check_certificate
from puzzlesat.proofs.plain_text import checked_text, not_checked, not_stated, puzzle_text
from puzzlesat.proofs.statement import check_states, said_same, state_puzzle
from puzzlesat.puzzles import Instance, build_instance

NAME = "puzzlesat-verified"
HOW_TO_BUILD = (
    f"{NAME} is not there; build it in a clone of the repository with 'make -C verified {NAME}', which takes OCaml and some seconds"
)
PLACES = (str(Path(__file__).resolve().parents[3] / "verified"), None)
"""Directories to search for the program: the source tree, where it is built, then PATH."""
ACCEPTED, REJECTED, TOO_DEEP = 0, 1, 3
"""Exit statuses of the program."""
HEADING = re.compile(rb"puzzlesat-verified 1 name [!-~]+ kind [!-~]+ claim [!-~]+ [!-~]+ [!-~]+ ")
BEHIND = b" \nkept "
"""The texts before (``HEADING``) and behind the puzzle in the input of the program."""
MAX_WORK = 50_000_000
"""Limit of conditions × symmetries × tiles × atoms; beyond it, the program would take hours."""
LABEL = 14
"""Width of the column of labels in the output of the program."""


class RejectedError(Exception):
    """A certificate is rejected, or is of another puzzle. The message tells why."""

    def __init__(self, reason: Rejected) -> None:
        super().__init__(str(reason))
        self.unknown = isinstance(reason, TooLarge)
        """True if the certificate is beyond a limit of the checker, so that it may be right."""


def verify_certificate(path: Path, go_on: Callable[[], object] = bool, *, of: Instance | None = None) -> Verified:
    """Return what the checker proves from a certificate.

    ``of`` is the puzzle of a certificate from elsewhere: then the certificate must state this puzzle, and the proved program must accept it
    too, if it is there. Raises RejectedError, and with ``of`` the other errors of ``check_by_proof``.
    """
    try:
        if of is not None:
            check_states(path, of, of.name)
        verified = check_certificate(path, go_on)
        if of is not None and (checker := program()) is not None:
            proved = check_by_proof(path, checker, go_on).counts.all
            if proved not in (None, verified.counts.all):
                raise Rejected(f"{NAME} proves another count: {proved:,}")
    except Rejected as error:
        raise RejectedError(error) from None
    checked, unproved, believed = map(_in_base, (verified.checked, verified.unproved, verified.believed))
    return replace(verified, checked=checked, unproved=unproved, believed=believed)


def _in_base(value: Any) -> Any:
    """Return the sentences of the checker as sentences of this program, which pages translate."""
    if isinstance(value, tuple):
        return tuple(map(_in_base, value))
    if not isinstance(value, CheckerSentence):
        return value
    return Sentence(value.template, **{name: _in_base(part) for name, part in value.values.items()})


@dataclass(frozen=True)
class Proved:
    """The report of the program on a certificate that it accepts."""

    name: str
    kind: str
    read: tuple[str, ...]
    """The puzzle that the program has read, line by line, as it prints it."""
    counts: CertifiedCounts
    """The proved counts; None for a count that is not proved."""
    checked: tuple[str, ...]
    unproved: tuple[str, ...]
    """Figures that no theorem covers."""
    believed: tuple[str, ...]
    text: bytes
    """The input of the program, without the tree."""

    @property
    def sound(self) -> tuple[str, ...]:
        """The names of the counts that are proved."""
        return tuple(name for name, count in asdict(self.counts).items() if count is not None)

    def check_states(self, instance: Instance, name: str) -> str:
        """Return a sentence that the program has read the puzzle of an instance. Raises Rejected if it has read another puzzle."""
        return said_same(name, differences(self.text, state_puzzle(build_instance(instance))))


def program() -> Path | None:
    """Return the program: the one built in the source tree, else the one on PATH; None if there is none."""
    return next((Path(found) for place in PLACES if (found := shutil.which(NAME, path=place))), None)


def check_by_proof(path: Path, checker: Path, go_on: Callable[[], object] = bool) -> Proved:
    """Unpack a certificate, let the program check it, and return its report.

    Raises Rejected if the program rejects the certificate or it cannot be unpacked; NotSupportedError for a kind that the program does not
    check, and for conditions that would take too long; EndedError if the program needs more stack or memory than there is; PuzzleError if
    it cannot be run or fails otherwise; OSError if there is no file. ``go_on`` is called now and then, and may raise.
    """
    with TemporaryDirectory(prefix="puzzlesat-") as folder:
        plain = Path(folder) / "certificate"
        with CertificateFile.opened(path) as file:
            kind, text = _unpack(file, plain, go_on)
        try:
            status, output, errors = Child.run_program((checker, plain), go_on)
        except OSError as error:
            raise PuzzleError(f"{checker}: it cannot be run: {error.strerror}") from None
        if status == ACCEPTED:
            return _parse_report(output.decode(errors="replace"), kind, text)
    raise _failure(status, output, errors, plain)


def differences(read: bytes, meant: Mapping[str, Any]) -> list[str]:
    """Return the fields in which an input of the program states another puzzle than ``meant``; none if it states the same.

    The comparison is byte for byte, names included. The program reads ten words before the puzzle. So a text whose first line has ten
    words, followed by the lines of the puzzle ``meant``, states this puzzle, however it was made.
    """
    if (unstated := not_stated(meant)) is not None:
        return [f"what it is: that is {unstated}"]
    expected = puzzle_text(meant)
    heading = HEADING.match(read)
    if heading is not None and read.startswith(expected + BEHIND, heading.end()):
        return []
    fields, meant_fields = ({line.partition(b" ")[0]: line.strip() for line in text.split(b"\n")} for text in (read, expected[1:]))
    return [name.decode() for name, line in meant_fields.items() if fields.get(name) != line] or ["the order of what it states"]


def _unpack(file: CertificateFile, to: Path, go_on: Callable[[], object]) -> tuple[str, bytes]:
    """Write the input of the program; return the kind of the certificate, and the text before the tree."""
    fields = file.read_json()
    if (why := not_checked(fields)) is not None:
        raise NotSupportedError(why)
    tree = fields["kind"] == "tree"
    try:
        text = checked_text(fields, file.size_of("proof.tree") if tree else 0)
    except ValueError as error:
        raise Rejected(printable(f"certificate: {error}")) from None
    puzzle = fields["puzzle"]
    moved = (len(puzzle["rules"]), len(puzzle["symmetries"]), len(puzzle["tiles"]), len(puzzle["required"]) + len(puzzle["optional"]))
    if prod(moved) > MAX_WORK:
        raise NotSupportedError(f"a certificate with {moved[0]:,} conditions and {moved[1]:,} symmetries; {NAME} would take too long")
    with to.open("wb") as stream:
        stream.write(text)
        for block in file.stream("proof.tree") if tree else ():
            go_on()
            stream.write(block)
    return str(fields["kind"]), text


def _failure(status: int, output: bytes, errors: bytes, plain: Path) -> Exception:
    """Return an exception that says why the program did not accept a certificate."""
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


def _parse_report(output: str, kind: str, text: bytes) -> Proved:
    """Parse the output of the program: the puzzle, then the checks made, the counts, and the remaining assumptions.

    Names in the puzzle may look like any line, so the part behind the puzzle is searched from the end.
    """
    lines = output.splitlines()
    try:
        begin = max(at for at, line in enumerate(lines) if line[:LABEL].strip() == "checked")
        sections: dict[str, list[str]] = {}
        label = ""
        for line in lines[begin:-1]:
            label = line[:LABEL].strip() or label
            sections.setdefault(label, []).append(line[LABEL:])
        counts = _counts(sections["counts"][0])
        name = lines[1][LABEL:]
        unproved, believed = tuple(sections["unproved"]), tuple(sections["believed"])
    except (ValueError, LookupError) as error:
        raise PuzzleError(f"{NAME}: its output is not understood ({error}); build it again") from None
    besides = [f"so the counts are {sections['counts'][0]}", *sections["counts"][1:]]
    read = tuple(map(printable, lines[1:begin]))
    checked = (*sections["checked"], *besides)
    return Proved(printable(name), kind, read, counts, checked, unproved, believed, text)


def _counts(words: str) -> CertifiedCounts:
    found = dict(re.findall(r"(labelled|all|distinct) (not proved|[\d,]+)", words))
    labelled, every, distinct = (
        None if found[key] == "not proved" else int(found[key].replace(",", "")) for key in ("labelled", "all", "distinct")
    )
    if every is None:
        raise ValueError(words)
    return CertifiedCounts(labelled, every, distinct)


def printable(line: str) -> str:
    """Return a line without characters that control a terminal: it may hold names from an untrusted puzzle."""
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in line)


def stack_bytes() -> int | None:
    """Return how many bytes of stack ``Child.run_program`` can give a program; None if unlimited or unknown."""
    try:
        import resource
    except ImportError:
        return None
    most = resource.getrlimit(resource.RLIMIT_STACK)[1]
    return None if most == resource.RLIM_INFINITY else most
