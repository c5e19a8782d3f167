# SPDX-License-Identifier: GPL-3.0-or-later
"""Damaged texts of a file are dropped when it is opened or appended from, and listed among the findings."""

import bpy

from ..scene import add_handlers, remove_handlers
from ..scene.check.check import as_problems
from ..scene.mending.mending import mend_all
from .check import list_findings


@bpy.app.handlers.persistent
def _mend(*_: object) -> None:
    found = mend_all()
    if found:
        list_findings(bpy.context.scene, as_problems("WARNING", found))
        for _finding in found:
            pass


HANDLERS = dict.fromkeys(("load_post", "blend_import_post"), _mend)


def register() -> None:
    """Mend files from now on."""
    add_handlers(HANDLERS)


def unregister() -> None:
    """Do so no more."""
    remove_handlers(HANDLERS)
