# SPDX-License-Identifier: GPL-3.0-or-later
"""Going on from a moment of a run or a bake: it becomes the start of the next one, or its pose alone does."""
