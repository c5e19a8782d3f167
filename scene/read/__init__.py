# SPDX-License-Identifier: GPL-3.0-or-later
"""Reading: the evaluated scene becomes a mechanism.

`scene` is the table of contents, `reading` what has been read so far; the others read one kind of part each.
"""
