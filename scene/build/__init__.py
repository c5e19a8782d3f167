# SPDX-License-Identifier: GPL-3.0-or-later
"""Building: a mechanism becomes objects, the reverse of reading. `scene` is the table of contents."""
