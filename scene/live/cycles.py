# SPDX-License-Identifier: GPL-3.0-or-later
"""Cycles between Live and Blender's own parents, constraints and drivers: what leads hangs on what is led.

Blender sees no cycle, since Live writes after it has evaluated; poses would depend on the frames shown before.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

import bpy

from ..findings import Finding


def cycles(leaders: Collection[bpy.types.Object], bodies: Collection[bpy.types.Object]) -> list[Finding]:
    """One finding for each leader, and each carrier of a live body, that hangs on one of the live bodies."""
    found = []
    for leader in leaders:
        way = _way_to(leader, bodies)
        if way is not None:
            found.append(
                Finding(leader, f"leads, but {_told(way)}: a cycle. Clear that, or let it follow something else")
            )
    for body in bodies:
        carrier = body.parent
        while carrier is not None and carrier not in bodies:
            for link, source in _own_sources(carrier):
                way = [(link, source)] if source in bodies else _way_to(source, bodies, [(link, source)])
                if way is not None:
                    found.append(Finding(carrier, f"carries {body.name}, but {_told(way)}: a cycle. Clear that"))
                    break
            carrier = carrier.parent
    return found


def _told(way: list[tuple[str, bpy.types.Object]]) -> str:
    hangs = " which ".join(f"{link} {source.name}" for link, source in way)
    return f"{hangs}, which Live moves"


def _way_to(
    start: bpy.types.Object, bodies: Collection[bpy.types.Object], before: list | None = None
) -> list[tuple[str, bpy.types.Object]] | None:
    """The steps by which an object hangs on one of the bodies; None if it does not."""
    open_, seen = [(start, list(before or []))], {start}
    while open_:
        ob, way = open_.pop(0)
        parent = [("is a child of", ob.parent)] if ob.parent is not None else []
        for link, source in (*parent, *_own_sources(ob)):
            if source in seen:
                continue
            seen.add(source)
            step = [*way, (link, source)]
            if source in bodies:
                return step
            open_.append((source, step))
    return None


def _own_sources(ob: bpy.types.Object) -> Iterator[tuple[str, bpy.types.Object]]:
    """Objects that constraints and drivers of an object's transform look at, with words for how."""
    for constraint in ob.constraints:
        if constraint.mute or not constraint.influence:
            continue
        targets = [getattr(constraint, "target", None), *(each.target for each in getattr(constraint, "targets", ()))]
        for target in targets:
            if target is not None:
                yield f"has a constraint ({constraint.name}) to", target
    for curve in ob.animation_data.drivers if ob.animation_data else ():
        for variable in curve.driver.variables:
            for target in variable.targets:
                if isinstance(target.id, bpy.types.Object) and target.id != ob:
                    yield f"has a driver on {curve.data_path} that reads", target.id
