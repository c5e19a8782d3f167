# SPDX-License-Identifier: GPL-3.0-or-later
"""Extensions of numba, by which kernels compile in a third of the time and call each other at less cost.

By itself numba makes machine code of every function it meets, each together with all that it calls. Here only an entry
becomes machine code, once, with all kernels below it (`KernelCode`, `EntryCode`). And numba passes a NamedTuple as all
the numbers and arrays in it, hundreds of them for a model and its scratch space, at every call; here those that Python
hands over stay where they are, and kernels pass their address (`Reference`).
"""

import hashlib

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
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
        _gather(self._linking_libraries, callees_first)
        self._linking_libraries = list(reversed(callees_first))  # LLVM drops what nothing linked before has called
        super().finalize()
        missing = [each.name for each in self._final_module.functions if each.is_declaration and each.name[:2] == "_Z"]
        if missing:
            raise AssertionError(f"{self.name} calls {missing[0]}, which was not linked")


def _gather(libraries: list[JITCodeLibrary], callees_first: dict[JITCodeLibrary, None]) -> None:
    for library in libraries:
        if library not in callees_first:
            if isinstance(library, KernelCode):
                _gather(library._linking_libraries, callees_first)
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
        super().__init__(f"reference to {held.name}")
        self.held, self.instance_class = held, held.instance_class

    @property
    def mangling_args(self) -> tuple[str, tuple]:
        """A short name: the whole one would be repeated in the name of every kernel, and those at every call.

        Classes alone do not tell types apart (a model of trees with rides and one without), and names must: of two
        kernels of the same name, each of which another process has left in the cache, only one is taken.
        """
        return self.instance_class.__name__ + hashlib.sha256(self.held.name.encode()).hexdigest()[:12], ()


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
