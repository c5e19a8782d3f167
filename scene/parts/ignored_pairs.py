# SPDX-License-Identifier: GPL-3.0-or-later
"""Pairs of bodies that do not touch each other: each is named by pointers of both, so that copies keep to copies."""

from collections.abc import Iterable, Sequence

import bpy


def ignored_by(body: bpy.types.Object) -> set[bpy.types.Object]:
    """The bodies that this one names; those that are gone from the file do not count."""
    return {entry.body for entry in body.ves.contact_ignored if entry.body is not None}


def ignored_with(body: bpy.types.Object, others: Iterable[bpy.types.Object]) -> list[bpy.types.Object]:
    """Those of the others that do not touch the body, whichever of the two names the other."""
    named = ignored_by(body)
    return [other for other in others if other != body and (other in named or body in ignored_by(other))]


def ignore(one: bpy.types.Object, other: bpy.types.Object) -> bool:
    """Let two bodies not touch each other any more; whether they did."""
    did_touch = not ignored_with(one, [other])
    for body, named in ((one, other), (other, one)):
        _forget(body, None)
        if named not in ignored_by(body):
            body.ves.contact_ignored.add().body = named
    return did_touch


def touch_again(one: bpy.types.Object, other: bpy.types.Object) -> bool:
    """Let two bodies touch each other again; whether they did not."""
    did_touch = not ignored_with(one, [other])
    _forget(one, other)
    _forget(other, one)
    return not did_touch


def pairs_among(bodies: Sequence[bpy.types.Object]) -> list[tuple[bpy.types.Object, bpy.types.Object]]:
    """All pairs of different bodies."""
    return [(one, other) for i, one in enumerate(bodies) for other in bodies[i + 1 :]]


def _forget(body: bpy.types.Object, named: bpy.types.Object | None) -> None:
    """Remove the entries that name an object; None removes those whose object is gone."""
    entries = body.ves.contact_ignored
    for i in reversed(range(len(entries))):
        if entries[i].body == named:
            entries.remove(i)
