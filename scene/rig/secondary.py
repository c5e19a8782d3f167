# SPDX-License-Identifier: GPL-3.0-or-later
"""Secondary motion: chosen bones, such as those of tails, ears and hair, swing after the animation of the rest.

They get dynamic bodies that follow their animation, the others keyed ones, so that there is something to hang on and to
touch. All are those of a ragdoll.
"""

from collections.abc import Collection
from dataclasses import dataclass, replace

import bpy
import numpy as np

from ..animation.kept import is_baked
from ..animation.rig_settings import held_settings, hold_settings
from ..findings import refuse
from ..owner import bone_shapes
from ..properties.force_types import GRAVITY
from .choice import Choice
from .movers import leading
from .ragdoll import Options, Ragdoll, RagdollPlan, add_ragdolls, choose_bodies, mass_of, refuse_unfit
from .skin import Points, skin_of

TWIST = 0.7  # of the stiffness across: 1 / (1 + Poisson's ratio) of a round rod
QUICKER, FIRMER = 5.0, 5.0  # than its swing, and than its weight: twist at most, or steps are for that alone
STIFFEST, SOFTEST = 10.0, 0.5  # Hz: at no softness, and at all of it


@dataclass
class Swing:
    """Numbers of what swings: softness, damping ratio, and the share of the weight that it hangs down by."""

    softness: float = 0.5
    damping_ratio: float = 0.35
    droop: float = 0.0
    touches: bool = True

    @property
    def frequency(self) -> float:
        """Hz, of the slowest swing of a whole chain."""
        return STIFFEST * (SOFTEST / STIFFEST) ** self.softness


@dataclass
class Plan:
    """All that it takes to let bones of a rig swing, found before anything is changed."""

    ragdoll: RagdollPlan
    swinging: set[str]


def plan_secondary(armature: bpy.types.Object, names: Collection[str], context: bpy.types.Context) -> Plan:
    """Find the bodies by which the bones of these names can swing. Raises SceneError."""
    if is_baked(armature):
        refuse(armature, "shows a bake: press Clear Bake first")
    refuse_unfit(armature)
    skin = skin_of(armature)
    wanted = _meant(armature, names, skin)
    if not wanted:
        refuse(armature, "has no skin on the selected bones: select bones that deform, or the controls that move them")
    options = Options(with_limits=False, stiffness=0.0, wanted=frozenset(wanted), keyed_on="NONE")
    choice, held = choose_bodies(armature, skin, options, context)
    swinging = {choice.home[name] for name in wanted} & set(choice.names)
    swinging = {name for name in swinging if choice.above[name] is not None}
    if not swinging:
        refuse(armature, "has nothing above the selected bones that they could hang on: select bones further out")
    return Plan(RagdollPlan(armature, choice, skin, options, held), swinging)


def make_secondary(plan: Plan, context: bpy.types.Context, swing: Swing) -> Ragdoll:
    """Let them swing; bodies that are there already get the new numbers, and the others of these stay as they are."""
    armature, choice, swinging = plan.ragdoll.armature, plan.ragdoll.choice, plan.swinging
    shapes = bone_shapes(armature)
    (made,) = add_ragdolls([plan.ragdoll._replace(choice=_hanging(choice, swinging, swing.touches))], context)
    joints = {ob.ves.body_b: ob for ob in context.scene.objects if ob.ves.role == "JOINT"}
    for name, body in made.bodies.items():
        if name in swinging:
            _let_swing(body, swing, _in_row(name, choice, swinging))
            beyond = [made.bodies[each] for each in swinging if _hangs_on(each, name, choice)]
            if joints[body].ves.joint_type == "SPHERICAL":
                _hold_twist(joints[body], beyond)
        elif name not in shapes:
            body.ves.motion = "KEYED"
    hold_settings(armature, held_settings(armature) | plan.ragdoll.held)
    made.bodies = {name: body for name, body in made.bodies.items() if name in swinging}
    return made


def _meant(armature: bpy.types.Object, names: Collection[str], skin: Points) -> set[str]:
    """The bones with skin that are meant by bones, which are themselves such, or controls that lead them."""
    selected = set(names)
    deforming = skin or {bone.name for bone in armature.data.bones if bone.use_deform}
    return {name for name in deforming if name in selected or not selected.isdisjoint(leading(armature, name))}


def _hanging(choice: Choice, swinging: set[str], touches: bool) -> Choice:
    """Of a choice those that swing, what they hang on, and all others too if they are to touch these."""
    anchors = {choice.above[name] for name in swinging}
    names = [name for name in choice.names if touches or name in swinging or name in anchors]
    above = {name: choice.above[name] if name in swinging else None for name in names}
    return replace(choice, names=names, above=above)


def _in_row(name: str, choice: Choice, swinging: set[str]) -> int:
    """The number of bones of the longest chain of swinging ones that this one is in."""
    inwards, here = 0, choice.above[name]
    while here in swinging:
        inwards, here = inwards + 1, choice.above[here]
    return inwards + _outwards(name, choice, swinging)


def _outwards(name: str, choice: Choice, swinging: set[str]) -> int:
    below = [each for each in swinging if choice.above[each] == name]
    return 1 + max((_outwards(each, choice, swinging) for each in below), default=0)


def _hangs_on(name: str | None, other: str, choice: Choice) -> bool:
    """True also of a bone itself."""
    while name is not None and name != other:
        name = choice.above[name]
    return name == other


def _hold_twist(joint: bpy.types.Object, beyond: list[bpy.types.Object]) -> None:
    """Make a ball nearly as stiff about the bone as across it, as a rod is by its shear modulus.

    As quick as the swing, twist would have no strength, since thin bones have hardly any inertia about themselves.
    """
    settings, child = joint.ves, joint.ves.body_b
    start, inertia, own, weight = np.array(joint.matrix_world.translation), 0.0, 0.0, 0.0
    bone = np.array(child.matrix_world.to_3x3().normalized().col[1])
    for body in beyond:
        points = np.array([body.matrix_world @ vertex.co for vertex in body.data.vertices])
        middle = points.mean(axis=0)
        inertia += mass_of(body) * float(np.square(middle - start).sum())
        weight += mass_of(body) * GRAVITY * float(np.linalg.norm(middle - start))
        if body == child:
            aside = np.cross(points - middle, bone)
            own = 0.5 * mass_of(body) * float(np.square(aside).sum(axis=1).mean())
    axes = np.array(joint.matrix_world.to_3x3().normalized())
    axis = int(np.argmax(np.abs(axes.T @ bone)))
    w = 2.0 * np.pi * child.ves.follow_frequency
    stiffness = min(TWIST * inertia * w * w, max(QUICKER**2 * own * w * w, FIRMER * weight))
    for name, number in (("stiffness", stiffness), ("damping", 2.0 * np.sqrt(stiffness * own))):
        numbers = [0.0] * 3
        numbers[axis] = float(number)
        setattr(settings, name, numbers)


def slowness(count: int) -> float:
    """By how much slower a chain of equal rods swings than each of its joints by itself.

    With joints as stiff as w^2 M_ii, M the mass matrix of the relative angles, that is the root of the largest
    eigenvalue of M_ij / sqrt(M_ii M_jj).
    """
    away = np.maximum(np.arange(count) - np.arange(count)[:, None] + 0.5, 0.0)  # of rod k's middle from joint i
    beyond = away > 0.0
    masses = away @ away.T + (beyond[:, None] & beyond).sum(axis=2) / 12.0
    scale = np.sqrt(np.diag(masses))
    return float(np.sqrt(np.linalg.eigvalsh(masses / np.outer(scale, scale))[-1]))


def _let_swing(body: bpy.types.Object, swing: Swing, count: int) -> None:
    settings = body.ves
    settings.motion, settings.follows, settings.follow_preset = "DYNAMIC", True, "OWN"
    settings.follow_frequency = swing.frequency * slowness(count)
    settings.follow_damping_ratio = swing.damping_ratio
    settings.follow_weight, settings.follow_space = 0.5, "PARENT"
    settings.follow_feed_forward, settings.follow_gravity_only = 1.0 - swing.droop, True
