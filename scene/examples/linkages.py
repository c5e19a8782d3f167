# SPDX-License-Identifier: GPL-3.0-or-later
"""Large linkages to begin with, as plain numbers: a bicycle chain, a millipede, a molecule.

They are trees of hinges and ball joints, so Pose takes them as they are. Lengths are in metres at a scale of 1.
"""

import math
from dataclasses import dataclass, field

import numpy as np

PITCH = 0.0127  # of a bicycle chain
SEGMENT, LEG_LINK = 0.02, 0.03  # of a millipede
SEGMENTS_PER_PAIR, LINKS_PER_LEG = 6, 10
TURN_WIDTH = 0.62  # between two turns of the coiled millipede
BOND, BOND_ANGLE = 0.15, 1.23  # m (nm, times 1e9), and rad by which a bond turns away from the one before
DISTANCE = 0.24  # between the middles of groups that are not neighbours, as far as tried


@dataclass
class Solid:
    """A mesh of one colour: points (n, 3), faces, and linear red, green, blue."""

    name: str
    points: np.ndarray
    faces: list[tuple[int, ...]]
    color: tuple[float, float, float]
    roughness: float = 0.45
    metallic: float = 0.0


@dataclass
class Links:
    """Bodies and the joints by which each hangs on an earlier one.

    solid (N,): numbers of `solids`; place (N, 3) and axes (N, 3, 3) of the bodies, columns are the local axes; inner
    (N,): on which body each hangs, -1: on nothing; pivot (N, 3) and hinge (N, 3): where, and about which axis of the
    world, all zero for a ball joint.
    """

    name: str
    solids: list[Solid]
    solid: np.ndarray
    place: np.ndarray
    axes: np.ndarray
    inner: np.ndarray
    pivot: np.ndarray
    hinge: np.ndarray
    labels: list[str] = field(default_factory=list)


def bicycle_chain(count: int) -> Links:
    """Links along X from the origin, pins along Y: outer and inner ones in turn."""
    solids = [
        Solid("Outer Link", *_link_plates(0.0039, 0.001, 0.0018), (0.10, 0.10, 0.11), 0.35, 1.0),
        Solid("Inner Link", *_link_plates(0.0026, 0.001, 0.0039), (0.62, 0.60, 0.56), 0.3, 1.0),
    ]
    number = np.arange(count)
    place = np.zeros((count, 3))
    place[:, 0] = PITCH * number
    return Links(
        name="Chain",
        solids=solids,
        solid=number % 2,
        place=place,
        axes=np.tile(np.eye(3), (count, 1, 1)),
        inner=number - 1,
        pivot=place.copy(),
        hinge=np.tile((0.0, 1.0, 0.0), (count, 1)),
        labels=[f"Link {i + 1}" for i in range(count)],
    )


def millipede(count: int) -> Links:
    """Nearly `count` links, thirteen thousand for 1,000 legs as in Redon and Lin (2006), coiled up on the ground.

    Segments of the spine are hinged about the vertical and the level axis in turn, legs hang on balls and have knees.
    """
    per_pair = SEGMENTS_PER_PAIR + 2 * LINKS_PER_LEG
    pairs = max(1, round(count / per_pair))
    spine = pairs * SEGMENTS_PER_PAIR
    place, along = _coil(spine)
    side = np.cross((0.0, 0.0, 1.0), along)
    up = np.tile((0.0, 0.0, 1.0), (spine, 1))
    number = np.arange(spine)
    parts = [
        {
            "solid": np.where(number == 0, 0, 1 + (number // SEGMENTS_PER_PAIR) % 2),
            "place": place,
            "axes": np.stack([along, side, up], axis=2),
            "inner": number - 1,
            "pivot": place - 0.5 * SEGMENT * along,
            "hinge": np.where(number[:, None] % 2 == 0, side, up),
        }
    ]
    bearers = number[2::SEGMENTS_PER_PAIR]
    first = spine
    for sign in (1.0, -1.0):
        outward = sign * side[bearers]
        before, inner = place[bearers] + 0.028 * outward - 0.008 * up[bearers], bearers
        for k in range(LINKS_PER_LEG):
            slope = math.radians(38.0 - 15.5 * k)
            direction = math.cos(slope) * outward + math.sin(slope) * up[bearers]
            forward = along[bearers]
            parts.append(
                {
                    "solid": np.full(len(bearers), 3 if k < LINKS_PER_LEG - 1 else 4),
                    "place": before,
                    "axes": np.stack([direction, np.cross(forward, direction) * -1.0, -forward], axis=2),
                    "inner": inner,
                    "pivot": before,
                    "hinge": np.zeros_like(forward) if k == 0 else forward,
                }
            )
            before, inner = before + LEG_LINK * direction, np.arange(first, first + len(bearers))
            first += len(bearers)
    gathered = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    brown, amber = (0.10, 0.025, 0.012), (0.62, 0.20, 0.02)
    solids = [
        Solid("Head", *ball((0.036, 0.034, 0.03)), brown, 0.25),
        Solid("Dark Segment", *ball((0.0125, 0.03, 0.027)), brown, 0.25),
        Solid("Light Segment", *ball((0.0125, 0.03, 0.027)), amber, 0.3),
        Solid("Leg Link", *ball((0.55 * LEG_LINK, 0.006, 0.006), (0.5 * LEG_LINK, 0.0, 0.0), 8), (0.75, 0.35, 0.06)),
        Solid("Foot", *ball((0.55 * LEG_LINK, 0.0045, 0.0045), (0.5 * LEG_LINK, 0.0, 0.0), 8), (0.2, 0.05, 0.02)),
    ]
    gathered["place"][:, 2] += 0.10
    gathered["pivot"][:, 2] += 0.10
    labels = [f"Segment {i + 1}" for i in range(spine)]
    for letter in "LR":
        labels += [f"Leg {pair + 1}{letter} {k + 1}" for k in range(LINKS_PER_LEG) for pair in range(pairs)]
    return Links("Millipede", solids, labels=labels, **gathered)


def molecule(count: int, seed: int = 1) -> Links:
    """A random coil of groups that turn about the bonds between them, packed like a protein."""
    rng = np.random.default_rng(seed)
    place, bond = np.zeros((count, 3)), np.zeros((count, 3))
    bond[0] = 0.0, 0.0, 1.0
    cells: dict[tuple[int, ...], list[int]] = {(0, 0, 0): [0]}
    size = BOND * (0.9 * count) ** (1.0 / 3.0)
    for i in range(1, count):
        best = None
        for _ in range(24):
            aside = rng.normal(size=3)
            aside -= (aside @ bond[i - 1]) * bond[i - 1]
            turned = math.cos(BOND_ANGLE) * bond[i - 1] + math.sin(BOND_ANGLE) * aside / np.linalg.norm(aside)
            there = place[i - 1] + BOND * turned
            badness = 4.0 * _crowding(there, place, cells, i) + max(0.0, float(np.linalg.norm(there)) / size - 1.0)
            if best is None or badness < best[0]:
                best = badness, there, turned
            if badness == 0.0:
                break
        _, place[i], bond[i] = best
        cells.setdefault(tuple((place[i] // DISTANCE).astype(int).tolist()), []).append(i)
    kinds = rng.choice(4, size=count, p=[0.62, 0.17, 0.18, 0.03])
    colors = [(0.07, 0.07, 0.08), (0.03, 0.08, 0.65), (0.65, 0.02, 0.02), (0.85, 0.62, 0.03)]
    names = ["Carbon Group", "Nitrogen Group", "Oxygen Group", "Sulphur Group"]
    radii = [0.062, 0.057, 0.055, 0.07]
    solids = [
        Solid(name, *_ball_and_stick(radius), color, 0.3)
        for name, radius, color in zip(names, radii, colors, strict=True)
    ]
    place[:, 2] += 1.15 * size - place[:, 2].mean()
    number = np.arange(count)
    return Links(
        name="Molecule",
        solids=solids,
        solid=kinds,
        place=place,
        axes=_axes_along(bond),
        inner=number - 1,
        pivot=place - BOND * bond,
        hinge=bond,
        labels=[f"Group {i + 1}" for i in range(count)],
    )


def _crowding(there: np.ndarray, place: np.ndarray, cells: dict, count: int) -> float:
    """The depth of a place inside others but the last three."""
    x, y, z = (there // DISTANCE).astype(int).tolist()
    near = [
        j
        for dx in (-1, 0, 1)
        for dy in (-1, 0, 1)
        for dz in (-1, 0, 1)
        for j in cells.get((x + dx, y + dy, z + dz), ())
        if j < count - 3
    ]
    if not near:
        return 0.0
    return float(np.maximum(0.0, 1.0 - np.linalg.norm(place[near] - there, axis=1) / (0.75 * DISTANCE)).sum())


def _coil(count: int) -> tuple[np.ndarray, np.ndarray]:
    """Places (n, 3) a segment's length apart on a spiral whose turns keep their distance, and directions inward."""
    angle, inner = np.empty(count), 0.5
    angle[-1] = 0.0
    radius = inner
    for i in range(count - 2, -1, -1):
        angle[i] = angle[i + 1] + SEGMENT / math.hypot(radius, TURN_WIDTH / (2.0 * math.pi))
        radius = inner + TURN_WIDTH * angle[i] / (2.0 * math.pi)
    angle = angle - angle[0] - 0.5 * math.pi
    radius = inner + TURN_WIDTH * (angle - angle[-1]) / (2.0 * math.pi)
    place = np.stack([radius * np.cos(angle), radius * np.sin(angle), np.zeros(count)], axis=1)
    along = np.gradient(place, axis=0)
    return place, along / np.linalg.norm(along, axis=1, keepdims=True)


def _axes_along(direction: np.ndarray) -> np.ndarray:
    """Frames (n, 3, 3) whose Z axes have these directions (n, 3)."""
    helper = np.where(np.abs(direction[:, :1]) < 0.9, (1.0, 0.0, 0.0), (0.0, 1.0, 0.0))
    y = np.cross(direction, helper)
    y /= np.linalg.norm(y, axis=1, keepdims=True)
    return np.stack([np.cross(y, direction), y, direction], axis=2)


def ball(radii, middle=(0.0, 0.0, 0.0), segments: int = 16) -> tuple[np.ndarray, list[tuple[int, ...]]]:
    """An ellipsoid, its poles on X."""
    rows = segments // 2
    tilt = np.linspace(0.0, math.pi, rows + 1)[1:-1, None]
    around = (np.arange(segments) * 2.0 * math.pi / segments)[None, :]
    shell = np.stack(
        [np.cos(tilt) + 0.0 * around, np.sin(tilt) * np.cos(around), np.sin(tilt) * np.sin(around)], axis=2
    ).reshape(-1, 3)
    points = np.concatenate([shell, [(1.0, 0.0, 0.0), (-1.0, 0.0, 0.0)]]) * radii + middle
    faces = []
    for i in range(rows - 2):
        for j in range(segments):
            k = (j + 1) % segments
            faces.append((i * segments + j, (i + 1) * segments + j, (i + 1) * segments + k, i * segments + k))
    first, last, top = 0, (rows - 2) * segments, len(shell)
    for j in range(segments):
        k = (j + 1) % segments
        faces += [(top, first + j, first + k), (top + 1, last + k, last + j)]
    return points, faces


def tube(radius: float, low: float, high: float, segments: int) -> tuple[np.ndarray, list[tuple[int, ...]]]:
    """A closed cylinder about Z."""
    angle = np.arange(segments) * 2.0 * math.pi / segments
    ring = np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1)
    points = np.concatenate([np.column_stack([ring, np.full(segments, z)]) for z in (low, high)])
    sides = [(j, (j + 1) % segments, segments + (j + 1) % segments, segments + j) for j in range(segments)]
    return points, [*sides, tuple(range(segments))[::-1], tuple(range(segments, 2 * segments))]


def _ball_and_stick(radius: float) -> tuple[np.ndarray, list[tuple[int, ...]]]:
    """A group with the bond that leads to the one before, down along Z."""
    return together(ball((radius,) * 3, segments=12), tube(0.02, -BOND, 0.0, 8))


def _link_plates(offset: float, thickness: float, pin: float) -> tuple[np.ndarray, list[tuple[int, ...]]]:
    """Two plates with waists, `offset` from the middle, and at both ends what turns there, of radius `pin`."""
    outline = []
    for k in range(48):
        angle = 2.0 * math.pi * k / 48
        across = math.sin(angle) * (0.0043 - 0.0012 * math.exp(-((math.cos(angle) / 0.35) ** 2)))
        outline.append(
            (0.5 * PITCH + (0.5 * PITCH + 0.0043) * math.copysign(abs(math.cos(angle)) ** 0.8, math.cos(angle)), across)
        )
    ring = np.array(outline)
    plates = []
    for y in (offset, -offset - thickness):
        points = np.concatenate(
            [np.column_stack([ring[:, 0], np.full(48, at), ring[:, 1]]) for at in (y, y + thickness)]
        )
        sides = [(j, 48 + j, 48 + (j + 1) % 48, (j + 1) % 48) for j in range(48)]
        plates.append((points, [*sides, tuple(range(48)), tuple(range(48, 96))[::-1]]))
    reach = offset + thickness + 0.0005 if pin < 0.003 else offset
    pins = []
    for x in (0.0, PITCH):
        points, faces = tube(pin, -reach, reach, 16)
        points = points[:, [0, 2, 1]] * (1.0, 1.0, -1.0) + (x, 0.0, 0.0)
        pins.append((points, faces))
    return together(*plates, *pins)


def together(*parts: tuple[np.ndarray, list[tuple[int, ...]]]) -> tuple[np.ndarray, list[tuple[int, ...]]]:
    """Several meshes as one."""
    faces, count = [], 0
    for points, own in parts:
        faces += [tuple(index + count for index in face) for face in own]
        count += len(points)
    return np.concatenate([points for points, _ in parts]), faces


KINDS = {"BICYCLE_CHAIN": (bicycle_chain, 30), "MILLIPEDE": (millipede, 13000), "MOLECULE": (molecule, 5000)}
"""Each with how many links it has by itself."""
