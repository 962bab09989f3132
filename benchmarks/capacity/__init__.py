"""How far a stack goes: AWS's published limits, what our own calls take of them, and a simulation that has both built in.

`docs/reference/scale.md` is the paper that this room holds true: its generated parts are made here.
"""
