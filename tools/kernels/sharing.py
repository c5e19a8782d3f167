# SPDX-License-Identifier: GPL-3.0-or-later
"""Kernels are compiled once for all types that mean the same to them.

A model of trees and one with closures are different types to numba, which would compile each kernel for each. But most
kernels read fields that lie at the same place in both. So while numba infers the types in a kernel, everything that it
asks about the classes of NamedTuples is kept (`Facts`): fields, choices by class, calls. Where the answers for other
arguments are the same, and all calls lead to the same code, the code there is serves them too.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import NamedTuple

from numba.core import types
from numba.core.compiler import CompileResult
from numba.core.dispatcher import Dispatcher
from numba.core.imputils import user_function
from numba.core.registry import cpu_target
from numba.core.sigutils import normalize_signature
from numba.core.typing.templates import signature

from solver import kernel, machine_code
from solver.machine_code import Reference


class Field(NamedTuple):
    """A field of a NamedTuple was asked for."""

    of: types.Type
    name: str
    is_of: types.Type | None


class Choice(NamedTuple):
    """A kernel was chosen by the class of its first argument."""

    choose: Callable
    by: types.Type
    chosen: object


class Call(NamedTuple):
    """A kernel was compiled, or found compiled."""

    callee: Dispatcher
    arguments: tuple
    made: CompileResult


class Compiled(NamedTuple):
    """One piece of code, and what was asked as it was made."""

    arguments: tuple
    facts: list[Field | Choice | Call]
    made: CompileResult


class _OtherCodeError(Exception):
    """Some answer is another one."""


_under_way: list[list] = []  # facts of the kernels that are being compiled, callers first
_known: dict[Dispatcher, list[Compiled]] = {}
_compile = Dispatcher.compile


def begin() -> None:
    """From now on this process shares code."""
    Dispatcher.compile = _compile_or_share
    machine_code._FieldTypes.generic_resolve = _noting_fields(machine_code._FieldTypes.generic_resolve)
    kernel._Choice._chosen = _noting_choices(kernel._Choice._chosen)


def pieces() -> int:
    """Kernels compiled so far."""
    return sum(map(len, _known.values()))


def _noting_fields(resolve: Callable) -> Callable:
    def noting(self, of, name):
        found = resolve(self, of, name)
        if _under_way:
            _under_way[-1].append(Field(of, name, found))
        return found

    return noting


def _noting_choices(choose: Callable) -> Callable:
    def noting(self, model):
        chosen = choose(self, model)
        if _under_way:
            _under_way[-1].append(Choice(type(self).choose, model, chosen.dispatcher))
        return chosen

    return noting


def _compile_or_share(self: Dispatcher, called_with):
    """In the place of Dispatcher.compile."""
    if not issubclass(self._compiler.pipeline_class, machine_code.KernelCompiler):
        return _compile(self, called_with)
    arguments, _ = normalize_signature(called_with)
    made = self.overloads.get(arguments) or _shared(self, arguments) or _made(self, arguments)
    if _under_way:
        _under_way[-1].append(Call(self, arguments, made))
    return made.entry_point


def _made(dispatcher: Dispatcher, arguments: tuple) -> CompileResult:
    facts: list = []
    _under_way.append(facts)
    try:
        _compile(dispatcher, arguments)
    finally:
        _under_way.pop()
    made = dispatcher.overloads[arguments]
    _known.setdefault(dispatcher, []).append(Compiled(arguments, facts, made))
    return made


def _shared(dispatcher: Dispatcher, arguments: tuple) -> CompileResult | None:
    for each in _known.get(dispatcher, ()):
        if not _serves(each, arguments):
            continue
        returns = each.made.signature.return_type
        made = each.made._replace(signature=signature(returns, *arguments), entry_point=object())
        context = cpu_target.target_context
        context.insert_func_defn([(_calling(each.made), made.entry_point, made.signature.args)])
        dispatcher.overloads[arguments] = made
        return made
    return None


def _serves(known: Compiled, arguments: tuple) -> bool:
    """True if code serves other arguments too. Kernels that it calls are compiled for them, if they must be."""
    _under_way.append([])  # what is asked meanwhile concerns nobody else
    try:
        _Renaming(known.arguments, arguments).go_through(known)
        return True
    except _OtherCodeError:
        return False
    finally:
        _under_way.pop()


def _calling(made: CompileResult) -> Callable:
    """The lowering of a call to LLVM: addresses are taken for those of the types that the code was made for."""
    call = user_function(made.fndesc, [made.library])

    def implementation(context, builder, called, values):
        kinds = [context.get_value_type(each) for each in made.signature.args]
        values = [
            value if value.type == kind else builder.bitcast(value, kind)
            for value, kind in zip(values, kinds, strict=True)
        ]
        return call(context, builder, made.signature, values)

    implementation.signature, implementation.libs = call.signature, call.libs
    return implementation


class _Renaming:
    """Types in a piece of code, and those that stand in their places for other arguments."""

    def __init__(self, known: tuple, asked: tuple) -> None:
        self._stands_for: dict[types.Type, types.Type] = {}
        if len(known) != len(asked):
            raise _OtherCodeError
        for old, new in zip(known, asked, strict=True):
            self._put(old, new)

    def _put(self, old: types.Type, new: types.Type) -> None:
        are_references = isinstance(old, Reference) and isinstance(new, Reference)
        if not are_references and (old != new or _holds_reference(old)):
            raise _OtherCodeError
        if are_references and self._stands_for.setdefault(old, new) != new:
            raise _OtherCodeError

    def _of(self, old: types.Type) -> types.Type:
        if isinstance(old, Reference):
            if old not in self._stands_for:
                raise _OtherCodeError
            return self._stands_for[old]
        if _holds_reference(old):
            raise _OtherCodeError
        return old

    def go_through(self, known: Compiled) -> None:
        """Raises _OtherCodeError at the first answer that is another one."""
        for fact in known.facts:
            match fact:
                case Field(of, name, found):
                    self._compare_field(of, self._of(of), name, found)
                case Choice(choose, by, chosen):
                    if choose(self._of(by).instance_class).dispatcher is not chosen:
                        raise _OtherCodeError
                case Call(callee, arguments, made):
                    arguments = tuple(map(self._of, arguments))
                    callee.compile(arguments)
                    if callee.overloads[arguments].library is not made.library:
                        raise _OtherCodeError
                    self._put(made.signature.return_type, callee.overloads[arguments].signature.return_type)
        self._of(known.made.signature.return_type)
        if isinstance(known.made.signature.return_type, Reference):
            raise _OtherCodeError

    def _compare_field(self, old: types.Type, new: types.Type, name: str, found: types.Type | None) -> None:
        if found is None or name not in new.held.fields:
            raise _OtherCodeError
        if _place(old.held, name) != _place(new.held, name):
            raise _OtherCodeError
        now = new.held.types[new.held.fields.index(name)]
        self._put(found, Reference(now) if isinstance(now, types.NamedTuple) else now)


@functools.cache
def _holds_reference(kind: types.Type) -> bool:
    """A tuple with addresses in it."""
    parts = kind.types if isinstance(kind, types.BaseTuple) else ()
    return any(isinstance(each, Reference) or _holds_reference(each) for each in parts)


@functools.cache
def _place(held: types.NamedTuple, name: str) -> tuple[int, int]:
    """Number and offset of a field."""
    context = cpu_target.target_context
    number, data = held.fields.index(name), context.codegen().target_data
    return number, context.get_value_type(held).get_element_offset(data, number)
