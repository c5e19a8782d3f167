# SPDX-License-Identifier: GPL-3.0-or-later
"""How the arguments of entries lie in memory, as numbers for `call.c`, which tells what they mean."""

from __future__ import annotations

from typing import NamedTuple

from numba.core import types
from numba.np import numpy_support

from solver.library.loader import hash_of_dtype
from solver.machine_code import Reference

NONE, INT, FLOAT, BOOL, ARRAY, STRUCT, TUPLE = range(7)
MEMORY, MOST_ARGUMENTS, MOST_DTYPES = 1 << 15, 32, 512  # what call.c has room for


class Entry(NamedTuple):
    """One function of the library."""

    name: str  # module and name, seen from the solver's root
    symbol: str
    arguments: tuple  # types, as
    result: types.Type  # is


class Plans:
    """Grows by entries. Structs, classes and dtypes are numbered, each once."""

    def __init__(self, context) -> None:
        self._context, self._data = context, context.codegen().target_data
        self._entries: dict[str, list[dict]] = {}
        self._structs: dict[tuple, tuple[int, list]] = {}
        self._classes: dict[tuple[str, str], int] = {}
        self._dtypes: dict[str, int] = {}

    def add(self, entry: Entry) -> None:
        """One more; another of the same name takes other types."""
        name, symbol, arguments, result = entry
        nodes = [self._node(each) for each in arguments]
        assert len(nodes) <= MOST_ARGUMENTS, f"{name} takes too many arguments"
        assert sum(map(self._size, arguments)) <= MEMORY, f"{name} takes too much memory"
        code = [len(nodes), *(word for node in nodes for word in node), *self._result(result)]
        self._entries.setdefault(name, []).append({"symbol": symbol, "code": code})

    def written(self) -> dict:
        """All of it, for a JSON file."""
        structs = [code for _, code in self._structs.values()]
        return {
            "entries": self._entries, "structs": structs, "classes": list(self._classes), "dtypes": list(self._dtypes),
        }  # fmt: skip

    def _size(self, kind: types.Type) -> int:
        held = kind.held if isinstance(kind, Reference) else kind
        return max(8, self._context.get_value_type(held).get_abi_size(self._data))

    def _node(self, kind: types.Type) -> list[int]:
        if isinstance(kind, Reference):
            return [STRUCT, self._struct(kind.held)]
        if isinstance(kind, types.BaseTuple):
            return [STRUCT, self._struct(kind)]
        if isinstance(kind, types.Array):
            assert kind.aligned, kind
            assert kind.layout in "CA", kind
            dtype = numpy_support.as_dtype(kind.dtype)
            number = self._dtypes.setdefault(hash_of_dtype(dtype), len(self._dtypes))
            assert number < MOST_DTYPES
            return [ARRAY, kind.ndim, int(kind.layout == "A"), number, dtype.itemsize]
        return [_single(kind)]

    def _struct(self, kind: types.BaseTuple) -> int:
        cls = getattr(kind, "instance_class", None)
        if (cls, kind.name) not in self._structs:
            words = [-1 if cls is None else self._class(cls), self._size(kind), len(kind)]
            for offset, each in zip(self._offsets(kind), kind.types, strict=True):
                words += [offset, *self._node(each)]
            self._structs[cls, kind.name] = len(self._structs), words  # after those in it
        return self._structs[cls, kind.name][0]

    def _class(self, cls: type) -> int:
        name = cls.__module__.removeprefix("solver."), cls.__qualname__
        return self._classes.setdefault(name, len(self._classes))

    def _offsets(self, kind: types.BaseTuple) -> list[int]:
        """As LLVM lays fields out, each where its alignment allows it."""
        value_type, offset, found = self._context.get_value_type(kind), 0, []
        elements = value_type.elements if hasattr(value_type, "elements") else [value_type.element] * len(kind)
        for each in elements:
            alignment = each.get_abi_alignment(self._data)
            offset = -(-offset // alignment) * alignment
            found.append(offset)
            offset += each.get_abi_size(self._data)
        return found

    @staticmethod
    def _result(kind: types.Type) -> list[int]:
        if isinstance(kind, types.BaseTuple):
            singles = [_single(each) for each in kind.types]
            assert BOOL not in singles, kind
            assert len(singles) <= 8, kind
            return [TUPLE, len(singles), *singles]
        return [_single(kind)]


def _single(kind: types.Type) -> int:
    if isinstance(kind, types.NoneType):
        return NONE
    if isinstance(kind, types.Boolean):
        return BOOL
    assert kind in (types.int64, types.float64), f"{kind} is neither int64 nor float64"
    return INT if kind == types.int64 else FLOAT
