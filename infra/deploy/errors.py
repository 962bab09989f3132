"""What may stand in the way of a deployment, each as a sentence a user can act on."""

from collections.abc import Sequence


class DeployError(Exception):
    """Nothing was deployed, or not all of it; the text says why, and ``how`` how to go on, a line each."""

    def __init__(self, why: str, *, how: Sequence[str] = ()) -> None:
        super().__init__(why)
        self.how = tuple(how)
