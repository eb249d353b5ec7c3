"""Certificates that somebody wrote with ill intent, or that a disk has spoilt: each of these once passed, crashed or hung."""

import json
from zipfile import ZIP_BZIP2, ZIP_DEFLATED, ZipFile

import pytest

from puzzlesat.check.certificate import check_certificate
from puzzlesat.check.puzzle import faces_of, read_puzzle
from puzzlesat.check.rejected import Rejected
from puzzlesat.cli.bounds import Bounds
from puzzlesat.cli.verify import run_verify
from puzzlesat.cover.instance import build_instance
from puzzlesat.proof.case import make_case
from puzzlesat.proof.certify import certify
from puzzlesat.puzzle.load import load_instance
from puzzlesat.solvers.run import Limits
from tiers import of_which


@pytest.fixture(params=of_which(["pentominoes-3x20", "dominoes-4x4"], "dominoes-4x4"))
def certificate(request, tmp_path):
    path = tmp_path / "right"
    certify(make_case(build_instance(load_instance(request.param))), path, "tree", Limits())
    return path


def changed(path, change, packing=ZIP_DEFLATED):
    """The certificate with what it says changed."""
    target = path.with_name("changed")
    with ZipFile(path) as source, ZipFile(target, "w", packing) as archive:
        for name in source.namelist():
            data = source.read(name)
            if name == "certificate.json":
                said = json.loads(data)
                change(said)
                data = json.dumps(said).encode()
            archive.writestr(name, data)
    return target


def test_true_is_not_one(certificate, capsys):
    def change(said):
        said["puzzle"]["mirrored"] = 1

    path = changed(certificate, change)
    with pytest.raises(Rejected, match="mirrored is true or false"):
        check_certificate(path)
    assert run_verify([path], Bounds(), instance=None, as_json=False) == 1


def test_symmetries_must_be_all_of_a_group(certificate):
    def change(said):
        said["kept"] = None
        for tile in said["puzzle"]["tiles"]:
            tile["symmetries"] = [0]
        said["puzzle"]["symmetries"] = [said["puzzle"]["symmetries"][i] for i in (0, 1)]  # a quarter turn without its powers

    with pytest.raises(Rejected):
        check_certificate(changed(certificate, change))


@pytest.mark.parametrize("change", [
    lambda p: p["symmetries"][1].update(image=[-1]),
    lambda p: p["tiles"][0].update(symmetries=[-1]),
    lambda p: p["atoms"][0].update(vertices=[]),
    lambda p: p.update(gram=[["1e999999999", "0"], ["0", "1"]]),
    lambda p: p.update(gram=[["1"] * 12] * 12),
    lambda p: p["tiles"][0].update(name="x\nother: accepted"),
    lambda p: p["rules"].append({"name": "x\nother: accepted", "atoms": [], "tiles": {t["name"]: 0 for t in p["tiles"]},
                                 "low": 0, "high": 0, "modulus": 0, "residue": 0}),
    lambda p: p["tiles"][0].update(ranges=[[8, 100_000_000]]),
    lambda p: p["tiles"][0].update(ranges=[[1_000_000_000, None]]),
    pytest.param(lambda p: p.update(required=[[x, y, 0] for x in range(400) for y in range(400)]), marks=pytest.mark.full),
])  # fmt: skip
def test_nonsense_is_refused_at_once(certificate, change):
    with pytest.raises(Rejected):
        check_certificate(changed(certificate, lambda said: change(said["puzzle"])))


def test_packings_that_are_not_ours_are_refused(certificate):
    with pytest.raises(Rejected, match="packed"):
        check_certificate(changed(certificate, lambda said: None, ZIP_BZIP2))


def test_spoilt_headers_are_rejected_and_do_not_keep_other_files_from_being_checked(certificate, capsys):
    data = bytearray(certificate.read_bytes())
    spoilt = []
    for position in range(len(data) - 200, len(data), 3):
        copy = bytearray(data)
        copy[position] ^= 0x81
        path = certificate.with_name(f"spoilt-{position}")
        path.write_bytes(copy)
        spoilt.append(path)
    assert run_verify([*spoilt, certificate], Bounds(), instance=None, as_json=False) in (0, 1)
    assert f"{certificate}: accepted" in capsys.readouterr().out


def test_faces_are_found_wherever_the_unit_cell_has_its_atoms():
    said = make_case(build_instance(load_instance("absolut-knifflig"))).stated
    near = read_puzzle(said)
    for atom in said["atoms"]:
        atom["vertices"] = [
            [f"{2 * 7 + int(x.split('/')[0])}/2" if x.endswith("/2") else str(7 + int(x)) for x in v] for v in atom["vertices"]
        ]
    far = read_puzzle(said)
    sides = {side for tile in near.tiles for side, _, _ in tile.look[1]}
    assert sides
    for side in sides:
        assert faces_of(far.grid, side) == faces_of(near.grid, side) != frozenset()
