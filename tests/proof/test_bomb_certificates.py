"""Small certificates that would use up memory or time: each is refused in seconds, within twice the memory of a valid one.

The checker runs in a separate process, which reports its peak memory.
"""

import json
import struct
import subprocess
import sys
import zlib
from copy import deepcopy
from io import BytesIO
from time import process_time
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile

import pytest

from helpers import make_clauses
from puzzlesat.base.limits import Limits
from puzzlesat.checker import Rejected, check_certificate
from puzzlesat.checker import archive as reading
from puzzlesat.checker.lrat import check_lrat
from puzzlesat.proofs import certify, make_case
from puzzlesat.proofs.lrat import convert
from puzzlesat.puzzles.building import build_instance
from puzzlesat.puzzles.load import load_instance

pytestmark = pytest.mark.full
MIB = 1 << 20
SECONDS = 20
"""CPU seconds for all refusals of a test; most refusals take a tenth of a second."""


def packed(block, times):
    """Return ``times`` copies of a block, deflated. The block is packed once, because a full flush resets the packer."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    piece = packer.compress(block) + packer.flush(zlib.Z_FULL_FLUSH)
    return piece * times + b"\x03\x00"


def as_zip(path, members):
    """A zip file of members ``(name, packed bytes, method, stated size[, check sum])``; most are refused before the check sum matters."""
    with path.open("wb") as file:
        directory = b""
        for name, data, method, size, *known in members:
            at, called = file.tell(), name.encode()
            crc = known[0] if known else zlib.crc32(data) if method == ZIP_STORED else 0
            stored = len(data)
            common = struct.pack("<HHHHHIIIHH", 20, 0, method, 0, 33, crc, stored, size, len(called), 0)
            file.write(b"PK\3\4" + common + called + data)
            directory += b"PK\1\2" + struct.pack("<H", 20) + common + struct.pack("<HHHII", 0, 0, 0, 0, at) + called
        end = file.tell()
        file.write(directory + b"PK\5\6" + struct.pack("<HHHHIIH", 0, 0, len(members), len(members), len(directory), end, 0))
    return path


def words(said):
    data = said if isinstance(said, bytes) else json.dumps(said).encode()
    return "certificate.json", data, ZIP_STORED, len(data)


MEASURED = """
import resource, subprocess, sys
status = subprocess.call(sys.argv[1:])
usage = resource.getrusage(resource.RUSAGE_CHILDREN)
print(status, usage.ru_utime + usage.ru_stime, usage.ru_maxrss, file=sys.stderr)
"""
"""A small process between the tests and the checker. Until a program is loaded, the system counts the memory of its parent as its own."""


def checked_alone(*paths):
    """Check files in a separate process; return its exit status, its output, its CPU seconds, and its peak memory in MiB."""
    command = [sys.executable, "-m", "puzzlesat.checker", *map(str, paths)]
    done = subprocess.run([sys.executable, "-c", MEASURED, *command], text=True, capture_output=True, check=True)
    *_, last = done.stderr.splitlines()
    status, seconds, size = last.split()
    return (
        int(status),
        done.stdout + done.stderr.removesuffix(f"{last}\n"),
        float(seconds),
        int(size) / (MIB if sys.platform == "darwin" else 1024),
    )


@pytest.fixture(scope="module")
def honest(tmp_path_factory):
    """Make certificates of each kind, and measure the memory that checking them takes."""
    folder, found, paths = tmp_path_factory.mktemp("honest"), {}, []
    for name, kind in (("pentominoes-3x20", "tree"), ("pentominoes-3x20", "lrat"), ("pentominoes-3x20", "tally")):
        path = folder / kind
        certify(make_case(build_instance(load_instance(name))), path, kind, Limits())
        paths.append(path)
        with ZipFile(path) as archive:
            members = {n: archive.read(n) for n in archive.namelist()}
        found[kind] = json.loads(members.pop("certificate.json")), members
    status, _, _, memory = checked_alone(*paths)
    assert status == 0
    return found, memory


def refused(paths, memory):
    """Assert that bombs are refused; return the reasons."""
    status, said, seconds, size = checked_alone(*paths)
    lines = said.splitlines()
    assert status == 1, said
    assert [line.split(": rejected: ")[0] for line in lines] == list(map(str, paths)), said
    assert seconds < SECONDS
    assert size < 2 * memory, f"{size:.0f} MiB, where honest ones take {memory:.0f}"
    return [line.split(": rejected: ")[1] for line in lines]


def stored(members):
    return [(name, data, ZIP_STORED, len(data)) for name, data in members.items()]


def test_small_files_that_unpack_to_gigabytes(honest, tmp_path):
    """The four bombs that were found, in their original sizes; none is unpacked."""
    found, memory = honest
    zeros = packed(bytes(64 * MIB), 63)
    size = 63 * 64 * MIB
    tree, lrat, tally = (found[kind] for kind in ("tree", "lrat", "tally"))
    objects = b"[" + b"{}," * (64 * MIB // 3)
    bombs = [
        as_zip(tmp_path / "objects", [("certificate.json", packed(objects, 4), ZIP_DEFLATED, 4 * len(objects))]),
        as_zip(tmp_path / "solutions", [words(tree[0]), ("solutions.bin", zeros, ZIP_DEFLATED, size), ("proof.tree", b"", 0, 0)]),
        as_zip(tmp_path / "tree", [words(tree[0]), *stored({"solutions.bin": b""}), ("proof.tree", zeros, ZIP_DEFLATED, size)]),
        as_zip(tmp_path / "dead", [words(tally[0]), *stored({n: d for n, d in tally[1].items() if "dead" not in n}),
                                   ("tally/dead", zeros, ZIP_DEFLATED, size)]),
        as_zip(tmp_path / "step", [words(lrat[0]), *stored({"solutions.bin": lrat[1]["solutions.bin"]}),
                                   ("proof.lrat", packed(b"999999 " + b"1 " * (32 * MIB), 1), ZIP_DEFLATED, 64 * MIB + 7)]),
    ]  # fmt: skip
    assert all(bomb.stat().st_size < 5 * MIB for bomb in bombs)
    reasons = refused(bombs, memory)
    assert all("unpacks from" in reason for reason in reasons), reasons


def test_sizes_that_are_not_true(honest, tmp_path):
    """The directory of the zip file states wrong sizes: small unpacked ones, or large packed ones."""
    found, memory = honest
    zeros, tree = packed(bytes(64 * MIB), 63), found["tree"]
    objects = packed(b"[" + b"{}," * (64 * MIB // 3), 1)
    lies = [
        as_zip(tmp_path / "objects", [("certificate.json", objects, ZIP_DEFLATED, 3 * MIB)]),
        as_zip(tmp_path / "solutions", [words(tree[0]), ("solutions.bin", zeros, ZIP_DEFLATED, 96), ("proof.tree", b"", 0, 0)]),
        as_zip(tmp_path / "tree", [words(tree[0]), *stored({"solutions.bin": tree[1]["solutions.bin"]}),
                                   ("proof.tree", zeros, ZIP_DEFLATED, 12232)]),
    ]  # fmt: skip
    shared = tmp_path / "shared"
    data = bytearray(as_zip(shared, [words(tree[0]), *stored(tree[1])]).read_bytes())
    at = data.index(b"PK\1\2")
    data[at + 20 : at + 28] = struct.pack("<II", len(data), len(data))  # a member as large as the whole file
    shared.write_bytes(data)
    assert "claimed" not in " ".join(refused([*lies, shared], memory))


def test_bombs_that_are_not_packed_too_well(honest, tmp_path):
    """Sixteen MiB of anything may be unpacked; then the content is refused at its first error."""
    found, memory = honest
    zeros, size = packed(bytes(MIB), 16), 16 * MIB
    tree, lrat, tally = (found[kind] for kind in ("tree", "lrat", "tally"))
    claim = {**tree[0], "claim": {"labelled": 1 << 40, "all": 1 << 40, "distinct": 1 << 40}}
    others = {n: d for n, d in tally[1].items() if "dead" not in n}
    cases = {
        "objects": [("certificate.json", *whole(b"[" + b"{}," * (5 * MIB)))],
        "numbers": [("certificate.json", *whole(b"[" + b"1," * (7 * MIB)))],
        "depth": [("certificate.json", *whole(b"[" * (8 * MIB)))],
        "text": [("certificate.json", *whole(b'"' + b"\\" * (15 * MIB)))],
        "solutions": [words(claim), ("solutions.bin", zeros, ZIP_DEFLATED, size - size % 24), ("proof.tree", b"", 0, 0)],
        "unclaimed": [words(tree[0]), ("solutions.bin", zeros, ZIP_DEFLATED, size - size % 24), ("proof.tree", b"", 0, 0)],
        "tree": [words(tree[0]), *stored({"solutions.bin": tree[1]["solutions.bin"]}), ("proof.tree", zeros, ZIP_DEFLATED, size)],
        "dead": [words(tally[0]), *stored(others), ("tally/dead", *whole(bytes(size)))],
        "level": [words(tally[0]), *stored({**tally[1], "tally/level.1": b""}), ("more", b"", 0, 0)],
        "level.1": [words(tally[0]), *stored({n: d for n, d in tally[1].items() if n != "tally/level.1"}),
                    ("tally/level.1", *whole(bytes(size)))],
        "step": [words(lrat[0]), *stored({"solutions.bin": lrat[1]["solutions.bin"]}),
                 ("proof.lrat", *whole(b"999999999 " + b"1 " * (8 * MIB - 8)))],
        "blanks": [words(lrat[0]), *stored({"solutions.bin": lrat[1]["solutions.bin"]}), ("proof.lrat", *whole(b" " * size))],
        "comment": [words(lrat[0]), *stored({"solutions.bin": lrat[1]["solutions.bin"]}), ("proof.lrat", *whole(b"c" * size))],
        "digits": [words(lrat[0]), *stored({"solutions.bin": lrat[1]["solutions.bin"]}), ("proof.lrat", *whole(b"0" * size))],
    }  # fmt: skip
    reasons = dict(zip(cases, refused([as_zip(tmp_path / name, members) for name, members in cases.items()], memory), strict=True))
    for name, reason in {
        "objects": "more than 1,048,576 values", "numbers": "more than 1,048,576 values", "depth": "values", "text": "not JSON",
        "solutions": "two placements overlap", "unclaimed": "more than the 8 that are claimed", "tree": "tree: ",
        "dead": "state 1 twice", "level": "has no 'more'", "level.1": "the most that can follow", "step": "more numbers than",
        "blanks": "does not come", "comment": "does not come", "digits": "not written as it should be",
    }.items():  # fmt: skip
        assert reason in reasons[name], (name, reasons[name])


def whole(data):
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    return packer.compress(data) + packer.flush(), ZIP_DEFLATED, len(data), zlib.crc32(data)


@pytest.mark.slow
def test_statements_that_are_small_and_much_work(honest, tmp_path):
    """A statement of a few hundred kilobytes that would take hours to process."""
    found, memory = honest
    tree = found["tree"]

    def changed(change):
        said = deepcopy(tree[0])
        said["kept"], said["removals"] = None, []
        change(said, said["puzzle"])
        return said

    def board(said, puzzle):
        puzzle["required"] = [[x, y, 0] for x in range(150) for y in range(150)]
        puzzle["tiles"][0]["atoms"] = [[x, y, 0] for x in range(75) for y in range(149)]

    def cells(said, puzzle):
        puzzle["atoms"] = [
            {"name": f"{i}", "kind": "face", "vertices": [[f"{i}/200", "0"], [f"{i + 1}/200", "0"], [f"{i}/200", f"{1 + (i > 198)}/2"]]}
            for i in range(200)
        ]  # all except one are equal, so each wrong translation is found at the last one
        puzzle["symmetries"] = [{"name": "n", "matrix": [[1, 0], [0, 1]], "image": list(range(200)), "shift": [[0, 0]] * 200}]

    def oblique(said, puzzle):
        puzzle["gram"] = [["1", "10000"], ["10000", "100000001"]]
        puzzle["symmetries"] = puzzle["symmetries"][:1]

    def weights(said, puzzle):
        atoms = len(puzzle["required"])
        said |= {"kind": "weighting", "weighting": {"weights": [[i, 1 << i] for i in range(atoms)], "modulus": 0}}
        for key in ("record_bytes", "solution_width", "solution_bytes"):
            del said[key]

    def single(side, said, puzzle):
        puzzle["required"] = [[x, y, 0] for x in range(side) for y in range(side)]
        puzzle["tiles"] = [{**puzzle["tiles"][0], "atoms": [[0, 0, 0]], "ranges": [[0, None]]}]
        said["claim"] = {"labelled": None, "all": 0, "distinct": 0}

    def wide(said, puzzle):
        single(300, said, puzzle)  # three tables of 90,000 items times 90,000 options

    def areas(said, puzzle):
        single(100, said, puzzle)
        said |= {"kind": "tally", "tally": {"order": list(range(10_000)), "links": [], "levels": 1}}
        for key in ("record_bytes", "solution_width", "solution_bytes"):
            del said[key]

    def removed(said, puzzle):
        said["removals"] = [[0, 1]] * 200_000

    def named(said, puzzle):
        said["kept"] = {"tile": 0, "placements": [0], "symmetries": [0] * 300_000}

    changes = (board, cells, oblique, weights, wide, areas, removed, named)
    paths = []
    for change in changes:
        said = changed(change)
        members = {weights: {}, areas: {"tally/dead": b"", "tally/level.0": bytes(8)}}.get(change, tree[1])
        paths.append(as_zip(tmp_path / change.__name__, [words(said), *stored(members)]))
    source = tmp_path / "cards.toml"
    source.write_text(CARDS, encoding="utf-8")
    certify(make_case(build_instance(load_instance(source))), tmp_path / "cards", "tree", Limits())
    with ZipFile(tmp_path / "cards") as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    said = json.loads(members.pop("certificate.json"))
    for name, change in {
        "pieces": lambda p: p["tiles"][0].update(ranges=[[0, 1000]] * 20_000),
        "marks": lambda p: p.update(
            mates=dict.fromkeys((f"m{i}" for i in range(40)), None),
            tiles=[{**p["tiles"][0], "name": f"m{i}", "marks": [[p["tiles"][0]["marks"][0][0], [1, 1, 0], f"m{i}"]]} for i in range(40)],
        ),
    }.items():
        new = deepcopy(said)
        change(new["puzzle"])
        paths.append(as_zip(tmp_path / name, [words(new), *stored(members)]))
    reasons = dict(zip((path.name for path in paths), refused(paths, memory), strict=True))
    for name, reason in {
        "board": "too many to look for", "cells": "among 1", "oblique": "too oblique", "weights": "too many",
        "wide": "too many together", "areas": "not made of whole states",
        "removed": "removals: ", "named": "is listed twice", "pieces": "too many pieces", "marks": "",
    }.items():  # fmt: skip
        assert reason in reasons[name], (name, reasons[name])


CARDS = """title = "Cards that all look alike"
grid = "square-marks"
flips = false
[marks]
dot = { kind = "self" }
[tiles.A]
around = ["dot", "dot", "dot", "dot"]
copies = "any"
[form]
box = [8, 8]
"""


def test_long_files_of_nothing(honest, tmp_path):
    """Uncompressed files may be long; reading stops at the first error. The file is sparse, so it uses no disk space."""
    found, memory = honest
    kinds = {"tree": "proof.tree", "lrat": "proof.lrat"}
    paths = []
    for kind, part in kinds.items():
        said, members = found[kind]
        path = as_zip(tmp_path / kind, [words(said), *stored({"solutions.bin": members["solutions.bin"]}), (part, b"", ZIP_STORED, 0)])
        size, data = 2048 * MIB, path.read_bytes()
        directory = data.index(b"PK\1\2")
        entry = data.rindex(b"PK\1\2")
        end = bytearray(data[directory:])
        end[entry - directory + 20 : entry - directory + 28] = struct.pack("<II", size, size)
        end[-6:-2] = struct.pack("<I", directory + size)
        with path.open("r+b") as file:
            file.truncate(directory)
            file.seek(directory + size)
            file.write(end)
        paths.append(path)
    assert [reason.split(":")[0].split(" ")[0] for reason in refused(paths, memory)] == ["tree", "LRAT"]


def test_a_step_is_read_once(tmp_path):
    """A step of millions of numbers arrives in many small pieces; reading it again for each piece would take half an hour."""
    number = 600_000
    clauses = make_clauses([*([v] for v in range(1, number + 1)), [-v for v in range(1, number + 1)]], number)
    proof = f"{number + 2} 0 {' '.join(map(str, range(1, number + 2)))} 0\n".encode()
    began = process_time()
    assert check_lrat(clauses, BytesIO(proof), chunk=1000).added == 1
    binary = BytesIO()
    convert(BytesIO(proof), binary, binary=True)
    assert check_lrat(clauses, BytesIO(binary.getvalue()), chunk=1000).added == 1
    assert process_time() - began < SECONDS
    with pytest.raises(Rejected, match="more numbers than"):
        check_lrat(make_clauses([[1], [-1]], 1), BytesIO(b"3 " + b"1 " * 100_000))


def test_what_packs_too_well_is_stored(tmp_path, monkeypatch):
    """The writer makes sure that the checker accepts the compression ratio."""
    monkeypatch.setattr(reading, "ALWAYS", 300)
    monkeypatch.setattr(reading, "RATIO", 1)
    path = tmp_path / "some.proof"
    certify(make_case(build_instance(load_instance("dominoes-4x4"))), path, "tree", Limits())
    assert check_certificate(path).counts.all == 36
    with ZipFile(path) as archive:
        assert {m.compress_type for m in archive.infolist()} == {ZIP_STORED, ZIP_DEFLATED}
    with monkeypatch.context() as maker:
        maker.setattr(reading.CertificateFile, "may_hold", lambda member: True)
        certify(make_case(build_instance(load_instance("dominoes-4x4"))), path, "tree", Limits())
    with pytest.raises(Rejected, match="unpacks from"):
        check_certificate(path)


def test_a_clause_store_is_bounded():
    """Clauses that follow from one another and are never deleted: a few megabytes packed would become gigabytes."""
    wide = " ".join(map(str, range(1, 2001)))
    proof = "".join(f"{i} {wide} 0 1 0\n" for i in range(2, 20_000)).encode()
    clauses = make_clauses([[1]], 2000)
    with pytest.raises(Rejected, match="that were not deleted"):
        check_lrat(clauses, BytesIO(proof))
