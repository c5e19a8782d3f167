# SPDX-License-Identifier: GPL-3.0-or-later
"""Entries for trees, or those for loops and those without a model, compiled by numba to LLVM's bitcode.

usage: python tools/kernels/compile.py TYPES FOLDER PART...        TYPES: of record.py; without PART: prints their names

Writes FOLDER/PART.bc, and FOLDER/PART.pickle with an Entry for each function in it. A part is named after what it is
made of, so one whose sources are as they were is there already. All entries of a part are one module, in which kernels
are shared by all that call them (`sharing.py`). There are as few parts as keep two processors busy, since a kernel that
entries of both call is in both. The code is for no processor in particular, and LLVM's passes over the whole are left
to `link.py`: bitcode is the same for all platforms.
"""

from __future__ import annotations

import hashlib
import importlib
import os
import pickle
import sys
from pathlib import Path

os.environ |= {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": "", "VES_KERNELS": "none"}
ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

import llvmlite.binding as llvm  # noqa: E402
import numba  # noqa: E402
from llvmlite import ir  # noqa: E402
from numba.core import types  # noqa: E402
from numba.core.compiler_lock import global_compiler_lock  # noqa: E402
from numba.core.registry import cpu_target  # noqa: E402

import solver.posing  # noqa: E402, F401  (all modules with entries)
from solver import kernel, machine_code  # noqa: E402
from solver.library.sources import reached_from, texts  # noqa: E402
from solver.model.arrays import CompositeModel, DivideModel, Model  # noqa: E402
from tools.kernels import sharing  # noqa: E402
from tools.kernels.plans import Entry  # noqa: E402

_TREES = Model, CompositeModel, DivideModel
Call = tuple[str, str, tuple]  # module and name of an entry, types of its arguments


def parts_of(recorded: dict[tuple[str, str], list[tuple]]) -> dict[str, list[Call]]:
    """Which calls are compiled together."""
    parts: dict[str, list[Call]] = {}
    for (module, name), signatures in recorded.items():
        for each in signatures:
            parts.setdefault(_part_of(each), []).append((module, name, each))
    return {f"{name}-{_digest_of(calls)}": calls for name, calls in parts.items()}


def _part_of(arguments: tuple) -> str:
    is_of_model = isinstance(arguments[0], machine_code.Reference) and issubclass(arguments[0].instance_class, Model)
    return "trees" if is_of_model and arguments[0].instance_class in _TREES else "loops"


def _digest_of(calls: list[Call]) -> str:
    """Of all that a part is made of, but the versions of numba and LLVM."""
    files = {f"{module.removeprefix('solver.').replace('.', '/')}.py" for module, _, _ in calls}
    reached = [name for name in sorted(reached_from(files)) if not name.startswith("library/")]
    programs = [Path(each).read_bytes() for each in (__file__, sharing.__file__)]
    made_of = repr(calls), [texts()[name] for name in reached], programs
    return hashlib.sha256(repr(made_of).encode()).hexdigest()[:12]


class Part:
    """A module of LLVM's that grows by one entry after the other."""

    def __init__(self) -> None:
        self.context, self.typing = cpu_target.target_context, cpu_target.typing_context
        self.context.refresh()
        self.typing.refresh()
        self.entries: list[Entry] = []
        self._wrappers: list[str] = []
        self._dispatchers: dict = {}
        self._libraries: dict = {}

    def add(self, call: Call) -> None:
        """Compiles one entry, with what it calls, for these types."""
        module, name, arguments = call
        function, options = getattr(importlib.import_module(module), name)._function, kernel._OPTIONS
        if function not in self._dispatchers:
            compiler = numba.njit(pipeline_class=machine_code.KernelCompiler, no_cpython_wrapper=True, **options)
            self._dispatchers[function] = compiler(function)
        dispatcher = self._dispatchers[function]
        dispatcher.compile(arguments)
        made = dispatcher.overloads[arguments]
        machine_code.gather([made.library], self._libraries)
        symbol = f"ves_{name.strip('_')}_{hashlib.sha256(repr(arguments).encode()).hexdigest()[:16]}"
        self._wrappers.append(str(self._wrapper(symbol, made)))
        short = f"{module.removeprefix('solver.')}.{name}"
        self.entries.append(Entry(short, symbol, arguments, made.signature.return_type))

    def _wrapper(self, symbol: str, made) -> ir.Module:
        """int symbol(void **arguments, void *result), around an entry."""
        module, context = self.context.create_module(symbol), self.context
        address, status = ir.IntType(8).as_pointer(), ir.IntType(32)
        function = ir.Function(module, ir.FunctionType(status, [address.as_pointer(), address]), symbol)
        builder, values = ir.IRBuilder(function.append_basic_block()), []
        for k, kind in enumerate(made.fndesc.argtypes):  # those that the code was made for
            place = builder.load(builder.gep(function.args[0], [ir.Constant(status, k)]))
            value_type = context.get_value_type(kind)
            if isinstance(kind, machine_code.Reference):
                values.append(builder.bitcast(place, value_type))
            elif isinstance(kind, types.Boolean):
                values.append(builder.trunc(builder.load(place, typ=ir.IntType(8)), value_type))
            else:
                values.append(builder.load(builder.bitcast(place, value_type.as_pointer())))
        callee, result_type = context.declare_function(module, made.fndesc), made.signature.return_type
        how, result = context.call_conv.call_function(builder, callee, result_type, list(made.fndesc.argtypes), values)
        if not isinstance(result_type, types.NoneType):
            if isinstance(result_type, types.Boolean):
                result = builder.zext(result, ir.IntType(8))
            builder.store(result, builder.bitcast(function.args[1], result.type.as_pointer()))
        builder.ret(how.code)
        return module

    @global_compiler_lock
    def bitcode(self) -> bytes:
        """The whole, in which nothing can be seen from outside but its entries."""
        whole = llvm.parse_assembly(self._wrappers[0])
        for text in self._wrappers[1:]:
            whole.link_in(llvm.parse_assembly(text))
        for library in reversed(self._libraries):  # callers first: LLVM drops what nothing has called yet
            whole.link_in(library._get_module_for_linking(), preserve=True)
        for function in whole.functions:
            if not function.is_declaration and not function.name.startswith("ves_"):
                function.linkage = "internal"
        for variable in whole.global_variables:
            if not variable.is_declaration:
                variable.linkage = "internal"
        whole.verify()
        return whole.as_bitcode()


def main() -> None:
    recorded, folder = pickle.loads(Path(sys.argv[1]).read_bytes()), Path(sys.argv[2])
    parts = parts_of(recorded)
    if len(sys.argv) == 3:
        print(*parts)
    sharing.begin()
    for name in sys.argv[3:]:
        part = Part()
        for call in parts[name]:
            part.add(call)
        (folder / f"{name}.pickle").write_bytes(pickle.dumps(part.entries))
        (folder / f"{name}.bc").write_bytes(part.bitcode())


if __name__ == "__main__":
    main()
