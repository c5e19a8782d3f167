# SPDX-License-Identifier: GPL-3.0-or-later
"""Kernels: machine code from a library, or compiled by numba and kept on disk, or plain Python where both are missing.

A library that was compiled ahead of time comes first, if it fits these sources (`library.loader`); numba is not
imported then. What numba compiles holds the code of callees in other files, so it is named after all sources that an
entry's file imports, and those that these import (`machine_code.EntryCache`).
"""

import ctypes
import functools
import os
import sys
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path

from .library import loader

_library, _misfit = loader.load()
if _misfit:
    warnings.warn(_misfit, RuntimeWarning, stacklevel=2)

try:
    if _library is not None:
        raise ImportError("numba is not needed")
    import numba
    import numba.extending
    from llvmlite import ir
    from numba.core import types
    from numba.core.typing.templates import AbstractTemplate

    from . import machine_code
except ImportError:  # the solver still runs, slowly; `compiled` tells
    numba = None


def _default_folder() -> Path:
    if os.environ.get("NUMBA_CACHE_DIR"):
        return Path(os.environ["NUMBA_CACHE_DIR"])
    if sys.platform == "win32":
        home = os.environ.get("LOCALAPPDATA")
    elif sys.platform == "darwin":
        home = "~/Library/Caches"
    else:
        home = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    home = os.path.expanduser(home or tempfile.gettempdir())
    if not os.path.isabs(home):  # nobody's home is known, and in a place for everybody others could leave their code
        home = os.devnull
    return Path(home) / "virtual_erector_set"


_cache_folder = _default_folder()


def use_cache(folder: str | os.PathLike) -> None:
    """Puts the compiled kernels below `folder`. Takes effect for kernels that have not been compiled yet."""
    global _cache_folder
    _cache_folder = Path(folder)


def cache_folder() -> Path:
    """The folder of the compiled kernels, of these sources and of others."""
    return _cache_folder


@functools.cache
def _is_writable(folder: Path) -> bool:
    """True if files can be made in a folder, which is made if it is missing."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def compiled() -> bool:
    """True if kernels are machine code, False if they run as plain Python."""
    return _library is not None or compiles()


def misfit() -> str:
    """Why the library that is there is not used; empty if it is, or if there is none."""
    return _misfit


def compiles() -> bool:
    """True if numba makes machine code in this process, False where a library has it, or it is missing."""
    return numba is not None and not numba.config.DISABLE_JIT


# Division as in numpy, since kernels never raise; no counting of references, since kernels never allocate: it took a
# third of an evaluation's time, and compiling without it makes an allocation an error.
_OPTIONS = {"error_model": "numpy", "_nrt": False, "no_cfunc_wrapper": True}


class _Kernel:
    """A function that Python runs as it is, and other kernels as machine code."""

    def __init__(self, function: Callable, **options) -> None:
        functools.update_wrapper(self, function)
        self.function = function
        compiler = machine_code.KernelCompiler
        self.dispatcher = numba.njit(**_OPTIONS, no_cpython_wrapper=True, pipeline_class=compiler, **options)(function)

    def __call__(self, *arguments):
        return self.function(*arguments)


class _KernelByClass:
    """Another kernel for each class of the first argument."""

    def __init__(self, choose: Callable[[type], _Kernel]) -> None:
        self.choose = choose
        self.template = type("choice", (_Choice,), {"key": self, "choose": staticmethod(choose)})

    def __call__(self, model, *others):
        return self.choose(type(model))(model, *others)


def kernel(function: Callable) -> Callable:
    """A function of plain numbers, tuples and arrays that other kernels call. Called from Python it runs as Python."""
    return _Kernel(function) if compiles() else function


def inlined_kernel(function: Callable) -> Callable:
    """A kernel that becomes a part of those that call it: where passing its arguments would take longer than its work.

    LLVM decides by itself for other kernels, and is reluctant where arrays are passed.
    """
    return _Kernel(function, forceinline=True) if compiles() else function


def kernel_by_class(choose: Callable[[type], Callable]) -> Callable:
    """A kernel that is another one for each class of its first argument; `choose` takes the class.

    Only what a model needs is compiled.
    """
    return _KernelByClass(choose) if compiles() else lambda model, *others: choose(type(model))(model, *others)


def by_reference(cls: type) -> type:
    """A class of NamedTuples that kernels hand on by address: for those of many arrays that Python passes to entries.

    What is made inside a kernel is passed as its fields.
    """
    if numba is not None:
        machine_code.pass_by_reference(cls)
    return cls


if numba is not None:

    class _Choice(AbstractTemplate):
        """Numba's question about a call: the chosen kernel answers."""

        def generic(self, arguments, keywords):
            return self._chosen(arguments[0]).get_call_type(self.context, arguments, keywords)

        def get_impl_key(self, signature):
            return self._chosen(signature.args[0]).get_impl_key(signature)

        def _chosen(self, model):
            return types.Dispatcher(self.choose(model.instance_class).dispatcher)

    @numba.extending.intrinsic
    def _call_address(typing, address, number):
        """Calls the C function at an address with a whole number; it answers with one."""

        def generate(context, builder, signature, arguments):
            whole = ir.IntType(64)
            function = builder.inttoptr(arguments[0], ir.FunctionType(whole, [whole]).as_pointer())
            return builder.call(function, [arguments[1]])

        return types.int64(types.int64, types.int64), generate

    @numba.extending.typeof_impl.register(_Kernel)
    def _type_of_kernel(value, context):
        return types.Dispatcher(value.dispatcher)

    @numba.extending.typeof_impl.register(_KernelByClass)
    def _type_of_choice(value, context):
        return types.Function(value.template)


_OF_WHOLE_NUMBER = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)


class Callback:
    """A Python function of a whole number that kernels may call with `call_back`; it answers with a whole number.

    What it raises is kept in `error`, and answered with -1: kernels cannot raise.
    """

    def __init__(self, function: Callable[[int], int]) -> None:
        self._function = function
        self.error: BaseException | None = None
        self._as_c = _OF_WHOLE_NUMBER(self)
        self.handle = ctypes.cast(self._as_c, ctypes.c_void_p).value

    def __call__(self, number: int) -> int:
        try:
            return self._function(number)
        except BaseException as error:  # noqa: BLE001 (raised again by whoever called the kernel)
            self.error = error
            return -1


def _call(handle, number):
    return _OF_WHOLE_NUMBER(handle)(number)


# Inside a kernel: calls a Callback by its `handle`, with a whole number.
call_back = _call_address if compiles() else _call


def entry(function: Callable) -> Callable:
    """A kernel that Python calls: its machine code, callees included, is in the library, or is kept on disk."""
    if _library is not None:
        return _library.entry(function)
    return function if numba is None else _CachedEntry(function)


class _CachedEntry:
    """Compiles at the first call, so that `use_cache` may still choose the folder after the modules were imported."""

    def __init__(self, function: Callable) -> None:
        functools.update_wrapper(self, function)
        self._function = function
        self._compiled: Callable | None = None

    def __call__(self, *arguments):
        if self._compiled is None:
            self._compiled = self._with_cache()
        return self._compiled(*arguments)

    def _with_cache(self) -> Callable:
        """Without a folder that can be written each process compiles anew."""
        dispatcher = numba.njit(pipeline_class=machine_code.EntryCompiler, **_OPTIONS)(self._function)
        if compiles() and _is_writable(cache_folder()):
            dispatcher._cache = machine_code.EntryCache(self._function, cache_folder())
        return dispatcher
