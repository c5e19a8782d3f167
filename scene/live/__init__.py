# SPDX-License-Identifier: GPL-3.0-or-later
"""Live: closed linkages that follow their drives in every frame, without a bake and without keyframes."""
