# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings: properties of the mechanism's groups, which library overrides may change."""

from collections.abc import Callable
from typing import Any

OVERRIDABLE = {"LIBRARY_OVERRIDABLE"}


def setting(kind: Callable, **options: Any) -> Any:
    """A property of that kind (`FloatProperty`, ...) that is not animated, for the annotation of a group."""
    return kind(options=set(), override=OVERRIDABLE, **options)


def animatable(kind: Callable, **options: Any) -> Any:
    """The same, but keyframes and drivers may act on it."""
    return kind(options={"ANIMATABLE"}, override=OVERRIDABLE, **options)
