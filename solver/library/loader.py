# SPDX-License-Identifier: GPL-3.0-or-later
"""Finds the library of kernels that was compiled ahead of time, and takes it if it fits these sources; else says why.

A library is a folder, that of the package `virtual_erector_set_kernels` or the one that VES_KERNELS names ("none" for
no library at all): machine code for one platform, and `kernels.json`, which tells what it was made of and how each
entry takes its arguments. `make kernels` makes it.
"""

import ctypes
import functools
import hashlib
import importlib.util
import json
import os
import platform
import sys
import sysconfig
from collections.abc import Callable
from pathlib import Path

import numpy as np

from .sources import texts

PACKAGE = "virtual_erector_set_kernels"
_SOLVER = __package__.rpartition(".")[0]  # the solver's, whatever it is called
DESCRIPTION = "kernels.json"
FORMAT = 1  # of that file, and of what `tools/kernels/call.c` reads
_MACHINES = {"amd64": "x64", "x86_64": "x64", "arm64": "arm64", "aarch64": "arm64"}
_SYSTEMS = {"linux": "linux", "win32": "windows", "darwin": "macos"}
# What the library asks of Python, in the order of `struct python` in tools/kernels/call.c.
_OF_PYTHON = (
    "PyTuple_Size", "PyTuple_GetItem", "PyTuple_New", "PyTuple_SetItem", "PyList_GetItem", "PyLong_AsLongLong",
    "PyLong_FromLongLong", "PyFloat_AsDouble", "PyFloat_FromDouble", "PyObject_IsTrue", "PyBool_FromLong",
    "PyErr_Occurred", "PyErr_Clear", "PyCapsule_New", "PyCapsule_GetPointer", "PyObject_CallFunctionObjArgs",
    "PyCFunction_NewEx", "Py_IncRef", "Py_DecRef",
)  # fmt: skip


class MisfitError(Exception):
    """One sentence: why a library is not taken."""


class Library:
    """A library that fits; `entry` gives its entries."""

    def __init__(self, folder: Path) -> None:
        """Raises MisfitError."""
        description = _description(folder)
        refuse_other_sources(description["sources"])
        self._code = _loaded(folder, description)
        self._addresses = {}
        for symbol in (each["symbol"] for variants in description["entries"].values() for each in variants):
            self._addresses[symbol] = _address(self._code, symbol)
        self._variants, self._names, self._hashes = (description[key] for key in ("entries", "classes", "dtypes"))
        self._classes: list[type | None] = [None] * len(self._names)
        self._keep = self._resolve, self._is_dtype, self._refuse  # which the library calls
        self._connect(description["structs"])
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(self))  # for good: an entry may outlive the import that it is of

    def _connect(self, structs: list[list[int]]) -> None:
        """Hands over what the library asks of Python and numpy, and looks whether it reads arrays rightly."""
        python = [ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value for name in _OF_PYTHON]
        self._tables = [_words(each) for each in structs]
        tables = (ctypes.c_void_p * len(structs))(*map(ctypes.addressof, self._tables))
        _address(self._code, "ves_begin")
        begin = self._code.ves_begin
        begin.restype, begin.argtypes = ctypes.c_longlong, [ctypes.c_void_p] * 3 + [ctypes.py_object] * 7
        self._user = self._memory("ves_bytes_of_user")
        self._kept = (ctypes.c_void_p * len(python))(*python), tables
        probe = np.arange(6.0).reshape(2, 3)
        none, array, records = None, np.ndarray, np.recarray
        seen = begin(self._user, *self._kept, none, array, records, self._classes, *self._keep[:2], probe)
        if seen != probe.ctypes.data:
            raise MisfitError(f"it does not know how numpy {np.__version__} keeps arrays")

    def _memory(self, name: str) -> ctypes.Array:
        """Memory for what the library says the size of."""
        _address(self._code, name)
        size = self._code[name]
        size.restype = ctypes.c_longlong
        return _words([0] * (size() // 8))

    def entry(self, function: Callable) -> Callable:
        """The machine code of an entry, or if there is none (it is not the solver's own), the function as it is."""
        variants = self._variants.get(f"{function.__module__.removeprefix(_SOLVER + '.')}.{function.__name__}")
        if variants is None or not function.__module__.startswith(_SOLVER + "."):
            return function
        code = _words([len(variants), *(word for each in variants for word in (len(each["code"]), *each["code"]))])
        addresses = [self._addresses[each["symbol"]] for each in variants]
        functions = (ctypes.c_void_p * len(addresses))(*addresses)
        make = self._code.ves_entry
        make.restype, make.argtypes = ctypes.py_object, [ctypes.c_void_p] * 4 + [ctypes.py_object]
        refuse, memory = functools.partial(self._refuse, function.__qualname__), self._memory("ves_bytes_of_entry")
        self._tables.append((code, functions, refuse, memory))
        return make(self._user, memory, code, functions, refuse)

    def _resolve(self, number: int, cls: type) -> None:
        """Fills in a class of this import, the first that comes with its name: only its own import calls an entry."""
        module, name = self._names[number]
        if (cls.__module__, cls.__qualname__) == (f"{_SOLVER}.{module}", name):
            self._classes[number] = cls

    def _is_dtype(self, number: int, array: np.ndarray) -> bool:
        return hash_of_dtype(array.dtype) == self._hashes[number]

    @staticmethod
    def _refuse(name: str, arguments: tuple) -> None:
        kinds = ", ".join(_kind(each) for each in arguments)
        raise TypeError(f"{name}: the library of kernels has no machine code for ({kinds})")


def refuse_other_sources(made_of: dict[str, list[str]]) -> None:
    """Raises MisfitError unless the files of the package are those that a library was made of, docstrings aside."""
    changed = [name for name, (whole, _) in made_of.items() if _digest(_file(name)) != whole]
    changed = [name for name in changed if digests_of(name)[1] != made_of[name][1]]
    if changed:
        more = f" and {len(changed) - 1} more" if len(changed) > 1 else ""
        raise MisfitError(f"it was made from another solver/{changed[0]}{more}")


def digests_of(name: str) -> list[str]:
    """Of a file of the package, named from its root: as it is, and without docstrings."""
    return [_digest(_file(name)), _digest(texts().get(name, "").encode())]


def _file(name: str) -> bytes:
    file = Path(__file__).parents[1] / name
    return file.read_bytes() if file.is_file() else b""


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:16]


@functools.lru_cache(1000)
def hash_of_dtype(dtype: np.dtype) -> str:
    """A name for a dtype: its fields with their places. Records of numpy's are as their fields are."""
    words = f"{dtype.descr} {dtype.itemsize}" if dtype.names else dtype.str
    return hashlib.sha256(words.encode()).hexdigest()[:12]


def this_platform() -> str:
    """As Blender names it: linux-x64, for one."""
    machine = platform.machine().lower()
    return f"{_SYSTEMS.get(sys.platform, sys.platform)}-{_MACHINES.get(machine, machine)}"


def load() -> tuple[Library | None, str]:
    """The library, if there is one that fits, else what is wrong with it; an empty text if there is none at all."""
    folder = _folder()
    if folder is None:
        return None, ""
    try:
        return Library(folder), ""
    except MisfitError as error:
        return None, f"the library of kernels in {folder} cannot be used: {error}"


def _folder() -> Path | None:
    named = os.environ.get("VES_KERNELS")
    if named:
        return None if named == "none" else Path(named)
    spec = importlib.util.find_spec(PACKAGE)
    return Path(spec.origin).parent if spec and spec.origin else None


def _description(folder: Path) -> dict:
    try:
        description = json.loads((folder / DESCRIPTION).read_text(encoding="utf-8"))
        made_for, number = description["platform"], description["format"]
    except OSError as error:
        raise MisfitError(f"{DESCRIPTION} cannot be read ({error.strerror})") from error
    except (ValueError, KeyError, TypeError) as error:
        raise MisfitError(f"{DESCRIPTION} is damaged") from error
    if number != FORMAT:
        raise MisfitError(f"it is of format {number}, and this version reads format {FORMAT}")
    if made_for != this_platform():
        raise MisfitError(f"it was made for {made_for}, and this is {this_platform()}")
    return description


def _loaded(folder: Path, description: dict) -> ctypes.PyDLL:
    file = folder / description["file"]
    if sys.implementation.name != "cpython" or sysconfig.get_config_var("Py_GIL_DISABLED"):
        raise MisfitError("it was made for the usual Python, CPython with its lock")
    try:
        content = file.read_bytes()
        if hashlib.sha256(content).hexdigest() != description["sha256"]:
            raise MisfitError(f"{file.name} is damaged ({len(content)} bytes of {description['size']})")
        return ctypes.PyDLL(str(file))
    except OSError as error:
        raise MisfitError(f"{file.name} cannot be loaded ({error.strerror or error})") from error


def _address(code: ctypes.PyDLL, symbol: str) -> int:
    try:
        return ctypes.cast(code[symbol], ctypes.c_void_p).value
    except AttributeError as error:
        raise MisfitError(f"it has no machine code for {symbol}") from error


def _words(numbers: list[int]) -> ctypes.Array:
    return (ctypes.c_int64 * len(numbers))(*numbers)


def _kind(value) -> str:
    if isinstance(value, np.ndarray):
        return f"array of {value.ndim} dimensions of {value.dtype.name}"
    return type(value).__name__
