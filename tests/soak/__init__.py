"""``make soak``: the whole local stack under kills, outages and edits, judged by a checker that knows only the API and the calls received."""
