# SPDX-License-Identifier: GPL-3.0-or-later
"""Memory that was freed, back to the system: glibc keeps it for itself where something behind it is still in use.

A simulation frees thousands of arrays of single linkages, between which its recording lies. In a bake of 200 bodies
and 500 frames that is more than the keys take.
"""

import contextlib
import ctypes
import sys


def give_back() -> None:
    """Gives back what can be; nothing where the C library is another one."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL("libc.so.6").malloc_trim(0)
