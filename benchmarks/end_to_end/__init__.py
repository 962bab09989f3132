"""From the second that runs are due to the call of their targets: how many a second, and what a worker takes of the processor for each."""
