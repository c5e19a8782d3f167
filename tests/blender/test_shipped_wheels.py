# SPDX-License-Identifier: GPL-3.0-or-later
"""The zip with wheels, installed in a Blender that has numpy and nothing else, as Blender's own download has."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

DIST = Path(__file__).resolve().parents[2] / "dist"
SHIPPED = ("scipy", "numba", "llvmlite", "mujoco")
INSTALL = """
import importlib, importlib.util, json, sys
import bpy, numpy
numpy_before = numpy.__version__, numpy.__file__
zip_file, shipped, folder = sys.argv[1], sys.argv[2].split(","), sys.argv[3]
assert not any(importlib.util.find_spec(name) for name in shipped), "the test's Blender has them already"
bpy.ops.extensions.package_install_files(filepath=zip_file, repo="user_default", enable_on_install=True)
import numba, scipy.spatial, mujoco
assert (numpy.__version__, numpy.__file__) == numpy_before
places = {name: importlib.util.find_spec(name).origin for name in shipped}
twice = numba.njit(lambda x: 2 * x)
module = sys.modules["bl_ext.user_default.virtual_erector_set"]
contact = importlib.import_module(module.__name__ + ".solver.contact.detection.collision")
answer = {
    "places": places,
    "twice": twice(21),
    "registered": hasattr(bpy.types.Object, "ves"),
    "contact": contact.unavailable(),
}
bpy.ops.preferences.addon_disable(module=module.__name__)
with open(folder + "/answer.json", "w") as file:
    json.dump(answer, file)
"""


def linux_zip() -> Path | None:
    return next(iter(DIST.glob("virtual_erector_set-*-linux_x64.zip")), None)


@pytest.mark.skipif(sysconfig.get_platform() != "linux-x86_64", reason="the zip for Linux is tested on Linux")
@pytest.mark.skipif(linux_zip() is None, reason="no zip with wheels in dist/ (make extension)")
def test_blender_gets_its_compiler_from_the_zip(tmp_path: Path) -> None:
    # What Blender's own Python has: all packages of this environment, except what the extension ships.
    packages = tmp_path / "packages"
    packages.mkdir()
    for entry in Path(sysconfig.get_path("purelib")).iterdir():
        if not entry.name.startswith(SHIPPED):
            (packages / entry.name).symlink_to(entry)
    user = tmp_path / "user"
    user.mkdir()
    subprocess.run(
        # -S: without this environment's own packages
        [sys.executable, "-S", "-c", INSTALL, str(linux_zip()), ",".join(SHIPPED), str(tmp_path)],
        env=os.environ | {"PYTHONPATH": str(packages), "BLENDER_USER_RESOURCES": str(user)},
        check=True,
        timeout=300,
    )
    answer = json.loads((tmp_path / "answer.json").read_text(encoding="utf-8"))
    assert answer["registered"]
    assert answer["twice"] == 42
    assert answer["contact"] is None
    assert [name for name, place in answer["places"].items() if not Path(place).is_relative_to(user)] == []
