#!/usr/bin/env python3
"""``unpack.py CERTIFICATE FILE``: a certificate as what ``puzzlesat-verified`` reads, by Python and its standard library alone.

The work is done by the module of puzzlesat that ``puzzlesat verify --verified`` uses; it is run as it lies there, for puzzlesat and its
libraries need not be installed.
"""

from pathlib import Path
from runpy import run_path

_there = run_path(str(Path(__file__).resolve().parents[1] / "src/puzzlesat/proofs/plain_text.py"))
unpacked = _there["unpacked"]

if __name__ == "__main__":
    _there["main"]()
