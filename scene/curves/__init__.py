# SPDX-License-Identifier: GPL-3.0-or-later
"""Properties that keys and drivers change, by their data paths (`fcurves`)."""
