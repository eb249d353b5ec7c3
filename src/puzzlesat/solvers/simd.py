"""Eight 64-bit words at a time, for compiled code.

LLVM maps the eight lanes to the registers of the processor: one of AVX-512, two of AVX2, four of SSE or NEON. The lanes are explicit
because loops over a few hundred words, left to the vectoriser, spend more time in their scalar remainders than in their bodies.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np

from puzzlesat.base import Words
from puzzlesat.kernels import Instruction

LANES = 8

_BYTES = 8 * LANES


def aligned_zeros(words: int) -> Words:
    """Return words that are all 0, aligned so that no group of eight crosses a cache line."""
    raw = np.zeros(8 * words + _BYTES, dtype=np.uint8)
    offset = -raw.ctypes.data % _BYTES
    return raw[offset : offset + 8 * words].view(np.uint64)


def aligned(words: Words) -> Words:
    """Return a copy of some words with this alignment."""
    copy = aligned_zeros(len(words))
    copy[:] = words
    return copy


class Types(NamedTuple):
    """The types of a word and of eight words, in numba and in LLVM."""

    word: Any
    lanes: Any  # exists in registers only
    index: Any
    nothing: Any
    llvm_word: Any
    llvm_lanes: Any


@cache
def lane_types() -> Types:
    """Register the type of eight words with numba, and return all types."""
    from llvmlite import ir
    from numba import types
    from numba.core.datamodel.models import PrimitiveModel
    from numba.extending import register_model

    class Lanes(types.Type):
        def __init__(self) -> None:
            super().__init__(name="Lanes")

    word = ir.IntType(64)
    vector = ir.VectorType(word, LANES)

    @register_model(Lanes)
    class Model(PrimitiveModel):
        def __init__(self, manager: Any, numba_type: Any) -> None:
            super().__init__(manager, numba_type, vector)  # type: ignore[no-untyped-call]

    return Types(types.uint64, Lanes(), types.int64, types.void, word, vector)


def _address(context: Any, builder: Any, array_type: Any, array: Any, index: Any) -> Any:
    data = context.make_array(array_type)(context, builder, value=array).data
    return builder.bitcast(builder.gep(data, [index]), lane_types().llvm_lanes.as_pointer())


def _llvm(builder: Any, name: str, result: Any, *arguments: Any) -> Any:
    """Call an LLVM intrinsic."""
    from llvmlite import ir

    function_type = ir.FunctionType(result, [a.type for a in arguments])
    function = builder.module.globals.get(name) or ir.Function(builder.module, function_type, name)
    return builder.call(function, arguments)


def _spread(builder: Any, word: Any) -> Any:
    from llvmlite import ir

    number = ir.IntType(32)
    one = builder.insert_element(ir.Constant(lane_types().llvm_lanes, ir.Undefined), word, ir.Constant(number, 0))
    return builder.shuffle_vector(one, one, ir.Constant(ir.VectorType(number, LANES), [0] * LANES))


@Instruction
def load(_typing: Any, array: Any, index: Any) -> Any:
    """Load eight words of an array from an index on."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.load(_address(context, builder, signature.args[0], *args), align=8)

    return lane_types().lanes(array, lane_types().index), code


@Instruction
def store(_typing: Any, array: Any, index: Any, value: Any) -> Any:
    """Store eight words in an array from an index on."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        builder.store(args[2], _address(context, builder, signature.args[0], args[0], args[1]), align=8)
        return context.get_dummy_value()

    return lane_types().nothing(array, lane_types().index, lane_types().lanes), code


@Instruction
def spread(_typing: Any, word: Any) -> Any:
    """Repeat a word eight times."""

    def code(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return _spread(builder, args[0])

    return lane_types().lanes(lane_types().index), code


@Instruction
def both(_typing: Any, one: Any, other: Any) -> Any:
    """Return the bitwise and of two groups of eight words."""

    def code(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return builder.and_(*args)

    return lane_types().lanes(lane_types().lanes, lane_types().lanes), code


@Instruction
def plus(_typing: Any, one: Any, other: Any) -> Any:
    """Return the eight sums."""

    def code(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return builder.add(*args)

    return lane_types().lanes(lane_types().lanes, lane_types().lanes), code


@Instruction
def shifted(_typing: Any, value: Any, by: Any) -> Any:
    """Shift each word left by ``by`` bits."""

    def code(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return builder.shl(args[0], _spread(builder, args[1]))

    return lane_types().lanes(lane_types().lanes, lane_types().index), code


@Instruction
def counts(_typing: Any, value: Any) -> Any:
    """Count the 1 bits of each word."""

    def code(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return _llvm(builder, f"llvm.ctpop.v{LANES}i64", lane_types().llvm_lanes, args[0])

    return lane_types().lanes(lane_types().lanes), code


@Instruction
def smaller(_typing: Any, one: Any, other: Any) -> Any:
    """Return the smaller of two unsigned words, in each lane."""

    def code(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return _llvm(builder, f"llvm.umin.v{LANES}i64", lane_types().llvm_lanes, *args)

    return lane_types().lanes(lane_types().lanes, lane_types().lanes), code


@Instruction
def smallest(_typing: Any, value: Any) -> Any:
    """Return the smallest of the eight unsigned words."""

    def code(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return _llvm(builder, f"llvm.vector.reduce.umin.v{LANES}i64", lane_types().llvm_word, args[0])

    return lane_types().word(lane_types().lanes), code


@Instruction
def which(_typing: Any, value: Any) -> Any:
    """Return a word with a bit for each of the eight words that is not 0."""
    from llvmlite import ir

    def code(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        differ = builder.icmp_unsigned("!=", args[0], ir.Constant(lane_types().llvm_lanes, [0] * LANES))
        return builder.zext(builder.bitcast(differ, ir.IntType(LANES)), lane_types().llvm_word)

    return lane_types().word(lane_types().lanes), code
