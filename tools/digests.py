# SPDX-License-Identifier: GPL-3.0-or-later
"""Prints a digest of each known motion, to the last bit: what a change of form only must leave as it was.

usage: python tools/digests.py [--blender] [--only WORD] > before.txt      and later, on the same machine, > after.txt

Without Blender: the reference cases, the scripts of examples/, and scenes of the benchmarks. With --blender, in an
environment that has bpy: the scenes of examples/, each built, exported as a mechanism file, and baked for FRAMES
frames: a digest of the file, and one of all keyframes.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import importlib
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
FRAMES = 36  # of an example in Blender
DURATION = 1.0  # s
ODD = {"wall_time"}  # arrays of results that no two runs share


def main() -> None:
    parser = argparse.ArgumentParser(prog="digests", description=__doc__.splitlines()[0])
    parser.add_argument("--blender", action="store_true")
    parser.add_argument("--only", default="", help="cases whose names have this in them")
    options = parser.parse_args()
    for name, digest in _in_blender(options.only) if options.blender else _in_python(options.only):
        print(f"{digest}  {name}", flush=True)


def _in_python(only: str) -> Iterator[tuple[str, str]]:
    for name, run in motions():
        if only in name:
            yield name, run()


def motions() -> Iterator[tuple[str, Callable[[], str]]]:
    """Names, and what runs one and returns its digest."""
    from solver import Script, evaluate, simulate

    for path, mechanism in _references():
        if "evaluate" in path.stem:
            yield f"reference/{path.stem}", lambda m=mechanism: _tried(lambda: evaluate(m))
            continue
        for method in ("auto", "recursive", "propagation", "lagrange"):
            name = f"reference/{path.stem} {method}"
            yield name, lambda m=mechanism, way=method: _tried(lambda: simulate(m, DURATION, method=way))
    for path in sorted((ROOT / "examples").glob("*.ves")):
        yield f"script/{path.stem}", lambda p=path: _of_script(Script.load(p))
    for name, mechanism in _benchmarks():
        yield f"benchmark/{name}", lambda m=mechanism: _tried(lambda: simulate(m, DURATION))
    for name, mechanism in _benchmarks():
        if name.startswith(("perpetual", "chain", "necklace")):
            for integrator in ("variational", "runge-kutta", "impulse"):
                run = lambda m=mechanism, i=integrator: _tried(lambda: simulate(m, DURATION, integrator=i))  # noqa: E731
                yield f"benchmark/{name} {integrator}", run


def _references() -> Iterator[tuple[Path, object]]:
    from solver import Mechanism

    for path in sorted((ROOT / "tests" / "reference").glob("*.json")):
        yield path, Mechanism.load(path)


def _benchmarks() -> Iterator[tuple[str, object]]:
    from benchmarks import chains, contact_scenes, loops, molecules, perpetual_systems, thrown_scenes

    for make in (contact_scenes.cans, contact_scenes.stack, contact_scenes.heavy_on_light, contact_scenes.dominoes):
        yield f"contact {make.__name__}", make().mechanism
    yield "contact pile 60", contact_scenes.pile(60).mechanism
    yield "contact chain 50", contact_scenes.chain(50).mechanism
    for scene in thrown_scenes.scenes():
        yield f"thrown {scene.title}", scene.mechanism
    for system in perpetual_systems.systems():
        yield f"perpetual {system.name}", system.mechanism
    yield "chain of hinges 20", chains.random_chain(20)
    yield "chain of mixed joints 20", chains.random_chain(20, chains.MIXED)
    yield "necklace 20", loops.necklace(20)
    yield "four bars 8", loops.four_bars(8)
    yield "scissor lift 3", loops.scissor_lift(3)
    yield "net 4 by 4", loops.net(4, 4)
    yield "molecule 40", molecules.molecule(40, 0.3)


def _of_script(script) -> str:
    from solver import simulate

    return _tried(lambda: simulate(script.mechanism, min(script.duration or DURATION, DURATION)))


def _tried(run: Callable[[], object]) -> str:
    """A digest of the result, or the words of the refusal."""
    from solver import MechanismError, SimulationFailed

    try:
        return _of_result(run())
    except (MechanismError, SimulationFailed) as error:
        return _of_bytes(str(error).encode())


def _of_result(result) -> str:
    digest = hashlib.sha256()
    for name, value in sorted(result._arrays().items()):
        if name not in ODD:
            digest.update(name.encode() + np.ascontiguousarray(value).tobytes())
    return digest.hexdigest()[:16]


def _of_bytes(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:16]


def _in_blender(only: str) -> Iterator[tuple[str, str]]:
    import tempfile

    import bpy

    from examples.extension import extension
    from examples.render import POSED, SCENES

    with extension(), tempfile.TemporaryDirectory() as folder:
        for name in SCENES:
            if only not in name:
                continue
            bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
            with _quietly():
                scenes = importlib.import_module(f"examples.{name}")
                if name in POSED:
                    scenes.build()
                else:
                    scenes.build(FRAMES)
                    path = Path(folder) / f"{name}.json"
                    bpy.ops.ves.export_mechanism(filepath=str(path))
                    bpy.ops.ves.bake()
            if name not in POSED:
                yield f"example/{name} mechanism", _of_bytes(path.read_bytes())
            yield f"example/{name} keyframes", _of_keyframes()
            yield f"example/{name} status", _of_bytes(_status().encode())


def _status() -> str:
    """The scene's status, without its times."""
    import bpy

    return "\n".join(f"{finding.severity} {finding.text}" for finding in bpy.context.scene.ves.findings)


def _of_keyframes() -> str:
    import bpy

    digest = hashlib.sha256()
    for action in sorted(bpy.data.actions, key=lambda each: each.name):
        digest.update(action.name.encode())
        for bag in (bag for layer in action.layers for strip in layer.strips for bag in strip.channelbags):
            for curve in bag.fcurves:
                points = np.empty(2 * len(curve.keyframe_points), np.float32)
                curve.keyframe_points.foreach_get("co", points)
                digest.update(f"{curve.data_path}[{curve.array_index}]".encode() + points.tobytes())
    return digest.hexdigest()[:16]


@contextlib.contextmanager
def _quietly() -> Iterator[None]:
    """Blender's own messages go nowhere."""
    sys.stdout.flush()
    kept, nowhere = os.dup(1), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    try:
        yield
    finally:
        sys.stdout.flush()
        os.dup2(kept, 1)
        os.close(kept)
        os.close(nowhere)


if __name__ == "__main__":
    main()
