"""The kinds of arrays that go from stage to stage, each with one name."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Flags = NDArray[np.bool_]
Bits = NDArray[np.uint8]
"""Eight options, or atoms, a byte, the first in the lowest bit."""
Words = NDArray[np.uint64]
"""Sixty-four a word."""
Ints = NDArray[np.int32]
Longs = NDArray[np.int64]
Reals = NDArray[np.float64]
Rows = NDArray[np.int32]
"""Solutions: array (solutions, width) of option numbers, ascending in each row, padded with -1 at its end."""
