# SPDX-License-Identifier: GPL-3.0-or-later
"""Extensions of numba, by which kernels compile in a third of the time and call each other at less cost.

By itself numba makes machine code of every function it meets, each together with all that it calls. Here only an entry
becomes machine code, once, with all kernels below it (`KernelCode`, `EntryCode`). And numba passes a NamedTuple as all
the numbers and arrays in it, hundreds of them for a model and its scratch space, at every call; here those that Python
hands over stay where they are, and kernels pass their address (`Reference`). And numba's cache names modules in full
and keeps an index that two processes must not write at once; here one file holds one entry, whatever the solver's
package is called (`EntryCache`).
"""

import contextlib
import hashlib
import io
import os
import pickle
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import numba
from llvmlite import ir
from numba.core import cgutils, types
from numba.core.caching import NullCache
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler, CompileResult
from numba.core.serialize import NumbaPickler
from numba.core.typing.templates import AttributeTemplate
from numba.extending import (
    NativeValue,
    infer_getattr,
    lower_getattr_generic,
    models,
    register_model,
    typeof_impl,
    unbox,
)

from .library.sources import hash_of_sources


class KernelCode(JITCodeLibrary):
    """A kernel's own code, and what it calls: to be linked into entries, never run by itself."""

    def finalize(self) -> None:
        self._raise_if_finalized()
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        return 0  # numba's word for none

    @property
    def codegen(self):
        """Stands in for numba's, which would look for the kernel's environment among machine code."""
        return self

    def set_env(self, name: str, environment) -> None:
        """Kernels use no Python objects, so they need no environment."""


class EntryCode(JITCodeLibrary):
    """An entry's code with that of all kernels below it."""

    def finalize(self) -> None:
        callees_first: dict[JITCodeLibrary, None] = {}
        gather(self._linking_libraries, callees_first)
        self._linking_libraries = list(reversed(callees_first))  # LLVM drops what nothing linked before has called
        super().finalize()
        missing = [each.name for each in self._final_module.functions if each.is_declaration and each.name[:2] == "_Z"]
        if missing:
            raise AssertionError(f"{self.name} calls {missing[0]}, which was not linked")


def gather(libraries: list[JITCodeLibrary], callees_first: dict[JITCodeLibrary, None]) -> None:
    for library in libraries:
        if library not in callees_first:
            if isinstance(library, KernelCode):
                gather(library._linking_libraries, callees_first)
            callees_first[library] = None


class KernelCompiler(Compiler):
    """Compiles a function for other compiled ones only."""

    code = KernelCode

    def define_pipelines(self):
        state = self.state
        state.library = self.code(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.enable_object_caching()
        return super().define_pipelines()


class EntryCompiler(KernelCompiler):
    """Compiles a function that Python calls."""

    code = EntryCode


class Reference(types.Type):
    """The address of a NamedTuple's fields, which kernels cannot change; `held` is the NamedTuple's own type."""

    def __init__(self, held: types.NamedTuple) -> None:
        super().__init__(f"reference to {_spelled(held)}")
        self.held, self.instance_class = held, held.instance_class

    @property
    def mangling_args(self) -> tuple[str, tuple]:
        """A short name: the whole one would be repeated in the name of every kernel, and those at every call.

        Classes alone do not tell types apart (a model of trees with rides and one without), and names must: of two
        kernels of the same name, each of which another process has left in the cache, only one is taken.
        """
        return self.instance_class.__name__ + hashlib.sha256(self.name.encode()).hexdigest()[:12], ()


def pass_by_reference(cls: type) -> None:
    """From now on entries take instances of a NamedTuple class, and of those derived from it, by reference."""

    @typeof_impl.register(cls)
    def _type_of(value, context):
        fields = [typeof_impl(each, context) for each in value]
        held = [each.held if isinstance(each, Reference) else each for each in fields]
        return Reference(types.BaseTuple.from_types(held, type(value)))


@register_model(Reference)
class _ReferenceModel(models.PrimitiveModel):
    def __init__(self, manager, reference) -> None:
        super().__init__(manager, reference, manager.lookup(reference.held).get_value_type().as_pointer())


@infer_getattr
class _FieldTypes(AttributeTemplate):
    key = Reference

    def generic_resolve(self, reference, name):
        held = reference.held
        if name not in held.fields:
            return None
        field = held.types[held.fields.index(name)]
        return Reference(field) if isinstance(field, types.NamedTuple) else field


@lower_getattr_generic(Reference)
def _field(context, builder, reference, address, name):
    place = reference.held.fields.index(name)
    field = cgutils.gep_inbounds(builder, address, 0, place)
    if isinstance(reference.held.types[place], types.NamedTuple):
        return field
    value = builder.load(field)
    value.set_metadata("invariant.load", builder.module.add_metadata([]))  # no store into an array changes it
    return value


@unbox(Reference)
def _unbox_reference(reference, value, c):
    native = c.unbox(reference.held, value)
    address = cgutils.alloca_once_value(c.builder, native.value)
    # Nothing, but to LLVM the address now comes from somewhere else: so the fields, which it may load at any time since
    # they never change, are not loaded before they are stored.
    known = c.builder.asm(ir.FunctionType(address.type, [address.type]), "", "=r,0,~{memory}", [address], True)
    return NativeValue(known, is_error=native.is_error, cleanup=native.cleanup)


_PACKAGE = __package__ + "."


class EntryCache(NullCache):
    """The machine code of an entry on disk, a file for each signature, which appears as a whole or not at all.

    A file is named after all that its code depends on. Modules of the package are named from its root, so whoever has
    the same sources takes it, in Blender or out of it.
    """

    def __init__(self, function: Callable, folder: Path) -> None:
        self._function, self._folder = function, folder

    @property
    def cache_path(self) -> str:
        return str(self._folder)

    def load_overload(self, signature, context) -> CompileResult | None:
        """The code that was compiled for a signature, or None."""
        context.refresh()
        try:
            stored = self._file(signature, context.codegen()).read_bytes()
        except OSError:
            return None
        return CompileResult._rebuild(context, *_Unpickler(io.BytesIO(stored)).load())

    def save_overload(self, signature, compiled: CompileResult) -> None:
        """Keep what was compiled. What cannot be written (a full disk) will be compiled again."""
        if compiled.library.has_dynamic_globals or self._function.__closure__:
            raise AssertionError(f"{self._function.__qualname__} holds what its source does not tell")
        if _has_class(compiled.signature.return_type):
            raise AssertionError(f"{self._function.__qualname__} returns a class, whose module is named in its code")
        file = self._file(signature, compiled.library.codegen)
        stored = io.BytesIO()
        _Pickler(stored, protocol=4).dump(compiled._reduce())
        with contextlib.suppress(OSError):
            self._folder.mkdir(parents=True, exist_ok=True)
            draft, name = tempfile.mkstemp(dir=self._folder)
            try:
                with open(draft, "wb") as opened:
                    opened.write(stored.getbuffer())
                os.replace(name, file)
            except OSError:
                os.unlink(name)
                raise

    def _file(self, signature, codegen) -> Path:
        code = self._function.__code__
        name = f"{_from_root(self._function.__module__)}.{self._function.__qualname__}"
        depends_on = (
            *(_spelled(each) for each in signature),
            codegen.magic_tuple(),
            numba.__version__,
            sys.version_info[:2],
            hash_of_sources(Path(code.co_filename).resolve()),
            code.co_firstlineno,
        )
        return self._folder / f"{name.lstrip('.')}-{hashlib.sha256(repr(depends_on).encode()).hexdigest()[:24]}.nbc"


def _from_root(module: str) -> str:
    """The name of a module, seen from the solver's root if it is below it."""
    return "." + module.removeprefix(_PACKAGE) if module.startswith(_PACKAGE) else module


def _has_class(kind: types.Type) -> bool:
    return isinstance(kind, types.BaseTuple) and (hasattr(kind, "instance_class") or any(map(_has_class, kind.types)))


def _spelled(kind: types.Type) -> str:
    """A type's name, with the modules of the classes in it."""
    if not isinstance(kind, types.BaseTuple):
        return kind.name
    cls = getattr(kind, "instance_class", tuple)
    return f"{_from_root(cls.__module__)}.{cls.__qualname__}({', '.join(_spelled(each) for each in kind.types)})"


class _Pickler(NumbaPickler):
    """Writes the names of the package's modules, those of pickled classes among them, from its root."""

    def persistent_id(self, thing):
        is_ours = type(thing) is str and thing.startswith(_PACKAGE) and thing in sys.modules
        return thing.removeprefix(_PACKAGE) if is_ours else None


class _Unpickler(pickle.Unpickler):
    def persistent_load(self, module: str) -> str:
        return _PACKAGE + module
