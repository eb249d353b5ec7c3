"""How inner loops are compiled by numba, and single machine instructions for them."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic

from puzzlesat.solvers.kept import keep

_OPTIONS: Any = {"nogil": True, "no_cfunc_wrapper": True, "_nrt": False}
"""Arrays are not counted references here: nothing is allocated, and counting would cost more than the work itself. What is not needed is
not made: it takes time to compile."""
_INLINED: Any = {"forceinline": True, "no_cpython_wrapper": True}
part: Any = njit(**_INLINED, **_OPTIONS)
"""For functions that compiled functions are made of. LLVM inlines them, which compiles much faster than when numba does."""


def compiled(function: Any) -> Any:
    """Compile an inner loop, in which nothing is allocated; the code is kept."""
    return keep(njit(**_OPTIONS)(function))


def allocating(function: Any) -> Any:
    """Compile a loop that makes arrays, which takes longer; the code is kept."""
    return keep(njit(**_OPTIONS | {"_nrt": True})(function))


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


def _prefetch(_typing: Any, array: Any, _index: Any) -> Any:
    """Ask for a row of a table of two columns of 64-bit words to be brought near the processor."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, value=args[0]).data
        byte = ir.IntType(8).as_pointer()
        number = ir.IntType(32)
        function_type = ir.FunctionType(ir.VoidType(), [byte, number, number, number])
        name = "llvm.prefetch.p0i8"
        function = builder.module.globals.get(name) or ir.Function(builder.module, function_type, name)
        builder.call(
            function, [builder.bitcast(builder.gep(data, [builder.shl(args[1], args[1].type(1))]), byte), number(0), number(3), number(1)]
        )
        return context.get_dummy_value()

    return types.void(array, types.uint64), code


def _get(_typing: Any, array: Any, _index: Any) -> Any:
    """An entry of a contiguous array, by its place in memory; the index is not looked at, and counts from the front."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, value=args[0]).data
        return builder.load(builder.gep(data, [args[1]]))

    return array.dtype(array, types.int64), code


def _put(_typing: Any, array: Any, _index: Any, _value: Any) -> Any:
    """Write an entry of a contiguous array in the same way."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, value=args[0]).data
        builder.store(args[2], builder.gep(data, [args[1]]))
        return context.get_dummy_value()

    return types.void(array, types.int64, array.dtype), code


get: Any = intrinsic(_get)
put: Any = intrinsic(_put)
prefetch: Any = intrinsic(_prefetch)
popcount: Any = intrinsic(_popcount)
lowest_bit: Any = intrinsic(_lowest_bit)
highest_bit: Any = intrinsic(_highest_bit)
