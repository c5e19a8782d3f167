# SPDX-License-Identifier: GPL-3.0-or-later
"""Forces: applied to bodies, in joints, and the modes of those that jump."""
