# SPDX-License-Identifier: GPL-3.0-or-later
"""The variational integrator (Wendlandt 1997): steps that keep momentum, and energy within bounds."""
