# SPDX-License-Identifier: GPL-3.0-or-later
"""The quasi-static integrator: motion without inertia, towards equilibrium, by implicit steps that begin at rest."""
