"""Single machine instructions on 64-bit words, for code compiled by numba."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic


def _popcount(_typing: Any, _word: Any) -> Any:
    """Number of 1 bits of a 64-bit word."""

    def code(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return types.uint64(types.uint64), code


def _lowest_bit(_typing: Any, _word: Any) -> Any:
    """Index of the lowest 1 bit of a 64-bit word that is not 0."""

    def code(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 1))

    return types.uint64(types.uint64), code


def _highest_bit(_typing: Any, _word: Any) -> Any:
    """1 + index of the highest 1 bit of a 64-bit word; 0 for 0."""

    def code(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        zeros = builder.ctlz(args[0], ir.Constant(ir.IntType(1), 0))
        return builder.sub(ir.Constant(ir.IntType(64), 64), zeros)

    return types.uint64(types.uint64), code


popcount: Any = intrinsic(_popcount)
lowest_bit: Any = intrinsic(_lowest_bit)
highest_bit: Any = intrinsic(_highest_bit)
