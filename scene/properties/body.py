# SPDX-License-Identifier: GPL-3.0-or-later
"""The part of `Object.ves` that makes an object a body: how it moves, how heavy it is and how it starts."""

import bpy
from bpy.props import BoolProperty, EnumProperty, FloatProperty, FloatVectorProperty, PointerProperty, StringProperty

from ..geometry.computed_weight import solid_now
from . import materials
from .setting import animatable, hidden_text, setting

MOTIONS = [
    ("DYNAMIC", "Dynamic", "Moved by gravity, forces and joints", "RIGID_BODY", 0),
    ("FIXED", "Fixed", "Does not move: part of the ground", "PINNED", 1),
    (
        "KEYED",
        "Keyed",
        "Moves as it is animated (keyframes, parents, constraints) and drags the others along",
        "KEYFRAME",
        2,
    ),
]

MASS_SOURCES = [
    ("DENSITY", "Material", "The mass follows from the volume of the mesh and the density of the material"),
    (
        "GIVEN",
        "Given",
        "The mass is the given number, spread evenly over the volume of the mesh; at first the one of the material",
    ),
]

FOLLOW_SPACES = [
    ("PARENT", "Parent", "Turns as its animation does beside the body that its joint holds it to"),
    (
        "WORLD",
        "World",
        "Keeps the orientation that its animation has in the world, whatever the body that holds it does",
    ),
]

FOLLOW_PRESETS = {  # strength (Hz), damping ratio, weight, feed-forward
    "LIMP": ("Limp", "Hardly pulled, and hangs down by its weight", (0.5, 0.5, 0.5, 0.0)),
    "TIRED": ("Tired", "Follows late, and sags by half of its weight", (1.5, 0.8, 0.5, 0.5)),
    "ALIVE": ("Alive", "Follows, and gives way to what hits it", (3.0, 1.0, 0.5, 1.0)),
    "TENSE": ("Tense", "Follows closely, and is hard to push away", (10.0, 1.0, 0.5, 1.0)),
    "EXACT": ("Exact", "Is held to its animation", (10.0, 1.0, 1.0, 1.0)),
}
FOLLOWED_NUMBERS = "follow_frequency", "follow_damping_ratio", "follow_weight", "follow_feed_forward"

VELOCITY_SOURCES = [
    ("GIVEN", "Given", "Starts with the velocities given below"),
    ("ANIMATION", "From Animation", "Starts with the velocity that its own animation has at the first frame"),
]


def _material_chosen(self: bpy.types.PropertyGroup, _context: bpy.types.Context) -> None:
    """Density, friction and bounciness are the truth; choosing a material writes them."""
    chosen = materials.BY_IDENTIFIER.get(self.material)
    if chosen is not None:
        self.density = chosen.density
        self.contact_friction, self.contact_restitution = chosen.friction, chosen.restitution


def _follow_preset_chosen(self: bpy.types.PropertyGroup, _context: bpy.types.Context) -> None:
    """The four numbers are the truth; choosing a preset writes them."""
    if self.follow_preset in FOLLOW_PRESETS:
        for name, number in zip(FOLLOWED_NUMBERS, FOLLOW_PRESETS[self.follow_preset][2], strict=True):
            setattr(self, name, number)


def _density_typed(self: bpy.types.PropertyGroup, _context: bpy.types.Context) -> None:
    """A density that is not its material's makes the material a custom one."""
    expected = materials.DENSITY.get(self.material)
    if expected is not None and abs(self.density - expected) > 1e-3 * expected:
        self.material = materials.CUSTOM


def _mass_source_chosen(self: bpy.types.PropertyGroup, context: bpy.types.Context) -> None:
    """A mass that nobody has typed is the one that follows from mesh and density, as it is when Given is chosen."""
    solid = solid_now(self.id_data, context)
    if solid is None:
        return
    computed = self.density * solid.volume
    if self.mass_source == "GIVEN" and not self.is_property_set("mass"):
        self.mass = computed
    elif self.mass_source == "DENSITY" and abs(self.mass - computed) <= 1e-6 * computed:
        self.property_unset("mass")


class BodyProperties:
    """Mixed into the property group of `Object.ves`."""

    motion: animatable(
        EnumProperty,
        name="Motion",
        description="What moves the body. Keyframes change it exactly at their frames: it goes on as fast as it is, is "
        "stopped where it is, or comes back to its animation in the time of Blend Back",
        items=MOTIONS,
        default="DYNAMIC",
    )
    mass_source: setting(
        EnumProperty,
        name="Mass From",
        description="Where the mass comes from",
        items=MASS_SOURCES,
        default="DENSITY",
        update=_mass_source_chosen,
    )
    material: setting(
        EnumProperty,
        name="Material",
        description="What the body is made of; sets its density, friction and bounciness",
        items=materials.enum_items(),
        default=materials.DEFAULT,
        update=_material_chosen,
    )
    density: animatable(
        FloatProperty,
        name="Density",
        description="Mass per volume, in kg/m³",
        default=materials.DENSITY[materials.DEFAULT],
        min=1e-6,
        soft_min=1.0,
        soft_max=20000.0,
        precision=1,
        update=_density_typed,
    )
    mass: animatable(
        FloatProperty,
        name="Mass",
        description="Mass of the body when it is given",
        default=1.0,
        min=1e-12,
        soft_min=0.001,
        soft_max=10000.0,
        precision=3,
        unit="MASS",
    )
    use_inertia: setting(
        BoolProperty,
        name="Own Inertia",
        description="Use the centre of mass and the inertia given here, for what is hollow or loaded; "
        "otherwise the mass is spread evenly over the volume of the mesh",
        default=False,
    )
    center_of_mass: setting(
        FloatVectorProperty,
        name="Centre of Mass",
        description="From the object's origin along its axes, whatever its scale",
        size=3,
        subtype="TRANSLATION",
        unit="LENGTH",
        precision=4,
    )
    inertia_moments: setting(
        FloatVectorProperty,
        name="Moments of Inertia",
        description="About the centre of mass, about the object's X, Y and Z axes, in kg m²",
        size=3,
        subtype="XYZ",
        default=(1.0, 1.0, 1.0),
        min=0.0,
        soft_max=1000.0,
        precision=5,
    )
    inertia_products: setting(
        FloatVectorProperty,
        name="Products of Inertia",
        description="The entries xy, xz and yz of the inertia matrix, in kg m²; "
        "0 for what is symmetric about the object's axes",
        size=3,
        precision=5,
    )
    velocity_source: setting(
        EnumProperty,
        name="Initial Velocity",
        description="How fast a dynamic body moves at the first frame",
        items=VELOCITY_SOURCES,
        default="GIVEN",
    )
    linear_velocity: setting(
        FloatVectorProperty,
        name="Velocity",
        description="Velocity of the object's origin at the first frame, along the world axes",
        size=3,
        subtype="VELOCITY",
        unit="VELOCITY",
        soft_min=-100.0,
        soft_max=100.0,
    )
    angular_velocity: setting(
        FloatVectorProperty,
        name="Spin",
        description="Angle turned per second about the world axes at the first frame",
        size=3,
        subtype="EULER",
        unit="ROTATION",
        soft_min=-100.0,
        soft_max=100.0,
    )
    follows: setting(
        BoolProperty,
        name="Follow",
        description="The dynamic body is pulled to its own animation",
        default=False,
    )
    follow_preset: setting(
        EnumProperty,
        name="Preset",
        description="Sets the strength, damping ratio, weight and feed-forward below",
        items=[
            ("OWN", "Own", "The numbers below, as they are"),
            *((name, label, told) for name, (label, told, _) in FOLLOW_PRESETS.items()),
        ],
        default="OWN",
        update=_follow_preset_chosen,
    )
    follow_frequency: animatable(
        FloatProperty,
        name="Strength (Hz)",
        description="How often a second it would swing about its animation, whatever its size: "
        "the same number for a finger and a thigh",
        default=3.0,
        min=0.0,
        soft_max=30.0,
        max=1000.0,
    )
    follow_damping_ratio: animatable(
        FloatProperty,
        name="Damping Ratio",
        description="0 swings for ever, 1 comes back without swinging past",
        default=1.0,
        min=0.0,
        soft_max=2.0,
        max=100.0,
    )
    follow_weight: animatable(
        FloatProperty,
        name="Weight",
        description="0: physics alone; 0.5: the strength as it is; 1: its animation exactly",
        default=0.5,
        min=0.0,
        max=1.0,
        subtype="FACTOR",
    )
    follow_feed_forward: animatable(
        FloatProperty,
        name="Feed-Forward",
        description="The share of what its animation takes, gravity included, that is given beforehand, "
        "so that it does not lag or sag",
        default=1.0,
        min=0.0,
        max=1.0,
        subtype="FACTOR",
    )
    follow_gravity_only: setting(
        BoolProperty,
        name="Weight Only",
        description="Feed-forward bears the weight, but not what it takes to move as the animation does: the body does "
        "not sag, and lags by its inertia, as tails and hair do",
        default=False,
    )
    follow_let_go: animatable(
        BoolProperty,
        name="Let Go",
        description="Nothing pulls the body: physics alone moves it. Key it on and off again: the body goes on as fast "
        "as it is, and comes back in the time of Blend Back",
        default=False,
    )
    follow_blend_back: setting(
        FloatProperty,
        name="Blend Back",
        description="Frames in which the body comes back to its animation, smoothly and from wherever it is, once "
        "Let Go is off again",
        default=12.0,
        min=0.0,
        soft_max=100.0,
        step=100,
        precision=1,
    )
    follow_space: setting(
        EnumProperty,
        name="Relative To",
        description="What the animation is followed beside; a loose body follows the world",
        items=FOLLOW_SPACES,
        default="PARENT",
    )
    use_follow_max_force: setting(
        BoolProperty,
        name="Limit Torque",
        description="Never pull harder than the maximum",
        default=False,
    )
    follow_max_force: animatable(
        FloatProperty,
        name="Max Torque",
        description="The most that it pulls with on each axis, in N m; along straight axes in N",
        default=50.0,
        min=0.0,
        soft_max=1000.0,
    )
    moves_bone: setting(
        BoolProperty,
        name="Moves Bone",
        description="The body is that of the bone that it hangs on: the bone moves as the body does, "
        "and the object is only its shape",
        default=False,
    )
    control_bone: setting(
        StringProperty,
        name="Keyed Bone",
        description="The control of the rig that Bake keys instead of this bone, which it leads, such as that "
        "of an FK arm or the target of IK; switches are held meanwhile. Nothing: the bone itself, whose constraints "
        "are off",
    )
    control_leads: setting(
        EnumProperty,
        name="Leads",
        description="How the Keyed Bone, or without one the bone itself, gives the bone its pose",
        items=(
            ("AS_ONE", "As One", "The bone goes with it as if it were fixed to it"),
            (
                "SWIVEL",
                "Swivel of IK",
                "It turns the limb about the line from its root to its tip: a pole that is "
                "moved, or the root of the chain, which is turned",
            ),
            ("TIP", "Tip of IK", "A target that is moved to where the bone's tail should be"),
            ("BY_IK", "By IK Alone", "The bone has no keys: IK of its limb gives it its pose"),
        ),
    )
    held_settings: hidden_text(
        name="Held Settings",
        description="Settings of the rig, and the values at which Bake and Play hold them",
    )
    is_baked: setting(
        BoolProperty,
        name="Baked",
        description="The object's action was written by Bake",
        default=False,
    )
    kept_action: setting(
        PointerProperty,
        name="Kept Action",
        description="The action that the object had before it was baked; Clear Bake brings it back",
        type=bpy.types.Action,
    )
    kept_slot: setting(
        StringProperty,
        name="Kept Slot",
        description="Identifier of the slot that the object used in the kept action",
    )
    ghost_action: setting(
        PointerProperty,
        name="Ghost Action",
        description="The one that is not shown of the animation and the result of Bake Part",
        type=bpy.types.Action,
    )
    before_ghost: hidden_text(
        name="Before Ghost",
        description="What comes back when the animation is shown again instead of the result of Bake Part",
    )
    before_play: hidden_text(
        name="Before Play",
        description="The transform and the working constraints that come back when Play ends",
    )
    is_pinned: setting(
        BoolProperty,
        name="Pinned",
        description="Pose holds the point below where it is",
        default=False,
    )
    pin_turn: setting(
        BoolProperty,
        name="Turn Too",
        description="Pose also holds how the pinned body is turned",
        default=False,
    )
    pin_point: setting(
        FloatVectorProperty,
        name="Pin",
        description="The pinned point, from the object's origin along its axes, whatever its scale",
        size=3,
        subtype="TRANSLATION",
        unit="LENGTH",
    )
    before_pose: hidden_text(
        name="Before Pose",
        description="Location and rotation before Pose moved the body; empty once they were keyed",
    )
    is_live: setting(
        BoolProperty,
        name="Live",
        description="The body belongs to a linkage that follows its drives in every frame",
        default=False,
    )
    before_live: hidden_text(
        name="Before Live",
        description="Location and rotation that come back when the linkage is no longer live",
    )
    live_name: hidden_text(
        name="Name When Made Live",
        description="Name by which live linkages know this part, which may have been renamed since",
    )
