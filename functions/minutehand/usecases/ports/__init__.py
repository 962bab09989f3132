"""Ports: the protocols that adapters implement for the use cases.

Every method may raise `minutehand.domain.errors.Unavailable`: whether it did its work is unknown then, and calling it again is
safe. When a write's condition does not hold, the method returns that and raises nothing. Reads are consistent unless they say
otherwise.
"""
