"""The kinds of arrays that go from stage to stage, each with one name."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Flags = NDArray[np.bool_]
Bits = NDArray[np.uint8]
"""Eight options, or atoms, a byte, the first in the lowest bit."""
Bytes = NDArray[np.uint8]
"""Text, or small numbers, one a byte."""
Words = NDArray[np.uint64]
"""Sixty-four a word."""
Shorts = NDArray[np.int16]
Ints = NDArray[np.int32]
Longs = NDArray[np.int64]
Reals = NDArray[np.float64]
Rows = NDArray[np.int32]
"""Solutions: array (solutions, width) of option numbers, ascending in each row, padded with -1 at its end."""
Owners = NDArray[np.int8]
"""Assemblies of a burr: array (assemblies, cubes), the rod that owns each shared cube, in the order of the burr; -1: a hole."""
Permutation = NDArray[np.int64]
"""The option to which a symmetry takes each option."""
Records = NDArray[np.uint32]
"""What a tree of search wrote down, node after node."""
