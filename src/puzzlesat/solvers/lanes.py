"""Eight 64-bit words at a time, for compiled code.

LLVM lays eight lanes out for whatever the processor has: one register of AVX-512, two of AVX2, four of SSE or NEON. Written out
because loops over a few hundred words, left to the vectoriser, spend more time in their scalar remainders than in their bodies.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core.datamodel.models import PrimitiveModel
from numba.extending import intrinsic, register_model

from puzzlesat.arrays import Words

LANES = 8

_WORD = ir.IntType(64)
_VECTOR = ir.VectorType(_WORD, LANES)
_BYTES = 8 * LANES


def aligned_zeros(words: int) -> Words:
    """Return so many words, all 0, of which none of the groups of eight is spread over two cache lines."""
    raw = np.zeros(8 * words + _BYTES, dtype=np.uint8)
    offset = -raw.ctypes.data % _BYTES
    return raw[offset : offset + 8 * words].view(np.uint64)


def aligned(words: Words) -> Words:
    """Return a copy of some words that lies like that."""
    copy = aligned_zeros(len(words))
    copy[:] = words
    return copy


class Lanes(types.Type):
    """The type of eight words in compiled code; it exists in registers only."""

    def __init__(self) -> None:
        super().__init__(name="Lanes")


LANES_TYPE = Lanes()


@register_model(Lanes)
class _LanesModel(PrimitiveModel):
    def __init__(self, manager: Any, numba_type: Any) -> None:
        super().__init__(manager, numba_type, _VECTOR)  # type: ignore[no-untyped-call]


def _address(context: Any, builder: Any, array_type: Any, array: Any, index: Any) -> Any:
    data = context.make_array(array_type)(context, builder, value=array).data
    return builder.bitcast(builder.gep(data, [index]), _VECTOR.as_pointer())


def _llvm(builder: Any, name: str, result: Any, *arguments: Any) -> Any:
    """Call an LLVM intrinsic."""
    function_type = ir.FunctionType(result, [a.type for a in arguments])
    function = builder.module.globals.get(name) or ir.Function(builder.module, function_type, name)
    return builder.call(function, arguments)


def _spread(builder: Any, word: Any) -> Any:
    one = builder.insert_element(ir.Constant(_VECTOR, ir.Undefined), word, ir.Constant(ir.IntType(32), 0))
    zeros = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
    return builder.shuffle_vector(one, one, zeros)


def _load(_typing: Any, array: Any, index: Any) -> Any:
    """The eight words of an array from an index on."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.load(_address(context, builder, signature.args[0], *args), align=8)

    return LANES_TYPE(array, types.int64), code


def _store(_typing: Any, array: Any, index: Any, value: Any) -> Any:
    """Write eight words into an array from an index on."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        builder.store(args[2], _address(context, builder, signature.args[0], args[0], args[1]), align=8)
        return context.get_dummy_value()

    return types.void(array, types.int64, LANES_TYPE), code


def _all(_typing: Any, word: Any) -> Any:
    """The same word eight times."""

    def code(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return _spread(builder, args[0])

    return LANES_TYPE(types.int64), code


def _both(_typing: Any, one: Any, other: Any) -> Any:
    """The bits in both."""

    def code(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return builder.and_(*args)

    return LANES_TYPE(LANES_TYPE, LANES_TYPE), code


def _plus(_typing: Any, one: Any, other: Any) -> Any:
    """The sums."""

    def code(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return builder.add(*args)

    return LANES_TYPE(LANES_TYPE, LANES_TYPE), code


def _shifted(_typing: Any, value: Any, by: Any) -> Any:
    """Each word moved up by so many bits."""

    def code(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return builder.shl(args[0], _spread(builder, args[1]))

    return LANES_TYPE(LANES_TYPE, types.int64), code


def _counts(_typing: Any, value: Any) -> Any:
    """The numbers of 1 bits."""

    def code(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return _llvm(builder, f"llvm.ctpop.v{LANES}i64", _VECTOR, args[0])

    return LANES_TYPE(LANES_TYPE), code


def _smaller(_typing: Any, one: Any, other: Any) -> Any:
    """The smaller of two unsigned words, eight times."""

    def code(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return _llvm(builder, f"llvm.umin.v{LANES}i64", _VECTOR, *args)

    return LANES_TYPE(LANES_TYPE, LANES_TYPE), code


def _smallest(_typing: Any, value: Any) -> Any:
    """The smallest of the eight unsigned words."""

    def code(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return _llvm(builder, f"llvm.vector.reduce.umin.v{LANES}i64", _WORD, args[0])

    return types.uint64(LANES_TYPE), code


def _which(_typing: Any, value: Any) -> Any:
    """A bit for each of the eight words that is not 0."""

    def code(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        differ = builder.icmp_unsigned("!=", args[0], ir.Constant(_VECTOR, [0] * LANES))
        return builder.zext(builder.bitcast(differ, ir.IntType(LANES)), _WORD)

    return types.uint64(LANES_TYPE), code


load: Any = intrinsic(_load)
store: Any = intrinsic(_store)
spread: Any = intrinsic(_all)
both: Any = intrinsic(_both)
plus: Any = intrinsic(_plus)
shifted: Any = intrinsic(_shifted)
counts: Any = intrinsic(_counts)
smaller: Any = intrinsic(_smaller)
smallest: Any = intrinsic(_smallest)
which: Any = intrinsic(_which)
