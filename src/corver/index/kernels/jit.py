"""How every kernel is compiled: without the GIL, without Python objects, with a disk cache only where that is safe.

In: nothing. Out: `jit`, the decorator of all kernels, and the intrinsics that read raw memory. A kernel that takes an
address trusts its caller: whoever passes it has checked that the bytes are there. This module knows no data layout.
"""

from __future__ import annotations

import hashlib
import os
import stat
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from llvmlite.binding import get_host_cpu_features  # type: ignore[import-untyped]
from numba import njit, types
from numba.core.caching import FunctionCache
from numba.extending import intrinsic

__all__ = [
    "allocating",
    "bit_length",
    "inlined",
    "jit",
    "load8",
    "load32",
    "load64",
    "popcount",
    "select64",
    "store8",
    "store64",
    "trailing_zeros",
]


def _cache_is_safe() -> bool:
    """numba unpickles what it finds in its cache: only use one that nobody but this user or root can write to."""
    folder = Path(__file__).parent
    cache = folder / "__pycache__"
    place = cache if cache.is_dir() else folder
    if not os.access(place, os.W_OK):
        return False
    state = place.stat()
    foreign_writers = state.st_mode & (stat.S_IWOTH | (stat.S_IWGRP if state.st_gid != os.getgid() else 0))
    return state.st_uid in (0, os.getuid()) and not foreign_writers


def _source_digest() -> str:
    """A hash of all kernel sources: a cached caller has its callees inlined, so one changed file outdates all."""
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()


Array: TypeAlias = Any
"""An array, or a tuple of arrays or numbers, inside a kernel: shapes and types stand in the docstring."""

Int: TypeAlias = Any
"""A number inside a kernel, mostly int64: the compiler decides."""

_CACHE = _cache_is_safe()
_DIGEST = _source_digest()


class _KernelCache(FunctionCache):
    """numba's disk cache, keyed by the sources of all kernels as well."""

    def _index_key(self, sig: Any, codegen: Any) -> Any:
        return (*super()._index_key(sig, codegen), _DIGEST)


def _compiled(function: Any, **options: bool) -> Any:
    dispatcher = njit(nogil=True, error_model="numpy", boundscheck=False, **options)(function)
    if _CACHE:
        dispatcher._cache = _KernelCache(function)
    return dispatcher


def jit(function: Any) -> Any:
    """Compile on first use; cached on disk where `_cache_is_safe`.

    The kernel allocates nothing (it would not compile): numba then counts no references, which took a fifth of the time
    of a query, two atomic additions for each array that is passed on.
    """
    return _compiled(function, _nrt=False)


def inlined(function: Any) -> Any:
    """`jit` for a small kernel: its body replaces every call, since an array is passed as seven numbers."""
    return _compiled(function, _nrt=False, forceinline=True)


def allocating(function: Any) -> Any:
    """`jit` for a kernel that makes arrays of its own."""
    return _compiled(function)


def _load(bits: int, result: Any) -> Any:
    def build(typingctx: Any, address: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            kind = ir.IntType(bits)
            pointer = builder.inttoptr(args[0], kind.as_pointer())
            value = builder.load(pointer)
            value.align = 1
            return value if bits == 64 else builder.zext(value, ir.IntType(64))

        return result(types.int64), codegen

    return intrinsic(build)


load8 = _load(8, types.int64)
load32 = _load(32, types.int64)
load64 = _load(64, types.uint64)


@intrinsic
def store64(typingctx: Any, address: Any, value: Any) -> Any:
    """Write a little-endian 64-bit word at an address of any alignment."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pointer = builder.inttoptr(args[0], ir.IntType(64).as_pointer())
        stored = builder.store(args[1], pointer)
        stored.align = 1
        return context.get_dummy_value()

    return types.void(types.int64, types.uint64), codegen


@intrinsic
def store8(typingctx: Any, address: Any, value: Any) -> Any:
    """Write one byte at an address."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        byte = ir.IntType(8)
        builder.store(builder.trunc(args[1], byte), builder.inttoptr(args[0], byte.as_pointer()))
        return context.get_dummy_value()

    return types.void(types.int64, types.uint64), codegen


@intrinsic
def popcount(typingctx: Any, value: Any) -> Any:
    """Number of one bits of a uint64."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return types.int64(types.uint64), codegen


@intrinsic
def trailing_zeros(typingctx: Any, value: Any) -> Any:
    """Index of the lowest one bit of a uint64; 64 for 0."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 0))

    return types.int64(types.uint64), codegen


@intrinsic
def _leading_zeros(typingctx: Any, value: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.ctlz(args[0], ir.Constant(ir.IntType(1), 0))

    return types.int64(types.uint64), codegen


_HAS_PDEP = bool(get_host_cpu_features().get("bmi2", False))


@intrinsic
def _deposit(typingctx: Any, source: Any, mask: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        word = ir.IntType(64)
        function = builder.module.declare_intrinsic("llvm.x86.bmi.pdep.64", (), ir.FunctionType(word, [word, word]))
        return builder.call(function, args)

    return types.uint64(types.uint64, types.uint64), codegen


if _HAS_PDEP:

    @jit
    def select64(word: Any, k: Any) -> Any:
        """Index of the k-th one bit (from 0) of a uint64 that has more than k of them."""
        return trailing_zeros(_deposit(np.uint64(1) << np.uint64(k), word))

else:

    @jit
    def select64(word: Any, k: Any) -> Any:
        """Index of the k-th one bit (from 0) of a uint64 that has more than k of them."""
        for _ in range(k):
            word &= word - np.uint64(1)
        return trailing_zeros(word)


@jit
def bit_length(value: Int) -> Any:
    """Bits needed to write a number; 0 for 0."""
    return 64 - _leading_zeros(value)
