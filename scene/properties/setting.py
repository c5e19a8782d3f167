# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings: properties of the mechanism's groups, which library overrides may change."""

from collections.abc import Callable
from typing import Any

import bpy
from bpy.props import CollectionProperty, IntProperty, PointerProperty, StringProperty

OVERRIDABLE = {"LIBRARY_OVERRIDABLE"}


def setting(kind: Callable, **options: Any) -> Any:
    """A property of that kind (`FloatProperty`, ...) that is not animated, for the annotation of a group."""
    return kind(options=set(), override=OVERRIDABLE, **options)


def animatable(kind: Callable, **options: Any) -> Any:
    """The same, but keyframes and drivers may act on it."""
    return kind(options={"ANIMATABLE"}, override=OVERRIDABLE, **options)


def object_setting(**options: Any) -> Any:
    """A setting that points to an object."""
    return setting(PointerProperty, type=bpy.types.Object, **options)


def list_setting(**options: Any) -> Any:
    """A setting that is a list of rows, to which library overrides may add."""
    return CollectionProperty(options=set(), override=OVERRIDABLE | {"USE_INSERTION"}, **options)


def hidden_text(**options: Any) -> Any:
    """A text that is kept with an object for later, and that nobody sees."""
    return StringProperty(options={"HIDDEN"}, override=OVERRIDABLE, **options)


class GivenActions:
    """Mixed into `Object.ves` and `Scene.ves`: the count that `animation.given_actions` keeps."""

    given_actions: IntProperty(
        name="Given Actions",
        description="How often it has been given another action, so that undo can tell these apart",
        options={"HIDDEN"},
        override=OVERRIDABLE,
    )
