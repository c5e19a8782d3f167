# SPDX-License-Identifier: GPL-3.0-or-later
"""The library of one platform: LLVM's bitcode, machine code by llvmlite, linked by zig, which can do so for any other.

sin, pow and their like are those of musl in all libraries, compiled once to bitcode: no platform's own, so that a
motion is the same to the last bit wherever it is computed. No fused products and sums either: not all processors have
them.
"""

from __future__ import annotations

import hashlib
import json
import multiprocessing
import pickle
import re
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import llvmlite.binding as llvm
from numba.core.registry import cpu_target

from solver.library.loader import DESCRIPTION, FORMAT, digests_of, this_platform
from solver.library.sources import reached_from

from .plans import Entry, Plans

OPTIMISATION = 1  # with more nothing gets quicker, but this


class Platform(NamedTuple):
    """The names of a platform to LLVM and to zig."""

    triple: str
    processor: str
    zig: str
    file: str


PLATFORMS = {
    "linux-x64": Platform("x86_64-unknown-linux-gnu", "x86-64", "x86_64-linux-gnu.2.17", "kernels.so"),
    "linux-arm64": Platform("aarch64-unknown-linux-gnu", "generic", "aarch64-linux-gnu.2.17", "kernels.so"),
    "windows-x64": Platform("x86_64-w64-windows-gnu", "x86-64", "x86_64-windows-gnu", "kernels.dll"),
    "macos-arm64": Platform("arm64-apple-macosx11.0.0", "apple-m1", "aarch64-macos.11.0", "kernels.dylib"),
    "macos-x64": Platform("x86_64-apple-macosx10.15.0", "x86-64", "x86_64-macos.10.15", "kernels.dylib"),
}
# Functions that platforms compute each in its own way; those of musl have names that LLVM knows nothing of, or it would
# take both sine and cosine from the platform again.
UNLIKE = "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "exp", "exp2", "log", "log1p", "pow"
_OURS = "ves_libm_"
# Files of musl's src/math with these, with what all compute alike but not all processors know, and with their parts.
LIBM = (
    *UNLIKE, "floor", "ceil", "trunc", "fmod", "scalbn", "__sin", "__cos", "__tan", "__rem_pio2", "__rem_pio2_large",
    "exp_data", "log_data", "pow_data", "__math_divzero", "__math_invalid", "__math_oflow", "__math_uflow",
    "__math_xflow",
)  # fmt: skip
_UNLIKE = re.compile(rf"@(?:llvm\.)?({'|'.join(UNLIKE)})(?:\.f64)?(?=\()")
_OF_ONE_PROCESSOR = re.compile(r'"(?:target-cpu|target-features|tune-cpu)"="[^"]*" ?')
_PLAIN = "-O2", "-fno-math-errno", "-ffp-contract=off", "-fno-sanitize=all", "-g0", "-Dhidden="


def link(parts: list[Path], folder: Path, platform: str, jobs: int) -> Path:
    """Makes the library of a platform from files of bitcode; returns its file, beside its description.

    Objects are kept beside the bitcode, as long as nothing in them changes.
    """
    target = PLATFORMS[platform]
    folder.mkdir(parents=True, exist_ok=True)
    objects = [_object_of(part, target) for part in parts]
    missing = [each for each in zip(parts, objects, strict=True) if not each[1].exists()]
    with ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn")) as pool:
        for _ in pool.map(_make_object, *zip(*missing, strict=True), [target] * len(missing)) if missing else ():
            pass
    file, call = folder / target.file, Path(__file__).parent / "call.c"
    _zig("-target", target.zig, "-shared", "-s", "-O2", "-o", file, call, *objects)
    for each in (*folder.glob("*.pdb"), *folder.glob("*.lib")):
        each.unlink()
    _describe(parts, folder, platform, file)
    return file


def _object_of(part: Path, target: Platform) -> Path:
    made_of = part.read_bytes(), target, Path(__file__).read_bytes()
    return part.with_name(f"{part.stem}-{hashlib.sha256(repr(made_of).encode()).hexdigest()[:12]}.o")


def _make_object(part: Path, made: Path, target: Platform) -> None:
    draft = made.with_suffix(".draft")
    draft.write_bytes(_machine_code(part, target))
    draft.replace(made)


def _machine_code(bitcode: Path, target: Platform) -> bytes:
    """An object file: the passes that numba runs, a cheap round and the full one, then code."""
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    machine = llvm.Target.from_triple(target.triple).create_target_machine(
        cpu=target.processor, opt=OPTIMISATION, reloc="pic", codemodel="default"
    )
    module = llvm.parse_assembly(_with_our_names(str(llvm.parse_bitcode(bitcode.read_bytes()))))
    module.triple, module.data_layout = target.triple, str(machine.target_data)
    for function in module.functions:
        is_entry = not function.is_declaration and re.match(r"ves_(?!libm_)", function.name)
        if is_entry and "windows" in target.triple:
            function.storage_class = "dllexport"
    for level in (0, OPTIMISATION):
        options = llvm.create_pipeline_tuning_options(level)
        options.loop_vectorization = options.slp_vectorization = False
        builder = llvm.create_pass_builder(machine, options)
        passes = builder.getModulePassManager()
        if level == 0:
            passes.add_loop_rotate_pass()
            passes.add_instruction_combine_pass()
            passes.add_jump_threading_pass()
        passes.run(module, builder)
    module.verify()
    return machine.emit_object(module)


def _with_our_names(text: str) -> str:
    """The same module, in which what platforms compute each in its own way has our names, declared once."""
    text, declared = _UNLIKE.sub(rf"@{_OURS}\1", text), set()
    known = set(re.findall(rf"^define [^@]*@({_OURS}\w+)", text, re.MULTILINE))

    def once(line: re.Match) -> str:
        is_new = line[1] not in known | declared
        declared.add(line[1])
        return line[0] if is_new else ""

    return re.sub(rf"^declare [^@]*@({_OURS}\w+).*$", once, text, flags=re.MULTILINE)


def libm(made: Path) -> None:
    """Makes one more part: musl's functions."""
    math = Path(find_spec("ziglang").origin).parent / "lib" / "libc" / "musl" / "src" / "math"
    whole = None
    for name in LIBM:
        draft = made.with_suffix(".ll")
        folders = math.parent / "internal", math.parents[1] / "arch" / "generic"
        include = [f"-I{each}" for each in folders]
        _zig("-target", "x86_64-linux-musl", *_PLAIN, *include, "-emit-llvm", "-S", math / f"{name}.c", "-o", draft)
        text = _OF_ONE_PROCESSOR.sub("", draft.read_text(encoding="utf-8"))
        draft.unlink()
        module = llvm.parse_assembly(text)
        whole = module if whole is None else whole
        if whole is not module:
            whole.link_in(module)
    for each in (*whole.functions, *whole.global_variables):
        if not each.is_declaration and each.linkage == llvm.Linkage.external:
            each.visibility = "hidden"
    made.write_bytes(whole.as_bitcode())


def _describe(parts: list[Path], folder: Path, platform: str, file: Path) -> None:
    """Writes what the loader reads."""
    plans, entries = Plans(cpu_target.target_context), _entries(parts)
    for each in entries:
        plans.add(each)
    names = {f"{each.name.rpartition('.')[0].replace('.', '/')}.py" for each in entries}
    sources = [name for name in sorted(reached_from(names)) if not name.startswith("library/")]  # its FORMAT tells
    content = file.read_bytes()
    description = {
        "format": FORMAT,
        "platform": platform,
        "file": file.name,
        "size": len(content),
        "sha256": hashlib.sha256(content).hexdigest(),
        "sources": {name: digests_of(name) for name in sources},
        **plans.written(),
    }
    (folder / DESCRIPTION).write_text(json.dumps(description, separators=(",", ":")), encoding="utf-8")


def _entries(parts: list[Path]) -> list[Entry]:
    files = [each.with_suffix(".pickle") for each in parts if each.with_suffix(".pickle").exists()]
    return [each for file in files for each in pickle.loads(file.read_bytes())]


def _zig(*arguments) -> None:
    done = subprocess.run([sys.executable, "-m", "ziglang", "cc", *map(str, arguments)], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"zig: {done.stderr[-2000:]}")


__all__ = ["PLATFORMS", "libm", "link", "this_platform"]
