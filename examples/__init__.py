"""Worked examples. `python -m examples NAME` shows one on the local stack."""
