"""Where AWS comes in: each function parses its event, calls one use case and renders the answer.

Imports make a hundred thousand objects that stay; collecting garbage among them meanwhile is a tenth of a cold start and
finds none. So it rests until a function has everything together.
"""

import gc

gc.disable()


def everything_is_loaded() -> None:
    """Collect garbage from now on; what is there by now stays for good, so the collector need never look at it again."""
    gc.freeze()
    gc.enable()
