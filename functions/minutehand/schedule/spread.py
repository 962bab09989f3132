"""`H`: a value chosen by a hash of the job's name, so that jobs spread evenly and each keeps its own."""

from hashlib import blake2b


def spread(name: str, field: str, size: int) -> int:
    """A number from 0 to size - 1, the same for the same name and field for ever, on every machine.

    Each field has its own, so that one job's minute tells nothing of its hour.
    """
    digest = blake2b(f"{field}\0{name}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") % size
