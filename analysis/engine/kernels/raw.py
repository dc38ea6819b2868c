"""Hand arrays to compiled functions without counting references: as borrowed views, or by their address.

A compiled function counts a reference to every array it is given, with two locked instructions each; on 4x4 k=4, that
was a third of the time of expanding a state. For recursive kernels even a view is large: it is seven words, an address
is one. Alpha-beta over 4x4 k=4 on one thread visited 46 M nodes/s with an array, 98 M with its address. Whoever hands
out an address keeps the array alive, and nothing checks bounds.
"""

from __future__ import annotations

import ctypes
from typing import Any

import numba
from llvmlite import ir

from .types import inlined as inlined


@numba.extending.intrinsic
def _without_owner(typing_context, array):
    """Return a view that does not keep the array alive; its borrower returns by `keep_alive`."""

    def generate(context, builder, signature, arguments):
        view = context.make_array(signature.args[0])(context, builder, arguments[0])
        view.meminfo = context.get_constant_null(numba.types.voidptr)
        return view._getvalue()

    return array(array), generate


@numba.extending.intrinsic
def _pointer(typing_context, address):
    """Return the int64 numbers at an address, to be indexed."""

    def generate(context, builder, signature, arguments):
        return builder.inttoptr(arguments[0], context.get_value_type(signature.return_type))

    return numba.types.CPointer(numba.types.int64)(numba.types.int64), generate


@numba.extending.intrinsic
def _prefetch(typing_context, array, place):
    """Bring an element of a contiguous array, by its place in memory, into the cache before it is needed."""

    def generate(context, builder, signature, arguments):
        view = context.make_array(signature.args[0])(context, builder, arguments[0])
        byte, number = ir.IntType(8).as_pointer(), ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [byte, number, number, number])
        touch = numba.core.cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0i8")
        address = builder.bitcast(builder.gep(view.data, [arguments[1]]), byte)
        builder.call(touch, [address, number(0), number(3), number(1)])
        return context.get_dummy_value()

    return numba.types.void(array, numba.types.int64), generate


if numba.config.DISABLE_JIT:

    def prefetch(array, place):
        """Do nothing."""

    def borrowed(array):
        """Return the array itself."""
        return array

    def memory(address: Any) -> Any:
        """Return the int64 numbers at an address, to be indexed."""
        return ctypes.cast(int(address), ctypes.POINTER(ctypes.c_int64))

else:
    prefetch = _prefetch
    borrowed = _without_owner
    memory = _pointer


@inlined
def array_at(address: Any, n: Any) -> Any:
    """Return the ``n`` int64 numbers at an address as an array that owns nothing."""
    return numba.carray(memory(address), (n,))


@inlined
def cube_at(address: Any, planes: Any, rows: Any, columns: Any) -> Any:
    """Return the int64 numbers at an address as a three-dimensional array that owns nothing."""
    return numba.carray(memory(address), (planes, rows, columns))


@inlined
def keep_alive(result, array):
    """Return ``result``; the array stays alive until here, while it was borrowed."""
    return result + 0 * len(array)
