# SPDX-License-Identifier: GPL-3.0-or-later
"""Builds the extension's zips: those with the packages that Blender lacks, for each platform, and one without.

usage: python tools/build_extension.py [--platforms linux-x64 ...]      in an environment that has bpy

Wheels are downloaded unmodified into .cache/wheels, for every platform and for the Pythons of Blender 4.5 and 5.0
(3.11) and of 5.1 and 5.2 (3.13). A copy of the clone gets them and a manifest that lists them; Blender's own builder,
which the bpy wheel contains, makes dist/virtual_erector_set-VERSION-PLATFORM.zip of it. Blender refuses wheels for
another Python than its own, so dist/virtual_erector_set-VERSION.zip has none: for a Blender that uses the system's.

Where dist/ has the wheel of a platform's kernels (make kernels), that takes the place of the compiler, and each Python
gets a zip of its own, which names the versions of Blender that have it.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from solver.library.loader import DESCRIPTION, PACKAGE, MisfitError, refuse_other_sources  # noqa: E402
from tools.kernels.wheel import TAGS  # noqa: E402

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
BLENDERS = {"3.11": ("4.5.0", "5.1.0"), "3.13": ("5.1.0", "")}  # from this version on, up to that one
COMPILER = {"numba", "llvmlite"}
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


def wheel_of_kernels(platform: str) -> Path | None:
    """The wheel of our own kernels in dist/, if there is one; it ends the build if it does not fit the sources."""
    wheel = next(iter(DIST.glob(f"{PACKAGE}-*-{TAGS[platform]}.whl")), None)
    if wheel is not None:
        with zipfile.ZipFile(wheel) as opened:
            description = json.loads(opened.read(f"{PACKAGE}/{DESCRIPTION}"))
        try:
            refuse_other_sources(description["sources"])
        except MisfitError as error:
            sys.exit(f"build_extension: {wheel.name}: {error}; make kernels PLATFORMS={platform}, or remove it")
    return wheel


def not_copied(folder: str, names: list[str]) -> set[str]:
    """Names for shutil.copytree to leave out: hidden files, caches, and what the root alone keeps to itself."""
    hidden = {name for name in names if name.startswith(".") or name == "__pycache__"}
    return hidden | (NOT_SHIPPED & set(names) if Path(folder) == ROOT else set())


def wheels_of(platform: str, python: str, kernels: Path | None) -> list[Path]:
    """All wheels of one platform and Python; with kernels none of the compiler."""
    needed = [each for each in shipped_packages(platform) if kernels is None or each.split("==")[0] not in COMPILER]
    return [*([kernels] if kernels else []), *(download(each, platform, python) for each in needed)]


def stage(copy: Path, platforms: list[str], wheels: list[Path], blenders: tuple[str, str] | None = None) -> None:
    """Fill the folder `copy` with the extension's files, these wheels, and a manifest that lists them.

    blenders: the first version, and the one that is too new.
    """
    shutil.copytree(ROOT, copy, ignore=not_copied, dirs_exist_ok=True)
    (copy / "wheels").mkdir()
    for wheel in wheels:
        os.symlink(wheel, copy / "wheels" / wheel.name)
    manifest = (copy / "blender_manifest.toml").read_text(encoding="utf-8")
    if blenders:
        first, end = blenders
        limits = f'blender_version_min = "{first}"\n' + (f'blender_version_max = "{end}"\n' if end else "")
        manifest = manifest.replace('blender_version_min = "4.5.0"\n', limits)
    # Top-level keys stand before the first table.
    top, permissions, rest = manifest.partition("[permissions]")
    listed = "".join(f'  "./wheels/{wheel.name}",\n' for wheel in wheels)
    platform_list = ", ".join(f'"{platform}"' for platform in platforms)
    additions = f"platforms = [{platform_list}]\nwheels = [\n{listed}]\n\n"
    (copy / "blender_manifest.toml").write_text(top + additions + permissions + rest, encoding="utf-8")


def build(builder: list[str], platform: str) -> None:
    """The zips of one platform: one for each Python if our own kernels are there, else one for all."""
    pythons, kernels = PYTHONS.get(platform, ["3.11", "3.13"]), wheel_of_kernels(platform)
    for group in [[python] for python in pythons] if kernels else [pythons]:
        wheels = list(dict.fromkeys(wheel for python in group for wheel in wheels_of(platform, python, kernels)))
        blenders = BLENDERS[group[0]] if kernels else None
        with tempfile.TemporaryDirectory() as folder:
            copy, made = Path(folder) / "virtual_erector_set", Path(folder) / "made"
            made.mkdir()
            stage(copy, [platform], wheels, blenders)
            command = ["build", f"--source-dir={copy}", f"--output-dir={made}", "--split-platforms"]
            subprocess.run([*builder, *command], check=True)
            (package,) = made.glob("*.zip")
            suffix = f"-blender_{blenders[0].removesuffix('.0')}" if blenders else ""
            shutil.move(package, DIST / f"{package.stem}{suffix}.zip")


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
    for platform in platforms:
        build(builder, platform)
    subprocess.run([*builder, "build", f"--source-dir={ROOT}", f"--output-dir={DIST}"], check=True)
    for package in sorted(DIST.glob("*.zip")):
        subprocess.run([*builder, "validate", str(package)], check=True)
        print(f"{package.relative_to(ROOT)}: {package.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
