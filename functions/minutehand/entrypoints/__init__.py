"""Where AWS comes in: each function parses its event, calls one use case and renders the answer.

Imports make a hundred thousand objects that stay; collecting garbage among them meanwhile is a tenth of a cold start and
finds none. So it rests until `bootstrap` has everything together.
"""

import gc

gc.disable()
