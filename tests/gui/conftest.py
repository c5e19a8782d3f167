# SPDX-License-Identifier: GPL-3.0-or-later
"""A real Blender with the extension installed from its zip, as a user gets it: with our kernels if VES_KERNELS is set.

VES_CHROOT names the folder made by tools/make_chroot.sh. Without it these tests are skipped. What they leave (pictures,
logs, baked files) is in artefacts/gui.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tools.build_extension import stage, wheel_of_kernels

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "artefacts" / "gui"
CHROOT = os.environ.get("VES_CHROOT")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.gui)
            if not CHROOT:
                item.add_marker(pytest.mark.skip(reason="VES_CHROOT is not set: no real Blender to test in"))


class Blender:
    """The commands of the Blender in the chroot, with user settings of its own in artefacts/gui/user."""

    def __init__(self, prefix: list[str], folder: Path) -> None:
        self.prefix = prefix
        self.folder = folder

    def __call__(self, *arguments: str | Path, status: int = 0) -> str:
        """Run `blender ARGUMENTS`, expect that exit status, and return all that it printed."""
        environment = os.environ | {
            "SHARED": str(self.folder),
            "BLENDER_USER_RESOURCES": str(self.folder / "user"),
        }
        ended = subprocess.run(
            [*self.prefix, "blender", *map(str, arguments)],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            text=True,
            timeout=600,
        )
        assert ended.returncode == status, ended.stdout
        return ended.stdout


@pytest.fixture(scope="session")
def blender() -> Blender:
    """Blender in the chroot, as it is on its first start."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    return Blender([str(ROOT / "tools" / "in_chroot.sh"), str(Path(CHROOT).resolve())], FOLDER)


@pytest.fixture(scope="session")
def zip_file(blender: Blender) -> Path:
    """The zip that this Blender builds from a copy of the clone."""
    copy, platform = FOLDER / "source", "linux-x64"
    if os.environ.get("VES_KERNELS", "none") != "none":
        stage(copy, [platform], [wheel_of_kernels(platform)])
    else:
        shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(".git", ".venv", ".cache", "artefacts", "dist"))
    blender("--command", "extension", "build", f"--source-dir={copy}", f"--output-dir={FOLDER}")
    (built,) = FOLDER.glob("*.zip")
    return built


@pytest.fixture(scope="session")
def installed(blender: Blender, zip_file: Path) -> Blender:
    """Blender with the extension installed and switched on."""
    blender("--command", "extension", "install-file", "--repo=user_default", "--enable", zip_file)
    return blender
