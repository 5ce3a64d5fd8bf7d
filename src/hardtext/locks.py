"""One process a folder. The kernel holds the lock for the process, so it goes when the process goes, kill -9 included."""

from __future__ import annotations

import errno
import fcntl
import logging
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hardtext.core import InputError
from hardtext.disks import disk_trouble_at, shown

log = logging.getLogger(__name__)

LOCK = ".hardtext.lock"

_held: set[int] = set()


def _drop_in_child() -> None:
    # A forked worker shares the lock; it must not outlive the process that took it.
    while _held:
        os.close(_held.pop())


os.register_at_fork(after_in_child=_drop_in_child)


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold a folder for this process. Raises InputError, with the pid, where another one works there."""
    with disk_trouble_at(path):
        descriptor = os.open(path / LOCK, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        holder = os.pread(descriptor, 200, 0).decode("utf-8", "replace").strip() or "another process"
        os.close(descriptor)
        raise InputError(f"{shown(path)} is in use by {holder}: wait for it, "
                         f"or choose another seed or folder") from error
    except OSError as error:
        if error.errno not in (errno.ENOLCK, errno.ENOSYS, errno.ENOTSUP):
            os.close(descriptor)
            raise
        log.warning("%s: this file system has no locks; make sure that no second process works there", shown(path))
    _held.add(descriptor)
    try:
        with disk_trouble_at(path):
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, f"process {os.getpid()} on {socket.gethostname()}\n".encode(), 0)
        yield
    finally:
        if descriptor in _held:  # not in a forked child, which has closed it already
            _held.remove(descriptor)
            os.close(descriptor)
