"""Write units, read units and calls of runs, counted on emulators."""
