"""Several endpoints of one HTTP target: where they are found, and which of them gets a call."""
