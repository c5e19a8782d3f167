# SPDX-License-Identifier: GPL-3.0-or-later
"""Are the bits of another platform the same? Calls of known motions are made again by its library, under an emulator.

usage: VES_KERNELS=.cache/kernels/linux-x64 python -m tools.kernels.replay [--platforms linux-arm64 windows-x64]
       [--only WORD]

The motions of tools/digests.py run here, and what calls each entry with all types of arguments (every_entry.py). Some
calls of each entry (those whose number is a power of two, in each motion) go, with all memory that they see, to a
program that loads the other library (`replay.c`), which says where anything differs by a bit. The last call is sent
once more with a wrong bit, which must be found.

It needs the libraries of both platforms, and of emulators `qemu-aarch64-static` with arm64's C library (Debian:
qemu-user-static, libc6-arm64-cross) and `wine`: make test-elsewhere.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import shutil
import struct
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
KERNELS = ROOT / ".cache" / "kernels"
NONE, INT, FLOAT, BOOL, ARRAY, STRUCT, TUPLE = range(7)  # as in call.c
EMULATORS = {
    "linux-arm64": ("aarch64-linux-gnu.2.17", "kernels.so", ("qemu-aarch64-static", "-L", "/usr/aarch64-linux-gnu")),
    "windows-x64": ("x86_64-windows-gnu", "kernels.dll", ("wine",)),
}
RARER = 2  # each call whose number is a power of it
LARGEST = 1 << 22  # bytes of memory that a call may see: larger ones are left out, and counted


def emulated() -> list[str]:
    """The platforms of which this machine has an emulator and a library."""
    return [
        name
        for name, (_, file, (emulator, *_)) in EMULATORS.items()
        if shutil.which(emulator) and (KERNELS / name / file).exists()
    ]


class Elsewhere:
    """A program with the library of another platform that makes calls again."""

    def __init__(self, platform: str, folder: Path) -> None:
        zig, file, emulator = EMULATORS[platform]
        program = folder / f"replay-{platform}.exe"
        compiler = [sys.executable, "-m", "ziglang", "cc", "-target", zig, "-O1", "-fno-sanitize=all", "-o", program]
        subprocess.run([*compiler, Path(__file__).with_suffix(".c")], check=True)
        quiet = os.environ | {"WINEDEBUG": "-all", "WINEPREFIX": str(folder / "wine")}
        command = [*emulator, program, KERNELS / platform / file]
        self.platform = platform
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=quiet)

    def send(self, call: bytes) -> None:
        self._process.stdin.write(call)

    def ended(self) -> list[str]:
        """Its words; the last line counts."""
        words, _ = self._process.communicate()
        return words.decode().replace("\r", "").splitlines() or ["it said nothing"]


class Recorder:
    """Stands between the solver and the entries of its library."""

    def __init__(self, library, send: Callable[[bytes], None]) -> None:
        self._library, self._send = library, send
        self._structs = library._tables  # by number
        self._numbers: Counter[str] = Counter()
        self._called_back = 0
        self.sent: Counter[str] = Counter()
        self.spoilt = b""  # the last call that gives a number, with a wrong bit in it
        self.left_out = 0

    def new_motion(self) -> None:
        """Calls are counted anew."""
        self._numbers.clear()

    def called_back(self) -> None:
        """A call that asks Python on the way cannot be made again elsewhere."""
        self._called_back += 1

    def entry(self, name: str, call: Callable, variants: list[dict]) -> Callable:
        """An entry that is recorded, if its turn has come."""

        def recorded(*arguments):
            self._numbers[name] += 1
            number = self._numbers[name]
            while number % RARER == 0:
                number //= RARER
            return call(*arguments) if number != 1 else self._recorded(call, variants, arguments)

        return recorded

    def _recorded(self, call: Callable, variants: list[dict], arguments: tuple):
        symbol, code = next((v["symbol"], v["code"]) for v in variants if self._fits(v["code"], arguments))
        memory = Memory()
        values, node = [], code[1:]
        for each in arguments:
            value = bytearray(self._size(node))
            places: list[tuple[int, int]] = []
            self._put(node, each, value, 0, places, memory)
            values.append((value, places))
            node = node[_length(node) :]
        if memory.close() > LARGEST:
            self.left_out += 1
            return call(*arguments)
        before, asked = memory.content(), self._called_back
        result = call(*arguments)
        if self._called_back == asked:
            written, number = _written(symbol, memory, before, values), _result(node, result)
            self._send(written + _words(len(number)) + number)
            self.sent[symbol] += 1
            if number:
                self.spoilt = written + _words(len(number)) + bytes([number[0] ^ 1]) + number[1:]
        return result

    def _fits(self, code: list[int], arguments: tuple) -> bool:
        node = code[1:]
        if code[0] != len(arguments):
            return False
        for each in arguments:
            if not self._is(node, each):
                return False
            node = node[_length(node) :]
        return True

    def _is(self, node: list[int], value: object) -> bool:
        if node[0] == NONE:
            return value is None
        if node[0] == ARRAY:
            layout = "A" if node[2] else "C_CONTIGUOUS"
            is_array = isinstance(value, np.ndarray) and value.ndim == node[1]
            return is_array and (layout == "A" or value.flags[layout]) and self._library._is_dtype(node[3], value)
        if node[0] != STRUCT:
            return not isinstance(value, (tuple, np.ndarray)) and value is not None
        plan = self._structs[node[1]]
        if not isinstance(value, tuple) or len(value) != plan[2]:
            return False
        if plan[0] >= 0 and tuple(self._library._names[plan[0]]) != _class(value):
            return False
        return all(self._is(each, part) for (_, each), part in zip(_fields(plan), value, strict=True))

    def _size(self, node: list[int]) -> int:
        return 8 * (5 + 2 * node[1]) if node[0] == ARRAY else self._structs[node[1]][1] if node[0] == STRUCT else 8

    def _put(self, node: list[int], value, to: bytearray, at: int, places: list, memory: Memory) -> None:
        """As `put` in call.c does, but for addresses, of which the places are noted."""
        match node[0]:
            case 0:
                pass
            case 1:
                struct.pack_into("<q", to, at, int(value))
            case 2:
                struct.pack_into("<d", to, at, float(value))
            case 3:
                to[at] = bool(value)
            case 4:
                struct.pack_into("<4q", to, at, 0, 0, value.size, node[4])
                struct.pack_into(f"<{2 * value.ndim}q", to, at + 40, *value.shape, *value.strides)
                if value.size:
                    places.append((at + 32, value.ctypes.data))
                    memory.see(value)
            case 5:
                for (offset, each), part in zip(_fields(self._structs[node[1]]), value, strict=True):
                    self._put(each, part, to, at + offset, places, memory)


class Memory:
    """Pieces of this process's memory that arrays see; what overlaps is one piece."""

    def __init__(self) -> None:
        self._seen: list[tuple[int, int]] = []
        self.pieces: list[tuple[int, int]] = []  # begin, end

    def see(self, array: np.ndarray) -> None:
        spans = [(n - 1) * step for n, step in zip(array.shape, array.strides, strict=True)]
        begin = array.ctypes.data + sum(span for span in spans if span < 0)
        end = array.ctypes.data + sum(span for span in spans if span > 0) + array.itemsize
        self._seen.append((begin, end))

    def close(self) -> int:
        """Joins what overlaps; returns the bytes of all."""
        for begin, end in sorted(self._seen):
            if self.pieces and begin < self.pieces[-1][1]:
                self.pieces[-1] = self.pieces[-1][0], max(end, self.pieces[-1][1])
            else:
                self.pieces.append((begin, end))
        return sum(end - begin for begin, end in self.pieces)

    def content(self) -> list[bytes]:
        return [ctypes.string_at(begin, end - begin) for begin, end in self.pieces]

    def place(self, address: int) -> tuple[int, int]:
        """Number of the piece, and byte in it."""
        for number, (begin, end) in enumerate(self.pieces):
            if begin <= address < end:
                return number, address - begin
        raise LookupError("an array lies outside of what was seen")


def _written(symbol: str, memory: Memory, before: list[bytes], values: list) -> bytes:
    """A call, but for its result."""
    out = [_words(len(symbol)), symbol.encode(), _words(len(before), len(values))]
    for old, new in zip(before, memory.content(), strict=True):
        out += [_words(len(old)), old, new]
    for value, places in values:
        out += [_words(len(value)), bytes(value), _words(len(places))]
        out += [_words(place, *memory.place(address)) for place, address in places]
    return b"".join(out)


def _words(*numbers: int) -> bytes:
    return struct.pack(f"<{len(numbers)}q", *numbers)


def _length(node: list[int]) -> int:
    return {ARRAY: 5, STRUCT: 2}.get(node[0], 1)


def _fields(plan: list[int]):
    rest = plan[3:]
    for _ in range(plan[2]):
        yield rest[0], rest[1:]
        rest = rest[1 + _length(rest[1:]) :]


def _class(value: tuple) -> tuple[str, str]:
    return type(value).__module__.removeprefix("solver."), type(value).__qualname__


def _result(plan: list[int], value) -> bytes:
    """As the machine code writes it; of a truth value only the byte."""
    if plan[0] == TUPLE:
        return b"".join(_single(kind, each).ljust(8, b"\0") for kind, each in zip(plan[2:], value, strict=True))
    return _single(plan[0], value)


def _single(kind: int, value) -> bytes:
    return {
        NONE: lambda: b"",
        INT: lambda: struct.pack("<q", value),
        FLOAT: lambda: struct.pack("<d", value),
        BOOL: lambda: bytes([bool(value)]),
    }[kind]()


def _with_recorder(send: Callable[[bytes], None]) -> Recorder:
    """Imports the solver with entries that are recorded."""
    stand_in = ModuleType("solver")  # so that the loader is there before the solver asks it for entries
    stand_in.__path__ = [str(ROOT / "solver")]
    sys.modules["solver"] = stand_in
    from solver.library import loader

    del sys.modules["solver"]
    own, recorders = loader.Library.entry, []

    def entry(library, function: Callable) -> Callable:
        call = own(library, function)
        if not recorders:
            recorders.append(Recorder(library, send))
        name = f"{function.__module__.removeprefix('solver.')}.{function.__name__}"
        variants = library._variants.get(name)
        return call if variants is None else recorders[0].entry(name, call, variants)

    loader.Library.entry = entry
    from solver import kernel

    if not recorders:
        raise SystemExit("there is no library of kernels that fits these sources: make kernels, and set VES_KERNELS")
    answer = kernel.Callback.__call__

    def call_back(self, number):
        recorders[0].called_back()
        return answer(self, number)

    kernel.Callback.__call__ = call_back
    return recorders[0]


def main() -> None:
    parser = argparse.ArgumentParser(prog="tools.kernels.replay", description=__doc__.splitlines()[0])
    parser.add_argument("--platforms", nargs="+", choices=EMULATORS, default=emulated())
    parser.add_argument("--only", default="", help="motions whose names have this in them")
    options = parser.parse_args()
    if not options.platforms:
        raise SystemExit("there is no emulator here, or no library for one")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        others = [Elsewhere(platform, Path(folder)) for platform in options.platforms]
        recorder = _with_recorder(lambda call: [each.send(call) for each in others])
        from tools.digests import motions
        from tools.kernels.every_entry import call_every_entry

        count = 0
        for name, run in motions():
            if options.only in name:
                recorder.new_motion()
                run()
                count += 1
        for _ in call_every_entry():
            recorder.new_motion()
        sent, left_out = sum(recorder.sent.values()), recorder.left_out
        print(f"{count} motions: {sent} calls of {len(recorder.sent)} entries; {left_out} left out, which see too much")
        for each in others:
            each.send(recorder.spoilt)
        ended = {each.platform: each.ended() for each in others}
    unlike = {platform for platform, words in ended.items() if words[-1] != f"{sent + 1} calls, 1 unlike"}
    for platform, words in ended.items():
        print(f"{platform}: {'; '.join(words) if platform in unlike else 'the same bits'}")
    if unlike:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
