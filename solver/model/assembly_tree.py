# SPDX-License-Identifier: GPL-3.0-or-later
"""In which order a tree's bodies are put together: a balanced binary tree of assemblies.

An assembly is a connected set of bodies. It is made of two others and the joint between them, of which one holds the
joint's inner body and the other its outer one. It is felt from outside at no more than two handles: at its top, the
body nearest to the root, and at its bottom, the body from which the rest of a path goes on. For that the tree is cut
into heavy paths: each goes on from a body to the outer body that carries most. What else hangs on a body is light: it
is put together first, hung onto its body by a `rake`, and has no bottom. Paths are halved by the number of bodies that
hang on them, so that the root of n bodies is no more than about 2 log2 n assemblies away from any body, as long as few
light parts hang on one and the same body.

Sources: Featherstone (1999), A divide-and-conquer articulated-body algorithm, parts 1 and 2; Redon, Lin (2006),
section 3.1; for heavy paths Sleator, Tarjan (1983).
"""

from typing import NamedTuple

import numpy as np

ASSEMBLY = np.dtype(
    [
        ("joint", "i4"),  # the body whose joint puts it together
        ("inner", "i4"),  # assembly with the joint's inner body, at its bottom; less than B: that single body
        ("outer", "i4"),  # assembly with the joint's outer body, at its top
        ("rakes", "i4"),  # 1 if something light is hung onto a single body: top and bottom stay that body
        ("top", "i4"),  # body
        ("bottom", "i4"),  # body, -1 if nothing goes on
        ("parent", "i4"),  # assembly that it is a part of, -1 for a whole tree
    ],
    align=True,
)


class AssemblyTree(NamedTuple):
    """Assemblies 0 to B - 1 are the bodies themselves; each of the others comes after its parts."""

    assemblies: np.recarray  # (B + J,) ASSEMBLY, J joints between dynamic bodies; driven bodies have a row without use
    wholes: np.ndarray  # (T,) int32: the assembly of each tree; its top hangs on a driven body or floats


def no_assembly() -> AssemblyTree:
    """For methods that do not use it."""
    return AssemblyTree(np.zeros(0, ASSEMBLY).view(np.recarray), np.zeros(0, np.int32))


def assembly_tree(inner: np.ndarray, driven: int) -> AssemblyTree:
    """inner (B,): each body's inner body, which has a smaller number; the first `driven` ones do not move freely."""
    return _Builder(np.asarray(inner), driven).build()


class _Builder:
    def __init__(self, inner: np.ndarray, driven: int) -> None:
        self.inner, self.driven, bodies = inner, driven, len(inner)
        self.weight = np.ones(bodies, np.int64)
        self.outer: list[list[int]] = [[] for _ in range(bodies)]
        for i in range(bodies - 1, driven - 1, -1):
            if inner[i] >= driven:
                self.weight[inner[i]] += self.weight[i]
                self.outer[inner[i]].append(i)
        for outer in self.outer:
            outer.sort(key=lambda i: self.weight[i])  # the heaviest last
        self.rows: list[tuple] = [(-1, -1, -1, 1, i, i, -1) for i in range(bodies)]

    def build(self) -> AssemblyTree:
        roots = [i for i in range(self.driven, len(self.inner)) if self.inner[i] < self.driven]
        wholes = np.array([self._path(root) for root in roots], np.int32)
        assemblies = np.array(self.rows, ASSEMBLY).view(np.recarray)
        for i in range(len(self.inner), len(assemblies)):
            assemblies.parent[assemblies.inner[i]] = assemblies.parent[assemblies.outer[i]] = i
        return AssemblyTree(assemblies, wholes)

    def _path(self, first: int) -> int:
        """All that hangs on a body, itself included."""
        path = [first]
        while self.outer[path[-1]]:
            path.append(self.outer[path[-1]][-1])
        carried = np.append(self.weight[path], 0)
        return self._part(path, carried, 0, len(path))

    def _part(self, path: list[int], carried: np.ndarray, start: int, end: int) -> int:
        """The bodies path[start:end] and what is light on them; carried[k]: bodies from path[k] on."""
        if end - start == 1:
            return self._with_light_parts(path[start], end == len(path))
        half = 0.5 * (carried[start] + carried[end])
        middle = start + int(np.searchsorted(-carried[start:end], -half))
        if middle > start and carried[middle - 1] - half < half - carried[middle]:
            middle -= 1
        middle = min(max(middle, start + 1), end - 1)
        inner, outer = self._part(path, carried, start, middle), self._part(path, carried, middle, end)
        bottom = -1 if end == len(path) else path[end - 1]
        return self._add(path[middle], inner, outer, False, path[start], bottom)

    def _with_light_parts(self, body: int, is_last: bool) -> int:
        whole = body
        light = self.outer[body][:-1]
        for outer in light:
            whole = self._add(outer, whole, self._path(outer), True, body, body)
        if is_last and not light:
            joint, inner, outer, rakes, top, _, parent = self.rows[body]
            self.rows[body] = joint, inner, outer, rakes, top, -1, parent
        return whole

    def _add(self, joint: int, inner: int, outer: int, rakes: bool, top: int, bottom: int) -> int:
        self.rows.append((joint, inner, outer, rakes, top, bottom, -1))
        return len(self.rows) - 1
