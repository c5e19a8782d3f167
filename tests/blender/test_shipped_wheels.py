# SPDX-License-Identifier: GPL-3.0-or-later
"""The zip with wheels, installed in a Blender that has numpy and nothing else, as Blender's own download has."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

DIST = Path(__file__).resolve().parents[2] / "dist"
OURS = "virtual_erector_set_kernels"
PACKAGES = ("scipy", "mujoco", OURS, "numba", "llvmlite")
INSTALL = """
import importlib, importlib.util, json, sys
import bpy, numpy
numpy_before = numpy.__version__, numpy.__file__
zip_file, shipped, folder = sys.argv[1], sys.argv[2].split(","), sys.argv[3]
packages = sys.argv[4].split(",")
assert not any(importlib.util.find_spec(name) for name in packages), "the test's Blender has them already"
bpy.ops.extensions.package_install_files(filepath=zip_file, repo="user_default", enable_on_install=True)
import scipy.spatial, mujoco
assert (numpy.__version__, numpy.__file__) == numpy_before
places = {name: importlib.util.find_spec(name).origin for name in shipped}
module = sys.modules["bl_ext.user_default.virtual_erector_set"]
contact = importlib.import_module(module.__name__ + ".solver.contact.detection.collision")
kernel = importlib.import_module(module.__name__ + ".solver.kernel")
answer = {
    "places": places,
    "compiled": kernel.compiled(),
    "needs_numba": "numba" in sys.modules,
    "registered": hasattr(bpy.types.Object, "ves"),
    "contact": contact.unavailable(),
}
bpy.ops.preferences.addon_disable(module=module.__name__)
with open(folder + "/answer.json", "w") as file:
    json.dump(answer, file)
"""


def linux_zip() -> Path | None:
    """That for this Python."""
    blender = {(3, 11): "4.5", (3, 13): "5.1"}.get(sys.version_info[:2])
    return next(DIST.glob(f"virtual_erector_set-*-linux_x64-blender_{blender}.zip"), None)


def shipped(package: Path) -> list[str]:
    """The packages that the zip brings."""
    with zipfile.ZipFile(package) as opened:
        wheels = [Path(name).name for name in opened.namelist() if name.endswith(".whl")]
    return [name for name in PACKAGES if any(wheel.startswith(name) for wheel in wheels)]


@pytest.mark.skipif(sysconfig.get_platform() != "linux-x86_64", reason="the zip for Linux is tested on Linux")
@pytest.mark.skipif(linux_zip() is None, reason="no zip with wheels in dist/ (make extension)")
def test_blender_gets_machine_code_from_the_zip(tmp_path: Path) -> None:
    # What Blender's own Python has: all packages of this environment, except what the extension ships.
    packages = tmp_path / "packages"
    packages.mkdir()
    for entry in Path(sysconfig.get_path("purelib")).iterdir():
        if not entry.name.startswith(PACKAGES):
            (packages / entry.name).symlink_to(entry)
    user, brought = tmp_path / "user", shipped(linux_zip())
    assert brought == ["scipy", "mujoco", OURS]
    user.mkdir()
    subprocess.run(
        # -S: without this environment's own packages
        [sys.executable, "-S", "-c", INSTALL, str(linux_zip()), ",".join(brought), str(tmp_path), ",".join(PACKAGES)],
        env=os.environ | {"PYTHONPATH": str(packages), "BLENDER_USER_RESOURCES": str(user), "VES_KERNELS": ""},
        check=True,
        timeout=300,
    )
    answer = json.loads((tmp_path / "answer.json").read_text(encoding="utf-8"))
    assert answer["registered"]
    assert answer["compiled"]
    assert not answer["needs_numba"]
    assert answer["contact"] is None
    assert not list(user.rglob("cache")), "nothing is compiled, so nothing is kept"
    assert [name for name, place in answer["places"].items() if not Path(place).is_relative_to(user)] == []
