# SPDX-License-Identifier: GPL-3.0-or-later
"""Loose bodies and level ground in Bullet, in a process of its own, because it is made for older Pythons than Blender.

`python -m benchmarks.bullet_contact DURATION FRAME_RATE SUBSTEPS WAY FOLDER` moves each mechanism file of a folder on
and leaves its motion beside it as .npz. WAY is one of WAYS. Bullet multiplies the friction and the restitution of two
bodies where we take the geometric mean, so each body is given the square root of its own.
"""

import subprocess
import sys
from pathlib import Path

import numpy as np

from solver.mechanism import Body, Box, Capsule, Cylinder, Mechanism, Shape, Sphere

ROOT = Path(__file__).resolve().parents[1]
TOUCHING, AS_IT_COMES = "touching", "as it comes"
# As it comes, points of contact are made up to 2 cm ahead, and the speed that is to close the rest of the gap is taken
# off the bounce, so that this depends on where in a step it falls. With the other settings points are made where bodies
# touch, and overlaps are taken out beside the velocities: then a ball bounces as it is told.
WAYS = {
    TOUCHING: {"contactBreakingThreshold": 1e-5, "useSplitImpulse": 1, "splitImpulsePenetrationThreshold": 0.0},
    AS_IT_COMES: {},
}
GROUND = (60.0, 60.0, 10.0)  # m: half sizes of a box; on Bullet's plane a box is met at one corner first, and tilts
BLOW = 0.01  # m/s: what a body's velocity is off that of free flight, after a blow
NO_PYTHON = 3  # exit status of the tool that makes environments


def ask_bullet(duration: float, frame_rate: float, substeps: int, way: str, folder: Path) -> bool:
    """True if there is a Bullet. Raises RuntimeError with its words if it fails."""
    made = subprocess.run([ROOT / "tools" / "make_environment.sh", "bullet"], capture_output=True, text=True)
    if made.returncode == NO_PYTHON:
        return False
    if made.returncode:
        raise RuntimeError(f"no environment for Bullet:\n{made.stderr[-2000:]}")
    task = [duration, frame_rate, substeps, way, folder]
    command = [made.stdout.strip().splitlines()[-1], "-m", "benchmarks.bullet_contact", *map(str, task)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"Bullet failed at {' '.join(map(str, task))}:\n{done.stdout[-2000:]}{done.stderr[-4000:]}")
    return True


class BulletScene:
    """The scene at its start; `step` moves it on. Raises ValueError for what is not handed over here."""

    def __init__(self, bullet, mechanism: Mechanism, step: float, way: str) -> None:
        if mechanism.joints or mechanism.forces or any(body.motion != "dynamic" for body in mechanism.bodies):
            raise ValueError("only loose bodies are handed over to Bullet")
        self.bullet = bullet
        bullet.resetSimulation()
        bullet.setGravity(*mechanism.gravity)
        bullet.setPhysicsEngineParameter(fixedTimeStep=step, numSubSteps=0, **WAYS[way])
        ground = mechanism.contact.ground
        slab = bullet.createCollisionShape(bullet.GEOM_BOX, halfExtents=GROUND)
        place = (0.0, 0.0, ground.height - GROUND[2])
        made = bullet.createMultiBody(0.0, slab, basePosition=place, useMaximalCoordinates=1)
        self._set_surface(made, ground.friction, ground.restitution)
        self._ids = [self._added(body) for body in mechanism.bodies]

    def step(self) -> None:
        self.bullet.stepSimulation()

    def state(self) -> np.ndarray:
        """(B, 13): position, quaternion w x y z, linear and angular velocity."""
        rows = []
        for body in self._ids:
            place, (x, y, z, w) = self.bullet.getBasePositionAndOrientation(body)
            velocity, spin = self.bullet.getBaseVelocity(body)
            rows.append((*place, w, x, y, z, *velocity, *spin))
        return np.array(rows)

    def velocities(self) -> np.ndarray:
        """(B, 3)"""
        return np.array([self.bullet.getBaseVelocity(body)[0] for body in self._ids])

    def _added(self, body: Body) -> int:
        if any(body.center_of_mass):
            raise ValueError(f"'{body.name}': only bodies whose centres are their origins are handed over to Bullet")
        w, x, y, z = body.orientation or (1.0, 0.0, 0.0, 0.0)
        shape = self._form(body.shape)
        made = self.bullet.createMultiBody(
            body.mass, shape, basePosition=list(body.position), baseOrientation=(x, y, z, w), useMaximalCoordinates=1
        )
        inertia = np.array(body.inertia)
        moments = inertia if inertia.ndim == 1 else np.diag(inertia)
        self.bullet.changeDynamics(
            made, -1, mass=body.mass, localInertiaDiagonal=moments.tolist(), linearDamping=0.0, angularDamping=0.0
        )
        self._set_surface(made, body.material.friction, body.material.restitution)
        still = (0.0, 0.0, 0.0)
        self.bullet.resetBaseVelocity(made, list(body.linear_velocity or still), list(body.angular_velocity or still))
        return made

    def _set_surface(self, body: int, friction: float, restitution: float) -> None:
        self.bullet.changeDynamics(
            body,
            -1,
            lateralFriction=friction**0.5,
            restitution=restitution**0.5,
            rollingFriction=0.0,
            spinningFriction=0.0,
        )

    def _form(self, shape: Shape) -> int:
        make, bullet = self.bullet.createCollisionShape, self.bullet
        if isinstance(shape, Box):
            return make(bullet.GEOM_BOX, halfExtents=list(shape.half_size))
        if isinstance(shape, Sphere):
            return make(bullet.GEOM_SPHERE, radius=shape.radius)
        if isinstance(shape, Capsule | Cylinder):
            kind = bullet.GEOM_CAPSULE if isinstance(shape, Capsule) else bullet.GEOM_CYLINDER
            return make(kind, radius=shape.radius, height=2.0 * shape.half_length)
        raise ValueError(f"a {shape.type} is not handed over to Bullet here")


def _move(scene: BulletScene, mechanism: Mechanism, frames: int, substeps: int, step: float) -> dict[str, np.ndarray]:
    """The states at the frames, and when something that had a speed at the start was struck first."""
    states, flying = [scene.state()], np.array([any(body.linear_velocity or ()) for body in mechanism.bodies])
    first, fall = np.inf, step * np.array(mechanism.gravity)
    before = scene.velocities()
    for k in range(frames * substeps):
        scene.step()
        if first == np.inf:
            now = scene.velocities()
            if np.any(np.linalg.norm(now - before - fall, axis=1)[flying] > BLOW):
                first = (k + 1) * step
            before = now
        if (k + 1) % substeps == 0:
            states.append(scene.state())
    return {"states": np.array(states), "first": np.array(first)}


def main() -> None:
    import pybullet

    duration, frame_rate, substeps = float(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3])
    way, folder, step = sys.argv[4], Path(sys.argv[5]), 1.0 / (frame_rate * substeps)
    pybullet.connect(pybullet.DIRECT)
    for path in sorted(folder.glob("*.json")):
        mechanism = Mechanism.load(path)
        scene = BulletScene(pybullet, mechanism, step, way)
        motion = _move(scene, mechanism, round(duration * frame_rate), substeps, step)
        np.savez(path.with_suffix(".npz"), **motion)


if __name__ == "__main__":
    main()
