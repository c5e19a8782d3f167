# SPDX-License-Identifier: GPL-3.0-or-later
"""What all integrators share: the state as one vector, and what is kept at each frame."""
