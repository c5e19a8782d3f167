# SPDX-License-Identifier: GPL-3.0-or-later
"""The parts of `Object.ves` and `Scene.ves` that contact needs: shapes and surfaces of bodies, the ground, the switch.

Every body collides unless it is told not to; nothing does in a scene whose Contact is off, as in those that were made
before there was contact.
"""

import bpy
from bpy.props import (
    BoolProperty,
    BoolVectorProperty,
    EnumProperty,
    FloatProperty,
    FloatVectorProperty,
    IntProperty,
    PointerProperty,
)

from ...solver.mechanism.stiction import STRIBECK
from ..geometry.given_sizes import forget_sizes, has_given_sizes, is_any_given, take_sizes
from . import materials
from .setting import animatable, list_setting, setting

LAYERS = 20
STRIBECK_TEXT = "Sliding speed by which most of the fall from Static Friction to Friction is over"

SHAPES = [
    (
        "AUTOMATIC",
        "Automatic",
        "The box, sphere, cylinder or capsule that the mesh is; otherwise its convex hull, "
        "or, for a fixed or keyed body, the mesh itself",
        "SHADERFX",
        0,
    ),
    ("BOX", "Box", "The box around the mesh, along the object's axes", "MESH_CUBE", 1),
    ("SPHERE", "Sphere", "The ball around the mesh, about the middle of its bounding box", "MESH_UVSPHERE", 2),
    ("CAPSULE", "Capsule", "A cylinder with round ends, as long and as thick as the mesh", "MESH_CAPSULE", 3),
    ("CYLINDER", "Cylinder", "The cylinder around the mesh, about the axis that suits it best", "MESH_CYLINDER", 4),
    ("HULL", "Convex Hull", "The mesh without its dents and holes", "MESH_ICOSPHERE", 5),
    ("MESH", "Mesh", "The mesh as it is, dents and holes included; only for fixed and keyed bodies", "MESH_MONKEY", 6),
    (
        "COMPOUND",
        "Compound",
        "A shape for each child object that is no body; without such children, one for each loose part of the mesh",
        "STICKY_UVS_LOC",
        7,
    ),
]

SIZE_SOURCES = [
    ("MESH", "Mesh", "The shape is around the mesh, as tightly as it can be"),
    (
        "GIVEN",
        "Given",
        "The shape has the sizes below, whatever the mesh is; at first those around the mesh. The mass stays that of "
        "the mesh",
    ),
]

CONTACT_KINDS = [
    ("RIGID", "Rigid", "Bodies do not give way: impacts are instantaneous. For everything, piles included"),
    (
        "SOFT",
        "Soft",
        "Bodies sink into each other a little and push each other apart by forces (Hunt and Crossley), each as its "
        "Softness says. For rubber, padding, and single impacts looked at closely; many times slower, not for piles, "
        "nor for boxes on meshes",
    ),
]

SHOWN = [
    ("NONE", "None", "Show no shapes"),
    ("SELECTED", "Selected", "Show the shapes of the selected bodies"),
    ("ALL", "All", "Show the shapes of all bodies"),
]


def _shape_chosen(self: bpy.types.PropertyGroup, context: bpy.types.Context) -> None:
    """Sizes given to another shape say nothing of this one."""
    if is_any_given(self):
        forget_sizes(self)
    _size_source_chosen(self, context)


def _size_source_chosen(self: bpy.types.PropertyGroup, context: bpy.types.Context) -> None:
    """Sizes that nobody has given are those around the mesh, as it is when Given is chosen."""
    if has_given_sizes(self) and not is_any_given(self):
        take_sizes(self, self.id_data, context)


class VES_PG_ignored_body(bpy.types.PropertyGroup):
    """A body that another one does not touch."""

    body: PointerProperty(name="Body", description="The body that is not touched", type=bpy.types.Object, options=set())


class ContactProperties:
    """Mixed into the property group of `Object.ves`."""

    collide: animatable(
        BoolProperty,
        name="Collide",
        description="The body touches others and the ground, where the scene's Contact is on",
        default=True,
    )
    contact_shape: setting(
        EnumProperty,
        name="Shape",
        description="What others touch in place of the mesh",
        items=SHAPES,
        default="AUTOMATIC",
        update=_shape_chosen,
    )
    size_source: setting(
        EnumProperty,
        name="Size From",
        description="Where the size of a box, sphere, capsule or cylinder comes from. A handle that is dragged in the "
        "3D View makes it Given; Mesh is the way back",
        items=SIZE_SOURCES,
        default="MESH",
        update=_size_source_chosen,
    )
    shape_sides: setting(
        FloatVectorProperty,
        name="Sides",
        description="How long the given box is along each of its axes, whatever the object's scale",
        size=3,
        subtype="XYZ",
        min=0.0,
        soft_max=10.0,
        precision=4,
        step=1,
        unit="LENGTH",
    )
    shape_radius: setting(
        FloatProperty,
        name="Radius",
        description="Radius of the given sphere, capsule or cylinder, whatever the object's scale",
        min=0.0,
        soft_max=10.0,
        precision=4,
        step=1,
        unit="LENGTH",
    )
    shape_length: setting(
        FloatProperty,
        name="Length",
        description="How long the given capsule is, with its round ends, or the cylinder, along its own Z",
        min=0.0,
        soft_max=10.0,
        precision=4,
        step=1,
        unit="LENGTH",
    )
    shape_middle: setting(
        FloatVectorProperty,
        name="Middle",
        description="Middle of the given shape, from the object's origin along its axes, whatever its scale",
        size=3,
        subtype="TRANSLATION",
        unit="LENGTH",
        precision=4,
    )
    shape_turn: setting(
        FloatVectorProperty,
        name="Turn",
        description="How the given shape is turned beside the object's axes; capsules and cylinders are along Z",
        size=3,
        subtype="EULER",
        unit="ROTATION",
    )
    contact_margin: setting(
        FloatProperty,
        name="Margin",
        description="How far the surface of the shape stands out from the mesh, or, if negative, back",
        default=0.0,
        soft_min=-0.1,
        soft_max=0.1,
        precision=4,
        step=0.1,
        unit="LENGTH",
    )
    contact_friction: animatable(
        FloatProperty,
        name="Friction",
        description="How well the surface grips: 0 is ice, 0.5 wood, 0.9 rubber. Choosing a material sets it",
        default=materials.BY_IDENTIFIER[materials.DEFAULT].friction,
        min=0.0,
        soft_max=1.5,
        precision=2,
    )
    contact_static_friction: animatable(
        FloatProperty,
        name="Static Friction",
        description="How well the surface holds what stands on it, until it slips; what slides, Friction resists. At "
        "least Friction, or 0 for the same",
        default=0.0,
        min=0.0,
        soft_max=2.0,
        precision=2,
    )
    contact_stribeck_speed: setting(
        FloatProperty,
        name="Stribeck Speed",
        description=STRIBECK_TEXT,
        default=STRIBECK,
        min=1e-6,
        soft_max=1.0,
        precision=4,
        step=0.1,
        unit="VELOCITY",
    )
    contact_restitution: animatable(
        FloatProperty,
        name="Bounciness",
        description="Share of its speed that the body bounces back with: 0 is wet clay, 0.9 a super ball. "
        "Choosing a material sets it",
        default=materials.BY_IDENTIFIER[materials.DEFAULT].restitution,
        min=0.0,
        max=1.0,
        precision=2,
    )
    contact_softness: setting(
        FloatProperty,
        name="Softness",
        description="How far the body gives way where contact is Soft: on one point it sinks in under its own weight "
        "by the mean of this and of the other's Softness, as a part of its size. 0.001 is hard, 0.1 foam",
        default=1e-3,
        min=1e-5,
        max=0.5,
        soft_min=1e-4,
        precision=4,
        step=0.1,
    )
    contact_layers: setting(
        BoolVectorProperty,
        name="Layers",
        description="Two bodies touch only if they have a layer in common; the ground is on all of them",
        size=LAYERS,
        subtype="LAYER",
        default=[True] + [False] * (LAYERS - 1),
    )
    contact_ignored: list_setting(
        name="Ignored Bodies",
        description="The bodies that this one does not touch. It is enough if one of the two names the other",
        type=VES_PG_ignored_body,
    )


class SceneContactProperties:
    """Mixed into the property group of `Scene.ves`."""

    use_contact: BoolProperty(
        name="Contact",
        description="Bodies touch each other and the ground, instead of going through",
        default=False,
        options={"ANIMATABLE"},
    )
    use_ground: BoolProperty(
        name="Ground",
        description="A level ground without an end, which needs no object",
        default=True,
        options={"ANIMATABLE"},
    )
    ground_height: FloatProperty(
        name="Height", description="World Z of the ground", default=0.0, unit="LENGTH", options={"ANIMATABLE"}
    )
    ground_friction: FloatProperty(
        name="Friction",
        description="How well the ground grips: 0.05 is ice, 0.8 dry asphalt",
        default=0.8,
        min=0.0,
        soft_max=1.5,
        precision=2,
        options={"ANIMATABLE"},
    )
    ground_static_friction: FloatProperty(
        name="Static Friction",
        description="How well the ground holds what stands on it, until it slips; at least Friction, or 0 for the same",
        default=0.0,
        min=0.0,
        soft_max=2.0,
        precision=2,
        options={"ANIMATABLE"},
    )
    ground_stribeck_speed: FloatProperty(
        name="Stribeck Speed",
        description=STRIBECK_TEXT,
        default=STRIBECK,
        min=1e-6,
        soft_max=1.0,
        precision=4,
        step=0.1,
        unit="VELOCITY",
        options=set(),
    )
    ground_restitution: FloatProperty(
        name="Bounciness",
        description="How hard the ground is: 0 is sand, from which nothing bounces, 0.5 a wooden floor",
        default=0.5,
        min=0.0,
        max=1.0,
        precision=2,
        options={"ANIMATABLE"},
    )
    ground_softness: FloatProperty(
        name="Softness",
        description="How far the ground gives way where contact is Soft, as a part of the size of what lies on it: "
        "what counts is the mean of this and of the body's Softness",
        default=1e-3,
        min=1e-5,
        max=0.5,
        soft_min=1e-4,
        precision=4,
        step=0.1,
        options=set(),
    )
    contact_kind: EnumProperty(
        name="Contact",
        description="How bodies push each other apart",
        items=CONTACT_KINDS,
        default="RIGID",
        options=set(),
    )
    show_ground: BoolProperty(
        name="Show Ground", description="Draw the ground as a grid in the 3D View", default=True, options=set()
    )
    show_shapes: EnumProperty(
        name="Show Shapes",
        description="Draw what bodies touch with as lines in the 3D View",
        items=SHOWN,
        default="NONE",
        options=set(),
    )
    show_sizes: BoolProperty(
        name="Size Handles",
        description="Draw the shapes of the selected bodies and bones in the 3D View, with handles that drag their "
        "sizes. Of more than three the active one alone has them",
        default=False,
        options=set(),
    )
    substeps: IntProperty(
        name="Substeps",
        description="Into how many steps a frame is divided where bodies touch, or where the Integrator is not "
        "Standard; 0 leaves it to the program. More for fast or small things and for high stacks",
        default=0,
        min=0,
        soft_max=64,
        max=10000,
        options=set(),
    )


BY_NAME = {"PERPETUAL": "variational", "QUASI_STATIC": "quasi-static", "ADAPTIVE": "adaptive"}
"""The solver's names of the integrators that a person may choose."""


def solver_options(scene: bpy.types.Scene) -> dict[str, int | float | str]:
    """The solver's options on how it steps, of Bake and Play, if a person has chosen something."""
    settings = scene.ves
    options = {"integrator": BY_NAME[settings.integrator]} if settings.integrator in BY_NAME else {}
    if settings.integrator == "QUASI_STATIC":
        options["settling"] = settings.settling
    if settings.integrator == "ADAPTIVE":
        options["error_bound"] = settings.error_bound
    if settings.use_contact and settings.contact_kind == "SOFT" and not options:
        return {"integrator": "adams"}
    if settings.substeps > 0 and (settings.use_contact or options):
        options["substeps"] = settings.substeps
    return options
