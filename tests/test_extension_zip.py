# SPDX-License-Identifier: GPL-3.0-or-later
"""Contents of the extension's zip with wheels: every file of the product, wherever it stands."""

from __future__ import annotations

from pathlib import Path

from tools.build_extension import ROOT, stage

PRODUCT = ("solver", "scene", "operators", "panels")


def sources(root: Path) -> list[str]:
    found = [root / "__init__.py"]
    for folder in PRODUCT:
        found += (root / folder).rglob("*.py")
    return sorted(path.relative_to(root).as_posix() for path in found)


def test_all_of_the_product_is_in_the_zip_and_nothing_else(tmp_path: Path) -> None:
    stage([], tmp_path)
    assert sources(tmp_path) == sources(ROOT)
    assert sorted(path.name for path in tmp_path.iterdir() if path.is_dir()) == sorted([*PRODUCT, "tools", "wheels"])
