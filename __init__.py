# SPDX-License-Identifier: GPL-3.0-or-later
"""Virtual Erector Set: bodies, joints and forces for Blender objects, computed exactly and baked to keyframes.

This file only registers the extension. `solver` is the engine and knows nothing of Blender, `scene` is the bridge
between the two, `operators` are what a person can do and `panels` are what a person sees.
"""


def register() -> None:
    """Called by Blender when the extension is switched on."""
    from . import operators, panels, scene

    for part in (scene, operators, panels):
        part.register()


def unregister() -> None:
    """Called by Blender when the extension is switched off."""
    from . import operators, panels, scene

    for part in (panels, operators, scene):
        part.unregister()
