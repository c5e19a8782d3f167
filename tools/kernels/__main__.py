# SPDX-License-Identifier: GPL-3.0-or-later
"""Compiles all entries of the solver ahead of time: a library for each platform, made on any one of them.

usage: python -m tools.kernels [--platforms linux-x64 ...] [--jobs 2]      (make kernels)

In .cache/kernels: parts/HASH/ with the types of arguments and LLVM's bitcode, kept for as long as the sources are the
same; PLATFORM/ with the library, and its wheel in dist/. With VES_KERNELS=.cache/kernels/PLATFORM a checkout runs on
it.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
KERNELS = ROOT / ".cache" / "kernels"
os.environ["VES_KERNELS"] = "none"  # here, and in what is started from here

from solver.library.sources import texts  # noqa: E402

from . import link, wheel  # noqa: E402


def main() -> None:
    parser = argparse.ArgumentParser(prog="tools.kernels", description=__doc__.splitlines()[0])
    parser.add_argument("--platforms", nargs="+", choices=link.PLATFORMS, default=[link.this_platform()])
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    folder = KERNELS / "parts" / _hash_of_all()
    folder.mkdir(parents=True, exist_ok=True)
    _timed("types of arguments", lambda: _recorded(folder))
    _timed("bitcode", lambda: _compiled(folder, options.jobs))
    for platform in options.platforms:
        library = KERNELS / platform
        _timed(platform, lambda to=library, name=platform: link.link(folder, to, name, options.jobs))
        made = wheel.write(library, platform, ROOT / "dist")
        print(f"{made.relative_to(ROOT)}: {made.stat().st_size / 1e6:.2f} MB")


def _hash_of_all() -> str:
    """Of all sources of the solver, and of what makes bitcode of them."""
    digest = hashlib.sha256(repr(sorted(texts().items())).encode())
    for name in ("every_entry", "record", "compile", "plans"):
        digest.update((Path(__file__).parent / f"{name}.py").read_bytes())
    return digest.hexdigest()[:16]


def _recorded(folder: Path) -> None:
    if not (folder / "types").exists():
        _run("record.py", folder / "types", NUMBA_DISABLE_JIT="1")


def _compiled(folder: Path, jobs: int) -> None:
    """Each part in a process of its own, some at a time: the largest are named first."""
    names = _run("compile.py", folder / "types", folder).split()
    missing = [name for name in names if not (folder / f"{name}.bc").exists()]
    with ThreadPoolExecutor(jobs) as pool:
        list(pool.map(lambda name: _run("compile.py", folder / "types", folder, name), missing))
    if not (folder / "libm.bc").exists():
        link.libm(folder)


def _run(program: str, *arguments: Path | str, **environment: str) -> str:
    command = [sys.executable, Path(__file__).parent / program, *arguments]
    done = subprocess.run(command, env=os.environ | environment, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{program} {arguments[-1]}: {done.stderr[-3000:]}")
    return done.stdout


def _timed(what: str, work) -> None:
    begun = time.perf_counter()
    work()
    print(f"{what}: {time.perf_counter() - begun:.1f} s", flush=True)


if __name__ == "__main__":
    main()
