"""Hash of a job's name, from which `H` takes a value: jobs spread evenly, and each job keeps its own value."""

from hashlib import blake2b


def hash_value(name: str, field: str, size: int) -> int:
    """Number from 0 to size - 1, the same for a name and field on every machine and in every version.

    The field is part of the hash, so a job's minute does not depend on its hour.
    """
    digest = blake2b(f"{field}\0{name}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") % size
