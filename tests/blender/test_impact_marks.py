# SPDX-License-Identifier: GPL-3.0-or-later
"""Markers where bodies are hit: put there, marked anew by a new bake and a kept run, taken away; a user's own stay."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from virtual_erector_set.panels.inspect import VES_PT_inspect_impacts
from virtual_erector_set.scene.quantities.impacts import hardest_hits, hits_of

from tests.blender.inspecting import bouncing_ball, frames
from tests.blender.making import reports, select
from tests.blender.playing import Driver
from tests.blender.test_panels import draw

G = 9.81
FALL = np.sqrt(2.0 / G)  # s: of a metre


def marks() -> list[tuple[str, int]]:
    """(name, frame) of all markers, by their frames."""
    found = [(marker.name, marker.frame) for marker in bpy.context.scene.timeline_markers]
    return sorted(found, key=lambda mark: (mark[1], mark[0]))


def marker(frame: int) -> bpy.types.TimelineMarker:
    (found,) = (marker for marker in bpy.context.scene.timeline_markers if marker.frame == frame)
    return found


def expected(count: int = 3, mass: float = 2.0, first: int = 11, body: str = "rubber") -> list[tuple[str, int]]:
    """The landings of the ball that falls a metre and keeps half its speed."""
    landings = FALL * np.array([1.0, 2.0, 2.5])[:count]
    blows = mass * G * FALL * 1.5 * 0.5 ** np.arange(count)
    pairs = zip(blows, landings, strict=True)
    return [(f"{blow:.3g} N s: {body} on slab", round(first + 24 * t)) for blow, t in pairs]


def marked_ball() -> bpy.types.Object:
    """The bouncing ball, baked, with a marker of the user's and three of ours."""
    rubber = bouncing_ball()
    bpy.context.scene.timeline_markers.new("mine", frame=3)
    select(rubber)
    assert bpy.ops.ves.mark_impacts(share=0.2) == {"FINISHED"}
    assert marks() == [("mine", 3), *expected()]
    return rubber


def test_marking_again_replaces_the_markers_of_the_body_and_removing_leaves_the_users():
    rubber = marked_ball()
    rubber.name = "bouncer"
    assert bpy.ops.ves.mark_impacts(share=0.4) == {"FINISHED"}
    assert marks() == [("mine", 3), *expected(2, body="bouncer")]
    select(bpy.context.scene.objects["slab"])
    assert bpy.ops.ves.mark_impacts(share=0.9) == {"FINISHED"}
    (of_slab,) = set(marks()) - {("mine", 3), *expected(2, body="bouncer")}
    assert of_slab == (expected(1)[0][0].replace("rubber on slab", "slab on bouncer"), expected(1)[0][1])
    assert bpy.ops.ves.remove_marks() == {"FINISHED"}
    assert marks() == [("mine", 3)]
    assert not bpy.ops.ves.remove_marks.poll()


def test_a_marker_that_somebody_has_changed_is_theirs():
    """Renamed, moved, bound to a camera, or put there under the same kind of name: all of that stays, always."""
    rubber = marked_ball()
    scene, (first, second, third) = bpy.context.scene, expected()
    marker(first[1]).name = "rubber on slab, loud"
    marker(second[1]).frame += 2
    marker(third[1]).camera = rubber
    scene.timeline_markers.new(second[0], frame=70)
    own = [("mine", 3), ("rubber on slab, loud", first[1]), (second[0], second[1] + 2), third, (second[0], 70)]
    assert bpy.ops.ves.mark_impacts(share=0.2) == {"FINISHED"}
    assert sorted(marks()) == sorted([*own, *expected()])
    assert bpy.ops.ves.remove_marks() == {"FINISHED"}
    assert sorted(marks()) == sorted(own)
    assert bpy.ops.ves.mark_impacts(share=0.2) == {"FINISHED"}
    assert bpy.ops.ves.clear_bake() == {"FINISHED"}
    assert sorted(marks()) == sorted(own)


def test_a_new_bake_and_a_kept_run_mark_anew():
    rubber = marked_ball()
    rubber.ves.mass = 4.0
    frames(21, 50)
    assert bpy.ops.ves.bake() == {"FINISHED"}
    assert marks() == [("mine", 3), *expected(mass=4.0, first=21)]
    rubber.ves.mass = 1.0
    frames(1, 30)
    driver = Driver()
    driver.go_on(20)
    driver.keep("ACTIONS")
    assert marks() == [("mine", 3), *expected(mass=4.0, first=21)], "the motion is the one of before"
    driver = Driver()
    driver.go_on(15)
    assert marks() == [("mine", 3), *expected(mass=4.0, first=21)], "nothing is kept yet"
    driver.end()
    assert marks() == [("mine", 3), *expected(mass=4.0, first=21)]
    driver = Driver()
    driver.go_on(20)
    driver.keep()
    assert marks() == [("mine", 3), *expected(1, mass=1.0, first=1)]


def test_no_hits_no_markers_until_a_bake_has_hits_again():
    rubber = marked_ball()
    rubber.ves.collide = False
    bpy.ops.ves.bake()
    assert marks() == [("mine", 3)]
    rubber.ves.collide = True
    bpy.ops.ves.bake()
    assert marks() == [("mine", 3), *expected()]


def test_who_takes_all_of_them_away_by_hand_gets_none_from_the_next_bake():
    marked_ball()
    scene = bpy.context.scene
    for name, frame in expected():
        assert marker(frame).name == name
        scene.timeline_markers.remove(marker(frame))
    bpy.ops.ves.bake()
    assert marks() == [("mine", 3)]
    assert not bpy.ops.ves.remove_marks.poll()


def test_clear_bake_takes_them_away_and_says_so(capfd):
    rubber = marked_ball()
    slab = bpy.context.scene.objects["slab"]
    select(slab)
    bpy.ops.ves.mark_impacts(share=0.9)
    select(slab)
    bpy.ops.ves.plot(quantity="Blow")
    reports(capfd)
    bpy.ops.ves.clear_bake()
    assert "Cleared 1 body, 1 plot and 4 markers" in reports(capfd)
    assert marks() == [("mine", 3)]
    select(rubber)
    bpy.ops.ves.bake()
    assert marks() == [("mine", 3)], "nothing is marked any more"


def marked_ball_and_copy():
    """Both baked."""
    rubber = marked_ball()
    other = rubber.copy()
    other.name, other.location.x = "other", 1.0
    bpy.context.scene.collection.objects.link(other)
    bpy.ops.ves.bake()
    return rubber, other


def test_what_is_cleared_alone_loses_only_its_own():
    _, other = marked_ball_and_copy()
    select(other)
    bpy.ops.ves.mark_impacts(share=0.9)
    assert len(marks()) == 5
    bpy.ops.ves.clear_bake(selected_only=True)
    assert marks() == [("mine", 3), *expected()]


def test_a_body_that_is_deleted_takes_its_markers_along_at_the_next_bake():
    rubber, _ = marked_ball_and_copy()
    select(rubber)
    bpy.ops.object.delete()
    bpy.ops.ves.bake()
    assert marks() == [("mine", 3)]


def test_undo_brings_back_the_markers_and_whose_they_are():
    rubber = marked_ball()
    rubber.ves.mass = 4.0
    before = marks()
    bpy.ops.ed.undo_push(message="Before")
    bpy.ops.ves.mark_impacts("EXEC_DEFAULT", True, share=0.4)
    fewer = [("mine", 3), *expected(2)]
    assert marks() == fewer
    bpy.ops.ed.undo()
    assert marks() == before
    bpy.ops.ed.redo()
    assert marks() == fewer
    bpy.ops.ves.bake("EXEC_DEFAULT", True)
    assert marks() == [("mine", 3), *expected(2, mass=4.0)]
    bpy.ops.ed.undo()
    assert marks() == fewer
    bpy.ops.ves.clear_bake("EXEC_DEFAULT", True)
    assert marks() == [("mine", 3)]
    bpy.ops.ed.undo()
    assert marks() == fewer
    bpy.ops.ves.remove_marks("EXEC_DEFAULT", True)
    assert marks() == [("mine", 3)]
    bpy.ops.ed.undo()
    assert marks() == fewer
    assert bpy.ops.ves.mark_impacts(share=0.9) == {"FINISHED"}
    assert marks() == [("mine", 3), *expected(1)], "they are known as ours after undo"


def test_they_are_known_after_saving_and_by_names_that_are_too_long(tmp_path):
    rubber = marked_ball()
    rubber.name = "a rubber ball with a name that leaves no room for anything else"[:60]
    bpy.ops.ves.mark_impacts(share=0.2)
    path = str(tmp_path / "marks.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    assert len(marks()) == 4
    bpy.ops.ves.remove_marks()
    assert marks() == [("mine", 3)]


def test_what_hit_a_body_that_is_gone_is_said():
    rubber = bouncing_ball()
    bpy.data.objects.remove(bpy.context.scene.objects["slab"])
    select(rubber)
    bpy.ops.ves.mark_impacts(share=0.9)
    assert marks()[0][0].endswith("N s: rubber on (removed)")


@pytest.mark.parametrize("operator", ["mark_impacts", "remove_marks"])
def test_nothing_to_do_without_a_bake(operator):
    assert not getattr(bpy.ops.ves, operator).poll()


def test_impacts_are_listed_where_the_timeline_is_too_low_for_markers():
    """A line for each hit with its frame, how hard and with whom, and a button that goes there."""
    rubber = bouncing_ball()
    select(rubber)
    drawn = draw(VES_PT_inspect_impacts)
    landings = 11 + 24 * FALL * np.array([1.0, 2.0, 2.5])
    labels = [text for kind, text in drawn if kind == "label"]
    assert labels[:9:3] == [f"{landing:.1f}" for landing in landings]
    assert labels[1:9:3] == [name.partition(":")[0] for name, _ in expected()]
    assert set(labels[2::3]) == {"slab"}
    assert ("operator", "ves.show_impact") in drawn
    assert bpy.ops.ves.show_impact(frame=round(landings[0])) == {"FINISHED"}
    assert bpy.context.scene.frame_current == round(landings[0])


def test_of_many_hits_the_hardest_are_listed_by_their_time():
    rubber = bouncing_ball()
    found, count = hardest_hits(rubber, bpy.context.scene, 2)
    sizes = [impact.size for impact, _ in hits_of(rubber, bpy.context.scene)]
    assert count == len(sizes) > 2
    assert [impact.size for impact, _ in found] == sorted(sizes, reverse=True)[:2]
    assert hardest_hits(bpy.context.scene.objects["slab"], bpy.context.scene, 99)[1] == count
    bpy.ops.ves.clear_bake()
    assert hardest_hits(rubber, bpy.context.scene, 2) == ([], 0)
