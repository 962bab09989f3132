"""Tools beside the engine: cost estimates, crontabs and iCalendar files. They run where the command line runs; no function's bundle carries them."""
