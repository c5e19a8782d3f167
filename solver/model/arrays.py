# SPDX-License-Identifier: GPL-3.0-or-later
"""Arrays of one linkage for the kernels: the constant `Model`, the changing `State`, and `Scratch` space.

A linkage is a set of dynamic bodies that joints or forces connect, with the driven (fixed and keyed) bodies it hangs
on. Bodies are numbered driven ones first (0 is the world), then the dynamic ones so that each comes after its inner
body, the neighbour nearer to the root. The joint to the inner body has the same number as the body. It is an ordered
list of axes; `axis_start` and `axis_end` are their numbers among all axes, which also number the coordinates and
speeds.

A dynamic body's own axes are those of its joint frame; its reference point is its centre of mass. All that belongs to
one body, axis or force is one record, so that a recursion along a long chain reads memory in one stream. Symbols: B
bodies, N driven bodies, A axes, C charts (three coordinates that are a local rotation vector), F forces, E bodies
that follow their keys, P parameters, T tables, K spline pieces of keyed bodies and curves,
Q closures, R rows, M rows of closures, W contact joints (rides). Fields of six are spatial: angular, then linear.
"""

from enum import IntEnum
from typing import NamedTuple

import numpy as np

from ..kernel import by_reference
from ..mechanism.arithmetic import MOST_STEPS, MOST_VALUES, NAMES
from ..mechanism.forces import FORCES, ForceWithLaw
from ..mechanism.joint_types import FREE, GENERIC_TYPES, JOINT_TYPES
from ..surfaces.surface import SURFACE, Pieces, no_pieces
from .assembly_tree import AssemblyTree
from .elimination.elimination import MOST_ENDS, Elimination, Maximal, new_maximal
from .propagation_plan import PropagationPlan, PropagationWork, new_propagation_work

# How a joint's coordinates turn into a pose; the recursions know only axes. An empty record is that of a fixed joint.
# Those of generic joints come last, so that the kind tells the free axes.
TYPES = [*sorted((*JOINT_TYPES.values(), FREE), key=lambda joint_type: bool(joint_type.axes)), *GENERIC_TYPES]
Kind = IntEnum("Kind", [joint_type.name.upper() for joint_type in TYPES], start=0)
CHARTED = tuple(k for k, joint_type in enumerate(TYPES) if joint_type.is_charted)  # kinds that turn by a chart
ForceKind = IntEnum("ForceKind", [force.type.upper() for force in FORCES if issubclass(force, ForceWithLaw)], start=0)


class MotorMode(IntEnum):
    """Modes of a joint's motor."""

    NONE = 0
    FORCE = 1
    POSITION = 2
    SPEED = 3


class Hold(IntEnum):
    """Holders of an axis at a given speed, with whatever force that takes; see `dynamics.forces.switching`."""

    NOTHING = 0
    FRICTION = 1
    MOTOR = 2
    LOWER = 3
    UPPER = 4


class Taken(IntEnum):
    """The part of a force that is left to impulses; see `contact.impulses.stiff_forces`."""

    NOTHING = 0
    FRICTION = 1  # of a support
    ALL = 2


class RowKind(IntEnum):
    """One scalar condition between two frames a and b with origins p; e, u, v are axes of theirs."""

    TRAVEL = 0  # e_a . (p_b - p_a) = 0
    TURN = 1  # u_a . v_b = 0
    SCREW = 2  # e_a . (p_b - p_a) moves on by the pitch as b turns about e_a; for joints of trees only
    DISTANCE = 3  # |p_b - p_a| = length
    BEAD = 4  # p_b lies on the curve, which is fixed in frame a: two of them, along two normals
    COUPLING = 5  # q_b - ratio q_a = length, of two joints' coordinates, which axis_b and axis_a count
    ROPE = 6  # the way from point to point, of each span its weight, and what drums have wound up, = length
    RIDE = 7  # the bodies' points where they touch do not part along an axis there; for joints of trees only
    LED = 8  # q_b = a given function of time, of the coordinate axis_b of a joint
    TANGENT = 9  # v_b . (tangent of the curve next to p_b) = 0; behind two rows BEAD
    UP = 10  # v_b . (up direction there) = 0
    CAM = 11  # p_b keeps its distance from the flat curve in the plane z = 0 of frame a, on one side of it


# methods; AUTO takes the recursive one for trees, else what `method_choice` expects to be the quickest; SPARSE is for
# steps with impulses, which need the pivots of the recursion: these, and for the closures the factors of LAGRANGE
AUTO, RECURSIVE, COMPOSITE, PROPAGATION, LAGRANGE, DIVIDE, SPARSE = range(7)
TAUT = 2  # an entry of `gives_way`: of a closure that is stretched, by the last digits
ASK_GAP = 2  # an entry of `closed`: no mode, the gap decides
# the parameters of one axis, in this order
STIFFNESS, REST, DAMPING, MOTOR_VALUE, MOTOR_STIFFNESS, MOTOR_DAMPING, MOTOR_LIMIT, FRICTION, LOWER, UPPER = range(10)
BOUNCINESS, STATIC_FRICTION, STRIBECK_SPEED = 10, 11, 12
AXIS_PARAMETERS = 13
# the parameters of one force: `enabled`, up to sixteen numbers of its own, its two points (m) and its frame's
# quaternion, these in the world at zero coordinates
POINTS, FRAME = 17, 23
FORCE_PARAMETERS = 27
# the parameters of a foot of a balance, after those of forces: its share of the weight, below 0 where none is told,
# and how high it is lifted (m)
FOOT_WEIGHT, FOOT_LIFT = range(2)
FOOT_PARAMETERS = 2

# the parameters of a body that follows, before those of gravity: its feed-forward, the pace (rad/s) and damping ratio
# of its drive, and the most that it exerts
FOLLOW_SHARE, FOLLOW_PACE, FOLLOW_RATIO, FOLLOW_LIMIT = range(4)
FOLLOW_PARAMETERS = 4

BODY = np.dtype(
    [
        ("inner", "i4"),  # inner body, -1 for driven bodies
        ("kind", "i4"),  # Kind of the joint to it
        ("axis_start", "i4"),
        ("axis_end", "i4"),
        ("chart", "i4"),  # number of the joint's chart, -1 without; of a contact joint, C + number of the ride
        ("branches", "i4"),  # 1 if outer bodies besides the next one hang on it
        ("direction", "f8"),  # +1: the inner body is the joint's parent, -1: it is its child
        ("pitch", "f8"),  # m/rad
        ("mass", "f8"),  # kg
        ("inertia", "f8", 6),  # kg m2: about the centre of mass, own axes
        ("joint_rotation", "f8", 9),  # joint frame in the inner body's axes
        ("joint_point", "f8", 3),  # m: joint's origin from the inner body's reference point, inner body's axes
        ("center_offset", "f8", 3),  # m: centre of mass from the joint's origin, own axes
    ],
    align=True,
)
DRIVEN = np.dtype(
    [
        ("key_start", "i8"),  # first spline piece of a keyed body, -1 for a fixed one
        ("key_end", "i8"),
        ("key_stop", "f8"),  # s: after this time the keyed body stands still
        ("rotation", "f8", 9),  # pose of a fixed body
        ("position", "f8", 3),  # m
    ],
    align=True,
)
FOLLOWED = np.dtype(
    [
        ("body", "i8"),  # whose axes are driven
        ("in_world", "i8"),  # 1: its turns are those of the body in the world, not across the joint
        ("sign", "f8"),  # +1: the body that follows is the joint's child, -1: its parent
        ("target", "i8", 2),  # first spline piece and the one behind the last: three coordinates and a quaternion;
        ("effort", "i8", 2),  # of inverse dynamics, N m or N on each axis;
        ("inertia", "i8", 2),  # of the effective inertia about each axis, kg m2 or kg
        ("stop", "f8"),  # s: after this time the target stands still
    ],
    align=True,
)
FORCE = np.dtype(
    [
        ("kind", "i8"),  # ForceKind
        ("body", "i8", 2),
        ("one_sided", "i8"),  # 1 if it acts only while its gap is closed
        ("switches", "i8"),  # 1 if it jumps when its gap closes: a support that damps, say
        ("axes", "f8", (2, 9)),  # each body's axes at zero coordinates
        ("origin", "f8", (2, 3)),  # m: and its reference point
        ("mobility", "f8"),  # 1/kg: sum of one over the masses of its two bodies
        ("reach", "f8"),  # m: distance of its points at zero coordinates, at least the rest length
        ("pull_start", "i8"),  # pieces of a spring or support by a table, in `curves`; none: start and end are the same
        ("pull_end", "i8"),
        ("damper_start", "i8"),  # and of its damper
        ("damper_end", "i8"),
        ("program", "i8", 4),  # of an expression: where in `programs` those of x, y and z begin, and where they end
        ("kinks", "i8"),  # number of their steps that jump or bend somewhere
        ("terrain", "i8"),  # number of the ground of a support or a tyre among `terrains`, -1: level
        ("radius", "f8"),  # m: of a tyre,
        ("width", "f8"),  # m
        ("slip_speed", "f8"),  # m/s
        ("wheelbase", "f8"),  # m: of what is steered,
        ("center_height", "f8"),  # m: of its centre of mass,
        ("seeks", "i8"),  # Sought: and its way
        ("in_frame", "i8"),  # 1 if its components are along the axes of its frame, not the world's
    ],
    align=True,
)
AXIS_CURVES = np.dtype(
    [
        ("pull", "i8", 2),  # first piece, and the one behind the last, in `curves`: of its spring; none: both the same
        ("damper", "i8", 2),
        ("stops", "i8", 2),  # of soft limits
        ("dissipation", "f8"),  # s/rad or s/m: of these
        ("stiffness", "f8"),  # N m/rad or N/m: the steepest of spring and stops
        ("damping", "f8"),  # N m s/rad or N s/m: and of the damper
    ],
    align=True,
)
TERRAIN = np.dtype(
    [
        ("start", "i8"),  # its first height in `heights`, which have one row more on each side
        ("along_x", "i8"),  # numbers of heights, without these
        ("along_y", "i8"),
        ("origin", "f8", 3),  # m; the heights stand in the world already
        ("spacing", "f8", 2),  # m
    ],
    align=True,
)
PROGRAM_STEP = np.dtype([("step", "i8"), ("number", "f8")], align=True)  # see `mechanism.arithmetic`
SWITCHED_AXIS = np.dtype(
    [
        ("axis", "i8"),
        ("body", "i8"),  # whose joint it belongs to
        ("table", "i8"),  # that drives the speed of its motor, -1 without
        ("motor", "i8"),  # 1 with a motor that keeps a speed
        ("bounded", "i8"),  # 1 if its coordinate may have limits; one of a rotation vector has stops instead
        ("inertia", "f8"),  # kg m2 or kg: about that of the whole linkage
    ],
    align=True,
)
CLOSURE = np.dtype(
    [
        ("ends", "i8"),  # bodies that it holds: 2, 4 of a coupling, of a rope one a point and two a drum
        ("coupled", "i8", 2),  # the bodies whose joints have q_b and q_a of a coupling, q_b that is led, or turn drums
        ("drums", "i8"),  # how many a rope has
        ("row_start", "i4"),
        ("row_end", "i4"),
        ("implied", "i8"),  # how many rows more it has that the trees meet by themselves
        ("curve_start", "i4"),  # pieces of a bead's curve, or of what leads its row, in key_times, -1 without
        ("curve_end", "i4"),
        ("is_closed", "i8"),  # the curve
        ("gives_way", "i8"),  # 1 for a closure that could not be met: from then on it pulls; TAUT for a stretched one
        ("curve_stop", "f8"),  # parameter of the curve's end; s: of what leads its row
        ("curve_first", "f8"),  # and of its point next to the bead at the start
        ("length", "f8"),  # m: of a distance or a rope; m/rad: pitch of a screw; m or rad: what a coupling keeps
        ("ratio", "f8"),  # of a coupling
        ("radius", "f8", 2),  # m: of a rope's drums
        ("tau", "f8"),  # s: time constant of one that is drawn together, else 0
        ("begun", "f8"),  # s: when that has begun,
        ("settled", "f8"),  # s: and from when on its gap is none
        ("limit", "f8"),  # N, of its turns N m: the most that it draws with; 0 without a limit
        ("body", "i8", MOST_ENDS),  # a, b and what else there is, else 0
        ("rotation", "f8", (2, 9)),  # the closure's frame in the axes of a and b
        ("point", "f8", (MOST_ENDS, 3)),  # m: its origin from each body's reference point, in the body's axes
        ("weight", "f8", MOST_ENDS),  # of a rope's span from each point to the next; 0: there is none
        ("rope", "i8"),  # of a rope beyond a grip: the number of the whole rope's closure
        ("place", "i8"),  # and how many grips there are before this one
        ("friction", "f8", MOST_ENDS),  # and its coefficients at the wheels of the grip, 0 elsewhere
        ("wrapped", "f8", MOST_ENDS),  # rad: and how far it goes round there, besides the angle between its spans
        ("slips", "i8"),  # and whether it slips: 1 towards the last point, -1 towards the first, 0 where it sticks
    ],
    align=True,
)
ROW = np.dtype(
    [
        ("kind", "i4"),  # RowKind
        ("axis_a", "i4"),
        ("axis_b", "i4"),
        ("closure", "i4"),
        ("is_length", "i4"),  # 1: its error is a length, 0: an angle
        ("gap", "f8"),  # m or rad: of one that is drawn together, as it begins,
        ("opening", "f8"),  # m/s or rad/s: and how fast that grows
    ],
    align=True,
)
TABLE = np.dtype([("target", "i8"), ("start", "i8"), ("end", "i8")], align=True)  # parameter driven, points in `points`
MOVING_TARGET = np.dtype(
    [
        ("coordinates", "f8", 3),
        ("rates", "f8", 3),
        ("orientation", "f8", 4),  # of the child's joint frame in the parent's, or of the body's in the world
        ("spin", "f8", 3),  # rad/s: along the axes of the parent's joint frame, or the world's
        ("effort", "f8", 6),
        ("inertia", "f8", 6),
    ],
    align=True,
)
DRIVE = np.dtype(
    [
        ("error", "f8"),  # target less coordinate
        ("rate", "f8"),  # speed of the target
        ("stiffness", "f8"),
        ("damping", "f8"),
        ("limit", "f8"),
        ("feed", "f8"),  # what inverse dynamics says, within the limit
        ("asked", "f8"),  # with what spring and damper add, without the limit
        ("pull", "f8"),  # what the drive exerts besides `feed`
    ],
    align=True,
)
MOVING_BODY = np.dtype(
    [
        ("rotation", "f8", 9),
        ("center", "f8", 3),  # m: reference point
        ("angular", "f8", 3),  # rad/s
        ("linear", "f8", 3),  # m/s
        ("bias", "f8", 6),  # acceleration over the inner body's that is there without joint accelerations
        ("wrench", "f8", 6),  # applied forces about the centre of mass: moment, force
        ("acceleration", "f8", 6),
    ],
    align=True,
)
LOAD = np.dtype(
    [
        ("inertia", "f8", 21),  # I, H, M that outer bodies leave on the body
        ("bias", "f8", 6),  # and their bias force
        ("joint_wrench", "f8", 6),  # inner body on body, about the centre of mass
    ],
    align=True,
)
MOVING_AXIS = np.dtype(
    [
        ("S", "f8", 6),  # motion subspace
        ("U", "f8", 6),  # articulated inertia times S
        ("D", "f8"),  # pivot
        ("u", "f8"),  # effort that is left for the axis
        ("held", "f8"),  # kg m2 or kg: reflected inertia that lets nothing turn it, or that stiff springs give; else 0
        ("pace", "f8"),  # 1/s2: at which it turns while it is held
    ],
    align=True,
)
MOVING_ROW = np.dtype(
    [
        ("bias", "f8"),  # the row's second derivative without accelerations, less that of the allowed gap
        ("error", "f8"),  # m or rad: how far the row is from being met
        ("allowed", "f8", 3),  # m or rad: what it may be off, with two derivatives: on its way together, or led
        ("rate", "f8"),  # its time derivative
        ("target", "f8"),  # what a solution shall make of the row, together with compliance times multiplier
        ("compliance", "f8"),  # 1/kg or 1/(kg m2), of a row that gives way
        ("multiplier", "f8"),  # N or N m
        ("given", "f8"),  # N or N m: that of a row which draws with limited force
        ("is_given", "i8"),  # 1 while it is an applied force, and the row holds nothing
        ("wrench", "f8", (MOST_ENDS, 6)),  # of a unit multiplier on bodies a, b, .. about their reference points: the
        # row's velocity is the sum of wrench . (velocity of the body)
    ],
    align=True,
)
MOVING_SWITCH = np.dtype(
    [
        ("hold", "i8"),  # Hold
        ("friction", "f8"),  # -1, 0, 1: the way that dry friction pushes
        ("motor", "f8"),  # and the motor that keeps a speed
    ],
    align=True,
)
RIDE = np.dtype(
    [
        ("body", "i8"),  # whose joint it is
        ("rolling", "i8"),  # 1 if nothing slides: the two axes of sliding then move nothing, and weigh 1
        ("weight", "f8"),  # N: about that of the whole linkage on the ground
    ],
    align=True,
)
MOVING_RIDE = np.dtype(
    [
        ("frame", "f8", 9),  # x, y and the parent's outer normal where the surfaces touch
        ("point", "f8", 3),  # m: that place
        ("rates", "f8", 5),  # of the contact coordinates
        ("curvature", "f8"),  # 1/m: the smallest relative one
    ],
    align=True,
)
HANDLES = np.dtype(
    [
        ("P", "f8", (12, 13)),  # accelerations of top and bottom for unit wrenches there; the last column: without any
        ("top", "f8", 6),  # wrench on it from outside, about the body's centre of mass
        ("bottom", "f8", 6),
    ],
    align=True,
)
ASSEMBLING_JOINT = np.dtype(
    [
        ("D", "f8", (6, 13)),  # acceleration across the joint for what its assembly's P has as columns
        ("K", "f8", (6, 6)),  # acceleration across the joint for a wrench there
        ("L", "f8", (6, 6)),  # its Cholesky factor, of what the axes do not take
        ("E", "f8", (6, 6)),  # of each axis: what it makes of a wrench
        ("pivot", "i8", 6),  # of each axis: the component of the wrench that its effort stands for
        ("softness", "f8", 6),  # 1/armature of components, 0 of those that no axis takes, -1 of efforts that are known
        ("R", "f8", (6, 13)),  # the acceleration across it that is left where there must be none
        ("F", "f8", (6, 13)),  # wrench on the outer body for those columns
    ],
    align=True,
)
PIVOTS = np.dtype(
    [
        ("smallest", "f8"),  # of a row of closures, by what its bodies would make of it if they were free
        ("usual", "f8"),  # what that was lately
        ("rank", "i8"),  # how many rows had a pivot
        ("usual_rank", "i8"),
        ("is_singular", "i8"),  # 1 where the pose is nearly so
    ],
    align=True,
)


class Rides(NamedTuple):
    """The contact joints of a linkage, in the order of their bodies; see `dynamics.tree.surface_joints`."""

    joints: np.recarray  # (W,) RIDE
    surfaces: np.recarray  # (2 W,) SURFACE: of each the parent's, then the child's
    pieces: Pieces


class NoRides(Rides):
    """Of a linkage without contact joints. Kernels are compiled for each class."""


def no_rides() -> NoRides:
    """Those of a linkage without contact joints."""
    return NoRides(records(0, RIDE), records(0, SURFACE), no_pieces())


@by_reference
class Model(NamedTuple):
    """Constant description of one linkage."""

    driven: int  # N, number of driven bodies, the world included
    method: int  # RECURSIVE, COMPOSITE, PROPAGATION, LAGRANGE, DIVIDE or SPARSE
    size: float  # m: diagonal of the box around the linkage
    stop_stiffness: float  # N m/rad: of limits in spherical joints
    rides: Rides
    bodies: np.recarray  # (B,) BODY; the first N rows are not used
    driven_bodies: np.recarray  # (N,) DRIVEN
    armature: np.ndarray  # (A,) kg m2 or kg
    motor_mode: np.ndarray  # (A,) int64: MotorMode
    sprung: np.ndarray  # (.,) int64: the axes with an effort of their own, those that a balance drives among them
    switched: np.recarray  # (S,) SWITCHED_AXIS: those with limits, dry friction, or a motor that keeps a speed
    charted: np.ndarray  # (C,) int64: the bodies whose joint has a chart; it is the joint's last three coordinates
    is_length: np.ndarray  # (A,) bool: the coordinate is a length, not an angle
    key_times: np.ndarray  # (K,) s: start of each spline piece
    key_coefficients: np.ndarray  # (K, 6, 7): position (3) and quaternion (4) as powers of the time since then; of a
    # row that is led, the first column; of a bead's curve point (3) and up direction (3)
    closures: np.recarray  # (Q,) CLOSURE: what holds besides the trees; with an elimination then the trees' own joints
    rows: np.recarray  # (R,) ROW, those of one closure together
    closing: int  # number of rows, the first ones, that do not belong to the trees' own joints
    elimination: Elimination  # for LAGRANGE and SPARSE, where the trees' own joints are among the closures
    propagation: PropagationPlan  # for that method, else empty
    assembly: AssemblyTree  # for DIVIDE, else empty
    followed: np.recarray  # (E,) FOLLOWED
    forces: np.recarray  # (F,) FORCE
    axis_curves: np.recarray  # (A,) AXIS_CURVES; (0,) where no joint has forces by tables
    curves: np.ndarray  # (., 6): pieces of the curves of tables of force, see `model.curves`
    terrains: np.recarray  # (.,) TERRAIN
    heights: np.ndarray  # (.,) m: control points of these, see `model.terrain`
    programs: np.recarray  # (.,) PROGRAM_STEP: of expressions
    parameters: np.ndarray  # (P,): axes, forces, what follows, three of gravity for each body; at the start
    tables: np.recarray  # (T,) TABLE
    points: np.ndarray  # (sum, 2): times (s) and values of all tables


class CompositeModel(Model):
    """A model of trees for the composite method."""


class DivideModel(Model):
    """A model of trees for the divide-and-conquer method."""


class ClosedTreeModel(Model):
    """A model with closures, for the recursive and the composite method. Kernels are compiled for each class."""


class PropagationModel(Model):
    """A model with closures, for constraint propagation."""


class LagrangeModel(Model):
    """A model for the method of Lagrange, which takes the joints of the trees for closures too."""


class SparseModel(LagrangeModel):
    """The same for steps with impulses, which go through the trees by the pivots of the recursion."""


@by_reference
class State(NamedTuple):
    """Coordinates and speeds of all axes of a linkage, charts relative to their anchors."""

    coordinates: np.ndarray  # (A,)
    speeds: np.ndarray  # (A,)
    anchor: np.ndarray  # (C + W, 4): quaternion that a chart starts from; of a ride (0, chart of parent, of child, 0)


class Gram(NamedTuple):
    """The factored response of rows to multipliers (`dynamics.loops.delassus_dense`); empty for other methods."""

    rows: np.ndarray  # (M, A) each row's part along each axis
    factor: np.ndarray  # (M, M) pivoted Cholesky factor of the scaled response
    basis: np.ndarray  # (M, M) orthonormal, of the factor's columns, where rows are redundant
    scale: np.ndarray  # (M,)
    loose: np.ndarray  # (M,) about what a row's response would be if its bodies were free
    compliance: np.ndarray  # (M,) scaled, of rows that give way
    values: np.ndarray  # (M,) what is asked of the rows, then their multipliers
    work: np.ndarray  # (M,)
    order: np.ndarray  # (M,) int64: rows by pivot
    rank: np.ndarray  # (1,) int64


class AssemblyWork(NamedTuple):
    """Room for assemblies and their handles; see `dynamics.tree.divide_and_conquer`. Empty for other methods."""

    handles: np.recarray  # HANDLES of each assembly
    joints: np.recarray  # (B,) ASSEMBLING_JOINT
    rows: np.ndarray  # (A, 13) acceleration of each axis for the columns of its joint


@by_reference
class Scratch(NamedTuple):
    """Results of one evaluation. All vectors are along world axes."""

    bodies: np.recarray  # (B,) MOVING_BODY
    axes: np.recarray  # (A,) MOVING_AXIS
    loads: np.recarray  # (B,) LOAD
    efforts: np.ndarray  # (A,): of joint springs, dampers and motors
    accelerations: np.ndarray  # (A,)
    parameters: np.ndarray  # (P,) at this time
    leads: (
        np.ndarray
    )  # (N + E, 2, 12) rad, m, rad/s, m/s: of keyed bodies and targets, now and after an implicit substep
    targets: np.recarray  # (E,) MOVING_TARGET
    drives: np.recarray  # (A,) DRIVE of the axes of what follows; (0,) where nothing does
    switches: np.recarray  # (S,) MOVING_SWITCH
    rides: np.recarray  # (W,) MOVING_RIDE
    closed: np.ndarray  # (F,) int64: 1 for a force that switches and whose gap is closed, or ASK_GAP
    taken: np.ndarray  # (F,) int64: Taken; what is left out of the wrenches
    speeds: np.ndarray  # (A,): those before a jump
    dense: np.ndarray  # (A, A) for the composite method, else (0, 0)
    rows: np.recarray  # (R,) MOVING_ROW
    bead: np.ndarray  # (Q,) parameter of the curve's point next to the bead
    slipping: np.ndarray  # (L, L + 1): the equations for what ropes lose at the L grips on which they slip
    factored: np.ndarray  # (1,) int64: whether a method has left factors behind
    redundant: np.ndarray  # (M,) int64: 1 where the last solution found the row redundant
    pivots: np.recarray  # (1,) PIVOTS: of the last solution
    machine: np.ndarray  # (3, .): of expressions, see `dynamics.forces.stack_machine`
    work: np.ndarray  # (A,)
    gram: Gram  # for the recursive and the composite method
    propagation: PropagationWork  # for that method
    maximal: Maximal  # for the methods LAGRANGE and SPARSE
    assembly: AssemblyWork  # for the divide-and-conquer method
    soft: tuple | None = None  # SoftContact of `contact.soft.parameters`, in a TouchingScratch


class TouchingScratch(Scratch):
    """Scratch space for a linkage whose bodies touch softly."""


def records(count: int, dtype: np.dtype) -> np.recarray:
    """Zeroed records."""
    return np.zeros(count, dtype).view(np.recarray)


def new_gram(rows: int, axes: int) -> Gram:
    """Room for the response of so many rows."""
    return Gram(
        rows=np.zeros((rows, axes)),
        factor=np.zeros((rows, rows)),
        basis=np.zeros((rows, rows)),
        scale=np.ones(rows),
        loose=np.zeros(rows),
        compliance=np.zeros(rows),
        values=np.zeros(rows),
        work=np.zeros(rows),
        order=np.arange(rows),
        rank=np.zeros(1, np.int64),
    )


def new_scratch(model: Model) -> Scratch:
    """Zeroed scratch space for a model."""
    axes = len(model.armature)
    dense = axes if model.method == COMPOSITE else 0
    rows = model.closing if model.method in (RECURSIVE, COMPOSITE) else 0
    return Scratch(
        bodies=records(len(model.bodies), MOVING_BODY),
        axes=records(axes, MOVING_AXIS),
        loads=records(len(model.bodies), LOAD),
        efforts=np.zeros(axes),
        accelerations=np.zeros(axes),
        parameters=model.parameters.copy(),
        leads=np.zeros((model.driven + len(model.followed), 3, 6)),
        targets=records(len(model.followed), MOVING_TARGET),
        drives=records(axes if len(model.followed) else 0, DRIVE),
        switches=records(len(model.switched), MOVING_SWITCH),
        rides=records(len(model.rides.joints), MOVING_RIDE),
        closed=np.zeros(len(model.forces), np.int64),
        taken=np.zeros(len(model.forces), np.int64),
        speeds=np.zeros(axes),
        dense=np.zeros((dense, dense)),
        rows=records(len(model.rows), MOVING_ROW),
        bead=np.array(model.closures.curve_first),
        slipping=np.zeros((slipping := int(np.count_nonzero(model.closures.slips)), slipping + 1)),
        factored=np.zeros(1, np.int64),
        redundant=np.zeros(model.closing, np.int64),
        pivots=records(1, PIVOTS),
        machine=np.zeros((3, max(len(NAMES) + MOST_VALUES, MOST_STEPS))),
        work=np.zeros(axes),
        gram=new_gram(rows, axes),
        propagation=new_propagation_work(model.propagation),
        maximal=new_maximal(model.elimination),
        assembly=AssemblyWork(
            handles=records(len(model.assembly.assemblies), HANDLES),
            joints=records(len(model.bodies) if model.method == DIVIDE else 0, ASSEMBLING_JOINT),
            rows=np.zeros((axes if model.method == DIVIDE else 0, 13)),
        ),
    )
