"""The whole of Minutehand on one machine, without Docker: an AWS emulator, the deployed template and an echo service."""
