# SPDX-License-Identifier: GPL-3.0-or-later
"""Examples of Add > Erector Set, as plain numbers and as objects."""
