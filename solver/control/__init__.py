# SPDX-License-Identifier: GPL-3.0-or-later
"""What decides, step by step, what motors do."""
