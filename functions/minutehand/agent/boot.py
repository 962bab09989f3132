"""The boot of this machine, or of the container that looks like one."""

from pathlib import Path

_PROC = Path("/proc")
_STARTED_AT = 19  # the field `starttime` of proc(5), counted from the first behind the name in parentheses


def this_boot(proc: Path = _PROC) -> str:
    """A text that differs between two starts of this machine, or of its container: the id of the kernel's boot, and when process 1 started.

    An agent that is started again alone has the same, as long as it is not process 1 itself. Empty if the system does not tell.
    """
    try:
        kernel = (proc / "sys" / "kernel" / "random" / "boot_id").read_text(encoding="ascii").strip()
        first = (proc / "1" / "stat").read_bytes()
        # The name in parentheses may contain anything, spaces and parentheses included.
        started = first[first.rindex(b")") + 1 :].split()[_STARTED_AT].decode("ascii")
    except (OSError, ValueError, IndexError):
        return ""
    return f"{kernel} {started}"
