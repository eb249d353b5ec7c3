"""Machine instructions on memory for kernels. Each function gives numba its types and its LLVM code, and imports numba only then."""

from __future__ import annotations

from typing import Any

from puzzlesat.kernels import Instruction


@Instruction
def prefetch(_typing: Any, array: Any, _index: Any) -> Any:
    """Prefetch a row of a table of two columns of 64-bit words."""
    from llvmlite import ir
    from numba import types

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


@Instruction
def get(_typing: Any, array: Any, _index: Any) -> Any:
    """Return an entry of a contiguous array by its offset in memory. The index is not checked, and counts from the front."""
    from numba import types

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, value=args[0]).data
        return builder.load(builder.gep(data, [args[1]]))

    return array.dtype(array, types.int64), code


@Instruction
def put(_typing: Any, array: Any, _index: Any, _value: Any) -> Any:
    """Write an entry of a contiguous array, with an unchecked index like ``get``."""
    from numba import types

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, value=args[0]).data
        builder.store(args[2], builder.gep(data, [args[1]]))
        return context.get_dummy_value()

    return types.void(array, types.int64, array.dtype), code
