# SPDX-License-Identifier: GPL-3.0-or-later
"""Errors in a set-up, in words that say what to do about them, before anything is simulated.

Three questions in turn: can the scene be read, can the solver run what was read, and is there something that runs but
is perhaps not meant (`advice`). Looks at the present frame and changes nothing.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import bpy

from ...solver.mechanism import Balance, MechanismError, Reach
from ...solver.mechanism.doubts import doubts_about
from ...solver.model.topology import find_linkages
from ...solver.simulation.catching.one_sided import doubts_about_cams, inside_at_start
from ...solver.simulation.contradictions import contradictions
from ...solver.simulation.simulation import unsupported_features
from ..animation.animated import is_animated
from ..animation.kept import flights_of
from ..findings import Finding, SceneError, of_solver
from ..owner import is_dynamic
from ..parts.bodies import is_body
from ..properties.contact import BY_NAME
from ..properties.roles import POINTING_ROLES
from ..properties.scene import frame_range
from ..read.reading import Reading, note_on_flight
from ..read.scene import read_mechanism
from .advice import notes_on_body, notes_on_deforming, notes_on_link, notes_on_shared_bakes
from .bystanders import notes_on_bystanders
from .contact_advice import notes_on_contact
from .contact_warnings import warn_of_contact
from .falling import notes_on_falling
from .loops import LOOKS, warnings_of_what_is_keyed


class Problem(NamedTuple):
    """One thing that Check has to say; severity is ERROR, WARNING or INFO, the text names the object.

    `cure`: the operator that puts it right, if one can.
    """

    severity: str
    culprit: bpy.types.Object | None
    text: str
    cure: str = ""


def find_problems(context: bpy.types.Context) -> list[Problem]:
    """All problems of the scene, the worst first."""
    scene = context.scene
    context.view_layer.update()
    errors, warnings = _reading_problems(scene, context.evaluated_depsgraph_get())
    errors = [*_frame_problems(scene), *errors]
    found = [*as_problems("ERROR", errors), *as_problems("WARNING", warnings)]
    return found + as_problems("INFO", _advice(scene))


def as_problems(severity: str, findings: Iterable[Finding]) -> list[Problem]:
    """Findings of one severity as the panel lists them; facts among warnings are notes, and come last."""
    of_fact = "INFO" if severity == "WARNING" else severity
    problems = [
        Problem(of_fact if each.is_fact else severity, each.object, _sentence(each), each.cure) for each in findings
    ]
    return sorted(problems, key=lambda problem: problem.severity != severity)


def _sentence(finding: Finding) -> str:
    text = str(finding)
    return text if finding.object else text[:1].upper() + text[1:]


def _frame_problems(scene: bpy.types.Scene) -> Iterator[Finding]:
    first, last = frame_range(scene)
    if last <= first:
        yield Finding(None, f"the frame range {first} to {last} is empty: choose a last frame after the first")


def _reading_problems(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> tuple[list[Finding], list[Finding]]:
    """Errors and warnings of reading; the solver is only asked about what could be read."""
    try:
        reading = read_mechanism(scene, depsgraph, warn=warn_of_contact, looks=LOOKS)
    except SceneError as error:
        return error.findings, error.warnings
    errors, warnings = _solver_problems(scene, reading), list(reading.warnings)
    if not errors:
        doubts = doubts_about(reading.mechanism) + doubts_about_cams(reading.mechanism)
        warnings += [of_solver(doubt, scene, reading.first) for doubt in doubts]
    if not errors and not reading.apart:
        warnings += [*warnings_of_what_is_keyed(reading), *notes_on_falling(reading)]
    if scene.frame_current_final == reading.first:
        return errors + reading.open, warnings
    late = [Finding(tie, f"{text} (at this frame; what counts is the first)") for tie, text, *_ in reading.open]
    return errors, warnings + late


def _solver_problems(scene: bpy.types.Scene, reading: Reading) -> list[Finding]:
    problems = reading.mechanism.problems()
    if not problems:
        try:
            find_linkages(reading.mechanism)
        except MechanismError as error:
            problems = error.problems
        else:
            if scene.ves.integrator in BY_NAME:
                problems = unsupported_features(reading.mechanism, BY_NAME[scene.ves.integrator])
            elif scene.ves.use_contact and scene.ves.contact_kind == "SOFT":
                problems = unsupported_features(reading.mechanism, "adams")
            elif any(isinstance(force, Balance | Reach) for force in reading.mechanism.forces):
                problems = unsupported_features(reading.mechanism)
            problems = [*problems, *contradictions(reading.mechanism, reading.duration)]
            problems += inside_at_start(reading.mechanism)
    return [of_solver(problem, scene, reading.first) for problem in problems]


def _advice(scene: bpy.types.Scene) -> Iterator[Finding]:
    bodies = [ob for ob in scene.objects if is_body(ob)]
    if bodies and not any(is_dynamic(body) for body in bodies):
        yield Finding(None, "no body is dynamic, so nothing will move: set the motion of those that should to Dynamic")
    if bodies:
        yield from _note_on_units(scene)
    for body in bodies:
        yield from notes_on_body(body)
    yield from notes_on_deforming(scene, bodies)
    yield from notes_on_shared_bakes(bodies)
    flights = flights_of(bodies)
    if flights:
        yield note_on_flight(flights, is_fact=True)
    yield from notes_on_contact(scene, bodies)
    yield from notes_on_bystanders(scene)
    for link in scene.objects:
        if link.ves.role in POINTING_ROLES and (link.ves.enabled or is_animated(link, "ves.enabled")):
            yield from notes_on_link(link)


def _note_on_units(scene: bpy.types.Scene) -> Iterator[Finding]:
    """Blender then shows other lengths, masses and forces than those that count."""
    units = scene.unit_settings
    if units.system != "NONE" and abs(units.scale_length - 1.0) > 1e-6:
        yield Finding(
            None,
            f"the scene's Unit Scale is {units.scale_length:.4g}, but one unit of length counts as a metre here, for "
            "gravity and masses, and in all that Inspect shows: set it to 1, and scale the objects instead",
        )
