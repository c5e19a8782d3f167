# SPDX-License-Identifier: GPL-3.0-or-later
"""Contents of the extension's zip with wheels: every file of the product, wherever it stands."""

from __future__ import annotations

import json
import os
import tomllib
from pathlib import Path

import pytest

from solver.library.loader import digests_of
from tools import build_extension
from tools.build_extension import BLENDERS, ROOT, stage, wheel_of_kernels, wheels_of
from tools.kernels import wheel

PRODUCT = ("solver", "scene", "operators", "panels")


def sources(root: Path) -> list[str]:
    found = [root / "__init__.py"]
    for folder in PRODUCT:
        found += (root / folder).rglob("*.py")
    return sorted(path.relative_to(root).as_posix() for path in found)


def test_all_of_the_product_is_in_the_zip_and_nothing_else(tmp_path: Path) -> None:
    stage(tmp_path, [], [])
    assert sources(tmp_path) == sources(ROOT)
    assert sorted(path.name for path in tmp_path.iterdir() if path.is_dir()) == sorted([*PRODUCT, "tools", "wheels"])


def test_a_zip_for_one_python_names_the_versions_of_blender_that_have_it(tmp_path: Path) -> None:
    for blenders in BLENDERS.values():
        stage(tmp_path / blenders[0], ["linux-x64"], [], blenders)
        manifest = tomllib.loads((tmp_path / blenders[0] / "blender_manifest.toml").read_text(encoding="utf-8"))
        assert (manifest["blender_version_min"], manifest.get("blender_version_max", "")) == blenders
        assert (manifest["platforms"], manifest["wheels"]) == (["linux-x64"], [])


def test_kernels_take_the_place_of_the_compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build_extension, "download", lambda requirement, platform, python: Path(requirement))
    kernels = tmp_path / "kernels.whl"
    wheels = [str(each).split("==")[0] for each in wheels_of("linux-x64", "3.13", kernels)]
    assert wheels == [str(kernels), "scipy", "mujoco-core"]


def test_kernels_of_other_sources_are_not_packed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build_extension, "DIST", tmp_path)
    with pytest.raises(SystemExit, match=r"no kernels for linux-x64 in dist/: make kernels PLATFORMS=linux-x64"):
        wheel_of_kernels("linux-x64")
    library = tmp_path / "library"
    library.mkdir()
    for sources, fits in (({"kernel.py": digests_of("kernel.py")}, True), ({"kernel.py": ["1", "2"]}, False)):
        (library / "kernels.json").write_text(json.dumps({"sources": sources}), encoding="utf-8")
        made = wheel.write(library, "linux-x64", tmp_path)
        if fits:
            assert wheel_of_kernels("linux-x64") == made
        else:
            with pytest.raises(SystemExit, match=r"made from another solver/kernel\.py: make kernels"):
                wheel_of_kernels("linux-x64")


def test_the_wheel_of_kernels_is_the_same_bytes_again(tmp_path: Path) -> None:
    library = tmp_path / "library"
    library.mkdir()
    (library / "kernels.json").write_text("{}", encoding="utf-8")
    (library / "kernels.so").write_bytes(b"machine code")
    first = wheel.write(library, "linux-x64", tmp_path / "a").read_bytes()
    os.utime(library / "kernels.so", (1e9, 1e9))
    assert wheel.write(library, "linux-x64", tmp_path / "b").read_bytes() == first
