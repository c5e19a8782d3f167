# SPDX-License-Identifier: GPL-3.0-or-later
"""The solver where there is no compiler: the same source runs as plain Python and moves the same way."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from solver import Mechanism, compiled, simulate

ROOT = Path(__file__).resolve().parents[1]
REFERENCE = ROOT / "tests" / "reference" / "pendulum_double_3d.json"
DURATION = 0.2
WITHOUT_NUMBA = """
import sys
sys.modules["numba"] = None  # whoever imports it gets an ImportError
import solver
assert not solver.compiled()
solver.simulate(solver.Mechanism.load(sys.argv[1]), float(sys.argv[2])).save(sys.argv[3])
"""


@pytest.mark.fallback
def test_the_switch_of_numba_is_obeyed() -> None:
    assert compiled() is (os.environ.get("NUMBA_DISABLE_JIT", "0") == "0")


@pytest.mark.fallback
def test_a_double_pendulum_moves_as_in_the_reference() -> None:
    truth = np.load(REFERENCE.with_suffix(".npz"))
    recording = simulate(Mechanism.load(REFERENCE), DURATION, frame_rate=round(1.0 / truth["times"][1]))
    frames = len(recording.times)
    np.testing.assert_allclose(recording.times, truth["times"][:frames], atol=1e-12)
    # The default tolerance, 1e-6 per step, and a margin for the few dozen steps.
    np.testing.assert_allclose(recording.position, truth["position"][:frames], atol=1e-5)


@pytest.mark.fallback
def test_numba_need_not_be_there(tmp_path: Path) -> None:
    """Not switched off but missing, as in a Blender whose Python has no wheel. Rounding is all that may differ."""
    result = tmp_path / "plain.npz"
    subprocess.run(
        [sys.executable, "-c", WITHOUT_NUMBA, str(REFERENCE), str(DURATION), str(result)],
        cwd=ROOT,
        env=os.environ | {"VES_KERNELS": "none"},
        check=True,
        timeout=120,
    )
    recording = simulate(Mechanism.load(REFERENCE), DURATION)
    np.testing.assert_allclose(np.load(result)["position"], recording.position, atol=1e-9)
