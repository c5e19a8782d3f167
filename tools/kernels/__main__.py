# SPDX-License-Identifier: GPL-3.0-or-later
"""Compiles all entries of the solver ahead of time: a library for each platform, made on any one of them.

usage: python -m tools.kernels [--platforms linux-x64 ...] [--jobs 2]      (make kernels)

In .cache/kernels: parts/ with the types of arguments, LLVM's bitcode and objects, each named after what it is made of
and kept; PLATFORM/ with the library, and its wheel in dist/. With VES_KERNELS=.cache/kernels/PLATFORM a checkout runs
on it.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
KERNELS = ROOT / ".cache" / "kernels"
PARTS = KERNELS / "parts"
os.environ["VES_KERNELS"] = "none"  # here, and in what is started from here

from solver.library.sources import texts  # noqa: E402

from . import link, wheel  # noqa: E402


def main() -> None:
    parser = argparse.ArgumentParser(prog="tools.kernels", description=__doc__.splitlines()[0])
    parser.add_argument("--platforms", nargs="+", choices=link.PLATFORMS, default=[link.this_platform()])
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    PARTS.mkdir(parents=True, exist_ok=True)
    types = _timed("types of arguments", _recorded)
    parts = _timed("bitcode", lambda: _compiled(types, options.jobs))
    for platform in options.platforms:
        library = KERNELS / platform
        _timed(platform, lambda to=library, name=platform: link.link(parts, to, name, options.jobs))
        made = wheel.write(library, platform, ROOT / "dist")
        print(f"{made.relative_to(ROOT)}: {made.stat().st_size / 1e6:.2f} MB")


def _recorded() -> Path:
    """The file with the types; it is made anew when anything in the solver has changed, docstrings aside."""
    sources = {name: text for name, text in texts().items() if not name.startswith("library/")}
    digest = hashlib.sha256(repr(sorted(sources.items())).encode())
    for name in ("every_entry", "record"):
        digest.update((Path(__file__).parent / f"{name}.py").read_bytes())
    file = PARTS / f"types-{digest.hexdigest()[:12]}"
    if not file.exists():
        _run("record.py", file, NUMBA_DISABLE_JIT="1")
    return file


def _compiled(types: Path, jobs: int) -> list[Path]:
    """The files of bitcode. Each missing part is made in a process of its own, some at a time."""
    names = _run("compile.py", types, PARTS).split()
    missing = [name for name in names if not (PARTS / f"{name}.bc").exists()]
    with ThreadPoolExecutor(jobs) as pool:
        list(pool.map(lambda name: _run("compile.py", types, PARTS, name), missing))
    libm = PARTS / f"libm-{hashlib.sha256(Path(link.__file__).read_bytes()).hexdigest()[:12]}.bc"
    if not libm.exists():
        link.libm(libm)
    return [*(PARTS / f"{name}.bc" for name in names), libm]


def _run(program: str, *arguments: Path | str, **environment: str) -> str:
    command = [sys.executable, Path(__file__).parent / program, *arguments]
    done = subprocess.run(command, env=os.environ | environment, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{program} {arguments[-1]}: {done.stderr[-3000:]}")
    return done.stdout


def _timed(what: str, work: Callable):
    begun = time.perf_counter()
    result = work()
    print(f"{what}: {time.perf_counter() - begun:.1f} s", flush=True)
    return result


if __name__ == "__main__":
    main()
