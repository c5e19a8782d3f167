# SPDX-License-Identifier: GPL-3.0-or-later
"""Panels and menus draw without a window: into a layout that knows what Blender's own would refuse."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace

import bpy
import pytest
from virtual_erector_set import panels
from virtual_erector_set.scene.bake.state import compare_now
from virtual_erector_set.scene.parts.feet import set_feet

from tests.blender.linkages import wheels
from tests.blender.making import box, curve_object, empty, select
from tests.blender.rigs import human, make_rig

PANELS = [cls for module in panels.MODULES for cls in module.CLASSES if issubclass(cls, bpy.types.Panel)]
MENUS = [cls for module in panels.MODULES for cls in module.CLASSES if issubclass(cls, bpy.types.Menu)]
ICONS = set(bpy.types.UILayout.bl_rna.functions["label"].parameters["icon"].enum_items.keys())


class Drawn:
    """A layout that checks names of properties, operators, menus and icons, and remembers what was drawn."""

    def __init__(self, seen: list[tuple[str, str]]) -> None:
        self.__dict__["seen"] = seen

    def __setattr__(self, name: str, value: object) -> None:
        assert name in bpy.types.UILayout.bl_rna.properties, f"a layout has no {name}"

    def _part(self, **_options: object) -> Drawn:
        return Drawn(self.seen)

    row = column = box = split = grid_flow = _part

    def separator(self, **_options: object) -> None:
        pass

    def label(self, text: str = "", icon: str = "NONE") -> None:
        assert icon in ICONS, icon
        self.seen.append(("label", text))

    def prop(self, owner: bpy.types.bpy_struct, name: str, icon: str = "NONE", **_options: object) -> None:
        assert name in owner.bl_rna.properties, f"{owner} has no {name}"
        assert icon in ICONS, icon
        self.seen.append(("prop", name))

    def prop_search(self, owner: bpy.types.bpy_struct, name: str, of: bpy.types.bpy_struct, rows: str) -> None:
        assert of.bl_rna.properties[rows].type == "COLLECTION", f"{of} has no {rows}"
        self.prop(owner, name)

    def prop_enum(self, owner: bpy.types.bpy_struct, name: str, value: str, icon: str = "NONE", **_options) -> None:
        assert value in owner.bl_rna.properties[name].enum_items, f"{name} has no {value}"
        assert icon in ICONS, icon
        self.seen.append(("prop", name))

    def operator(self, name: str, icon: str = "NONE", **_options: object) -> SimpleNamespace:
        module, function = name.split(".")
        operator = getattr(getattr(bpy.ops, module), function)
        assert icon in ICONS, icon
        self.seen.append(("operator", name))
        return OperatorProperties(operator.get_rna_type().properties)

    def operator_menu_enum(self, name: str, prop: str, icon: str = "NONE", **_options: object) -> SimpleNamespace:
        given = self.operator(name, icon)
        assert given.known[prop].type == "ENUM"
        return given

    def template_curve_mapping(self, data: object, prop: str) -> None:
        assert data.bl_rna.properties[prop].fixed_type.identifier == "CurveMapping"
        self.seen.append(("curve", prop))

    def menu(self, name: str, icon: str = "NONE", **_options: object) -> None:
        assert hasattr(bpy.types, name), name
        assert icon in ICONS, icon
        self.seen.append(("menu", name))

    def template_list(self, kind: str, _id: str, owner, name: str, index_owner, index_name: str, **_options) -> None:
        assert hasattr(bpy.types, kind)
        item_class = getattr(bpy.types, kind)
        for i, item in enumerate(getattr(owner, name)):
            item_class.draw_item(None, None, self, owner, item, 0, index_owner, index_name, i)


class OperatorProperties:
    """Takes only values that the operator's property would take."""

    def __init__(self, known: bpy.types.bpy_prop_collection) -> None:
        self.__dict__["known"] = known

    def __setattr__(self, name: str, value: object) -> None:
        prop = self.known[name]
        if prop.type == "ENUM":
            assert value in prop.enum_items, f"{name} can't be {value}"


def draw(cls: type) -> list[tuple[str, str]]:
    """The contents of a panel or menu now; nothing if its poll says no."""
    seen: list[tuple[str, str]] = []
    if getattr(cls, "poll", None) is None or cls.poll(bpy.context):
        for header in ("draw_header", "draw_header_preset"):
            if header in vars(cls):
                getattr(cls, header)(SimpleNamespace(layout=Drawn(seen)), bpy.context)
        cls.draw(SimpleNamespace(layout=Drawn(seen)), bpy.context)
    return seen


def draw_all() -> list[tuple[str, str]]:
    return [item for cls in PANELS + MENUS for item in draw(cls)]


def nothing() -> None:
    select()


def plain_object() -> None:
    select(empty("Marker"))


def body(motion: str) -> Callable[[], None]:
    def make() -> None:
        select(box("A"), box("B", (2, 0, 0)))
        bpy.ops.ves.add_body(motion=motion)

    return make


def given_mass() -> None:
    body("DYNAMIC")()
    bpy.context.active_object.ves.mass_source = "GIVEN"
    bpy.context.active_object.ves.use_inertia = True
    bpy.context.active_object.ves.velocity_source = "ANIMATION"
    bpy.context.active_object.ves.is_pinned = True


def contact() -> None:
    body("DYNAMIC")()
    bpy.ops.ves.dont_collide()
    bpy.context.scene.ves.use_contact = True
    bpy.context.active_object.ves.contact_shape = "MESH"


def given_size(shape: str) -> Callable[[], None]:
    def make() -> None:
        contact()
        bpy.context.active_object.ves.contact_shape = shape
        bpy.context.active_object.ves.size_source = "GIVEN"
        bpy.context.scene.ves.show_sizes = True

    return make


def soft_contact() -> None:
    contact()
    bpy.context.scene.ves.contact_kind = "SOFT"


def joint(joint_type: str, motor: str) -> Callable[[], None]:
    def make() -> None:
        select(box("A"), box("B", (2, 0, 0)))
        bpy.ops.ves.add_joint(type=joint_type)
        settings = bpy.context.active_object.ves
        settings.motor_mode = motor
        settings.stiffness[0] = 1.0
        settings.use_speeds = settings.use_motor_max_force = True

    return make


def generic_joint(axis: str, motor: str, locked: str = "y") -> Callable[[], None]:
    def make() -> None:
        select(box("A"), box("B", (2, 0, 0)))
        bpy.ops.ves.add_joint(type="GENERIC")
        settings = bpy.context.active_object.ves
        settings.lock_travel, settings.lock_turn = [name == locked for name in "xyz"], (False, False, False)
        settings.shown_axis = axis.upper()
        setattr(settings, f"motor_mode_{axis}", motor)
        settings.stiffness_travel[0] = settings.stiffness[2] = 1.0
        settings.use_motor_max_axes = (True,) * 6

    return make


def to_world() -> None:
    select(box("A"))
    bpy.ops.ves.add_joint(type="REVOLUTE")


def nail() -> None:
    select(box("A"))
    bpy.ops.ves.add_nail()


def path() -> None:
    select(box("A"), curve_object("Road", [(0, 0, 0), (1, 0, 0)]))
    bpy.ops.ves.add_path()


def path_by_object() -> None:
    select(box("A"), empty("Hand"))
    bpy.ops.ves.add_path()


def orientation() -> None:
    select(box("A"))
    bpy.ops.ves.add_orientation()


def bead() -> None:
    select(box("A"), curve_object("Wire", [(0, 0, 0), (1, 0, 0)]))
    bpy.ops.ves.add_bead()


def cam() -> None:
    select(box("A"), curve_object("Rim", [(0, 0, 0), (1, 0, 0)]))
    bpy.ops.ves.add_bead(one_sided="OUTSIDE")


def generic() -> None:
    select(box("A"), box("B", (2, 0, 0)))
    bpy.ops.ves.add_generic(preset="SPIN")


def led_generic() -> None:
    select(box("A"), empty("Hand"))
    bpy.ops.ves.add_generic(preset="ORIENTATION")


def point_to_point() -> None:
    select(box("A"))
    bpy.ops.ves.add_point_to_point(location="LOOSE")


def distance() -> None:
    select(box("A"), box("B", (2, 0, 0)))
    bpy.ops.ves.add_distance()
    bpy.context.active_object.ves.use_distance = True


def geared() -> None:
    a, b = wheels()
    select(a, b)
    bpy.ops.ves.add_gear()


def racked() -> None:
    a, b = wheels("PRISMATIC")
    select(a, b)
    bpy.ops.ves.add_rack()


def pulley() -> None:
    select(box("A"), box("B", (2, 0, 0)))
    bpy.ops.ves.add_pulley()
    bpy.context.active_object.ves.use_distance = True


def rope() -> None:
    wheels()
    select(box("A", (0, 0, -3)), bpy.data.objects["wheel 0"])
    bpy.ops.ves.add_rope()
    bpy.context.active_object.ves.drum_a = bpy.data.objects["axle 1"]


def force(force_type: str, measure: str = "AREA") -> Callable[[], None]:
    def make() -> None:
        select(box("A"), box("B", (2, 0, 0)))
        bpy.ops.ves.add_force(type=force_type)
        settings = bpy.context.active_object.ves
        settings.use_rest_length = settings.use_max_force = settings.use_slope = True
        settings.drag_measure = measure

    return make


def findings() -> None:
    to_world()
    bpy.context.active_object.ves.to_world = False
    bpy.ops.ves.check()


def action_buttons() -> None:
    force("MOTOR")()
    for preset in ("TOGGLE", "VALUE", "STEER", "RELEASE", "HOLD"):
        bpy.ops.ves.add_action_button(preset=preset)
    bpy.context.scene.ves.play_speed = "CUSTOM"


def recorded_actions() -> None:
    force("MOTOR")()
    for settings, drag in (('{"enabled": false}', ""), ("nonsense", ""), ("", '{"frames": 7}')):
        entry = bpy.context.scene.ves.recorded_actions.add()
        entry.target, entry.settings, entry.drag = bpy.context.active_object, settings, drag


def balance() -> None:
    force("BALANCE")()
    settings = bpy.context.active_object.ves
    settings.use_balance_max_torque = settings.use_balance_steps = settings.use_balance_loads = True
    settings.use_balance_weights = True
    set_feet(settings, [settings.body_a])


def balance_per_direction() -> None:
    balance()
    bpy.context.active_object.ves.use_balance_directions = True


def reach() -> None:
    force("REACH")()
    settings = bpy.context.active_object.ves
    settings.use_reach_max_force = settings.use_reach_max_torque = True


def steering(way: str) -> Callable[[], None]:
    def make() -> None:
        select(box("Frame"), box("Fork", (2, 0, 0)))
        bpy.ops.ves.add_joint(type="REVOLUTE")
        select(bpy.data.objects["Frame"], bpy.data.objects["Fork"])
        bpy.ops.ves.add_force(type="STEERING")
        settings = bpy.context.active_object.ves
        settings.way, settings.use_arm_max_torque = way, True

    return make


def spring_by_table() -> None:
    force("SPRING")()
    bpy.ops.ves.add_pull_row()


def live(kind: str) -> Callable[[], None]:
    """A joint that leads a live linkage."""

    def prepare() -> None:
        joint(kind, "NONE")()
        bpy.context.object.ves.is_drive = True

    return prepare


def rig() -> None:
    make_rig("Rig", human())
    select(bpy.data.objects["Rig"])


def ragdoll() -> None:
    rig()
    bpy.ops.ves.ragdoll()
    bpy.ops.object.mode_set(mode="POSE")
    bones = bpy.context.object.data.bones
    bones.active = bones["mixamorig:Spine"]


def tyre_on_terrain() -> None:
    force("TYRE")()
    bpy.ops.mesh.primitive_plane_add()
    ground = bpy.context.object
    tyre = next(ob for ob in bpy.data.objects if ob.ves.role == "FORCE")
    tyre.ves.terrain = ground
    select(tyre)


def sticking(prepare: Callable[[], None]) -> Callable[[], None]:
    """The same with a Static Friction of everything that may have one."""

    def prepared() -> None:
        prepare()
        bpy.context.scene.ves.ground_static_friction = 1.0
        settings = bpy.context.active_object.ves
        settings.contact_static_friction = settings.support_static_friction = 1.0
        settings.static_friction = settings.static_friction_travel = (1.0, 1.0, 1.0)

    return prepared


SITUATIONS = {
    "rig": rig, "ragdoll": ragdoll,
    "nothing": nothing, "plain object": plain_object, "dynamic": body("DYNAMIC"), "keyed": body("KEYED"),
    "given mass": given_mass, "contact": contact, "soft contact": soft_contact,
    "given box": given_size("BOX"), "given capsule": given_size("CAPSULE"),
    "hinge": joint("REVOLUTE", "NONE"), "screw": joint("SCREW", "FORCE"),
    "planar": joint("PLANAR", "POSITION"), "weld": joint("FIXED", "NONE"), "to world": to_world, "nail": nail,
    "ride": joint("CONTACT", "NONE"), "travel of a generic joint": generic_joint("x", "POSITION"),
    "turn of a generic joint": generic_joint("turn_z", "SPEED"), "locked axis": generic_joint("y", "FORCE"),
    "y": generic_joint("y", "FORCE", "x"), "z": generic_joint("z", "SPEED"),
    "turn x": generic_joint("turn_x", "NONE"), "turn y": generic_joint("turn_y", "NONE"),
    "path": path, "path by object": path_by_object, "orientation": orientation, "bead": bead, "cam": cam,
    "generic": generic, "led generic": led_generic,
    "point to point": point_to_point, "distance": distance, "gear": geared,
    "rack": racked, "pulley": pulley, "rope": rope, "gravity": force("GRAVITY"), "damping": force("DAMPING"),
    "motor": force("MOTOR"), "spring": force("SPRING"), "rubber": force("RUBBER"), "brake": force("BRAKE"),
    "support": force("SUPPORT"), "tyre": force("TYRE"), "tyre on terrain": tyre_on_terrain,
    "drag": force("DRAG"), "drag by coefficient": force("DRAG", "COEFFICIENT"),
    "expression": force("EXPRESSION"), "balance": balance, "balance per direction": balance_per_direction,
    "reach": reach, "spring by table": spring_by_table,
    "rider to a target": steering("TARGET"), "rider by a heading": steering("HEADING"),
    "driven hinge": joint("CYLINDRICAL", "SPEED"), "findings": findings, "live hinge": live("REVOLUTE"),
    "live slider": live("PRISMATIC"),
    "sticking hinge": sticking(joint("REVOLUTE", "NONE")), "sticking travel": sticking(generic_joint("x", "NONE")),
    "sticking body": sticking(contact), "sticking support": sticking(force("SUPPORT")),
    "action buttons": action_buttons, "recorded actions": recorded_actions,
}  # fmt: skip


@pytest.mark.parametrize("situation", list(SITUATIONS))
def test_everything_draws(situation: str) -> None:
    SITUATIONS[situation]()
    assert draw_all()


def test_the_panels_are_in_one_tab_what_is_next_at_the_top() -> None:
    assert {cls.bl_category for cls in PANELS} == {"Erector Set"}
    top = sorted((cls for cls in PANELS if not getattr(cls, "bl_parent_id", "")), key=lambda cls: cls.bl_order)
    assert [cls.bl_label for cls in top] == [
        "Erector Set", "Findings", "Add", "Body", "Joint", "Constraint", "Force", "What Holds This?",
        "Contact", "Gravity", "Snap Together", "Pose", "Live", "Play", "Bake", "Inspect",
    ]  # fmt: skip
    assert len({cls.bl_order for cls in top}) == len(top)


@pytest.mark.parametrize(
    ("axis", "motor", "fields"),
    [
        ("x", "POSITION", {"stiffness_travel", "lower_limit_travel", "bounciness_travel", "motor_target_travel"}),
        ("turn_z", "SPEED", {"stiffness", "lower_limit", "motor_speed", "motor_max_force"}),
        ("y", "FORCE", set()),
    ],
)
def test_a_generic_joint_shows_the_numbers_of_one_axis(axis: str, motor: str, fields: set[str]) -> None:
    generic_joint(axis, motor)()
    cls = panels.joint
    numbered = (cls.VES_PT_joint_spring, cls.VES_PT_joint_limits, cls.VES_PT_joint_motor, cls.VES_PT_joint_start)
    shown = {name for panel in numbered for kind, name in draw(panel) if kind == "prop"}
    every = {"stiffness_travel", "lower_limit_travel", "bounciness_travel", "motor_target_travel", "stiffness"}
    every |= {"lower_limit", "bounciness", "motor_speed", "motor_max_force", "motor_value_travel"}
    assert shown & every == fields
    rows = [name for kind, name in draw(cls.VES_PT_joint) if name in ("lock_travel", "lock_turn")]
    assert rows == ["lock_travel"] * 3 + ["lock_turn"] * 3


@pytest.mark.parametrize("situation", list(SITUATIONS))
def test_the_top_is_the_same_at_every_selection(situation: str) -> None:
    SITUATIONS[situation]()
    shown = draw(panels.top.VES_PT_top)
    assert [name for kind, name in shown if kind == "operator"] == ["ves.bake", "ves.play", "ves.check"]
    assert len(shown) == 6, "the buttons, the state of the bake with its icon, and what was found"


@pytest.mark.parametrize("situation", list(SITUATIONS))
def test_what_stands_below_add_does_not_move(situation: str) -> None:
    """Four buttons, three menus and two choices, whatever is selected."""
    SITUATIONS[situation]()
    kinds = [kind for kind, _ in draw(panels.add.VES_PT_add)]
    assert kinds == ["operator"] * 4 + ["menu"] * 3 + ["prop"] * 2


def several_meshes() -> None:
    select(box("A"), box("B", (2, 0, 0)))


def two_bodies() -> None:
    body("DYNAMIC")()
    select(bpy.data.objects["A"], bpy.data.objects["B"])


def body_and_curve() -> None:
    select(box("A"), curve_object("Road", [(0, 0, 0), (1, 0, 0)]))


@pytest.mark.parametrize(
    ("prepare", "likely"),
    [
        (nothing, "ves.add_body"), (several_meshes, "ves.chain"), (two_bodies, "ves.add_joint"),
        (body_and_curve, "ves.add_path"),
        (rig, "ves.ragdoll"), (ragdoll, "ves.remove_ragdoll"),
        (nail, "ves.select_bodies"), (joint("REVOLUTE", "NONE"), "ves.select_bodies"),
    ],
)  # fmt: skip
def test_the_likely_button_is_the_first(prepare: Callable[[], None], likely: str) -> None:
    prepare()
    assert draw(panels.add.VES_PT_add)[0] == ("operator", likely)


def words_at_the_top() -> list[str]:
    return [text for kind, text in draw(panels.top.VES_PT_top) if kind == "label" and text]


def test_the_top_says_how_things_stand() -> None:
    assert words_at_the_top() == ["No bodies yet: select meshes", "Not checked"]
    a = box("A")
    select(a)
    assert words_at_the_top() == ["No bodies yet: Add Body", "Not checked"]
    bpy.ops.ves.add_joint(type="REVOLUTE")
    bpy.context.scene.frame_end = 6
    assert words_at_the_top() == ["Not baked", "Not checked"]
    bpy.ops.ves.check()
    assert words_at_the_top() == ["Not baked", "Nothing wrong at the last check"]
    bpy.ops.ves.bake()
    assert words_at_the_top()[0] == "Baked, frames 1 to 6"
    assert ("operator", "ves.clear_bake") in draw(panels.top.VES_PT_top)
    a.data.vertices[0].co.z -= 1.0
    bpy.context.active_object.ves.to_world = False
    bpy.ops.ves.check()
    words = " ".join(words_at_the_top())
    assert "Out of date: " in words
    assert "A: shape" in words
    assert words.endswith("Found 1 error")


def test_what_stands_below_keeps_its_place_when_a_bake_goes_out_of_date() -> None:
    """The reason takes the row of "Not checked"."""
    a = box("A rather long name")
    select(a)
    bpy.ops.ves.add_joint(type="REVOLUTE")
    bpy.context.scene.frame_end = 6
    bpy.ops.ves.bake()
    before = words_at_the_top()
    a.ves.density *= 2.0
    compare_now(bpy.context.scene)
    assert before == ["Baked, frames 1 to 6", "Not checked"]
    assert len(words_at_the_top()) == len(before)
    assert " ".join(words_at_the_top()) == "Out of date: A rather long name: settings"


def test_from_a_joint_back_to_its_bodies() -> None:
    joint("REVOLUTE", "NONE")()
    assert bpy.ops.ves.select_bodies() == {"FINISHED"}
    assert {ob.name for ob in bpy.context.selected_objects} == {"A", "B"}
    assert bpy.context.active_object.name == "A"


def test_a_hinge_shows_one_angle_and_a_slider_a_travel() -> None:
    joint("REVOLUTE", "POSITION")()
    shown = [name for kind, name in draw_all() if kind == "prop"]
    assert (shown.count("motor_target"), shown.count("motor_target_travel")) == (1, 0)
    bpy.context.active_object.ves.joint_type = "PRISMATIC"
    shown = [name for kind, name in draw_all() if kind == "prop"]
    assert (shown.count("motor_target"), shown.count("motor_target_travel")) == (0, 1)


def test_a_table_is_drawn_as_rows_and_as_a_curve() -> None:
    joint("REVOLUTE", "NONE")()
    bpy.ops.ves.shape_table(table="DAMPER 0", shape="DIGRESSIVE")
    shown = draw_all()
    assert ("prop", "spin") in shown
    assert ("curve", "mapping") not in shown
    bpy.ops.ves.show_table_curve(table="DAMPER 0")
    shown = draw_all()
    assert ("prop", "spin") not in shown
    assert {("curve", "mapping"), ("prop", "width"), ("prop", "height")} <= set(shown)


def test_every_setting_of_a_person_is_on_some_panel() -> None:
    """Whatever has a tooltip can be reached, except the bookkeeping."""
    shown = {
        "role",
        "is_baked",
        "kept_action",
        "kept_slot",
        "ghost_action",
        "before_ghost",
        "given_actions",
        "before_play",
        "shape",
        "before_pose",
        "held_settings",
        "before_live",
        "live_name",
        "is_live",  # by its two buttons, as is_drive
        "is_drive",
        "link_points",  # by the button of the length
        "link_radius",
        "link_layer",
        "path_of",  # by what is found of the path
        "path_point",
        "path_findings",
        "path_plots",
        "armature",
        "contact_ignored",
        "balance_feet",  # these are shown by what they hold
        "rope_points",
        "pull_table",
        "tables",
        "table_rows",
    }
    for prepare in SITUATIONS.values():
        bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
        prepare()
        shown |= {name for kind, name in draw_all() if kind == "prop"}
    group = bpy.types.Object.bl_rna.properties["ves"].fixed_type
    known = {name for cls in type(box("Any").ves).__mro__ for name in getattr(cls, "__annotations__", {})}
    assert {prop.identifier for prop in group.properties if prop.identifier in known} - shown == set()
    group = {name for cls in type(bpy.context.scene.ves).__mro__ for name in getattr(cls, "__annotations__", {})}
    assert {name for name in group if "ground" in name or "contact" in name or "substeps" in name} - shown == set()


@pytest.mark.parametrize("menu", ["VIEW3D_MT_add", "VIEW3D_MT_object", "VIEW3D_MT_object_context_menu"])
def test_blenders_menus_lead_to_ours(menu: str) -> None:
    seen: list[tuple[str, str]] = []
    for function in getattr(bpy.types, menu)._dyn_ui_initialize():
        if function.__module__.startswith("virtual_erector_set"):
            function(SimpleNamespace(layout=Drawn(seen)), bpy.context)
    assert [kind for kind, _ in seen] == ["menu"]


def test_all_tools_are_in_the_object_menu() -> None:
    shown = {name for kind, name in draw_all() if kind == "operator"}
    assert {f"ves.{name}" for name in ("add_body", "remove_body", "add_joint", "chain", "add_nail", "add_path",
                                       "add_orientation", "add_point_to_point", "add_distance", "add_bead",
                                       "add_force", "dont_collide", "collide_again", "check",
                                       "copy_settings")} <= shown  # fmt: skip


def test_registering_twice_leaves_nothing_behind(extension) -> None:
    extension.unregister()
    assert not hasattr(bpy.types.Object, "ves")
    assert not hasattr(bpy.types, "VES_PT_body")
    ours = [f for f in bpy.types.VIEW3D_MT_add._dyn_ui_initialize() if f.__module__.startswith("virtual_erector_set")]
    assert ours == []
    extension.register()
    assert box("A").ves.role == "NONE"
