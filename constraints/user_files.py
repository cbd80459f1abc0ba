"""Reads files that a person named: never for ever, never more than was asked for. Says not what they mean."""

from __future__ import annotations

import errno
import os
import stat

_STREAMS = ("/dev/fd/", "/proc/self/fd/")
"""Where a shell puts what it substitutes for `<(…)`."""
_DEVICES = ("/dev/stdin", os.devnull)


def read_start(path: str, most: int) -> bytes:
    """The first bytes of a file, one more than `most` where it is longer.

    Raises:
        OSError: it can't be read, or is a named pipe or a device, which might never end; its `strerror` says
            why. ValueError: nothing can have that name.
    """
    mode = os.stat(path).st_mode  # noqa: PTH116  as below
    is_stream = stat.S_ISFIFO(mode) or stat.S_ISCHR(mode) or stat.S_ISSOCK(mode) or stat.S_ISBLK(mode)
    if is_stream and path not in _DEVICES and not path.startswith(_STREAMS):
        raise OSError(errno.EINVAL, "is not a regular file", path)
    with open(path, "rb") as file:  # noqa: PTH123  pathlib is not needed here, and costs a start-up
        return file.read(most + 1)
