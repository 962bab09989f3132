"""Ports: the protocols that adapters implement for the use cases.

Every method may raise `minutehand.domain.errors.Unavailable`: whether it did its work is unknown then, and calling it again is safe. A
condition that does not hold is an answer, not an exception. Reads are consistent unless they say otherwise.
"""
