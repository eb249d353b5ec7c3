"""The kinds of arrays of the checker, each with one name."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Flags = NDArray[np.bool_]
Bytes = NDArray[np.uint8]
Words = NDArray[np.uint64]
"""Sets: sixty-four members a word."""
Ints = NDArray[np.int32]
Longs = NDArray[np.int64]
Rows = NDArray[np.int32]
"""Solutions: array (solutions, width) of option numbers, ascending in each row, padded with -1 at its end."""
Permutation = NDArray[np.int64]
"""The option to which a symmetry takes each option."""
Records = NDArray[np.uint32]
"""A tree of search, node after node."""
