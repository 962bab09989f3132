"""What use cases need of the world, as promises.

Every method may raise `minutehand.domain.errors.Unavailable`: then nothing is known about what it did, and calling it again is safe. A condition
that does not hold is an answer, not an exception. Reads are consistent unless they say otherwise.
"""
