# SPDX-License-Identifier: GPL-3.0-or-later
"""Control: motors that are decided on step by step."""
