"""Whether a tick's time grows with the jobs that exist, or with those that are due alone."""
