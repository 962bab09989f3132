"""Files of the agent's user in folders into which others may have put something."""

import errno
import os
import stat
from pathlib import Path
from typing import Any


def opened(path: Path, mode: str = "wb") -> Any:
    """A regular file of this user. Raises OSError, also for a link, a pipe or a device that somebody has put there."""
    how = os.O_WRONLY | os.O_CREAT if mode == "wb" else os.O_RDONLY
    file = os.fdopen(os.open(path, how | os.O_NOFOLLOW | os.O_NONBLOCK, 0o600), mode)
    found = os.fstat(file.fileno())
    if not stat.S_ISREG(found.st_mode) or found.st_uid != os.geteuid():
        file.close()
        raise OSError(errno.EINVAL, f"{path} is no file of this user")
    return file
