"""Run the whole of Minutehand on one's own machine, without Docker: an emulator, the deployed template and an echo service."""
