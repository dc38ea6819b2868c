"""Arrays handed to a game's functions without counting references.

A compiled function counts a reference to every array it is given, with two locked instructions each; measured on 4x4
k=4, that was a third of the time of expanding a state.
"""

from __future__ import annotations

import numba
from numba.extending import intrinsic

from analysis.engine.kernels.types import inlined


@intrinsic
def _without_owner(typing_context, array):
    def generate(context, builder, signature, arguments):
        view = context.make_array(signature.args[0])(context, builder, arguments[0])
        view.meminfo = context.get_constant_null(numba.types.voidptr)
        return view._getvalue()

    return array(array), generate


if numba.config.DISABLE_JIT:

    def borrowed(array):
        """The array itself."""
        return array

else:

    @inlined
    def borrowed(array):
        """A view that does not keep the array alive: what borrows it returns by `keep_alive`."""
        return _without_owner(array)


@inlined
def keep_alive(answer, array):
    """The answer, after the last use of what was borrowed."""
    return answer + 0 * len(array)
