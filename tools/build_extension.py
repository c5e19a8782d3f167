# SPDX-License-Identifier: GPL-3.0-or-later
"""Builds the extension's zips of a platform, each with the packages that its Blender lacks.

usage: python tools/build_extension.py [--platforms linux-x64 ...]      in an environment that has bpy

Wheels are downloaded unmodified into .cache/wheels, but for that of our own kernels, which `make kernels` puts into
dist/. A copy of the clone gets them and a manifest that lists them; Blender's own builder, which bpy contains, makes
dist/virtual_erector_set-VERSION-PLATFORM-blender_FIRST.zip of it: one for the Python of Blender 4.5 and 5.0
(3.11), one for that of 5.1 and later (3.13), since Blender refuses wheels for another Python than its own. For Linux
there is one more with the kernels alone, PLATFORM-system_python: for a Blender that uses the system's Python, whichever
it is, and the system's scipy.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from solver.library.loader import DESCRIPTION, PACKAGE, MisfitError, refuse_other_sources, this_platform  # noqa: E402
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
PYTHONS = {"macos-x64": ["3.11"]}  # Blender 5.0 and later do not exist for Macs with Intel processors
NO_WHEELS = {"macos-x64": {"mujoco-core"}}  # there, bodies touch only the ground
BLENDERS = {"3.11": ("4.5.0", "5.1.0"), "3.13": ("5.1.0", "")}  # from this version on, up to that one
COMPILER = {"numba", "llvmlite"}
NOT_SHIPPED = {"artefacts", "dist", "tests", "benchmarks", "docs", "examples"}  # folders of the root


def shipped_packages(platform: str) -> list[str]:
    """The requirements of tools/shipped_wheels.txt that a zip has: the compiler is not needed."""
    lines = (ROOT / "tools" / "shipped_wheels.txt").read_text(encoding="utf-8").splitlines()
    pinned = [line for line in lines if line and not line.startswith("#")]
    return [each for each in pinned if each.split("==")[0] not in COMPILER | NO_WHEELS.get(platform, set())]


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


def wheel_of_kernels(platform: str) -> Path:
    """The wheel of our own kernels in dist/; it ends the build if there is none, or does not fit the sources."""
    wheel = next(iter(DIST.glob(f"{PACKAGE}-*-{TAGS[platform]}.whl")), None)
    remedy = f"make kernels PLATFORMS={platform}"
    if wheel is None:
        sys.exit(f"build_extension: no kernels for {platform} in dist/: {remedy}")
    with zipfile.ZipFile(wheel) as opened:
        description = json.loads(opened.read(f"{PACKAGE}/{DESCRIPTION}"))
    try:
        refuse_other_sources(description["sources"])
    except MisfitError as error:
        sys.exit(f"build_extension: {wheel.name}: {error}: {remedy}")
    return wheel


def not_copied(folder: str, names: list[str]) -> set[str]:
    """Names for shutil.copytree to leave out: hidden files, caches, and what the root alone keeps to itself."""
    hidden = {name for name in names if name.startswith(".") or name == "__pycache__"}
    return hidden | (NOT_SHIPPED & set(names) if Path(folder) == ROOT else set())


def wheels_of(platform: str, python: str, kernels: Path) -> list[Path]:
    """All wheels of one platform and Python."""
    return [kernels, *(download(each, platform, python) for each in shipped_packages(platform))]


def stage(copy: Path, platforms: list[str], wheels: list[Path], blenders: tuple[str, str] | None = None) -> None:
    """Fill the folder `copy` with the extension's files, these wheels, and a manifest that lists them.

    blenders: the first version, and the one that is too new.
    """
    shutil.copytree(ROOT, copy, ignore=not_copied, dirs_exist_ok=True)
    (copy / "wheels").mkdir()
    for wheel in wheels:
        shutil.copyfile(wheel, copy / "wheels" / wheel.name)
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
    """The zips of one platform: for each Python of Blender's own, and for the system's."""
    kernels, zips = wheel_of_kernels(platform), []
    for python in PYTHONS.get(platform, BLENDERS):
        zips.append((wheels_of(platform, python, kernels), BLENDERS[python]))
    if platform.startswith("linux"):
        zips.append(([kernels], None))
    for wheels, blenders in zips:
        with tempfile.TemporaryDirectory() as folder:
            copy, made = Path(folder) / "virtual_erector_set", Path(folder) / "made"
            made.mkdir()
            stage(copy, [platform], wheels, blenders)
            command = ["build", f"--source-dir={copy}", f"--output-dir={made}", "--split-platforms"]
            subprocess.run([*builder, *command], check=True)
            (package,) = made.glob("*.zip")
            suffix = f"-blender_{blenders[0].removesuffix('.0')}" if blenders else "-system_python"
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
    parser.add_argument("--platforms", nargs="+", choices=WHEEL_TAGS, default=[this_platform()])
    platforms = parser.parse_args().platforms
    builder = [sys.executable, str(blender_builder())]
    DIST.mkdir(exist_ok=True)
    for old in DIST.glob("*.zip"):
        old.unlink()
    for platform in platforms:
        build(builder, platform)
    for package in sorted(DIST.glob("*.zip")):
        subprocess.run([*builder, "validate", str(package)], check=True)
        print(f"{package.relative_to(ROOT)}: {package.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
