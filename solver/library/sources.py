# SPDX-License-Identifier: GPL-3.0-or-later
"""The sources that machine code comes from: it holds that of callees in other files, and is named after all of them."""

import functools
import hashlib
import os
import re
from collections.abc import Iterable
from pathlib import Path

_ROOT = Path(__file__).resolve().parents[1]  # the solver's folder
_IMPORT = re.compile(r"^[ \t]*from (\.+)([\w.]*) import (\([^)]*\)|.*)$", re.MULTILINE)
_DOCSTRING_OR_COMMENT = re.compile(r'"{3}[^"]*(?:"{1,2}[^"]+)*"{3}|^[ \t]*#.*$', re.MULTILINE)


@functools.cache
def hash_of_sources(file: Path) -> str:
    """A hash of a file and of all files of the package that it imports, and these in turn; docstrings do not count.

    What a file outside the package imports is not followed: it takes all of the package.
    """
    reached = reached_from([file.relative_to(_ROOT).as_posix()] if _ROOT in file.parents else list(texts()))
    digest = hashlib.sha256(file.read_bytes())  # as it is: its lines are numbered in what is kept
    for each in sorted(reached):
        digest.update(f"{each}\0{texts()[each]}".encode())
    return digest.hexdigest()


def reached_from(names: Iterable[str]) -> set[str]:
    """These files of the package, all that they import, and what these import in turn."""
    reached, left = set(), list(names)
    while left:
        each = left.pop()
        if each not in reached:
            reached.add(each)
            left += imported_files(each)
    return reached


@functools.cache
def imported_files(name: str) -> frozenset[str]:
    """The files of the package that one of them imports, named from its root; imports of the package are relative."""
    found = set()
    folders = name.split("/")[:-1]
    for dots, module, names in _IMPORT.findall(texts()[name]):
        place = "/".join([*folders[: len(folders) + 1 - len(dots)], *filter(None, module.split("."))])
        for each in re.findall(r"(\w+)(?: as \w+)?", names):
            found.add(_file_of(f"{place}/{each}".lstrip("/")) or _file_of(place))
    return frozenset(found - {None})


def _file_of(module: str) -> str | None:
    return next((each for each in (f"{module}.py", f"{module}/__init__.py".lstrip("/")) if each in texts()), None)


@functools.cache
def texts() -> dict[str, str]:
    """The text of each file of the package without docstrings and comments that fill a line."""
    files = {os.path.relpath(each, _ROOT).replace(os.sep, "/"): each for each in map(str, _ROOT.rglob("*.py"))}
    return {name: _DOCSTRING_OR_COMMENT.sub("", Path(file).read_text(encoding="utf-8")) for name, file in files.items()}
