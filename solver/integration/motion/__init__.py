# SPDX-License-Identifier: GPL-3.0-or-later
"""Common to all integrators: the state as one vector, and what is kept at each frame."""
