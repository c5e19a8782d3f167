# SPDX-License-Identifier: GPL-3.0-or-later
"""Builds the extension's zips: one per platform with the packages that Blender lacks, and one without.

usage: python tools/build_extension.py [--platforms linux-x64 ...]      in an environment that has bpy

Wheels are downloaded unmodified into .cache/wheels, for every platform and for the Pythons of Blender 4.5 and 5.0
(3.11) and of 5.1 and 5.2 (3.13). A copy of the clone gets them and a manifest that lists them; Blender's own builder,
which the bpy wheel contains, makes dist/virtual_erector_set-VERSION-PLATFORM.zip of it. Blender refuses wheels for
another Python than its own, so dist/virtual_erector_set-VERSION.zip has none: for a Blender that uses the system's.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
WHEELS = ROOT / ".cache" / "wheels"
DIST = ROOT / "dist"
# Which wheels a platform takes, newest kind of tag first.
WHEEL_TAGS = {
    "linux-x64": ["manylinux_2_28_x86_64", "manylinux_2_27_x86_64", "manylinux2014_x86_64"],
    "windows-x64": ["win_amd64"],
    "macos-arm64": ["macosx_12_0_arm64", "macosx_11_0_arm64"],
    "macos-x64": ["macosx_10_15_x86_64", "macosx_10_14_x86_64", "macosx_10_12_x86_64"],
}
# Blender 5.0 and later do not exist for Macs with Intel processors, and numba's last release for them is 0.62.1.
PYTHONS = {"macos-x64": ["3.11"]}
OLDER_WHEELS = {"macos-x64": {"numba": "0.62.1", "llvmlite": "0.45.1"}}
NO_WHEELS = {"macos-x64": {"mujoco-core"}}  # there, bodies touch only the ground
NOT_SHIPPED = {"artefacts", "dist", "tests", "benchmarks", "docs", "examples"}  # folders of the root


def shipped_packages(platform: str) -> list[str]:
    """The requirements of tools/shipped_wheels.txt, as far back as the platform needs them."""
    lines = (ROOT / "tools" / "shipped_wheels.txt").read_text(encoding="utf-8").splitlines()
    pinned = dict(line.split("==") for line in lines if line and not line.startswith("#"))
    versions = pinned | OLDER_WHEELS.get(platform, {})
    return [f"{name}=={version}" for name, version in versions.items() if name not in NO_WHEELS.get(platform, ())]


def download(requirement: str, platform: str, python: str) -> Path:
    """The wheel of one package for one platform and Python, from .cache/wheels or from the package index."""
    name, version = requirement.split("==")
    tag = f"cp{python.replace('.', '')}"
    folder = WHEELS / platform / tag
    pattern = f"{name.replace('-', '_')}-{version}-{tag}-*.whl"
    if not list(folder.glob(pattern)):
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
        command += ["--only-binary=:all:", "--implementation=cp", f"--python-version={python}", f"--abi={tag}"]
        command += [f"--platform={tag}" for tag in WHEEL_TAGS[platform]]
        subprocess.run([*command, f"--dest={folder}", requirement], check=True)
    (wheel,) = folder.glob(pattern)
    return wheel


def not_copied(folder: str, names: list[str]) -> set[str]:
    """Names for shutil.copytree to leave out: hidden files, caches, and what the root alone keeps to itself."""
    hidden = {name for name in names if name.startswith(".") or name == "__pycache__"}
    return hidden | (NOT_SHIPPED & set(names) if Path(folder) == ROOT else set())


def stage(platforms: list[str], copy: Path) -> None:
    """Fill the folder `copy` with the extension's files, the wheels, and a manifest that lists them."""
    shutil.copytree(ROOT, copy, ignore=not_copied, dirs_exist_ok=True)
    (copy / "wheels").mkdir()
    names = []
    for platform in platforms:
        for python in PYTHONS.get(platform, ["3.11", "3.13"]):
            for requirement in shipped_packages(platform):
                wheel = download(requirement, platform, python)
                os.symlink(wheel, copy / "wheels" / wheel.name)
                names.append(wheel.name)
    manifest = (copy / "blender_manifest.toml").read_text(encoding="utf-8")
    # Top-level keys stand before the first table.
    top, permissions, rest = manifest.partition("[permissions]")
    listed = "".join(f'  "./wheels/{name}",\n' for name in names)
    platform_list = ", ".join(f'"{platform}"' for platform in platforms)
    additions = f"platforms = [{platform_list}]\nwheels = [\n{listed}]\n\n"
    (copy / "blender_manifest.toml").write_text(top + additions + permissions + rest, encoding="utf-8")


def blender_builder() -> Path:
    """Blender's own extension builder, a plain Python program inside bpy."""
    spec = importlib.util.find_spec("bpy")
    if spec is None or not spec.submodule_search_locations:
        sys.exit("build_extension: no bpy in this environment; use `make extension`")
    (program,) = Path(spec.submodule_search_locations[0]).glob("*/scripts/addons_core/bl_pkg/cli/blender_ext.py")
    return program


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--platforms", nargs="+", choices=WHEEL_TAGS, default=list(WHEEL_TAGS))
    platforms = parser.parse_args().platforms
    builder = [sys.executable, str(blender_builder())]
    DIST.mkdir(exist_ok=True)
    for old in DIST.glob("*.zip"):
        old.unlink()
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "virtual_erector_set"
        stage(platforms, copy)
        build = ["build", f"--source-dir={copy}", f"--output-dir={DIST}", "--split-platforms"]
        subprocess.run([*builder, *build], check=True)
    subprocess.run([*builder, "build", f"--source-dir={ROOT}", f"--output-dir={DIST}"], check=True)
    for package in sorted(DIST.glob("*.zip")):
        subprocess.run([*builder, "validate", str(package)], check=True)
        print(f"{package.relative_to(ROOT)}: {package.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
