# SPDX-License-Identifier: GPL-3.0-or-later
"""A library of kernels as a wheel for any Python 3: the same bytes whenever it is made of the same."""

from __future__ import annotations

import base64
import hashlib
import tomllib
import zipfile
from pathlib import Path

from solver.library.loader import DESCRIPTION, PACKAGE

ROOT = Path(__file__).resolve().parents[2]
TAGS = {
    "linux-x64": "manylinux_2_17_x86_64",
    "linux-arm64": "manylinux_2_17_aarch64",
    "windows-x64": "win_amd64",
    "macos-arm64": "macosx_11_0_arm64",
    "macos-x64": "macosx_10_15_x86_64",
}
_INIT = '''# SPDX-License-Identifier: GPL-3.0-or-later
"""Kernels of the Virtual Erector Set, compiled ahead of time from solver/ of the same version by `make kernels`."""
'''
_METADATA = """Metadata-Version: 2.1
Name: {name}
Version: {version}
Summary: Kernels of the Virtual Erector Set, compiled ahead of time
License: GPL-3.0-or-later AND MIT
Requires-Python: >=3.11

Machine code of the solver of the Virtual Erector Set {version}, whose add-on holds the source. Its source and how to
build it: `make kernels` in the clone (tools/kernels). The functions sin, cos, tan, asin, acos, atan, exp, exp2, log,
pow, fmod, floor, ceil and trunc are those of musl, Copyright 2005-2020 Rich Felker and others, under the MIT licence;
of these some are Copyright 1993 Sun Microsystems, some Copyright 2018 Arm Limited (MIT).
"""
_WHEEL = """Wheel-Version: 1.0
Generator: tools.kernels
Root-Is-Purelib: false
Tag: {tag}
"""


def write(library: Path, platform: str, to: Path) -> Path:
    """Makes the wheel of a library's folder; returns its file."""
    version = tomllib.loads((ROOT / "blender_manifest.toml").read_text(encoding="utf-8"))["version"]
    tag, info = f"py3-none-{TAGS[platform]}", f"{PACKAGE}-{version}.dist-info"
    files = {f"{PACKAGE}/__init__.py": _INIT.encode()}
    for each in sorted(library.iterdir()):
        if each.name == DESCRIPTION or each.suffix in (".so", ".dll", ".dylib"):
            files[f"{PACKAGE}/{each.name}"] = each.read_bytes()
    files[f"{info}/METADATA"] = _METADATA.format(name=PACKAGE.replace("_", "-"), version=version).encode()
    files[f"{info}/WHEEL"] = _WHEEL.format(tag=tag).encode()
    record = "".join(f"{name},sha256={_digest(content)},{len(content)}\n" for name, content in files.items())
    files[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n".encode()
    to.mkdir(exist_ok=True)
    file = to / f"{PACKAGE}-{version}-{tag}.whl"
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as opened:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name)  # of 1980, whenever it is made
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            opened.writestr(entry, content)
    return file


def _digest(content: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
