"""How late jobs with seconds are: at the worker and at the target, ours and others'."""
