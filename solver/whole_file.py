# SPDX-License-Identifier: GPL-3.0-or-later
"""Files that are written as a whole or not at all: into a draft beside them, which takes their place at the end."""

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO


@contextmanager
def whole_file(path: str | os.PathLike, mode: str = "wb", **options) -> Iterator[IO]:
    """A stream whose content becomes the file at `path` once the block has ended; after an error nothing has changed.

    mode, options: as for `open`. Nobody can foresee the draft's name, and whatever has it already, a symbolic link
    too, is neither followed nor overwritten. What is no regular file, such as /dev/null, is written to as it is.
    Raises OSError with the name of `path`.
    """
    target = Path(path)
    with _called(target):
        if target.exists() and not target.is_file():
            with target.open(mode, **options) as stream:
                yield stream
            return
        draft = target.with_name(f".{secrets.token_hex(8)}.part")
        created = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
        try:
            with os.fdopen(created, mode, **options) as stream:
                yield stream
            os.replace(draft, target)
        except BaseException:
            with suppress(OSError):
                draft.unlink()
            raise


@contextmanager
def _called(target: Path) -> Iterator[None]:
    """Errors that name the file that a person asked for, not its draft."""
    try:
        yield
    except OSError as error:
        error.filename, error.filename2 = os.fspath(target), None
        raise
