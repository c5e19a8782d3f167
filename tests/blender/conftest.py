# SPDX-License-Identifier: GPL-3.0-or-later
"""Headless Blender: the clone, whatever its folder is called, as the package `virtual_erector_set`."""

from __future__ import annotations

import importlib.util
import os
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = "virtual_erector_set"
ENDED = pytest.StashKey[int]()


def load_extension() -> ModuleType:
    """Import the root of the clone as a package of its real name, so that its relative imports work as in Blender."""
    if PACKAGE not in sys.modules:
        spec = importlib.util.spec_from_file_location(
            PACKAGE, ROOT / "__init__.py", submodule_search_locations=[str(ROOT)]
        )
        module = importlib.util.module_from_spec(spec)
        sys.modules[PACKAGE] = module
        spec.loader.exec_module(module)
    return sys.modules[PACKAGE]


if importlib.util.find_spec("bpy") is None:
    collect_ignore_glob = ["*"]  # tests/conftest.py says so at the end of the run
else:
    import bpy  # bmesh and mathutils can only be imported after it

    load_extension()


def pytest_addoption(parser: pytest.Parser) -> None:
    """--part 0/2 and --part 1/2 share the tests between two runs, as between the versions of Blender in the middle."""
    parser.addoption("--part", metavar="K/N", help="run the K-th, from 0 on, of N parts of the tests in Blender")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    part = config.getoption("part")
    if part is not None:
        mine, parts = map(int, part.split("/"))
        here = [zlib.crc32(item.nodeid.encode()) % parts == mine for item in items]
        config.hook.pytest_deselected(items=[item for item, is_mine in zip(items, here, strict=True) if not is_mine])
        items[:] = [item for item, is_mine in zip(items, here, strict=True) if is_mine]


@pytest.fixture(scope="session", autouse=True)
def extension() -> Iterator[ModuleType]:
    """The registered extension. Unregistered at the end: Blender 4.5 as a module hangs at exit otherwise."""
    module = load_extension()
    module.register()
    yield module
    module.unregister()


@pytest.fixture(autouse=True)
def empty_file(extension: ModuleType) -> Iterator[None]:
    """Every test starts from an empty file with factory settings, and no run of Play outlives it."""
    import bpy

    from tests.blender.playing import end_all

    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    yield
    end_all()


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Keeps how the run ended."""
    session.config.stash[ENDED] = int(exitstatus)


@pytest.hookimpl(trylast=True)
def pytest_unconfigure(config: pytest.Config) -> None:
    """Ends at once: Blender 4.5 as a module may hang at exit, in a destructor that waits for a thread."""
    if "bpy" in sys.modules and bpy.app.version < (5, 0) and ENDED in config.stash:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(config.stash[ENDED])
