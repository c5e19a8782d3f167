# SPDX-License-Identifier: GPL-3.0-or-later
"""`Object.ves` and `Scene.ves`: the settings of a mechanism, as they are stored in the .blend.

`groups` registers them; the other files are its parts, one subject each.
"""
